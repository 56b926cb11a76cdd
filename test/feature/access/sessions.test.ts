/** Sessions: renewed by refresh tokens, listed, and ended at once. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { MAX_SESSIONS } from '../../../src/users/sessions/sessions.ts';
import { type AccountsServer, serveAccounts } from '../../support/accounts/accounts.ts';
import { replay, scenarioTitles } from '../../support/conformance/conformance.ts';
import { engines } from '../../support/databases/databases.ts';
import { serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

/** Recorded from the reference, for servers that give refresh tokens. */
const RECORDED = '../refresh/51-sessions';
const titles = scenarioTitles(RECORDED);
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

for (const engine of engines) {
  describe(`sessions with refresh tokens on ${engine.name}`, () => {
    let server: AccountsServer;
    let outcomes: Awaited<ReturnType<typeof replay>> = [];
    before(async () => {
      const sessions = { accessTokenLifespan: 120, idleRefreshTokenLifespan: 3600, maxRefreshTokenLifespan: 7200 };
      server = await serveAccounts(engine, { users: { jwtManagement: 'refresh', sessions } });
      const tokensFile = path.join(server.app.config.dir, 'tokens.json');
      await writeFile(tokensFile, JSON.stringify(server.secrets));
      outcomes = await replay({ server, tokensFile }, { engine: engine.name, files: [RECORDED] });
    });
    after(() => server?.stop());

    const me = async (token: string) => (await server.get('/api/users/me', token)).status;
    const refresh = (refreshToken: string | undefined, headers = {}) =>
      server.post('/auth/refresh', refreshToken === undefined ? {} : { refreshToken }, undefined, headers);

    for (const title of titles) {
      it(`as recorded: ${title}`, () => {
        const outcome = outcomes.find(({ label }) => label.endsWith(` / ${title}`));
        deepStrictEqual(outcome?.problems, []);
      });
    }

    it('gives access tokens that live as long as configured, and refresh tokens that open nothing', async () => {
      const { jwt, refreshToken } = await server.register('lives');
      const access = decodeJwt(jwt);
      strictEqual(access.exp! - access.iat!, 120);
      const renewing = decodeJwt(refreshToken!);
      ok(Math.abs(renewing.exp! - renewing.iat! - 3600) <= 1);
      deepStrictEqual([await me(jwt), await me(refreshToken!)], [200, 401]);
      strictEqual((await refresh(jwt)).status, 401);
    });

    it('renews with one of two requests that come with the same token', async () => {
      const { refreshToken } = await server.register('tabs1');
      const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken), refresh(refreshToken)]);
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
    });

    it('renews no session that is over, of a blocked account or of a deleted one', async () => {
      const { database } = server.app;
      const slot = database.dialect.placeholder(1);
      const expired = await server.register('over1');
      await database.transaction(async (tx) =>
        tx.rows(`update galley_sessions set ends_at = ${slot} where user_id = ${expired.user.id}`, [
          database.dialect.encodeTime(Date.now() - 1),
        ]),
      );
      strictEqual((await refresh(expired.refreshToken)).status, 401);
      const blocked = await server.register('over2');
      const token = server.secrets['full'];
      await server.request('PUT', `/api/users/${blocked.user.id}`, { token, body: { blocked: true } });
      await server.request('PUT', `/api/users/${blocked.user.id}`, { token, body: { blocked: false } });
      deepStrictEqual([(await refresh(blocked.refreshToken)).status, await me(blocked.jwt)], [401, 401]);
      const deleted = await server.register('over3');
      await server.request('DELETE', `/api/users/${deleted.user.id}`, { token });
      strictEqual((await refresh(deleted.refreshToken)).status, 401);
      const rows = await database.rows(`select 1 from galley_sessions where user_id = ${deleted.user.id}`, []);
      deepStrictEqual(rows, []);
    });

    it('keeps refresh tokens in a cookie for clients that ask for it', async () => {
      await server.register('cookie1');
      const asks = { 'x-strapi-refresh-cookie': 'httpOnly' };
      const body = { identifier: 'cookie1', password: 'secret1' };
      const login = await server.post('/auth/local', body, undefined, asks);
      deepStrictEqual(Object.keys(login.body), ['jwt', 'user']);
      const set = login.headers.get('set-cookie')!;
      match(set, /^strapi_up_refresh=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/);
      const cookie = set.split(';')[0]!;
      const renewed = await refresh(undefined, { ...asks, cookie: `other=1; ${cookie}` });
      deepStrictEqual([renewed.status, Object.keys(renewed.body)], [200, ['jwt']]);
      strictEqual((await refresh(undefined, { cookie })).status, 401);
      const next = renewed.headers.get('set-cookie')!.split(';')[0]!;
      const out = await server.post('/auth/logout', {}, renewed.body.jwt, { ...asks, cookie: next });
      match(out.headers.get('set-cookie')!, /^strapi_up_refresh=; Path=\/; Max-Age=0; HttpOnly/);
      strictEqual((await refresh(undefined, { cookie: next })).status, 401);
    });

    it('keeps a refresh token that came in a cookie there, and removes the cookie with its session', async () => {
      const asks = { 'x-strapi-refresh-cookie': 'httpOnly' };
      const body = { username: 'cookie2', email: 'cookie2@example.com', password: 'secret1' };
      const begun = await server.post('/auth/local/register', body, undefined, asks);
      const cookieIn = ({ headers }: typeof begun) => headers.get('set-cookie')!.split(';')[0]!;
      // without the header, and whatever else a script that cannot read the cookie may say
      let cookie = cookieIn(begun);
      for (const given of [{}, { refreshToken: 'x' }]) {
        const renewed = await server.post('/auth/refresh', given, undefined, { cookie });
        deepStrictEqual([renewed.status, Object.keys(renewed.body)], [200, ['jwt']]);
        cookie = cookieIn(renewed);
      }
      const { jwt } = (await server.post('/auth/refresh', {}, undefined, { cookie })).body;
      strictEqual((await server.post('/auth/logout', {}, jwt)).headers.get('set-cookie'), null);
      const again = await server.post('/auth/local', { identifier: 'cookie2', password: 'secret1' }, undefined, asks);
      const out = await server.post('/auth/logout', {}, again.body.jwt, { cookie: cookieIn(again) });
      match(out.headers.get('set-cookie')!, /^strapi_up_refresh=; Path=\/; Max-Age=0; HttpOnly/);
      strictEqual((await refresh(undefined, { cookie: cookieIn(again) })).status, 401);
      // a token of the body stays one of the body
      const { refreshToken } = await server.register('bodily');
      const plain = await refresh(refreshToken);
      deepStrictEqual([Object.keys(plain.body), plain.headers.get('set-cookie')], [['jwt', 'refreshToken'], null]);
    });

    it('ends a token that is remembered with its session', async () => {
      const { jwt, user } = await server.register('brief1');
      const { database } = server.app;
      await database.transaction(async (tx) =>
        tx.rows(
          `update galley_sessions set expires_at = ${database.dialect.placeholder(1)} where user_id = ${user.id}`,
          [database.dialect.encodeTime(Date.now() + 1500)],
        ),
      );
      strictEqual(await me(jwt), 200);
      await until('the token is refused', async () => (await me(jwt)) === 401);
    });

    it('lists the devices of the account only, the current session first', async () => {
      const own = await server.register('lister');
      const other = await server.register('stranger');
      const body = { identifier: 'lister', password: 'secret1', deviceId: 'laptop' };
      const { jwt } = (await server.post('/auth/local', body, undefined, { 'user-agent': CHROME })).body;
      const { data } = (await server.get('/api/auth/sessions', own.jwt)).body;
      strictEqual(data.length, 2);
      deepStrictEqual([data[0].current, data[1].current], [true, false]);
      const { deviceId, deviceName, loginAt, lastActiveAt } = data[1];
      deepStrictEqual([deviceId, deviceName], ['laptop', 'Chrome on Linux']);
      ok(Date.parse(loginAt) <= Date.parse(lastActiveAt));
      const end = await server.request('DELETE', `/api/auth/sessions/${data[1].id}`, { token: other.jwt });
      deepStrictEqual([end.status, await me(jwt)], [404, 200]);
      const long = { identifier: 'lister', password: 'secret1', deviceId: 'x'.repeat(256) };
      deepStrictEqual((await server.post('/auth/local', long)).body.error.details.errors[0].path, ['deviceId']);
    });
  });

  describe(`the cookie of refresh tokens on ${engine.name}`, () => {
    const served = async (origin: unknown, use: (server: AccountsServer, send: Send) => Promise<void>, env = {}) => {
      const server = await serveAccounts(engine, {
        users: {
          jwtManagement: 'refresh',
          sessions: { httpOnly: true, accessTokenLifespan: 600, idleRefreshTokenLifespan: 60 },
        },
        files: { middlewares: [{ name: 'strapi::cors', config: { origin } }] },
        env,
      });
      const body = { username: 'owner1', email: 'owner1@example.com', password: 'secret1' };
      let cookie = (await server.post('/auth/local/register', body)).headers.get('set-cookie')!.split(';')[0]!;
      const send: Send = async (headers) => {
        const answer = await server.post('/auth/refresh', {}, undefined, { cookie, ...headers });
        cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
        if (answer.status === 200) {
          const { exp, iat } = decodeJwt(answer.body.jwt);
          ok(exp! - iat! <= 60, 'the access token ends with the session');
        }
        return answer.status;
      };
      try {
        await use(server, send);
      } finally {
        await server.stop();
      }
    };
    type Send = (headers: Record<string, string>) => Promise<number>;

    it('counts for origins that are named, as they are named', () =>
      served(['https://front.example', 'capacitor://localhost', 'null'], async (_, send) => {
        for (const origin of ['https://front.example', 'capacitor://localhost'])
          strictEqual(await send({ origin }), 200);
        strictEqual(await send({}), 200);
        for (const origin of [
          'http://front.example',
          'https://front.example:444',
          'null',
          'https://x.front.example',
          '',
        ]) {
          strictEqual(await send({ origin }), 400, origin);
        }
      }));

    it('counts for the own origin, by the host of the request and by the address of the configuration', () =>
      served(
        ['*', 'https://front.example'],
        async ({ url }, send) => {
          const { host } = new URL(url);
          for (const origin of [`http://${host}`, `https://${host}`, 'https://api.example']) {
            strictEqual(await send({ origin }), 200, origin);
          }
          // of a page that anybody on the way may have made
          const wrong = [
            'http://api.example',
            'https://front.example',
            'https://api.example:8443',
            `ftp://${host}`,
            `app://${host}`,
          ];
          for (const origin of [...wrong, 'http://localhost', '*']) strictEqual(await send({ origin }), 400, origin);
        },
        { PUBLIC_URL: 'https://api.example/' },
      ));
  });

  describe(`sessions without refresh tokens on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine);
    });
    after(() => server?.stop());

    const me = async (token: string) => (await server.get('/api/users/me', token)).status;

    it('ends one session, or all, at a logout', async () => {
      const { jwt } = await server.register('carl1');
      const login = async () => (await server.login('carl1', 'secret1')).body.jwt;
      const [second, third] = [await login(), await login()];
      deepStrictEqual((await server.post('/auth/logout', undefined, jwt)).body, { ok: true });
      deepStrictEqual([await me(jwt), await me(second), await me(third)], [401, 200, 200]);
      await server.post('/auth/logout', { scope: 'all' }, second);
      deepStrictEqual([await me(second), await me(third)], [401, 401]);
      strictEqual((await server.post('/auth/logout', {}, server.secrets['full'])).status, 401);
      strictEqual((await server.post('/auth/refresh', {})).status, 404);
    });

    it('ends them for another server on the same database as well', async () => {
      const { env } = server;
      const dir = server.app.config.dir;
      const other = await serve({ dir, remove: async () => {} }, { env, drop: async () => {} });
      try {
        const { jwt } = await server.register('spread');
        const there = async () => (await other.get('/api/users/me', jwt)).status;
        strictEqual(await there(), 200);
        await server.post('/auth/logout', {}, jwt);
        await until('the other server refuses the token', async () => (await there()) === 401);
      } finally {
        await other.stop();
      }
    });

    it('keeps so many sessions of an account, the newest', async () => {
      const { jwt, user } = await server.register('many1');
      const { database } = server.app;
      await database.transaction(async (tx) => {
        const slot = database.dialect.placeholder(1);
        for (let i = 0; i < MAX_SESSIONS; i++) {
          await tx.rows(
            `insert into galley_sessions (session_id, user_id, refresh_id, created_at, active_at, expires_at, ends_at)
             select 'many${i}', user_id, refresh_id, created_at, active_at, expires_at, ends_at
             from galley_sessions where user_id = ${slot} order by id limit 1`,
            [user.id],
          );
        }
      });
      strictEqual(await me(jwt), 200);
      strictEqual((await server.login('many1', 'secret1')).status, 200);
      const rows = await database.rows(`select count(*) from galley_sessions where user_id = ${user.id}`, []);
      strictEqual(Number(rows[0]![0]), MAX_SESSIONS);
      strictEqual(await me(jwt), 401);
    });
  });
}
