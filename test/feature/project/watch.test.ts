/** `galley start --watch` as a process: what is saved is put in place, or what is wrong with it is told. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { type StartedProcess, startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

const TITLE = { title: { type: 'string' } };
const NOTE = 'src/api/note/content-types/note/schema.json';
/** A route that fails. */
const FAILS = {
  routes: `module.exports = { routes: [
    { method: 'GET', path: '/fails', handler: 'fails.fail', config: { auth: false } }] };`,
  controller: `module.exports = ({ strapi }) => ({
    async fail() {
      strapi.log.info('first');
      throw new TypeError('no such thing');
    },
  });`,
};
const FIXTURE = {
  tokens: [{ name: 'full', type: 'full-access' }],
};

for (const engine of engines) {
  describe(`galley start --watch on ${engine.name}`, () => {
    let database: TestDatabase;
    let folder: ProjectFolder;
    let galley: StartedProcess;
    let token: string;
    before(async () => {
      folder = await makeProject({ contentTypes: { note: contentType('note', TITLE) } });
      database = await engine.databaseFor(folder);
      const env = { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };
      const [fixture, out] = [path.join(folder.dir, 'fixture.json'), path.join(folder.dir, 'tokens.json')];
      await writeFile(fixture, JSON.stringify(FIXTURE));
      const told: string[] = [];
      const warn = (line: string): void => void told.push(line);
      const applied = await runCommandLine(['apply', fixture, folder.dir, '--tokens-out', out], {
        env,
        print: () => {},
        warn,
      });
      strictEqual(applied, 0, told.join('\n'));
      token = (JSON.parse(await readFile(out, 'utf8')) as { full: string }).full;
      galley = await startProcess(folder.dir, env, undefined, ['start', '--watch', '--host', '127.0.0.1']);
    });
    after(async () => {
      galley?.child.kill('SIGKILL');
      await galley?.ended;
      await database?.drop();
      await folder?.remove();
    });

    const place = (file: string) => path.join(folder.dir, file);
    const save = async (file: string, value: unknown): Promise<void> => {
      await mkdir(path.dirname(place(file)), { recursive: true });
      await writeFile(place(file), typeof value === 'string' ? value : JSON.stringify(value, null, 2));
    };
    const ask = (method: string, target: string, data?: object): Promise<Response> =>
      fetch(galley.url + target, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(data && { body: JSON.stringify({ data }) }),
      });
    const statusOf = async (target: string): Promise<number> => {
      const response = await ask('GET', target);
      await response.arrayBuffer();
      return response.status;
    };
    const answers = (target: string, status: number) =>
      until(`${target} answers ${status}`, async () => (await statusOf(target)) === status);

    it('takes a new attribute in and answers every request meanwhile', async () => {
      let isOver = false;
      const statuses = new Set<number>();
      const client = (async () => {
        while (!isOver) statuses.add(await statusOf('/api/notes'));
      })();
      strictEqual((await ask('POST', '/api/notes', { title: 'a', subtitle: 'b' })).status, 400);
      await save(NOTE, contentType('note', { ...TITLE, subtitle: { type: 'string' } }));
      await until('the attribute is writable', async () => {
        return (await ask('POST', '/api/notes', { title: 'a', subtitle: 'b' })).status === 200;
      });
      const { data } = (await (await ask('GET', '/api/notes?filters[subtitle]=b')).json()) as { data: object[] };
      strictEqual(data.length, 1);
      isOver = true;
      await client;
      deepStrictEqual([...statuses], [200]);
      await until('it says so', () => galley.lines().includes(`${NOTE}; added notes.subtitle`));
    });

    it('reports a mistake, continues to serve, and loads the corrected files', async () => {
      await save(NOTE, contentType('note', { ...TITLE, subtitle: { type: 'strin' } }));
      await until('the mistake is told', () => /did you mean string\?\)\n1 mistake\n/.test(galley.lines()));
      match(galley.lines(), /^src\/api\/note\/content-types\/note\/schema\.json: attributes\.subtitle/m);
      await until('it is told that the old project serves on', () =>
        /the previous version of the project is still being served/.test(galley.errors()),
      );
      strictEqual((await ask('POST', '/api/notes', { subtitle: 'still' })).status, 200);
      await save(NOTE, '{ "kind": "collectionType", ');
      await until('the broken file is told', () => galley.lines().includes('not valid JSON'));
      strictEqual(await statusOf('/api/notes?filters[subtitle]=still'), 200);
      await save(NOTE, contentType('note', { ...TITLE, subtitle: { type: 'string' }, mended: { type: 'integer' } }));
      await answers('/api/notes?filters[mended]=1', 200);
    });

    it('names no file where nothing differs in the end', async () => {
      // the file is there at every moment: without it another project would be put in place
      const aside = place('.aside');
      await link(place(NOTE), aside);
      await save('.broken', '{ ');
      await rename(place('.broken'), place(NOTE));
      await until('the broken file is told', () => galley.lines().match(/not valid JSON/g)?.length === 2);
      await rename(aside, place(NOTE));
      await until('it is in place', () => /reloaded in \d+ ms\n/.test(galley.lines()));
    });

    it('takes in nothing half-written', async () => {
      const told = galley.lines().length;
      const text = JSON.stringify(
        contentType('note', { ...TITLE, subtitle: { type: 'string' }, late: { type: 'integer' } }),
      );
      writeFileSync(place(NOTE), '');
      writeFileSync(place(NOTE), text.slice(0, 50));
      writeFileSync(place(NOTE), text);
      await answers('/api/notes?filters[late]=1', 200);
      // another way to save: beside, and renamed
      await writeFile(place(`${NOTE}.tmp`), text.replace('"late"', '"later"'));
      await rename(place(`${NOTE}.tmp`), place(NOTE));
      await answers('/api/notes?filters[later]=1', 200);
      doesNotMatch(galley.lines().slice(told), /mistake/);
    });

    it('reloads after changes of files that its code imports from elsewhere', async () => {
      const start =
        "const seed = require('../lib/seed');\nmodule.exports = { register({ strapi }) { seed(strapi); } };";
      const seed = (path: string) =>
        `module.exports = (strapi) => strapi.server.router.get('${path}', (ctx) => { ctx.body = 'here'; });`;
      await save('lib/seed.js', seed('/first'));
      await save('src/index.js', start);
      await answers('/first', 200);
      await save('lib/seed.js', seed('/second'));
      await answers('/second', 200);
      await rm(place('src/index.js'));
      await answers('/second', 404);
    });

    it('watches new folders and their files, and stops watching removed ones', async () => {
      await save('src/api/tag/content-types/tag/schema.json', contentType('tag', TITLE));
      await answers('/api/tags', 200);
      await save(
        'src/api/tag/content-types/tag/schema.json',
        contentType('tag', { ...TITLE, colour: { type: 'string' } }),
      );
      await answers('/api/tags?filters[colour]=red', 200);
      await rm(place('src/api/tag'), { recursive: true });
      await answers('/api/tags', 404);
      await save('src/api/tag/content-types/tag/schema.json', contentType('tag', TITLE));
      await answers('/api/tags', 200);
      await save(
        'src/api/tag/content-types/tag/schema.json',
        contentType('tag', { ...TITLE, size: { type: 'string' } }),
      );
      await answers('/api/tags?filters[size]=1', 200);
      await save('src/components/shared/link.json', {
        collectionName: 'components_shared_links',
        attributes: { href: { type: 'string' } },
      });
      const link = { type: 'component', component: 'shared.link', repeatable: true };
      await save('src/api/tag/content-types/tag/schema.json', contentType('tag', { ...TITLE, links: link }));
      await until('the component is written', async () => {
        return (await ask('POST', '/api/tags', { links: [{ href: 'a' }] })).status === 200;
      });
    });

    it('takes in many files at once', async () => {
      const names = Array.from({ length: 50 }, (_, index) => `kind${index}`);
      await Promise.all(
        names.map((name) => save(`src/api/${name}/content-types/${name}/schema.json`, contentType(name, TITLE))),
      );
      for (const name of names) await answers(`/api/${name}s`, 200);
    });

    it('applies configuration, and names settings that need a restart', async () => {
      await save('config/api.js', 'module.exports = { rest: { prefix: "/content" } };');
      await answers('/content/notes', 200);
      await save('.env', 'METRICS_PORT=9464\n');
      await until('the restart is told', () =>
        galley.errors().includes('warning: changes to the metrics take effect only after a restart'),
      );
      await rm(place('config'), { recursive: true });
      await answers('/api/notes', 200);
    });

    it('runs code that is saved', async () => {
      // a policy that reads a missing member fails its request
      await save(
        'src/policies/mine.js',
        "module.exports = (context, config, { strapi }) => strapi.db.queryBuilder('owners').select();",
      );
      const guarded =
        "module.exports = createCoreRouter('api::note.note', { config: { find: { policies: ['mine'] } } });";
      await save(
        'src/api/note/routes/note.js',
        `const { createCoreRouter } = require('@strapi/strapi').factories;\n${guarded}`,
      );
      await answers('/api/notes', 500);
      await until('the log names the member', () => galley.errors().includes('strapi.db.queryBuilder'));
    });

    it('warns about an unknown role when rules of access begin to name it', async () => {
      await save('src/galley.js', "exports.access = { 'api::note.note': { roles: { editor: { update: true } } } };");
      await until('the role is told', () => galley.errors().includes('rules of access for the role editor'));
    });

    it('ends at once on a signal', async () => {
      galley.child.kill('SIGTERM');
      const { code, err } = await galley.ended;
      strictEqual(code, 0, err);
      doesNotMatch(err, /defect/);
    });

    it('is what galley dev runs, on this machine only', async () => {
      const env = { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret', HOST: 'nowhere.invalid' };
      galley = await startProcess(folder.dir, env, undefined, ['dev']);
      match(galley.url, /^http:\/\/127\.0\.0\.1:/);
      await answers('/api/notes', 500);
      await rm(place('src/api/note/routes'), { recursive: true });
      await answers('/api/notes', 200);
    });

    it('writes a log for people with galley dev: requests, and errors with the lines of the project alone', async () => {
      await save('src/api/note/routes/fails.js', FAILS.routes);
      await save('src/api/note/controllers/fails.js', FAILS.controller);
      await answers('/api/fails?token=secret', 500);
      const lines = () => galley.errors().split('\n');
      await until('the request has its line', () =>
        lines().some((line) => /^\d\d:\d\d:\d\d GET \/api\/fails 500 [\d.]+ ms 99 B$/.test(line)),
      );
      const text = galley.errors();
      match(text, /^\d\d:\d\d:\d\d info {2}first\n/m);
      const failure = lines().findIndex((line) => /^\S+ error GET \/api\/fails failure: .*fails\.js:4: /.test(line));
      match(lines()[failure + 1]!, /^ {4}at \S+ \(?src\/api\/note\/controllers\/fails\.js:4:\d+\)?$/);
      match(lines()[failure + 2]!, /^ {4}… \d+ more outside the project$/);
      // colours are for terminals
      doesNotMatch(text, /secret|\u001b|^\{/m);
    });

    it('writes it as JSON where a program reads it', async () => {
      galley.child.kill('SIGTERM');
      await galley.ended;
      const env = { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret', LOG_FORMAT: 'json' };
      galley = await startProcess(folder.dir, env, undefined, ['dev']);
      await answers('/api/fails', 500);
      await until('the log is there', () => /"msg":"request"/.test(galley.errors()));
      const [first] = galley
        .errors()
        .split('\n')
        .filter((line) => line.startsWith('{'));
      strictEqual((JSON.parse(first!) as { msg: string }).msg, 'first');
    });
  });
}
