/** Lifecycles around accounts and API tokens that the server reads by itself (docs/reference/project-code.md). */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const PROJECT = {
  contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
  files: {
    'src/index.js': `const { ForbiddenError } = require('@strapi/utils').errors;
const U = 'plugin::users-permissions.user';
globalThis.accountReads = { told: [] };
module.exports = {
  bootstrap({ strapi }) {
    const hear = (event) => {
      const { refuses, hides, masks, told } = globalThis.accountReads;
      told.push(event.action);
      if (event.action === refuses) throw new ForbiddenError('no');
      if (event.action === hides) event.params.where = { $and: [event.params.where, { username: { $ne: 'ann' } }] };
      if (event.action === masks && event.result) event.result.email = 'masked';
    };
    strapi.db.lifecycles.subscribe({ models: [U], beforeFindOne: hear, afterFindOne: hear });
    strapi.db.lifecycles.subscribe({ models: ['admin::api-token'], beforeFindOne: (event) => {
      if (globalThis.accountReads.refusesTokens) throw new ForbiddenError('no');
    } });
  },
};`,
    'src/api/claims/routes/claims.js': `module.exports = { routes: [{ method: 'GET', path: '/claims', config: { auth: false }, async handler(ctx) {
      const jwt = strapi.plugin('users-permissions').service('jwt');
      ctx.body = { claims: await jwt.getToken(ctx), own: await jwt.verify(jwt.issue({ sid: 'own' })) };
    } }] };`,
    'src/api/note/controllers/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note');",
  },
};

const LISTENERS = `module.exports = { bootstrap({ strapi }) {
  const hear = () => {};
  strapi.db.lifecycles.subscribe({ models: ['plugin::users-permissions.user'], beforeFindMany: hear, beforeCount: hear });
} };`;

interface Hears {
  told: string[];
  refuses?: string;
  hides?: string;
  masks?: string;
  refusesTokens?: boolean;
}
const shared = globalThis as unknown as { accountReads: Hears };
const password = 'Abcdef1234';

for (const engine of engines) {
  describe(`accounts that the server reads behind lifecycles, on ${engine.name}`, () => {
    let server: SeededServer;
    let token: string;
    let id: number;
    const hearing = (hears: Partial<Hears>) => {
      shared.accountReads = { told: [], ...hears };
    };
    const signIn = () => server.request('POST', '/api/auth/local', { body: { identifier: 'ann', password } });
    const asked = async () => {
      const full = server.secrets['full'];
      const answers = [
        await signIn(),
        await server.request('GET', '/api/users/me', { token }),
        await server.request('GET', `/api/users/${id}`, { token: full }),
        await server.request('PUT', `/api/users/${id}`, { token: full, body: { username: 'ann' } }),
        await server.request('POST', '/api/auth/forgot-password', { body: { email: 'ann@example.com' } }),
      ];
      return answers.map(({ status }) => status);
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      const body = { username: 'ann', email: 'ann@example.com', password };
      const { body: made } = await server.request('POST', '/api/auth/local/register', { body });
      [token, id] = [made.jwt, made.user.id];
    });
    after(() => server?.stop());

    it('call the listeners, and are served if those change nothing', async () => {
      hearing({});
      strictEqual((await signIn()).status, 200);
      deepStrictEqual(shared.accountReads.told, ['beforeFindOne', 'afterFindOne']);
      strictEqual((await server.request('GET', '/api/users/me', { token })).status, 200);
      strictEqual((await server.request('GET', `/api/users/${id}`, { token: server.secrets['full'] })).status, 200);
    });

    it('are refused where a listener refuses, as in Strapi', async () => {
      for (const refuses of ['beforeFindOne', 'afterFindOne']) {
        hearing({ refuses });
        deepStrictEqual(await asked(), [403, 401, 403, 403, 403]);
        const body = { username: 'bob', email: 'bob@example.com', password };
        strictEqual((await server.request('POST', '/api/auth/local/register', { body })).status, 403);
      }
    });

    it('are not shown where a listener hides or masks them', async () => {
      hearing({ hides: 'beforeFindOne' });
      for (const status of await asked()) ok(status >= 400);
      hearing({ masks: 'afterFindOne' });
      const answer = await signIn();
      ok(!answer.text.includes('ann@example.com'));
      ok(!(await server.request('GET', '/api/users/me', { token })).text.includes('ann@example.com'));
    });

    it('have tokens that code reads without the claim that names the session', async () => {
      hearing({});
      const { body } = await server.request('GET', '/api/claims', { token });
      deepStrictEqual([Object.keys(body.claims).sort(), body.claims.id], [['exp', 'iat', 'id'], id]);
      strictEqual(body.own.sid, 'own');
    });

    it('are refused to API tokens whose reading is refused', async () => {
      hearing({});
      const list = () => server.request('GET', '/api/notes', { token: server.secrets['full'] });
      strictEqual((await list()).status, 200);
      hearing({ refusesTokens: true });
      strictEqual((await list()).status, 401);
      hearing({});
    });
  });

  it(`lists of accounts are closed where lifecycles run around them in Strapi, on ${engine.name}`, async () => {
    const server = await serveSeeded(engine, await makeProject({ ...PROJECT, files: { 'src/index.js': LISTENERS } }));
    try {
      for (const path of ['users', 'users/count']) {
        const { status } = await server.request('GET', `/api/${path}`, { token: server.secrets['full'] });
        strictEqual(status, 403, path);
      }
    } finally {
      await server.stop();
    }
  });
}
