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
      globalThis.accountReads.params = structuredClone(event.params);
      if (event.action === refuses) throw new ForbiddenError('no');
      if (event.action === hides) event.params.where = { $and: [event.params.where, { username: { $ne: 'ann' } }] };
      if (event.action === masks) for (const one of [event.result ?? []].flat()) one.email = 'masked';
    };
    const reads = ['FindOne', 'FindMany', 'Count'].flatMap((moment) => ['before' + moment, 'after' + moment]);
    strapi.db.lifecycles.subscribe({ models: [U], ...Object.fromEntries(reads.map((action) => [action, hear])) });
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

interface Hears {
  told: string[];
  params?: object;
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

    it('are listed and counted if listeners permit it', async () => {
      const get = (path: string) => server.request('GET', `/api/${path}`, { token: server.secrets['full'] });
      const query = 'filters[username]=ann&sort=username:desc&fields=username&start=0&limit=1';
      const params = {
        orderBy: [{ username: 'desc' }],
        where: { username: 'ann' },
        select: ['id', 'documentId', 'username'],
        offset: 0,
        limit: 1,
      };
      for (const [path, moment, announced] of [
        ['users', 'FindMany', {}],
        [`users?${query}`, 'FindMany', params],
        ['users/count', 'Count', {}],
        ['users/count?filters[username]=ann', 'Count', { where: { username: 'ann' } }],
      ] as const) {
        hearing({});
        const { status, body } = await get(path);
        deepStrictEqual([status, moment === 'Count' ? body : body.length], [200, 1], path);
        deepStrictEqual(shared.accountReads.told, [`before${moment}`, `after${moment}`], path);
        deepStrictEqual(shared.accountReads.params, announced, path);
        for (const refuses of [`before${moment}`, `after${moment}`]) {
          hearing({ refuses });
          strictEqual((await get(path)).status, 403, `${refuses} of ${path}`);
        }
        hearing({ hides: `before${moment}` });
        strictEqual((await get(path)).status, 500, path);
      }
      hearing({ masks: 'afterFindMany' });
      const { status, text } = await get('users');
      deepStrictEqual([status, text.includes('ann')], [500, false]);
      hearing({});
      for (const path of ['users?filters[nope]=1', 'users/count?filters[nope]=1']) {
        strictEqual((await get(path)).status, 400);
        deepStrictEqual(shared.accountReads.told, []);
      }
    });
  });
}
