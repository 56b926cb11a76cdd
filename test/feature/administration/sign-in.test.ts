/** Signing in to the administration: sessions and their end, second factors, limits, and the first administrator. */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findAdministrator, setPassword } from '../../../src/users/administrators/administrator-rows.ts';
import { GRACE } from '../../../src/users/administrators/administrator-sessions.ts';
import { stepOf, totpCode } from '../../../src/users/administrators/totp.ts';
import { Browser, makeAdministrator, PASSWORD } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const SUPER = 'strapi-super-admin';
const contentTypes = { note: contentType('note', { title: { type: 'string' } }) };
/** Attempts at one account, of which there may be ten times as many from this address: by all tests together. */
const ATTEMPTS = 7;
const files = { 'config/admin.json': { rateLimit: { max: ATTEMPTS, interval: { min: 5 } } } };

for (const engine of engines) {
  describe(`signing in to the administration on ${engine.name}`, () => {
    let server: SeededServer;
    const ids: Record<string, number> = {};
    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, files }));
    });
    after(() => server?.stop());

    /** Somebody of their own for each test: attempts are counted by address. */
    const newcomer = async (name: string, role = SUPER): Promise<Browser> => {
      ids[name] = await makeAdministrator(server, name, role);
      return new Browser(server);
    };
    const signedIn = async (name: string, role = SUPER): Promise<Browser> => {
      const browser = await newcomer(name, role);
      strictEqual((await browser.signIn(name)).status, 200);
      return browser;
    };
    const run = (text: string) => server.app.database.transaction(async (tx) => tx.rows(text, []));
    const shift = (column: string, by: number, name: string) => {
      const { dialect } = server.app.database;
      const time = dialect.encodeTime(Date.now() + by);
      return server.app.database.transaction(async (tx) =>
        tx.rows(`update galley_admin_sessions set ${column} = ${dialect.placeholder(1)} where user_id = ${ids[name]}`, [
          time,
        ]),
      );
    };
    const isIn = async (browser: Browser): Promise<boolean> => (await browser.get('session')).status === 200;

    it('makes the first administrator with the token of the start, once', async () => {
      const browser = new Browser(server);
      const nobody = await browser.get('session');
      // of what lies elsewhere no more than its last name is told
      const place = `path/to/${basename(server.app.config.dir)}`;
      const command = `npm run -s galley -- admin create --email you@example.org ${place}`;
      deepStrictEqual(
        [nobody.status, nobody.body.error.details],
        [401, { firstAdministrator: true, command, reason: { code: 'signedOut' } }],
      );
      const person = { firstname: 'Ada', email: 'Ada@Example.com', password: 'Secret123' };
      const { text: token } = server.app.firstToken;
      // an editor keeps nobody from it
      await makeAdministrator(server, 'ann', 'strapi-editor');
      const create = (body: object) => browser.send('POST', 'first-administrator', body);
      const check = async (body: object) => (await browser.send('POST', 'first-administrator/check', body)).status;
      const wrong = `${token.slice(0, -1)}${token.endsWith('_') ? '-' : '_'}`;
      strictEqual((await create({ ...person, token: wrong })).status, 403);
      deepStrictEqual(
        [await check({ token }), await check({ token: wrong }), await check({ token: 7 }), await check({})],
        [204, 403, 400, 400],
      );
      strictEqual(
        (await create({ ...person, token, email: 'ann@example.com' })).body.error.message,
        'Email already taken',
      );
      const weak = await create({ ...person, password: 'secret', email: 'nobody', token });
      deepStrictEqual(
        weak.body.error.details.errors.map((error: { path: string[] }) => error.path),
        [['email'], ['password']],
      );
      doesNotMatch(weak.text, /"secret"/);
      const both = await Promise.all([create({ ...person, token }), create({ ...person, token })]);
      deepStrictEqual(both.map(({ status }) => status).sort(), [201, 403]);
      strictEqual((await create({ ...person, email: 'eve@example.com', token })).status, 403);
      strictEqual(await check({ token }), 403);
      const { user, roles, rights } = (await browser.get('session')).body.data;
      deepStrictEqual([user.email, user.firstname, user.secondFactor], ['ada@example.com', 'Ada', false]);
      deepStrictEqual(
        roles.map(({ code }: { code: string }) => code),
        [SUPER],
      );
      ok(rights.some(({ subject }: { subject: string }) => subject === 'api::note.note'));
      deepStrictEqual((await new Browser(server).get('session')).body.error.details, { reason: { code: 'signedOut' } });
    });

    it('gives a cookie that scripts and other sites cannot use, and stores no token', async () => {
      const browser = await newcomer('cookie');
      const answer = await browser.signIn('cookie');
      strictEqual(answer.headers.get('cache-control'), 'no-store');
      const set = answer.headers.get('set-cookie')!;
      match(set, /^galley_admin=[\w-]{43}; Path=\/admin; HttpOnly; SameSite=Strict$/);
      const token = set.slice('galley_admin='.length, set.indexOf(';'));
      const rows = await server.app.database.rows('select token_hash, former_hash from galley_admin_sessions', []);
      ok(rows.every((row) => !row.includes(token)));
      const remembered = await new Browser(server).signIn('cookie', { remember: true });
      match(remembered.headers.get('set-cookie')!, /; Max-Age=259\d{4}; HttpOnly/);
      const encrypted = await new Browser(server).send(
        'POST',
        'session',
        { email: 'cookie@example.com', password: PASSWORD },
        { origin: new URL(server.url).origin.replace('http:', 'https:') },
      );
      match(encrypted.headers.get('set-cookie')!, /; Secure; HttpOnly/);
    });

    it('refuses wrong credentials and blocked users with the same message', async () => {
      await newcomer('locked');
      await newcomer('invited');
      await run(`update admin_users set blocked = true where id = ${ids['locked']}`);
      await run(`update admin_users set is_active = false where id = ${ids['invited']}`);
      await newcomer('wrong');
      const answers = await Promise.all([
        new Browser(server).signIn('wrong', { password: 'Secret124' }),
        new Browser(server).signIn('nobody'),
        new Browser(server).signIn('locked'),
        new Browser(server).signIn('invited'),
      ]);
      for (const { status, body } of answers) {
        deepStrictEqual(
          [status, body.error.message, body.error.details.reason],
          [400, 'Invalid credentials', { code: 'credentials' }],
        );
      }
      const empty = await new Browser(server).send('POST', 'session', {});
      strictEqual(empty.body.error.details.errors.length, 2);
    });

    it('counts attempts by account and network, and refuses those beyond the limit, the right one included', async () => {
      await newcomer('guessed');
      const browser = new Browser(server);
      const statuses: number[] = [];
      for (let n = 0; n < ATTEMPTS; n++) statuses.push((await browser.signIn('guessed', { password: 'x' })).status);
      deepStrictEqual(new Set(statuses), new Set([400]));
      const late = await browser.signIn(' Guessed');
      strictEqual(late.status, 429);
      ok(Number(late.headers.get('retry-after')) > 0);
    });

    it('refuses requests of pages of other origins, and bodies that are not JSON', async () => {
      const browser = await signedIn('origin');
      const send = (headers: Record<string, string>, body: unknown = { firstname: 'X' }) =>
        browser.send('PUT', 'me', body, headers);
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ]) {
        strictEqual((await send(headers)).status, 403, JSON.stringify(headers));
        strictEqual((await browser.get('session', headers)).status, 403, JSON.stringify(headers));
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
        strictEqual((await send({ 'content-type': type }, '{"firstname":"X"}')).status, 415);
      }
      strictEqual((await send({})).status, 200);
      strictEqual((await browser.get('session')).body.data.user.firstname, 'X');
    });

    it('ends its own session, and others from their list, and identifies no one afterwards', async () => {
      const one = await signedIn('lists');
      const others = [new Browser(server), new Browser(server)];
      for (const other of others) await other.signIn('lists');
      const sessions = (await one.get('sessions')).body.data;
      deepStrictEqual(sessions.map(({ current }: { current: boolean }) => current).sort(), [false, false, true]);
      const { id } = (await others[0]!.get('session')).body.data.session;
      const stranger = await signedIn('stranger');
      strictEqual((await stranger.send('DELETE', `sessions/${id}`)).status, 404);
      strictEqual((await one.send('DELETE', `sessions/${id}`)).status, 204);
      deepStrictEqual([await isIn(others[0]!), await isIn(others[1]!)], [false, true]);
      strictEqual((await one.send('DELETE', 'sessions')).status, 204);
      deepStrictEqual([await isIn(others[1]!), await isIn(one)], [false, true]);
      const { cookie } = one;
      strictEqual((await one.send('DELETE', 'session')).status, 204);
      strictEqual(await isIn(new Browser(server, cookie)), false);
      strictEqual((await one.get('sessions')).status, 401);
    });

    it('ends sessions that are idle, and old ones despite their use', async () => {
      const browser = await signedIn('idle');
      await shift('expires_at', -1, 'idle');
      strictEqual(await isIn(browser), false);
      await browser.signIn('idle');
      await shift('ends_at', -1, 'idle');
      strictEqual(await isIn(browser), false);
    });

    it('renews the token of a session in use, and ends the session when the one before is shown again', async () => {
      const browser = await signedIn('renewed');
      const first = browser.cookie;
      ok(await isIn(browser));
      strictEqual(browser.cookie, first);
      await shift('renewed_at', -16 * 60_000, 'renewed');
      ok(await isIn(browser));
      notStrictEqual(browser.cookie, first);
      // under way when the token was renewed
      ok(await isIn(new Browser(server, first)));
      await shift('renewed_at', -GRACE - 1, 'renewed');
      // the answer with the new token may be lost: the one before is good until the new one is used
      const lost = new Browser(server, first);
      ok(await isIn(lost));
      notStrictEqual(lost.cookie, first);
      strictEqual(await isIn(browser), false);
      ok(await isIn(lost));
      await shift('renewed_at', -GRACE - 1, 'renewed');
      strictEqual(await isIn(new Browser(server, first)), false);
      strictEqual(await isIn(lost), false);
    });

    it('ends sessions when any program changes the account or its password', async () => {
      for (const [name, change] of [
        ['blocked', 'blocked = true'],
        ['paused', 'is_active = false'],
      ]) {
        const browser = await signedIn(name!);
        await run(`update admin_users set ${change} where id = ${ids[name!]}`);
        strictEqual(await isIn(browser), false, name);
      }
      const deleted = await signedIn('deleted');
      await run(`delete from admin_users where id = ${ids['deleted']}`);
      strictEqual(await isIn(deleted), false);
      const browser = await signedIn('changed');
      await server.app.database.transaction(async (tx) => {
        await setPassword(tx, (await findAdministrator(tx, ids['changed']!))!, 'not a hash');
      });
      strictEqual(await isIn(browser), false);
    });

    it('changes a password with the current one, and ends the other sessions', async () => {
      const browser = await signedIn('careful');
      const other = new Browser(server);
      await other.signIn('careful');
      const change = (currentPassword: string) =>
        browser.send('PUT', 'me/password', { currentPassword, password: 'Secret456' });
      strictEqual((await change('Secret124')).status, 400);
      strictEqual((await change(PASSWORD)).status, 200);
      deepStrictEqual([await isIn(browser), await isIn(other)], [true, false]);
      strictEqual((await other.signIn('careful')).status, 400);
      strictEqual((await other.signIn('careful', { password: 'Secret456' })).status, 200);
    });

    it('changes names, and reports every invalid value', async () => {
      const browser = await signedIn('names');
      const names = { firstname: 'Grace', lastname: 'Hopper', username: 'grace', preferedLanguage: 'de' };
      const { user } = (await browser.send('PUT', 'me', names)).body.data;
      deepStrictEqual({ ...user, ...names }, user);
      const wrong = await browser.send('PUT', 'me', { firstname: '', lastname: 7, username: 'a\nb' });
      deepStrictEqual(
        wrong.body.error.details.errors.map(({ path }: { path: string[] }) => path[0]),
        ['firstname', 'lastname', 'username'],
      );
    });

    it('requires an enabled second factor, and accepts each code once', async () => {
      const browser = await signedIn('second');
      const other = new Browser(server);
      await other.signIn('second');
      const { secret, uri } = (await browser.send('POST', 'me/second-factor')).body.data;
      match(uri, /^otpauth:\/\/totp\/Galley:second%40example\.com\?secret=[A-Z2-7]{32}&issuer=Galley$/);
      // of one half minute, though the next one may begin meanwhile
      const step = stepOf(Date.now());
      const code = (steps = 0) => totpCode(secret, step + steps);
      strictEqual((await browser.send('PUT', 'me/second-factor', { code: '000000x' })).status, 400);
      const { recoveryCodes } = (await browser.send('PUT', 'me/second-factor', { code: code() })).body.data;
      strictEqual(new Set(recoveryCodes).size, 10);
      strictEqual(await isIn(other), false);
      strictEqual((await browser.send('POST', 'me/second-factor')).status, 400);
      const asked = await other.signIn('second');
      deepStrictEqual([asked.status, asked.body.error.details], [401, { secondFactor: true }]);
      // the code that turned it on is used up
      strictEqual((await other.signIn('second', { code: code() })).status, 401);
      const [one, same] = await Promise.all([
        other.signIn('second', { code: code(1) }),
        new Browser(server).signIn('second', { code: code(1) }),
      ]);
      deepStrictEqual([one.status, same.status].sort(), [200, 401]);
      await run(`delete from galley_admin_sessions where user_id = ${ids['second']}`);
      const rows = await server.app.database.rows('select recovery_hashes from galley_admin_second_factors', []);
      ok(rows.every(([text]) => !String(text).includes(recoveryCodes[0])));
    });

    it('accepts a recovery code once, and turns the second factor off with the password', async () => {
      const browser = await signedIn('recovery');
      const { secret } = (await browser.send('POST', 'me/second-factor')).body.data;
      const code = totpCode(secret, stepOf(Date.now()));
      const { recoveryCodes } = (await browser.send('PUT', 'me/second-factor', { code })).body.data;
      const [recovery] = recoveryCodes;
      const other = new Browser(server);
      strictEqual((await other.signIn('recovery', { code: recovery.toLowerCase() })).status, 200);
      strictEqual((await new Browser(server).signIn('recovery', { code: recovery })).status, 401);
      strictEqual((await browser.send('DELETE', 'me/second-factor', { password: 'wrong' })).status, 400);
      strictEqual((await browser.send('DELETE', 'me/second-factor', { password: PASSWORD })).status, 204);
      strictEqual((await new Browser(server).signIn('recovery')).status, 200);
    });

    it('reports the number of remaining recovery codes, and creates new ones with the password and a code', async () => {
      const browser = await signedIn('codes');
      const path = 'me/second-factor/recovery-codes';
      const left = async () => (await browser.get(path)).body.data;
      const renew = (password: string, code: string) => browser.send('POST', path, { password, code });
      const { secret } = (await browser.send('POST', 'me/second-factor')).body.data;
      const step = stepOf(Date.now());
      const code = totpCode(secret, step);
      // offered is not on
      deepStrictEqual([await left(), (await renew(PASSWORD, code)).status], [null, 400]);
      const { recoveryCodes: old } = (await browser.send('PUT', 'me/second-factor', { code })).body.data;
      deepStrictEqual(await left(), { left: 10, of: 10 });
      const enter = async (recovery: string) => (await new Browser(server).signIn('codes', { code: recovery })).status;
      for (const recovery of old.slice(0, 2)) strictEqual(await enter(recovery), 200);
      deepStrictEqual(await left(), { left: 8, of: 10 });
      const reasonOf = async (password: string, given: string) => {
        const { status, body } = await renew(password, given);
        return [status, body.error.message];
      };
      deepStrictEqual(await reasonOf('Wrong1234', old[2]), [400, 'Invalid password']);
      // those that were used are not the factor any more
      for (const used of [code, old[0]]) {
        deepStrictEqual(await reasonOf(PASSWORD, used), [400, 'Invalid code'], used);
      }
      const { errors } = (await browser.send('POST', path, {})).body.error.details;
      deepStrictEqual(
        errors.map(({ path: [name] }: { path: string[] }) => name),
        ['password', 'code'],
      );
      deepStrictEqual(await left(), { left: 8, of: 10 }, 'a refusal leaves them as they are');
      const renewed = await renew(PASSWORD, old[3]);
      const { recoveryCodes } = renewed.body.data;
      deepStrictEqual([renewed.status, new Set([...recoveryCodes, ...old]).size], [201, 20]);
      deepStrictEqual(await left(), { left: 10, of: 10 });
      deepStrictEqual([await enter(old[2]), await enter(recoveryCodes[0])], [401, 200]);
      // a code of the app will do as well, and is used up then
      const again = await renew(PASSWORD, totpCode(secret, step + 1));
      deepStrictEqual([again.status, await enter(recoveryCodes[1])], [201, 401]);
      strictEqual((await new Browser(server).signIn('codes', { code: totpCode(secret, step + 1) })).status, 401);
      strictEqual(await isIn(browser), true);
      strictEqual((await new Browser(server).get(path)).status, 401);
      await browser.send('DELETE', 'me/second-factor', { password: PASSWORD });
      strictEqual(await left(), null);
    });

    it('counts no code and no password that is right as an attempt', async () => {
      const browser = await signedIn('patient');
      const { secret } = (await browser.send('POST', 'me/second-factor')).body.data;
      const step = stepOf(Date.now());
      for (let n = 0; n < 4; n++) {
        strictEqual((await browser.send('PUT', 'me/second-factor', { code: '12345' })).status, 400);
      }
      const on = await browser.send('PUT', 'me/second-factor', { code: totpCode(secret, step) });
      strictEqual(on.headers.get('x-ratelimit-remaining'), '1');
      const { recoveryCodes } = on.body.data;
      const other = new Browser(server);
      for (const code of recoveryCodes.slice(0, 2)) {
        strictEqual((await other.signIn('patient', { code })).status, 200);
      }
      // one that was right once is wrong, and it was the last attempt
      strictEqual((await other.signIn('patient', { code: recoveryCodes[0] })).status, 401);
      strictEqual((await other.signIn('patient', { code: recoveryCodes[2] })).status, 429);
      const change = async (currentPassword: string) =>
        (await browser.send('PUT', 'me/password', { currentPassword, password: PASSWORD })).status;
      const tried = [...Array.from({ length: 4 }, () => 'Wrong1234'), PASSWORD, PASSWORD, 'Wrong1234', PASSWORD];
      const statuses: number[] = [];
      for (const password of tried) statuses.push(await change(password));
      deepStrictEqual(statuses, [400, 400, 400, 400, 200, 200, 400, 429]);
    });

    it('limits codes by account, wherever they come from', async () => {
      const browser = await signedIn('digits');
      const { secret } = (await browser.send('POST', 'me/second-factor')).body.data;
      for (let n = 0; n < 5; n++) {
        strictEqual((await browser.send('PUT', 'me/second-factor', { code: '12345' })).status, 400);
      }
      const right = totpCode(secret, stepOf(Date.now()));
      strictEqual((await browser.send('PUT', 'me/second-factor', { code: right })).status, 429);
    });

    it('answers 405 for other methods of its paths, and 404 for other paths', async () => {
      const browser = new Browser(server);
      const wrong = await browser.send('PUT', 'session', {});
      deepStrictEqual([wrong.status, wrong.headers.get('allow')], [405, 'HEAD, GET, POST, DELETE']);
      deepStrictEqual(
        [(await browser.get('nothing')).status, (await browser.send('POST', 'nothing', {})).status],
        [404, 404],
      );
    });

    it('counts checks of tokens together with their use and with attempts to sign in', async () => {
      const browser = new Browser(server);
      const check = async () => (await browser.send('POST', 'first-administrator/check', { token: 'guess' })).status;
      const statuses = new Set<number>();
      for (let n = 0; n < ATTEMPTS * 10 && !statuses.has(429); n++) statuses.add(await check());
      deepStrictEqual([...statuses], [403, 429]);
      strictEqual((await browser.send('POST', 'first-administrator', {})).status, 429);
      strictEqual((await browser.signIn('wrong')).status, 429);
    });
  });
}
