/** The project's own code and rules of access in `galley explain`. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

const text = { type: 'string' };
const ARTICLE = 'api::article.article';
const PROJECT = {
  contentTypes: {
    article: contentType('article', { title: text, open: { type: 'boolean' } }),
    tag: contentType('tag', { name: text }),
    note: contentType('note', { text }),
  },
  files: {
    'config/middlewares.js':
      "module.exports = ['strapi::errors', { name: 'strapi::cors', config: {} }, 'global::around'];",
    'src/middlewares/around.js': 'module.exports = () => async (ctx, next) => { await next(); };',
    'src/policies/is-owner.js': 'module.exports = () => false;',
    'src/api/article/routes/0-own.js': `module.exports = { routes: [
      { method: 'GET', path: '/articles/newest', handler: 'api::article.article.newest' },
      { method: 'GET', path: '/kinds/:kind', handler: 'api::article.article.newest', config: { auth: false } },
      { method: 'GET', path: '/kinds/new', handler: 'api::article.article.newest' },
    ] };`,
    'src/api/article/routes/article.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter(
      '${ARTICLE}', { config: { update: { policies: ['global::is-owner'] } } });`,
    'src/api/article/controllers/article.js': `module.exports = require('@strapi/strapi').factories.createCoreController(
      '${ARTICLE}', () => ({ async newest(ctx) { ctx.body = {}; } }));`,
    'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter(
      'api::note.note', { config: { findOne: { auth: false } } });`,
    'src/api/note/controllers/note.js': `module.exports = require('@strapi/strapi').factories.createCoreController(
      'api::note.note', ({ strapi }) => ({
        async findOne(ctx) { return { data: await strapi.service('api::note.note').findOne(ctx.params.id) }; },
      }));`,
    'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => {
      const api = plugin.routes['content-api'];
      api.routes = api.routes.filter(({ path }) => path !== '/users/count');
      return plugin;
    };`,
    'src/galley.js': `function isEditor() { return true; }
      module.exports = {
        policies: { '${ARTICLE}': { find: [isEditor] } },
        access: {
          '${ARTICLE}': { find: { open: true }, update: { title: 'mine' } },
          'api::note.note': { find: { text: 'open' } },
        },
        routes: [
          { name: 'hello', method: 'GET', path: '/hello', handler: () => ({}) },
          {
            name: 'file', method: 'PATCH', path: '/own/:rest(.*)', auth: false,
            policies: [() => true, isEditor],
            handler: () => ({}),
          },
        ],
      };`,
  },
};

for (const engine of engines) {
  describe(`galley explain of a project with code on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    const ids: Record<string, string> = {};
    const env = () => ({ ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' });
    const explain = async (request: string) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const args = ['explain', request, folder.dir, '--as', 'public'];
      const code = await runCommandLine(args, { env: env(), print, warn: print, input: async () => '' });
      return { code, told: lines.join('\n') };
    };

    before(async () => {
      folder = await makeProject(PROJECT);
      database = await engine.databaseFor(folder);
      const app = await openProject(folder.dir, { env: env() });
      for (const [title, open] of [
        ['mine', true],
        ['theirs', true],
        ['hidden', false],
      ] as const) {
        ids[title] = (await app.documents(ARTICLE).create({ data: { title, open } })).documentId;
      }
      for (const text of ['open', 'hidden']) {
        ids[`note ${text}`] = (await app.documents('api::note.note').create({ data: { text } })).documentId;
      }
      await app.close();
      const grants = ['find', 'findOne', 'update'].flatMap((name) => ['--action', `${ARTICLE}.${name}`]);
      const out: string[] = [];
      const print = (line: string) => void out.push(line);
      strictEqual(
        await runCommandLine(['role', 'grant', 'public', ...grants, '--yes', folder.dir], {
          ...{ env: env(), print, warn: print },
          input: async () => '',
        }),
        0,
        out.join('\n'),
      );
    });
    after(async () => {
      await database?.drop();
      await folder?.remove();
    });

    it('names the guards of the action, with their files', async () => {
      const { told } = await explain(`PUT /api/articles/${ids['mine']}`);
      match(told, /code {6}policy global::is-owner of src\/policies\/is-owner\.js: is run/);
      match(told, /code {6}global middleware global::around of config\/middlewares\.js: is run/);
      ok(!told.includes('strapi::'), told);
      match(told, /explain runs none of this code, which may refuse the request/);
      match((await explain('GET /api/articles')).told, /code {6}policy isEditor of src\/galley\.js:3: is run/);
    });

    it('shows the first of the routes that match a request, which answers it', async () => {
      const { told, code } = await explain('GET /api/kinds/new');
      match(told, /action {4}api::article\.article\.newest: needs no grant \(auth: false\)/);
      strictEqual(code, 0);
    });

    it('shows the condition that lets a caller in, and the one that refuses', async () => {
      const outcomes = async (method: string, title: string) => {
        const { told } = await explain(`${method} /api/articles/${ids[title]}`);
        return [...told.matchAll(/rows {6}(\w+): .*, (.*)$/gm)].map(([, rule, outcome]) => `${rule} ${outcome}`);
      };
      deepStrictEqual(await outcomes('GET', 'hidden'), ['find not met by this document']);
      deepStrictEqual(await outcomes('PUT', 'theirs'), [
        'find met by this document',
        'update not met by this document',
      ]);
      deepStrictEqual(await outcomes('PUT', 'mine'), ['find met by this document', 'update met by this document']);
      deepStrictEqual(await outcomes('GET', 'nothing'), []);
    });

    it('shows the answer of the server for an action of code without auth', async () => {
      const open = await explain(`GET /api/notes/${ids['note open']}`);
      match(open.told, /action {4}api::note\.note\.findOne: needs no grant \(auth: false\)/);
      match(open.told, /rows {6}find: .*, met by this document/);
      match(open.told, /rules of access apply to calls of core services in this code/);
      strictEqual(open.code, 0);
      const hidden = await explain(`GET /api/notes/${ids['note hidden']}`);
      match(hidden.told, /rows {6}find: .*, not met by this document/);
      match(hidden.told, /Refused: 404/);
      match((await explain('GET /api/notes')).told, /api::note\.note\.find: not granted/);
    });

    it('reports routes that an extension has removed', async () => {
      const gone = await explain('GET /api/users/count');
      match(gone.told, /action {4}plugin::users-permissions\.user\.findOne: not granted/);
      strictEqual(gone.code, 1);
      const left = await explain('POST /api/auth/local');
      match(left.told, /code {6}extension of src\/extensions\/users-permissions\/strapi-server\.js: is run/);
      strictEqual(left.code, 0);
    });

    it('names the route of the project that answers', async () => {
      const { code, told } = await explain('GET /api/articles/newest');
      match(told, /action {4}api::article\.article\.newest: not granted/);
      match(told, /code {6}src\/api\/article\/routes\/0-own\.js: is run, and answers the request/);
      match(told, /Refused: 403 ForbiddenError/);
      strictEqual(code, 1);
      const hello = await explain('GET /api/hello');
      match(hello.told, /action {4}api::galley\.route\.hello: not granted\n.*code {6}src\/galley\.js:9: is run/s);
      match(hello.told, /Refused: 403 ForbiddenError/);
      strictEqual(hello.code, 1);
      const file = await explain('PATCH /api/own/a/b.txt');
      const lines = file.told.split('\n').map((line) => line.trim());
      deepStrictEqual(
        lines.filter((line) => /^(?:action|code)/.test(line)),
        [
          'action    api::galley.route.file: needs no grant (auth: false)',
          'code      global middleware global::around of config/middlewares.js: is run',
          'code      policy 1 of src/galley.js:12: is run',
          'code      policy isEditor of src/galley.js:12: is run',
          'code      src/galley.js:10: is run, and answers the request',
        ],
      );
      strictEqual(file.code, 0);
      match((await explain('GET /api/own/a')).told, /no route of the API takes this request/);
    });

    it('explains requests for the description of the API', async () => {
      for (const [request, code] of [
        ['GET /api/openapi.json', 0],
        ['GET /api/docs', 0],
        // the one type that the public may find has policies
        ['GET /api/events', 1],
      ] as const) {
        const explained = await explain(request);
        strictEqual(explained.code, code, explained.told);
        match(explained.told, /action {4}needs no grant of its own; the answer is /);
      }
      match((await explain('GET /api/events')).told, /Refused: 403/);
    });
  });
}
