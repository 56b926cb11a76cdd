/** Code that keeps a project from starting, and projects that are served without some of their code. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { commandText } from '../../../src/own-files.ts';
import { SUPPORTED } from '../../../src/runtime/guarded.ts';
import { engines } from '../../support/databases/databases.ts';
import { spawnProcess, startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { text: { type: 'string' } };
const contentTypes = { note: contentType('note', text), page: contentType('page', text) };
const factories = "require('@strapi/strapi').factories";
const router = (name: string, config = '{}') =>
  `module.exports = ${factories}.createCoreRouter('api::${name}.${name}', { config: ${config} });`;

const DEFAULT_MIDDLEWARES = "module.exports = ['strapi::errors', 'strapi::query', 'strapi::body'];";

/** A project whose `find` of notes has a policy and whose own route has a controller. */
const files = (changed: Readonly<Record<string, string>> = {}) => ({
  'src/api/note/routes/note.js': router('note', "{ find: { policies: ['gate'] } }"),
  'src/api/note/routes/own.js':
    "module.exports = { routes: [{ method: 'GET', path: '/own', handler: 'own.answer', config: { auth: false } }] };",
  'src/api/note/controllers/own.js': 'module.exports = { answer: () => ({ own: true }) };',
  'src/api/note/policies/gate.js': 'module.exports = () => true;',
  'src/api/page/routes/page.js': `module.exports = ${factories}.createCoreRouter('api::page.page');`,
  'src/middlewares/gate.js': 'module.exports = () => (_ctx, next) => next();',
  'config/middlewares.js': "module.exports = ['strapi::errors', 'global::gate', 'strapi::query', 'strapi::body'];",
  ...changed,
});

/** Code that keeps a project from starting, the file, the message, and what is closed without that file. */
const REFUSED: readonly (readonly [name: string, file: string, code: string, message: RegExp, closed: string[]])[] = [
  [
    'a file that throws',
    'src/api/note/policies/gate.js',
    "\nthrow new Error('no luck');",
    /gate\.js:2: no luck/,
    ['notes'],
  ],
  ['a syntax error', 'src/api/note/policies/gate.js', 'module.exports = (', /gate\.js:\d+: Unexpected/, ['notes']],
  [
    'a missing member in a file',
    'src/api/note/policies/gate.js',
    'strapi.sessionManager;',
    /gate\.js:1: strapi\.sessionManager is not supported/,
    ['notes'],
  ],
  [
    'a missing member that the file handles itself',
    'src/api/note/policies/gate.js',
    'try { strapi.sessionManager; } catch {}\nmodule.exports = () => true;',
    /gate\.js:1: strapi\.sessionManager is not supported/,
    ['notes'],
  ],
  [
    'a controller',
    'src/api/note/controllers/own.js',
    'module.exports = ({ strapi }) => ({ x: strapi.sessionManager, answer: () => ({}) });',
    /own\.js:1: strapi\.sessionManager/,
    ['own'],
  ],
  [
    'a controller of a type',
    'src/api/note/controllers/note.js',
    'module.exports = (',
    /note\.js:\d+: Unexpected/,
    ['notes'],
  ],
  [
    'the factory of a service',
    'src/api/page/services/page.js',
    'module.exports = ({ strapi }) => { try { strapi.sessionManager; } catch {} return {}; };',
    /services\/page\.js:1: strapi\.sessionManager/,
    ['pages'],
  ],
  [
    'a package that is not installed',
    'src/api/page/services/page.js',
    "const hash = require('@scope/hash/fast');\nmodule.exports = () => ({ hash });",
    /services\/page\.js:1: Cannot find module '@scope\/hash\/fast': npm install @scope\/hash adds it/,
    ['pages'],
  ],
  [
    'routes, which may answer any path',
    'src/api/note/routes/own.js',
    "missing();\nmodule.exports = { routes: [{ method: 'GET', path: '/pages', handler: 'page.find', config: { policies: ['api::note.gate'] } }] };",
    /own\.js:1: missing is not defined/,
    ['notes', 'own', 'pages'],
  ],
  [
    'a middleware of all requests',
    'src/middlewares/gate.js',
    "module.exports = () => { throw new Error('no luck'); };",
    /gate\.js:1: no luck/,
    ['notes', 'own', 'pages'],
  ],
  [
    'register',
    'src/index.js',
    'module.exports = { register({ strapi }) { strapi.sessionManager; } };',
    /src\/index\.js:1: strapi\.sessionManager.*register of src\/index\.js/,
    ['notes', 'own', 'pages'],
  ],
  [
    'the database in register',
    'src/index.js',
    "module.exports = { async register({ strapi }) { await strapi.db.query('api::note.note').count(); } };",
    /src\/index\.js:1: .*is not available in register/,
    ['notes', 'own', 'pages'],
  ],
  [
    'bootstrap',
    'src/index.js',
    'module.exports = { bootstrap({ strapi }) { try { strapi.sessionManager; } catch {} } };',
    /src\/index\.js:1: strapi\.sessionManager.*bootstrap of src\/index\.js/,
    ['notes', 'own', 'pages'],
  ],
  [
    'lifecycles',
    'src/api/page/content-types/page/lifecycles.js',
    "throw new Error('no luck');",
    /lifecycles\.js:1: no luck/,
    ['pages'],
  ],
  [
    'a server of its own',
    'server.js',
    "const app = require('@strapi/strapi')();\nrequire('./guard')(app);\napp.start();",
    /server\.js starts Strapi/,
    ['notes', 'own', 'pages'],
  ],
];

