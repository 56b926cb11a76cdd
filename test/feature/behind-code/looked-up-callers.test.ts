/** Services of an extension that look up who makes a request: docs/reference/project-code.md, "Services of plugins". */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const ACCOUNTS = 'src/extensions/users-permissions/strapi-server.js';

const project = (extension: string, files: ProjectFiles['files'] = {}): ProjectFiles => ({
  contentTypes: {
    log: contentType('log', { text: { type: 'string' } }, { options: { draftAndPublish: false } }),
    note: contentType('note', { text: { type: 'string' } }, { options: { draftAndPublish: false } }),
  },
  files: {
    'src/api/log/routes/log.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::log.log');",
    'src/api/log/routes/own.js':
      "module.exports = { routes: [{ method: 'GET', path: '/who', handler: 'log.who' }, { method: 'GET', path: '/open', handler: 'log.open', config: { auth: false } }] };",
    'src/api/log/controllers/log.js':
      "module.exports = require('@strapi/strapi').factories.createCoreController('api::log.log', { who: (ctx) => ({ user: ctx.state.user ? { ...ctx.state.user, role: ctx.state.user.role.type, password: undefined } : null, strategy: ctx.state.auth.strategy.name }), open: () => ({ open: true }) });",
    'config/api.js': "module.exports = { rest: { cacheControl: { 'api::note.note': 'public, max-age=60' } } };",
    ...files,
    [ACCOUNTS]: extension,
  },
});

/** Ends tokens by a list, takes those of another house and cookies, and shows more of accounts. */
const EXTENSION = `const revoked = (globalThis.revokedTokens ??= new Set());
module.exports = (plugin) => {
  const { jwt, user } = plugin.services;
  plugin.services.jwt = (tools) => {
    const own = jwt(tools);
    return {
      ...own,
      getToken(ctx) {
        const cookie = ctx.cookies.get('token');
        return cookie ? this.verify(cookie) : own.getToken.call(this, ctx);
      },
      async verify(token) {
        if (token === 'nobody') return null;
        if (token === 'nameless') return { iss: 'house' };
        if (token === 'missing') return strapi.nothing.there;
        if (token.startsWith('house:')) return { id: token.slice(6) };
        const payload = await own.verify(token);
        if (revoked.has(payload.id)) throw new Error('revoked');
        return { id: payload.id };
      },
    };
  };
  plugin.services.user = (tools) => {
    const own = user(tools);
    return {
      ...own,
      async fetchAuthenticatedUser(id) {
        const where = /^\\d+$/.test(String(id)) ? { id: Number(id) } : { username: id };
        const found = await strapi.db.query('plugin::users-permissions.user').findOne({ where, populate: ['role'] });
        if (!found) return id === 'ghost' ? { id: 4000, role: { id: 1 } } : null;
        if (found.username === 'roleless') return { ...found, role: null };
        return { ...found, greeting: 'hello ' + found.username, blocked: found.username === 'shut' };
      },
    };
  };
  return plugin;
};`;

const shared = globalThis as { revokedTokens?: Set<number> };
shared.revokedTokens ??= new Set();
const revoked = shared.revokedTokens;
const password = 'Abcdef1234';

