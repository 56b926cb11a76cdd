/** Background work of a project's code, and its end when the project is replaced. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { outcomeOf } from '../../../src/runtime/jobs/job-runs.ts';
import { CronTasks } from '../../../src/runtime/strapi/cron.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const TASKS = `
const task = (text) => () => strapi.documents('api::note.note').create({ data: { text } });
const second = '* * * * * *';
// ahead of whenever it is read: of the time of loading it would be over where the start takes longer
const soon = () => new Date(Date.now() + 1000);
module.exports = {
  once: { task: task('once'), get options() { return soon(); } },
  onceByRule: { task: task('once by rule'), options: { get rule() { return soon(); } } },
  over: { task: task('over'), options: { rule: second, end: new Date(Date.now() - 1000) } },
  early: { task: task('early'), options: { rule: second, start: Date.now() + 3600000 } },
  [second]: task('every second'),
};`;
const ROUTES = `
module.exports = [
  { method: 'GET', path: '/named', handler: () => ({ isOwn: [globalThis.strapi, strapi.config.get('own').now()].every((one) => one === strapi), loading: strapi.config.get('own.loading') }), config: { auth: false } },
  { method: 'GET', path: '/settings', handler: () => [strapi.config.get('own.pattern').test('ab'), strapi.config.get('own.map').get(1)], config: { auth: false } },
];`;

/** What hooks into documents beside hooks of its own. */
const GALLEY = `
const loading = typeof strapi;
exports.hooks = {
  'api::kept.kept': {
    beforeWrite({ data }) {
      strapi.db.lifecycles.subscribe({ models: ['api::kept.kept'], beforeDelete() { throw new Error('kept'); } });
      data.text = loading + ', ' + strapi.config.get('own.map').get(1);
    },
  },
};`;