for (const engine of engines) {
  describe(`code that keeps a project from starting on ${engine.name}`, () => {
    let server: SeededServer | undefined;
    let folder: ProjectFolder | undefined;
    const make = async (changed: Readonly<Record<string, string>>) => {
      folder = await makeProject({
        contentTypes,
        files: { 'package.json': '{"scripts":{"start":"node server.js"}}', ...files(changed) },
      });
      return folder;
    };
    const serve = async () => {
      server = await serveSeeded(engine, folder!);
      return server;
    };
    it('starts without lifecycles of a type that bootstrap reads, and keeps code from reading it later', async () => {
      await make({
        'src/api/page/content-types/page/lifecycles.js': "throw new Error('no luck');",
        'config/galley.js': "module.exports = { without: ['src/api/page/content-types/page/lifecycles.js'] };",
        'src/index.js':
          "module.exports = { async bootstrap({ strapi }) { strapi.found = [await strapi.documents('api::page.page').count(), await strapi.db.query('api::page.page').count()]; } };",
        'src/api/note/controllers/own.js':
          "module.exports = { answer: async () => ({ found: strapi.found, now: await strapi.documents('api::page.page').count().catch(() => 'refused') }) };",
        'package.json': '{}',
      });
      const { request } = await serve();
      deepStrictEqual((await request('GET', '/api/own')).body, { found: [0, 0], now: 'refused' });
    });
    const closedPaths = async ({ request, secrets }: SeededServer): Promise<string[]> => {
      const paths = ['notes', 'own', 'pages'];
      const statuses = await Promise.all(
        paths.map(async (one) => (await request('GET', `/api/${one}`, { token: secrets['full']! })).status),
      );
      for (const status of statuses) strictEqual([200, 403, 404].includes(status), true, String(statuses));
      return paths.filter((_path, index) => statuses[index] !== 200);
    };
    const stop = async () => {
      await server?.stop();
      server = undefined;
    };
    afterEach(async () => {
      await stop();
      await folder?.remove();
    });

    for (const [name, file, code, message, closed] of REFUSED) {
      it(`is ${name}, and the configuration that the message prints starts it with the guarded actions closed`, async () => {
        await make({ [file]: code });
        let printed = '';
        await rejects(serve(), (error: Error) => {
          match(error.message, message);
          printed = error.message.split('\n').at(-1)!.trim();
          return true;
        });
        strictEqual(printed, `module.exports = { without: ['${file}'] };`);
        await mkdir(path.join(folder!.dir, 'config'), { recursive: true });
        await writeFile(path.join(folder!.dir, 'config/galley.js'), printed);
        deepStrictEqual(await closedPaths(await serve()), closed);
      });
    }

    it('opens the actions of `serve`, and everything with `safeToSkip`', async () => {
      const gate = 'src/api/note/policies/gate.js';
      const open = async (galley: object) => {
        await make({
          [gate]: "throw new Error('x');",
          'config/galley.js': `module.exports = ${JSON.stringify(galley)};`,
        });
        const closed = await closedPaths(await serve());
        await stop();
        return closed;
      };
      deepStrictEqual(await open({ without: [gate], serve: ['api::note.note.find'] }), []);
      deepStrictEqual(await open({ safeToSkip: [gate] }), []);
    });

    it('closes an API with code and everything behind global code where no code is run', async () => {
      const run = {
        'config/galley.js': 'module.exports = { run: false };',
        'config/middlewares.js': DEFAULT_MIDDLEWARES,
      };
      await make(run);
      deepStrictEqual(await closedPaths(await serve()), ['notes', 'own']);
      match(server!.app.warnings.join('\n'), /src\/api\/note\/policies\/gate\.js/);
      await stop();
      await make({ ...run, 'src/index.js': 'module.exports = { bootstrap() { globalThis.x = 1; } };' });
      deepStrictEqual(await closedPaths(await serve()), ['notes', 'own', 'pages']);
    });

    it('closes routes whose guard, handler or service is left out, lists them, and explains them', async () => {
      const routes = ['gated', 'lost', 'served'].map((name) => {
        const [handler, policies] = name === 'gated' ? ['free.answer', ['gate']] : [`${name}.answer`, []];
        return { method: 'GET', path: `/${name}`, handler, config: { auth: false, policies } };
      });
      const answer = 'module.exports = { answer: () => ({}) };';
      const without = ['policies/gate', 'controllers/lost', 'services/served'].map((one) => `src/api/note/${one}.js`);
      await make({
        'src/api/note/routes/own.js': `module.exports = { routes: [...${JSON.stringify(routes)},
          { method: 'GET', path: '/function', handler: () => ({}), config: { auth: false, policies: ['gate'] } },
          { method: 'GET', path: '/free', handler: 'other.answer', config: { auth: false } }] };`,
        'src/api/note/controllers/free.js': answer,
        'src/api/note/controllers/other.js': answer,
        'src/api/note/controllers/served.js': answer,
        ...Object.fromEntries(without.map((path) => [path, 'missing();'])),
        'config/galley.js': `module.exports = ${JSON.stringify({ without })};`,
        'package.json': '{}',
      });
      const { get, app } = await serve();
      const paths = ['gated', 'lost', 'served', 'function', 'free'];
      const statuses = await Promise.all(paths.map(async (one) => (await get(`/api/${one}`)).status));
      deepStrictEqual(statuses, [403, 403, 403, 403, 200]);
      const warnings = app.warnings.join('\n');
      match(warnings, /gate\.js: .*api::note\.free/);
      match(warnings, /served\.js: answer of api::note\.served/);
      match(
        warnings,
        /2 routes are closed .*\n +src\/api\/note\/controllers\/lost\.js: GET \/api\/lost\n.*gate\.js: GET \/api\/function/,
      );
      const explained: string[] = [];
      for (const one of paths) {
        const lines: string[] = [];
        const surroundings = { env: {}, print: (line: string) => lines.push(line), warn: () => {} };
        await runCommandLine(['explain', `GET /api/${one}`, folder!.dir], surroundings as never);
        explained.push(/(is run, and|is not run: .*)/.exec(lines.join('\n'))?.[0] ?? lines.join('\n'));
      }
      const [gated, lost, served, ofFunction, free] = explained;
      match(gated!, /is not run: .*gate\.js/);
      match(lost!, /is not run: .*lost\.js/);
      match(served!, /is not run: .*served\.js/);
      match(ofFunction!, /is not run: .*gate\.js/);
      strictEqual(free, 'is run, and');
    });

    it('is reported once, with the lines of the project, by galley start and galley dev', async () => {
      const { dir } = await make({
        'package.json': '{}',
        'src/index.js': 'const fail = () => null.x;\nmodule.exports = { bootstrap: () => fail() };',
      });
      const database = await engine.databaseFor(folder!);
      try {
        for (const command of ['start', 'dev']) {
          const { code, out, err } = await spawnProcess([command, dir, '--port', '0'], database.env).ended;
          const lines = err.split('\n').filter((line) => !/outside the project|To start|module\.exports/.test(line));
          deepStrictEqual(
            [code, out, ...lines],
            [
              ...[
                1,
                '',
                "galley: src/index.js:1: Cannot read properties of null (reading 'x') (bootstrap of src/index.js)",
              ],
              ...['galley:     at fail (src/index.js:1:25)', 'galley:     at Object.bootstrap (src/index.js:2:37)', ''],
            ],
          );
        }
      } finally {
        await database.drop();
      }
    });

    it('names galley check at start for code that is closed or fails, and not for other code', async () => {
      await make({
        'package.json': '{}',
        'src/api/note/routes/note.js': router('note'),
        'config/middlewares.js': DEFAULT_MIDDLEWARES,
      });
      deepStrictEqual((await serve()).app.warnings, []);
      await stop();
      const service =
        "module.exports = ({ strapi }) => ({ a: () => strapi.db.queryBuilder('x'), b: () => strapi.reload() });";
      await make({
        'package.json': '{}',
        'src/api/note/services/own.js': service,
        'src/api/note/routes/note.js': router('note'),
        'config/middlewares.js': DEFAULT_MIDDLEWARES,
      });
      deepStrictEqual((await serve()).app.warnings, [
        'Code of the project uses members of strapi that Galley lacks, and fails in 2 places.',
        `"${commandText('check', folder!.dir)}" lists the code behind these warnings.`,
      ]);
    });

    it('writes the whole path of a request to a closed route, or of one whose code fails, into the log', async () => {
      const answers = 'module.exports = { lost: () => ({}), broken: () => null.x };';
      const routes = ['own.answer', 'free.lost', 'free.broken'].map((handler) => {
        const policies = handler === 'free.lost' ? ['gate'] : [];
        return { method: 'GET', path: `/${handler.split('.')[1]}`, handler, config: { auth: false, policies } };
      });
      const { dir } = await make({
        'src/api/note/routes/own.js': `module.exports = ${JSON.stringify({ routes })};`,
        'src/api/note/controllers/free.js': answers,
        'config/galley.js':
          "module.exports = { without: ['src/api/note/policies/gate.js', 'src/api/note/controllers/own.js'] };",
        'package.json': '{}',
      });
      const database = await engine.databaseFor(folder!);
      try {
        const { url, child, ended } = await startProcess(dir, database.env);
        for (const name of ['answer', 'broken']) await fetch(`${url}/api/${name}`);
        child.kill('SIGTERM');
        const { err } = await ended;
        match(err, /GET \/api\/answer is closed: config\/galley leaves out src\/api\/note\/controllers\/own\.js/);
        match(err, /free\.js:1: .* \(in GET \/api\/broken\)/);
      } finally {
        await database.drop();
      }
    });

    it('refuses code of the project that uses a file which is left out', async () => {
      await make({
        'src/api/note/controllers/own.js':
          "module.exports = { answer: () => { try { return strapi.service('api::note.gate').check(); } catch { return { open: true }; } } };",
        'src/api/note/services/gate.js': "throw new Error('x');",
        'config/galley.js': "module.exports = { without: ['src/api/note/services/gate.js'] };",
      });
      const { request } = await serve();
      strictEqual((await request('GET', '/api/own')).status, 500);
    });
  });
}

