/** The example project, as the README's first screen starts it: on an empty database, with its sample content. */
import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const EXAMPLE = path.join(ROOT, 'examples/blog');
const QUERY = 'sort=writtenOn:desc&pagination[pageSize]=1&fields=title&populate[author][fields]=name'.replaceAll(
  /[[\]]/g,
  encodeURIComponent,
);

for (const engine of engines) {
  describe(`the example project on ${engine.name}`, () => {
    it('starts on an empty database with its content, and keeps it when it starts again', async () => {
      const database = await engine.emptyDatabase();
      const project = await makeProject({});
      for (const part of ['src', 'config', 'seed', 'seed.json']) {
        await cp(path.join(EXAMPLE, part), path.join(project.dir, part), { recursive: true });
      }
      try {
        const starts = [await askOnce(project.dir, database.env), await askOnce(project.dir, database.env)];
        match(starts[0]!.out, /token example \(shown once\): [0-9a-f]{256}\n/);
        const promised = /```json\n(\{\s+"data": \[.*?)```/s.exec(await readFile(path.join(ROOT, 'README.md'), 'utf8'));
        for (const { answer, german, picture, code, err } of starts) {
          deepStrictEqual(answer, JSON.parse(promised![1]!));
          const [soup] = german.data;
          deepStrictEqual(
            [soup.title, soup.author.name, soup.cover.alternativeText],
            ['Suppe zwischen zwei Bahnhöfen', 'Mira Holt', 'A steaming pot of soup on a wooden table'],
          );
          // it is said to have been written a while ago
          ok(Date.now() - Date.parse(soup.publishedAt) > 40 * 86_400_000);
          deepStrictEqual([picture.status, picture.headers.get('content-type')], [200, 'image/webp']);
          deepStrictEqual([code, err], [0, '']);
        }
      } finally {
        await project.remove();
        await database.drop();
      }
    });
  });
}

for (const engine of engines) {
  describe(`sample content on ${engine.name}`, () => {
    it('reports at the start the rights revoked from roles, such as registration', async () => {
      const database = await engine.emptyDatabase();
      const seed = { apply: { roles: { public: ['api::note.note.find'] } } };
      const contentTypes = { note: contentType('note', { text: { type: 'string' } }) };
      const project = await makeProject({ contentTypes, files: { 'seed.json': seed } });
      try {
        const { child, lines, ended } = await startProcess(project.dir, database.env);
        child.kill('SIGTERM');
        await ended;
        match(lines(), /\n {2}seed\.json revoked from public: plugin::users-permissions\.auth\.register\n/);
      } finally {
        await project.remove();
        await database.drop();
      }
    });
  });
}

/** Starts the project as a process, asks for the newest article and ends it. */
async function askOnce(dir: string, env: Readonly<Record<string, string>>) {
  const { child, url, ended } = await startProcess(dir, env);
  try {
    const ask = async (query: string) => (await (await fetch(`${url}/api/articles?${query}`)).json()) as Answer['body'];
    const answer = await ask(QUERY);
    const german = await ask('locale=de&sort=writtenOn&filters[kind]=recipe&populate=*');
    const picture = await fetch(url + german.data[0].cover.url);
    await picture.arrayBuffer();
    child.kill('SIGTERM');
    return { answer, german, picture, ...(await ended) };
  } finally {
    child.kill('SIGKILL');
  }
}