for (const engine of engines) {
  describe(`code that begins and ends on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    before(async () => {
      folder = await makeProject({
        contentTypes: {
          note: contentType('note', { text: { type: 'string' } }),
          kept: contentType('kept', { text: { type: 'string' } }),
        },
        files: {
          'src/galley.js': GALLEY,
          'src/api/note/routes/own.js': ROUTES,
          'config/cron-tasks.js': TASKS,
          'config/own.js':
            'module.exports = { pattern: /^a/, map: new Map([[1, 2]]), loading: typeof strapi, now: () => strapi };',
          'config/server.js': "module.exports = { cron: { enabled: true, tasks: require('./cron-tasks') } };",
        },
      });
      server = await serveSeeded(engine, folder);
    });
    after(() => server?.stop());

    const get = async (target: string) => (await server.get(`/api/${target}`)).body;

    it('runs tasks once at a date, and others between their dates', async () => {
      const ran = await until('the tasks have run', async () => {
        const notes = await server.app.documents('api::note.note').findMany({ limit: 100 });
        const names = notes.map((note) => String(note['text']));
        const ofEach = ['once', 'once by rule', 'every second'].map((each) => names.filter((name) => name === each));
        return ofEach.every((ran) => ran.length > 0) && ofEach[2]!.length >= 3 && names;
      });
      deepStrictEqual(ran.filter((name) => name !== 'every second').sort(), ['once', 'once by rule']);
    });

    it('runs a task in one process at a time, though its next time comes', async () => {
      const { promise: end, resolve } = Promise.withResolvers<void>();
      const { database } = server.app;
      const [one, other] = [0, 1].map(() => new CronTasks({ database, tools: {}, failed: String })) as [
        CronTasks,
        CronTasks,
      ];
      const ran: string[] = [];
      const named = (name: string, work?: Promise<void>) => ({
        task: () => {
          ran.push(name);
          return work;
        },
        options: '* * * * * *',
      });
      const long = named('long', end);
      one.add({ long });
      const begun = (await one.begin('long'))!;
      other.add({ long, short: named('short') });
      await other.start();
      await until('its time has come', () => ran.filter((name) => name === 'short').length >= 2);
      other.stop();
      strictEqual(ran.filter((name) => name === 'long').length, 1);
      resolve();
      await begun.done;
      strictEqual(outcomeOf((await one.list())[0]!.state), 'done');
    });

    it('has its tasks listed with their last runs, and run by hand', async () => {
      const told: string[] = [];
      const print = (line: string) => void told.push(line);
      const { env, dir } = { env: environmentOf(server), dir: folder.dir };
      const galley = async (...args: string[]) => {
        told.length = 0;
        const code = await runCommandLine(['job', ...args, dir], { env, print, warn: print });
        return { code, text: told.join('\n') };
      };
      const { text } = await galley('list');
      match(text, /^once +\d{4}-[^ ]+Z +config\/server /m);
      match(
        text,
        /^\* \* \* \* \* \* +\* \* \* \* \* \* +config\/server +\S+ \S+ +\d{4}-\d\d-\d\d [\d:]+ +(?:done|running)$/m,
      );
      match(text, /^over +\* \* \* \* \* \* +config\/server +never +never/m);
      deepStrictEqual(await galley('run', 'early'), { code: 0, text: 'early is done' });
      const early = await server.app.documents('api::note.note').findMany({ filters: { text: 'early' } });
      strictEqual(early.length, 1);
      match((await galley('run', 'erly')).text, /no job erly: did you mean early\?/);
    });

    it('has dates, patterns and maps among its settings', async () => {
      deepStrictEqual(await get('settings'), [true, 2]);
    });

    it('is available in src/galley as a global, which counts as any other use of strapi', async () => {
      const token = server.secrets['full']!;
      const call = (method: string, target: string, body?: unknown) =>
        server.request(method, `/api/kepts${target}`, { token, ...(body === undefined ? {} : { body }) });
      const made = await call('POST', '', { data: { text: 'x' } });
      deepStrictEqual([made.status, made.body.data.text], [200, 'undefined, 2']);
      strictEqual((await call('DELETE', `/${made.body.data.documentId}`)).status, 500);
      // that would go round what it hooks into documents
      strictEqual((await call('POST', '/actions/batch', { operations: [] })).status, 403);
    });

    it('stops its work if it is not served after all', async () => {
      const index = (bootstrap: string) =>
        `module.exports = { bootstrap() { ${bootstrap} }, async destroy() { await strapi.store({ type: 'own', key: 'ended' }).set({ value: true }); } };`;
      await writeFile(path.join(folder.dir, 'src/index.js'), index("throw new Error('no luck');"));
      await rejects(server.app.reload(), /no luck/);
      const rows = await server.app.database.rows(
        `select "value" from "strapi_core_store_settings" where "key" = 'own_ended'`,
        [],
      );
      strictEqual(rows.length, 1);
      deepStrictEqual(await get('named'), { isOwn: true, loading: 'undefined' });
    });
  });
}

/** What opens the project of a server once more. */
function environmentOf({ app: { config } }: SeededServer): Record<string, string> {
  const { database } = config;
  const keys = { LOG_LEVEL: 'silent' };
  if (database.client === 'sqlite') return { ...keys, DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: database.filename };
  return { ...keys, DATABASE_CLIENT: 'postgres', DATABASE_URL: database.connectionString! };
}

for (const engine of engines) {
  describe(`a project on ${engine.name}`, () => {
    it('does not start where a listener of its server throws as the server listens', async () => {
      const index =
        "module.exports = { bootstrap({ strapi }) {\n  strapi.server.httpServer.on('listening', () => strapi.server.app.callback());\n} };";
      const files = { 'src/index.js': index };
      const contentTypes = { note: contentType('note', { text: { type: 'string' } }) };
      await rejects(serveSeeded(engine, await makeProject({ contentTypes, files })), (error: Error) => {
        match(error.message, /^src\/index\.js:2: strapi\.server\.app\.callback is not supported by Galley/);
        return error.constructor.name === 'UsageError';
      });
    });
  });
}