describe('galley check', () => {
  it('names the members in the text of code that Galley lacks, which closes nothing', async () => {
    const changed = {
      'src/api/note/services/own.js':
        "module.exports = ({ strapi }) => ({\n  a: () => strapi.sessionManager.x,\n  b: () => strapi.plugin('upload').service('provider'),\n  c: () => strapi.documents('api::note.note').findMany(),\n});",
    };
    const folder = await makeProject({ contentTypes, files: files(changed) });
    const warned: string[] = [];
    const surroundings = { env: {}, print: () => {}, warn: (line: string) => warned.push(line) };
    strictEqual(await runCommandLine(['check', folder.dir], surroundings as never), 0);
    deepStrictEqual(
      warned.filter((line) => line.startsWith('hint: ')),
      [
        "hint: src/api/note/services/own.js:2: Galley lacks strapi.sessionManager, so code that reads it fails: strapi.plugin('users-permissions').service('jwt') issues and verifies tokens",
        "hint: src/api/note/services/own.js:3: Galley lacks strapi.plugin('upload').service('provider'), so code that reads it fails: strapi.plugin('upload').service('upload') stores and removes files",
        `hint: ${SUPPORTED}`,
      ],
    );
    await folder.remove();
  });

  it('lists an action once that is closed for two reasons', async () => {
    const changed = {
      'src/middlewares/gate.js': 'missing();',
      'config/galley.js': "module.exports = { without: ['src/middlewares/gate.js'] };",
    };
    const closed = async (files: Readonly<Record<string, string>>) => {
      const folder = await makeProject({ contentTypes, files });
      const warned: string[] = [];
      const surroundings = { env: {}, print: () => {}, warn: (line: string) => warned.push(line) };
      strictEqual(await runCommandLine(['check', folder.dir], surroundings as never), 0);
      await folder.remove();
      return warned.flatMap((line) => /^warning: (\d+ actions?.*) closed/.exec(line)?.[1] ?? []);
    };
    deepStrictEqual(await closed(files()), ['3 actions that Strapi does not have are']);
    deepStrictEqual(
      (await closed(files(changed))).map((text) => text.replace(/^\d+/, 'all')),
      ['all actions are'],
    );
  });

  it('loads the code and reports errors that stop the start', async () => {
    const folder = await makeProject({ contentTypes, files: files({ 'src/index.js': 'strapi.sessionManager;' }) });
    const printed: string[] = [];
    const surroundings = { env: {}, print: (line: string) => printed.push(line), warn: () => {} };
    const exit = await runCommandLine(['check', folder.dir], surroundings as never);
    strictEqual(exit, 1);
    match(printed.join('\n'), /src\/index\.js:1: strapi\.sessionManager/);
    match(printed.join('\n'), /without: \['src\/index\.js'\]/);
    await folder.remove();
  });

  it('reports words of the lists that name nothing, with the nearest', async () => {
    const galley = "module.exports = { serve: ['api::note.note.fnd'], without: ['src/api/note/policies/gat.js'] };";
    const folder = await makeProject({ contentTypes, files: files({ 'config/galley.js': galley }) });
    const printed: string[] = [];
    const surroundings = { env: {}, print: (line: string) => printed.push(line), warn: () => {} };
    strictEqual(await runCommandLine(['check', folder.dir], surroundings as never), 1);
    match(printed.join('\n'), /no action api::note\.note\.fnd.*api::note\.note\.find/);
    match(printed.join('\n'), /loads no code from src\/api\/note\/policies\/gat\.js.*policies\/gate\.js/);
    await folder.remove();
  });
});
