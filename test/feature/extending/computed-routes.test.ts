/** Computed routes can be granted, and errors of code are reported when the project starts. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { refusesToStart } from '../../support/code/refused-start.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import {
  contentType,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';

const text = { type: 'string' };
const HANDLERS = `() => ({
  one: () => ({ name: 'one' }),
  two: async () => ({ name: 'two' }),
})`;
const PROJECT = {
  contentTypes: { note: contentType('note', { text }) },
  files: {
    'src/api/tx/routes/tx.js': `module.exports = { routes: ['one', 'two'].map((name) => (
      { method: 'GET', path: '/tx/' + name, handler: 'tx.' + name })) };`,
    'src/api/tx/controllers/tx.js': `module.exports = ${HANDLERS};`,
    'src/api/note/routes/own.js': `module.exports = { routes: ['counted'].flatMap((name) => [
      { method: 'GET', path: '/counted', handler: 'note.' + name },
    ]) };`,
    'src/api/note/controllers/note.js': `module.exports = require('@strapi/strapi').factories.createCoreController(
      'api::note.note', () => ({ counted: () => ({ count: 0 }) }));`,
  },
};

for (const engine of engines) {
  describe(`a project with computed routes on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let server: RunningServer;
    const env = () => ({ ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' });
    const galley = async (...args: string[]) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const code = await runCommandLine([...args, folder.dir], {
        env: env(),
        print,
        warn: print,
        input: async () => '',
      });
      return { code, told: lines.join('\n') };
    };

    before(async () => {
      folder = await makeProject(PROJECT);
      database = await engine.databaseFor(folder);
      server = await serve(folder, database, { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' });
    });
    after(() => server?.stop());

    it('lets their actions be granted, by commands and by the API', async () => {
      strictEqual((await server.get('/api/tx/one')).status, 403);
      const granted = await galley(
        'role',
        'grant',
        'public',
        '--action',
        'api::tx.tx.one',
        '--action',
        'api::note.note.counted',
        '--yes',
      );
      strictEqual(granted.code, 0, granted.told);
      const token = await galley(
        'token',
        'create',
        '--name',
        'some',
        '--type',
        'custom',
        '--permission',
        'api::tx.tx.two',
      );
      strictEqual(token.code, 0, token.told);
      deepStrictEqual((await server.get('/api/tx/one')).body, { name: 'one' });
      deepStrictEqual((await server.get('/api/counted')).body, { count: 0 });
      strictEqual((await server.get('/api/tx/two')).status, 403);
      const unknown = await galley('role', 'grant', 'public', '--action', 'api::tx.tx.three');
      match(unknown.told, /unknown action api::tx\.tx\.three/);
    });

    it('are listed by galley explain', async () => {
      const { code, told } = await galley('explain', 'GET /api/tx/two', '--as', 'public');
      match(told, /action {4}api::tx\.tx\.two: not granted/);
      match(told, /src\/api\/tx\/routes\/tx\.js: is run, and answers the request/);
      strictEqual(code, 1);
    });

    it('stop the start where a route names a middleware of a plugin that Galley lacks', async () => {
      const files = {
        ...PROJECT.files,
        'src/api/note/routes/limited.js': `module.exports = { routes: [{ method: 'GET', path: '/limited',
          handler: 'note.counted', config: { auth: false, middlewares: ['plugin::documentation.restrictAccess'] } }] };`,
      };
      const message = /plugin::documentation\.restrictAccess.*the route GET \/limited.*\n.*limited\.js/;
      await refusesToStart(engine, { ...PROJECT, files }, message);
    });
  });

  for (const [kind, wrong] of [
    ['services', 'const { name } = undefined;'],
    ['policies', 'throw new Error("no policy");'],
    ['middlewares', 'module.exports = ;'],
  ] as const) {
    it(`a mistake in an unused file of ${kind} stops the start on ${engine.name}`, async () => {
      const file = `src/api/note/${kind}/wrong.js`;
      const broken = await makeProject({ ...PROJECT, files: { ...PROJECT.files, [file]: wrong } });
      const database = await engine.databaseFor(broken);
      try {
        const opened = openProject(broken.dir, { env: database.env, overrides: { port: 0, host: '127.0.0.1' } });
        await rejects(opened, new RegExp(file.replaceAll('/', '\\/').replace('.', '\\.')));
      } finally {
        await database.drop();
        await broken.remove();
      }
    });
  }
}
