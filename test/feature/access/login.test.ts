/** Logging in: identifiers, passwords, and refusals. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { type AccountsServer, serveAccounts } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';

for (const engine of engines) {
  describe(`logging in on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine, {
        users: { jwtSecret: 'a secret of this test', jwt: { expiresIn: '7d' }, ratelimit: { enabled: false } },
      });
    });
    after(() => server?.stop());

    const me = (token: string) => server.get('/api/users/me', token);
    const put = (id: number, body: unknown) =>
      server.request('PUT', `/api/users/${id}`, { token: server.secrets['full'], body });

    it('takes an e-mail address in any letter case and the exact user name', async () => {
      await server.register('Dora');
      for (const identifier of ['Dora', 'dora@example.com', 'DORA@Example.com']) {
        strictEqual((await server.login(identifier, 'secret1')).status, 200, identifier);
      }
      for (const identifier of ['dora', 'DORA', 'Dora ', 'nobody', 'Do\0ra', '\ud800', 'x'.repeat(5000)]) {
        const { status, body } = await server.login(identifier, 'secret1');
        strictEqual(status, 400, identifier);
        strictEqual(body.error.name, 'ValidationError');
      }
    });

    it('returns an HS256 token with the configured lifetime and the claims of the reference', async () => {
      await server.register('claims');
      const { jwt, user } = (await server.login('claims', 'secret1')).body;
      strictEqual(decodeProtectedHeader(jwt).alg, 'HS256');
      const { id, iat, exp, sid, ...rest } = decodeJwt(jwt);
      deepStrictEqual([id, exp! - iat!, rest], [user.id, 7 * 24 * 3600, {}]);
      match(String(sid), /^[0-9a-f]{32}$/);
      strictEqual((await me(jwt)).status, 200);
    });

    it('gives the same answer for a wrong password, a missing account and an account without a password', async () => {
      const { user } = await server.register('wordless');
      await server.app.database.transaction(async (tx) =>
        tx.rows(`update up_users set password = null where id = ${user.id}`, []),
      );
      await server.register('worded');
      const answers = [
        await server.login('worded', 'secret2'),
        await server.login('nobody', 'secret1'),
        await server.login('wordless', 'secret1'),
      ];
      for (const { status, body } of answers) {
        strictEqual(status, 400);
        deepStrictEqual(body.error.message, 'Invalid identifier or password');
      }
    });

    it('keeps the first 72 bytes of a longer text from being the password', async () => {
      const password = 'é'.repeat(36);
      await server.register('lengthy', { password });
      strictEqual((await server.login('lengthy', password)).status, 200);
      strictEqual((await server.login('lengthy', `${password}x`)).status, 400);
    });

    it('refuses accounts of other providers, blocked ones, and unconfirmed ones where addresses are confirmed', async () => {
      const blocked = await server.register('blocky');
      await put(blocked.user.id, { blocked: true });
      match((await server.login('blocky', 'secret1')).body.error.message, /blocked by an administrator/);
      strictEqual((await server.login('blocky', 'wrong')).body.error.message, 'Invalid identifier or password');
      const other = await server.register('others');
      await put(other.user.id, { provider: 'github' });
      strictEqual((await server.login('others', 'secret1')).body.error.message, 'Invalid identifier or password');
      const waiting = await server.register('waiting');
      await put(waiting.user.id, { confirmed: false });
      strictEqual((await me(waiting.jwt)).status, 200);
      await server.advanced({ email_confirmation: true });
      try {
        strictEqual(
          (await server.login('waiting', 'secret1')).body.error.message,
          'Your account email is not confirmed',
        );
        await put(waiting.user.id, { confirmed: false });
        strictEqual((await me(waiting.jwt)).status, 401);
      } finally {
        await server.advanced({ email_confirmation: false });
      }
    });

    it('accepts hashes of other systems', async () => {
      const { user } = await server.register('moved');
      // of `other1`, made with bcryptjs: prefix 2a, 10 rounds
      const hash = '$2a$10$6ecNTMZkFxTbcwidbroSpeEiyC63mV/Tm/ZZalDFDQgfXJ3.dcJGe';
      const { database } = server.app;
      const text = `update up_users set password = ${database.dialect.placeholder(1)} where id = ${user.id}`;
      await database.transaction(async (tx) => tx.rows(text, [hash]));
      strictEqual((await server.login('moved', 'other1')).status, 200);
      strictEqual((await server.login('moved', 'secret1')).status, 400);
    });

    it('accepts tokens of the reference, and refuses ones with another algorithm or an invalid account', async () => {
      const { user } = await server.register('travels');
      const key = new TextEncoder().encode('a secret of this test');
      const sign = (claims: Record<string, unknown>, alg = 'HS256') =>
        new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT' }).setIssuedAt().setExpirationTime('1h').sign(key);
      strictEqual((await me(await sign({ id: user.id }))).status, 200);
      const [header, payload] = (await sign({ id: user.id })).split('.');
      const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
      ok(header);
      const wrong = [
        await sign({ id: user.id, sid: 'f'.repeat(32) }),
        await sign({ id: String(user.id) }),
        await sign({ id: 2 ** 40 }),
        await sign({ id: -1 }),
        await sign({}),
        await sign({ userId: String(user.id), sessionId: 'x', type: 'access' }),
        await sign({ id: user.id }, 'HS512').catch(() => 'x'),
        `${none}.${payload}.`,
        `${await sign({ id: user.id })}=`,
      ];
      for (const token of wrong) strictEqual((await me(token)).status, 401, token);
    });

    it('closes logins with a password where the project has closed them', async () => {
      const { database } = server.app;
      const value = JSON.stringify({ email: { enabled: false } });
      const slot = database.dialect.placeholder(1);
      await database.transaction(async (tx) =>
        tx.rows(
          `insert into strapi_core_store_settings ("key", "value", "type") values ('plugin_users-permissions_grant', ${slot}, 'object')`,
          [value],
        ),
      );
      strictEqual((await server.login('Dora', 'secret1')).body.error.message, 'This provider is disabled');
      await database.transaction(async (tx) =>
        tx.rows(`delete from strapi_core_store_settings where "key" = 'plugin_users-permissions_grant'`, []),
      );
    });
  });

  describe(`the limit of logins behind a trusted proxy on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      const files = { server: { proxy: { trust: ['127.0.0.1'] } } };
      server = await serveAccounts(engine, { users: { ratelimit: { max: 2 } }, files });
    });
    after(() => server?.stop());

    it('counts the clients that the proxy names, all addresses of one IPv6 network together', async () => {
      const attempt = async (address: string) => {
        const headers = { 'x-forwarded-for': address };
        return (await server.post('/auth/local', { identifier: 'x', password: 'y' }, undefined, headers)).status;
      };
      const network = ['2001:db8::1', '2001:DB8:0:0:ffff::2', '2001:db8:0:0:1:2:3:4'];
      deepStrictEqual(
        [await attempt(network[0]!), await attempt(network[1]!), await attempt(network[2]!)],
        [400, 400, 429],
      );
      strictEqual(await attempt('2001:db8:0:1::1'), 400);
      deepStrictEqual(
        [await attempt('203.0.113.1'), await attempt('::ffff:203.0.113.1'), await attempt('203.0.113.1')],
        [400, 400, 429],
      );
      strictEqual(await attempt('203.0.113.2'), 400);
    });
  });

  describe(`the limit of logins on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine, { users: { ratelimit: { max: 3, interval: { min: 1 } } } });
    });
    after(() => server?.stop());

    it('counts by endpoint and address, however the path, the headers and the e-mail address are spelled', async () => {
      const attempt = (path: string, body: object, headers = {}) =>
        server.request('POST', path, { body: { identifier: 'x', password: 'y', ...body }, headers });
      const spellings: [string, object, Record<string, string>][] = [
        ['/api/auth/local', {}, {}],
        ['/api/AUTH/Local', { email: 'a@example.com' }, { 'x-forwarded-for': '203.0.113.7' }],
        ['/api/auth/local/', { email: 'b@example.com' }, { 'x-real-ip': '203.0.113.8' }],
      ];
      for (const [path, body, headers] of spellings) strictEqual((await attempt(path, body, headers)).status, 400);
      for (const [path, body, headers] of spellings) {
        const { status, body: told, headers: sent } = await attempt(path, body, headers);
        deepStrictEqual([status, told.error.name], [429, 'RateLimitError']);
        ok(Number(sent.get('retry-after')) >= 1);
        deepStrictEqual([sent.get('x-ratelimit-limit'), sent.get('x-ratelimit-remaining')], ['3', '0']);
      }
      const forgot = (email: string) => server.post('/auth/forgot-password', { email });
      for (const email of ['c@example.com', 'C@example.com', ' c@EXAMPLE.com ']) await forgot(email);
      strictEqual((await forgot('c@Example.com')).status, 429);
      strictEqual((await forgot('d@example.com')).status, 200);
    });
  });
}