for (const engine of engines) {
  describe(`callers that an extension looks up on ${engine.name}`, () => {
    let server: SeededServer;
    let full: string;
    let ann: { token: string; id: number };
    const register = async (username: string) => {
      const body = { username, email: `${username}@example.com`, password };
      const { body: made } = await server.request('POST', '/api/auth/local/register', { body });
      return { token: made.jwt as string, id: made.user.id as number };
    };
    const grant = async (type: string, actions: readonly string[]): Promise<void> => {
      const { body } = await server.request('GET', '/api/users-permissions/roles', { token: full });
      const role = body.roles.find((one: { type: string }) => one.type === type);
      const controllers = { log: Object.fromEntries(actions.map((name) => [name, { enabled: true }])) };
      const note = { note: { find: { enabled: true } } };
      const path = `/api/users-permissions/roles/${role.id}`;
      const known = (await server.request('GET', path, { token: full })).body.role.permissions;
      const permissions = { ...known, 'api::log': { controllers }, 'api::note': { controllers: note } };
      strictEqual((await server.request('PUT', path, { token: full, body: { ...role, permissions } })).status, 200);
    };
    const get = (token: string | undefined, headers: Readonly<Record<string, string>> = {}, path = '/api/who') =>
      server.request('GET', path, { ...(token === undefined ? {} : { token }), headers });
    const refusal = async (token: string, path?: string) => {
      const { status, body } = await get(token, {}, path);
      return [status, body.error?.message];
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(project(EXTENSION)));
      full = server.secrets['full']!;
      revoked.clear();
      await grant('authenticated', ['find', 'who']);
      await grant('public', ['find']);
      ann = await register('ann');
      for (const username of ['shut', 'roleless']) await register(username);
    });
    after(() => server?.stop());

    it('are those that it finds, for code and for the server', async () => {
      const { status, body } = await get(ann.token);
      deepStrictEqual([status, body.user.greeting, body.user.role], [200, 'hello ann', 'authenticated']);
      const me = await get(ann.token, {}, '/api/users/me');
      deepStrictEqual([me.status, me.body.id], [200, ann.id]);
      strictEqual((await get(ann.token, {}, '/api/logs')).status, 200);
      strictEqual((await get(full)).body.strategy, 'content-api-token');
      strictEqual((await get(undefined)).status, 403);
      strictEqual((await get(undefined, {}, '/api/logs')).status, 200);
    });

    it('may have tokens of another house, and tokens in cookies', async () => {
      strictEqual((await get('house:ann')).body.user.id, ann.id);
      strictEqual((await get(`house:${ann.id}`)).body.user.id, ann.id);
      strictEqual((await get(undefined, { cookie: 'token=house:ann' })).body.user.id, ann.id);
      strictEqual((await get(undefined, { cookie: 'token=house:nobody' }, '/api/logs')).status, 401);
    });

    it('are refused where it throws, finds no account, or one that may not sign in', async () => {
      deepStrictEqual(await refusal('house:else'), [401, 'Invalid credentials']);
      deepStrictEqual(await refusal('house:shut'), [401, 'Invalid credentials']);
      deepStrictEqual(await refusal('house:roleless'), [401, 'Missing or invalid credentials']);
      deepStrictEqual(await refusal('nameless'), [401, 'Missing or invalid credentials']);
      deepStrictEqual(await refusal('garbage'), [401, 'Missing or invalid credentials']);
      deepStrictEqual(await refusal('missing', '/api/logs'), [401, 'Missing or invalid credentials']);
      // an account that the database does not have is nobody's
      deepStrictEqual(await refusal('house:ghost', '/api/logs'), [401, 'Invalid credentials']);
      // who is said to have no token is the public
      deepStrictEqual([(await get('nobody', {}, '/api/logs')).status, (await get('nobody')).status], [200, 403]);
      strictEqual((await get('garbage', {}, '/api/open')).status, 200);
    });

    it('are looked up for each request', async () => {
      strictEqual((await get(ann.token)).status, 200);
      revoked.add(ann.id);
      deepStrictEqual(await refusal(ann.token), [401, 'Missing or invalid credentials']);
      deepStrictEqual(await refusal(ann.token, '/api/logs'), [401, 'Missing or invalid credentials']);
      revoked.clear();
      strictEqual((await get(ann.token, {}, '/api/logs')).status, 200);
    });

    it("are blocked, and end with their sessions, independent of the code's result", async () => {
      const bea = await register('bea');
      strictEqual((await get(bea.token)).status, 200);
      strictEqual((await server.request('POST', '/api/auth/logout', { token: bea.token })).status, 200);
      deepStrictEqual(await refusal(bea.token), [401, 'Invalid credentials']);
      strictEqual((await get('house:bea')).status, 200);
      // a token in a cookie is no exception
      const coco = await register('coco');
      const cookie = { cookie: `token=${coco.token}` };
      strictEqual((await get(undefined, cookie)).body.user.id, coco.id);
      strictEqual((await server.request('POST', '/api/auth/logout', { headers: cookie })).status, 200);
      const ended = await get(undefined, cookie, '/api/logs');
      deepStrictEqual([ended.status, ended.body.error.message], [401, 'Invalid credentials']);
      const block = { token: full, body: { blocked: true } };
      strictEqual((await server.request('PUT', `/api/users/${bea.id}`, block)).status, 200);
      deepStrictEqual(await refusal('house:bea'), [401, 'Invalid credentials']);
    });

    it('receive no stream of changes, and their answers are not cached by shared caches', async () => {
      strictEqual((await get(ann.token, {}, '/api/events')).status, 403);
      const { headers, status } = await get(undefined, {}, '/api/notes');
      deepStrictEqual([status, headers.get('cache-control')], [200, 'private, no-cache']);
    });

    it('are refused if it changes their rights', async () => {
      const extension =
        'module.exports = (plugin) => { const { permission } = plugin.services; plugin.services.permission = (tools) => ({ ...permission(tools), findPublicPermissions: async () => [] }); return plugin; };';
      const closed = await serveSeeded(engine, await makeProject(project(extension)));
      try {
        const { request, secrets } = closed;
        strictEqual((await request('GET', '/api/logs', { token: secrets['full'] })).status, 403);
        strictEqual((await request('GET', '/api/open')).status, 403);
      } finally {
        await closed.stop();
      }
      const safe = { 'config/galley.js': `module.exports = { safeToSkip: ['${ACCOUNTS}'] };` };
      const open = await serveSeeded(engine, await makeProject(project(extension, safe)));
      try {
        strictEqual((await open.request('GET', '/api/logs', { token: open.secrets['full'] })).status, 200);
        match((await open.request('GET', '/api/open')).text, /open/);
      } finally {
        await open.stop();
      }
    });
  });
}
