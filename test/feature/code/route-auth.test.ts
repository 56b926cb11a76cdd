/** `auth` of routes, and the caller in code: docs/reference/project-code.md. Compared with Strapi 5.54. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const KEY = `{ name: 'key', async authenticate(ctx) {
  if (ctx.get('x-key') === 'wrong') return { error: 'That key is wrong' };
  return { authenticated: ctx.get('x-key') === 'k', credentials: { key: 1 } };
}, verify(auth, config) { if (config.scope.includes('api::note.own.hidden')) throw new (require('@strapi/utils').errors.ForbiddenError)(); } }`;

/** Routes by the names of their actions, each with its \`auth\`. */
const ROUTES: Readonly<Record<string, string>> = {
  plain: '{}',
  empty: '{ scope: [] }',
  named: "{ scope: ['api::note.note.find'] }",
  byToken: "{ strategies: ['content-api-token'], scope: ['api::note.note.find'] }",
  byAccount: "{ strategies: ['none', 'users-permissions'], scope: ['api::note.note.find'] }",
  byKey: `{ strategies: [${KEY}] }`,
  hidden: `{ strategies: [${KEY}] }`,
  byAny: `{ strategies: [${KEY}, 'content-api-token'], scope: ['api::note.note.find'] }`,
  count: '{}',
  findPage: '{}',
  prefind: '{}',
};

const PROJECT = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
      strapi.eventHub.once('guard', () => strapi.server.use(async (ctx, next) => (ctx.get('x-late') ? ctx.forbidden('late') : next())));
    } };`,
    'src/api/note/routes/own.js': `module.exports = { routes: [${Object.entries(ROUTES)
      .map(
        ([name, auth]) => `{ method: 'GET', path: '/own/${name}', handler: 'own.${name}', config: { auth: ${auth} } }`,
      )
      .join(
        ',\n',
      )}, { method: 'GET', path: '/state', handler: 'note.find', config: { middlewares: ['api::note.state'] } },
      { method: 'GET', path: '/rules', handler: 'note.find', config: { policies: ['rules'] } },
      { method: 'POST', path: '/late', handler: 'own.late', config: { auth: false } }] };`,
    'src/api/note/policies/rules.js':
      'module.exports = (ctx) => { try { return ctx.state.auth.ability.rules === undefined; } catch { return true; } };',
    'src/api/note/routes/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
    'src/api/note/controllers/own.js': `module.exports = ({ strapi }) => ({ ${Object.keys(ROUTES)
      .map(
        (name) => `${name}: (ctx) => ({ by: ctx.state.auth.strategy.name, credentials: ctx.state.auth.credentials })`,
      )
      .join(',\n')}, async late() { await strapi.eventHub.emit('guard'); return {}; } });`,
    'src/api/note/middlewares/state.js': `module.exports = () => async (ctx) => {
      const { route, auth } = ctx.state;
      const verified = async (scope) => auth.strategy.verify(auth, { scope }).then(() => 'yes', ({ name }) => name);
      ctx.body = { scope: route.config.auth.scope, can: auth.ability && ['find', 'create'].map((name) => auth.ability.can('api::note.note.' + name) && !auth.ability.cannot('api::note.note.' + name)), verified: [await verified(['api::note.note.find']), await verified(['api::note.note.create']), await verified()] };
    };`,
  },
};

const FIXTURE = {
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
    { name: 'custom', type: 'custom', permissions: ['api::note.note.find'] },
  ],
  grants: { public: ['api::note.note.find'] },
};

for (const engine of engines) {
  describe(`auth of routes on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = async (path: string, token?: string, key?: string) => {
      const headers = key === undefined ? {} : { 'x-key': key };
      const { status, body } = await server.request('GET', `/api/${path}`, {
        ...(token === undefined ? {} : { token: server.secrets[token] }),
        headers,
      });
      return status === 200 ? (body.by ?? body) : `${status} ${body.error.message}`;
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), FIXTURE);
    });
    after(() => server?.stop());

    it('needs the action of the handler where it lists no scope', async () => {
      for (const name of ['plain', 'empty']) {
        deepStrictEqual(
          [await ask(`own/${name}`), await ask(`own/${name}`, 'read'), await ask(`own/${name}`, 'full')],
          ['403 Forbidden', '403 Forbidden', 'content-api-token'],
          name,
        );
      }
      strictEqual(await ask('own/named'), 'users-permissions');
    });

    it('lets read-only tokens perform actions that end in find or findOne alone', async () => {
      deepStrictEqual(
        [await ask('own/count', 'read'), await ask('own/findPage', 'read'), await ask('own/prefind', 'read')],
        ['403 Forbidden', '403 Forbidden', 'content-api-token'],
      );
    });

    it('runs the strategies of a route, and no others', async () => {
      const none = '401 Missing or invalid credentials';
      deepStrictEqual([await ask('own/byToken'), await ask('own/byToken', 'read')], [none, 'content-api-token']);
      deepStrictEqual([await ask('own/byAccount'), await ask('own/byAccount', 'full')], ['users-permissions', none]);
      deepStrictEqual([await ask('own/byKey'), await ask('own/byKey', 'full')], [none, none]);
      strictEqual(await ask('own/byKey', undefined, 'k'), 'key');
      strictEqual(await ask('own/byKey', 'full', 'wrong'), '401 That key is wrong');
      strictEqual(await ask('own/hidden', 'full', 'k'), '403 Forbidden');
      deepStrictEqual(
        [await ask('own/byAny'), await ask('own/byAny', 'read'), await ask('own/byAny', undefined, 'k')],
        [none, 'content-api-token', 'key'],
      );
    });

    it('passes the scope of the route and the rights of its caller to code', async () => {
      const scope = ['api::note.note.find'];
      const refused = 'ForbiddenError';
      deepStrictEqual(await ask('state'), {
        scope,
        can: [true, false],
        verified: ['yes', refused, 'UnauthorizedError'],
      });
      deepStrictEqual(await ask('state', 'custom'), { scope, can: [true, false], verified: ['yes', refused, refused] });
      deepStrictEqual(await ask('state', 'read'), { scope, can: null, verified: ['yes', refused, refused] });
      deepStrictEqual(await ask('state', 'full'), { scope, can: null, verified: ['yes', 'yes', 'yes'] });
    });

    it('fails a request whose code reads a missing member of an ability', async () => {
      strictEqual((await server.get('/api/rules', server.secrets['custom'])).status, 500);
    });

    it('stops the start of a project with an invalid auth of a route', async () => {
      const routes = (auth: string) =>
        `module.exports = { routes: [{ method: 'GET', path: '/x', handler: 'own.x', config: { auth: ${auth} } }] };`;
      for (const auth of ['true', 'null', '{ scope: [1] }']) {
        const files = {
          'src/api/note/routes/own.js': routes(auth),
          'src/api/note/controllers/own.js': 'module.exports = { x: () => ({}) };',
        };
        const started = makeProject({ ...PROJECT, files }).then((folder) => serveSeeded(engine, folder, FIXTURE));
        await rejects(started, /src\/api\/note\/routes\/own\.js: auth of the route \/x must be false, or/, auth);
      }
    });

    it('runs a middleware that code adds while it is served, around every request from then on', async () => {
      const late = () => server.request('GET', '/api/notes', { headers: { 'x-late': '1' } });
      strictEqual((await late()).status, 200);
      strictEqual((await server.request('POST', '/api/late')).status, 200);
      strictEqual((await late()).status, 403);
      strictEqual((await server.request('GET', '/api/notes')).status, 200);
    });
  });
}
