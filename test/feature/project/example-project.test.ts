/** The example project, as the README's first screen starts it: on an empty database, with its sample content. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';

const EXAMPLE = path.join(import.meta.dirname, '../../../examples/blog');
const QUERY = 'sort=writtenOn:desc&pagination[pageSize]=1&fields=title&populate[author][fields]=name'.replaceAll(
  /[[\]]/g,
  encodeURIComponent,
);

for (const engine of engines) {
  describe(`the example project on ${engine.name}`, () => {
    it('starts on an empty database with its content, and keeps it when it starts again', async () => {
      const database = await engine.emptyDatabase();
      const project = await makeProject({});
      for (const part of ['src', 'config', 'seed.json']) {
        await cp(path.join(EXAMPLE, part), path.join(project.dir, part), { recursive: true });
      }
      try {
        const starts = [await askOnce(project.dir, database.env), await askOnce(project.dir, database.env)];
        match(starts[0]!.out, /token example \(shown once\): [0-9a-f]{256}\n/);
        for (const { answer, code, err } of starts) {
          strictEqual(answer.data[0].title, 'Smoke, patience, honey');
          strictEqual(answer.data[0].author.name, 'Jonas Abt');
          deepStrictEqual(answer.meta.pagination, { page: 1, pageSize: 1, pageCount: 4, total: 4 });
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
    it('says at the start what it has taken from roles, such as registration', async () => {
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
    const answer = (await (await fetch(`${url}/api/articles?${QUERY}`)).json()) as Answer['body'];
    child.kill('SIGTERM');
    return { answer, ...(await ended) };
  } finally {
    child.kill('SIGKILL');
  }
}
