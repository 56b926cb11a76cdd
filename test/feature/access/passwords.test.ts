/** Changes of passwords, and the sessions that they end. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { type AccountsServer, codeOf, serveAccounts } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';

for (const engine of engines) {
  describe(`passwords on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine, { env: { JWT_SECRET: 'of this test' } });
    });
    after(() => server?.stop());

    const me = async (token: string) => (await server.get('/api/users/me', token)).status;
    const change = (token: string, currentPassword: string, password: string) =>
      server.post('/auth/change-password', { currentPassword, password, passwordConfirmation: password }, token);
    const forgot = (email: string) => server.post('/auth/forgot-password', { email });
    const reset = (code: string, password: string) =>
      server.post('/auth/reset-password', { code, password, passwordConfirmation: password });
    const put = (id: number, body: unknown) =>
      server.request('PUT', `/api/users/${id}`, { token: server.secrets['full'], body });
    /** A token as the reference issues it, some seconds ago. */
    const foreign = (id: number, age = 60) =>
      new SignJWT({ id })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt(Math.floor(Date.now() / 1000) - age)
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode('of this test'));

    it('ends every other session with a change, tokens of the reference included, and begins a new one', async () => {
      const { jwt, user } = await server.register('ivan');
      const other = (await server.login('ivan', 'secret1')).body.jwt;
      const old = await foreign(user.id);
      deepStrictEqual([await me(jwt), await me(other), await me(old)], [200, 200, 200]);
      const changed = await change(jwt, 'secret1', 'secret2');
      strictEqual(changed.status, 200, changed.text);
      deepStrictEqual(Object.keys(changed.body), ['jwt', 'user']);
      deepStrictEqual([await me(jwt), await me(other), await me(old)], [401, 401, 401]);
      strictEqual(await me(changed.body.jwt), 200);
      strictEqual((await server.login('ivan', 'secret1')).status, 400);
      strictEqual((await server.login('ivan', 'secret2')).status, 200);
    });

    it('refuses a change with the wrong current password, to the same, to one too short or too long', async () => {
      const { jwt } = await server.register('jana');
      const message = async (...words: [string, string]) => (await change(jwt, ...words)).body.error.message;
      strictEqual(await message('wrong', 'secret2'), 'The provided current password is invalid');
      strictEqual(
        await message('secret1', 'secret1'),
        'Your new password must be different than your current password',
      );
      match(await message('secret1', '12345'), /at least 6 characters/);
      match(await message('secret1', 'é'.repeat(37)), /less than 73 bytes/);
      strictEqual(await me(jwt), 200);
      strictEqual((await server.post('/auth/change-password', {}, server.secrets['full'])).status, 400);
    });

    it('makes one of two changes at the same moment count', async () => {
      const { jwt } = await server.register('race1');
      const answers = await Promise.all([change(jwt, 'secret1', 'secret2'), change(jwt, 'secret1', 'secret3')]);
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      const winner = answers.find(({ status }) => status === 200)!;
      strictEqual(await me(winner.body.jwt), 200);
    });

    it('sets a forgotten password by a code that is good once', async () => {
      await server.advanced({ email_reset_password: 'https://front.example.com/reset' });
      const { jwt, user } = await server.register('frida');
      const old = await foreign(user.id);
      deepStrictEqual((await forgot('FRIDA@example.com')).body, { ok: true });
      const mail = await server.nextMail('frida@example.com');
      match(mail.text, /https:\/\/front\.example\.com\/reset\?code=/);
      const code = codeOf(mail);
      strictEqual((await reset(code, '123')).status, 400);
      const done = await reset(code, 'secret2');
      strictEqual(done.status, 200, done.text);
      strictEqual(await me(done.body.jwt), 200);
      deepStrictEqual([await me(jwt), await me(old)], [401, 401]);
      strictEqual((await reset(code, 'secret3')).body.error.message, 'Incorrect code provided');
      strictEqual((await server.login('frida', 'secret2')).status, 200);
    });

    it('uses a code up once when two come with it at the same moment', async () => {
      await server.register('twice');
      await forgot('twice@example.com');
      const code = codeOf(await server.nextMail('twice@example.com'));
      const answers = await Promise.all([reset(code, 'secret2'), reset(code, 'secret3')]);
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    });

    it('makes a code void by a newer one, its age, another password, another address, and a block', async () => {
      const { user } = await server.register('voids');
      const ask = async (email: string) => {
        await forgot(email);
        return codeOf(await server.nextMail(email));
      };
      const refused = async (code: string) =>
        strictEqual((await reset(code, 'secret9')).body.error?.message, 'Incorrect code provided');
      const first = await ask('voids@example.com');
      const second = await ask('voids@example.com');
      await refused(first);
      const { database } = server.app;
      const slot = database.dialect.placeholder(1);
      await database.transaction(async (tx) =>
        tx.rows(`update galley_accounts set reset_until = ${slot} where user_id = ${user.id}`, [
          database.dialect.encodeTime(Date.now() - 1),
        ]),
      );
      await refused(second);
      const third = await ask('voids@example.com');
      await put(user.id, { password: 'secret2' });
      await refused(third);
      const fourth = await ask('voids@example.com');
      await put(user.id, { email: 'VOIDS2@example.com' });
      await refused(fourth);
      const fifth = await ask('voids2@example.com');
      await put(user.id, { blocked: true });
      await put(user.id, { blocked: false });
      await refused(fifth);
      const rows = await database.rows(`select reset_password_token from up_users where id = ${user.id}`, []);
      deepStrictEqual(rows, [[null]]);
    });

    it('mails nothing to unknown and blocked accounts, with the same answer', async () => {
      const { user } = await server.register('silent');
      await put(user.id, { blocked: true });
      await server.register('spoken');
      for (const email of ['silent@example.com', 'nobody@example.com', 'spoken@example.com']) {
        deepStrictEqual((await forgot(email)).body, { ok: true });
      }
      await server.nextMail('spoken@example.com');
      deepStrictEqual(
        server.mailbox.mails.filter(({ to }) => to.some((one) => /^(?:silent|nobody)@/.test(one))),
        [],
      );
    });

    it('ends sessions when another program sets the password in the database', async () => {
      const { jwt, user } = await server.register('outside');
      const { database } = server.app;
      await database.transaction(async (tx) =>
        tx.rows(
          `update up_users set password = '$2b$10$0000000000000000000000000000000000000000000000000000' where id = ${user.id}`,
          [],
        ),
      );
      strictEqual(await me(jwt), 401);
    });

    it('ends all sessions when another account sets the password', async () => {
      const { jwt, user } = await server.register('managed');
      const old = await foreign(user.id);
      strictEqual((await put(user.id, { username: 'managed2' })).status, 200);
      deepStrictEqual([await me(jwt), await me(old)], [200, 200]);
      strictEqual((await put(user.id, { password: 'secret2' })).status, 200);
      deepStrictEqual([await me(jwt), await me(old)], [401, 401]);
    });
  });
}
