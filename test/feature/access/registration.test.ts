/** Registration: accepted and refused values, and unique names. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hashPassword, NEW_PASSWORDS } from '../../../src/content/validation/password-hashing.ts';
import { type AccountsServer, codeOf, extendedUser, serveAccounts } from '../../support/accounts/accounts.ts';
import { endPasswordThread, takeAllSteps } from '../../support/accounts/password-thread.ts';
import { engines } from '../../support/databases/databases.ts';
import { until } from '../../support/wait.ts';

const RACERS = 6;
/** Transactions that one caller may have at once, of a pool of ten connections. */
const AT_ONCE = 4;
const ROUNDS = 3;
const TAKEN = 'Email or Username are already taken';

for (const engine of engines) {
  describe(`registering on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine, {
        users: { register: { allowedFields: ['nickname', 'unknown'] } },
        projectFiles: extendedUser({ nickname: { type: 'string', maxLength: 10 } }),
      });
    });
    after(() => server?.stop());

    const register = (body: unknown) => server.post('/auth/local/register', body);
    const account = (username: string, more: object = {}) => ({
      username,
      email: `${username.toLowerCase()}@example.com`,
      password: 'secret1',
      ...more,
    });
    const count = async () => (await server.get('/api/users/count', server.secrets['full'])).body;

    it('refuses names that are addresses of others, and addresses that are names of others, in any letter case', async () => {
      await server.register('petra', { email: 'petra@example.com' });
      await server.register('Some@Example.com', { email: 'else@example.com' });
      const before = await count();
      for (const body of [
        account('PETRA@Example.com', { email: 'p1@example.com' }),
        account('petra@example.com', { email: 'p2@example.com' }),
        account('petra2', { email: 'Petra@EXAMPLE.com' }),
        account('petra', { email: 'p3@example.com' }),
        account('some1', { email: 'some@example.com' }),
      ]) {
        const { status, body: told } = await register(body);
        deepStrictEqual([status, told.error?.name, told.error?.message], [400, 'ApplicationError', TAKEN]);
      }
      strictEqual((await register(account('PETRA', { email: 'p4@example.com' }))).status, 200);
      strictEqual(await count(), before + 1);
    });

    it('lets one of several that register the same at the same moment through', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const sameEmail = (index: number) => account(`racer${round}${index}`, { email: `race${round}@example.com` });
        const sameName = (index: number) => account(`Named${round}`, { email: `named${round}${index}@example.com` });
        const crossed = (index: number) =>
          index % 2 === 0
            ? account(`cross${round}@Example.com`, { email: `crosser${round}${index}@example.com` })
            : account(`crosser${round}${index}`, { email: `cross${round}@example.com` });
        for (const make of [sameEmail, sameName, crossed]) {
          const answers = await Promise.all(Array.from({ length: RACERS }, (_, index) => register(make(index))));
          const statuses = answers.map(({ status }) => status).sort();
          deepStrictEqual(statuses, [200, ...Array(RACERS - 1).fill(400)]);
        }
      }
    });

    if (engine.name === 'postgres') {
      it('creates one account if several requests arrive before the first write', async () => {
        const { database } = server.app;
        let open = (): void => {};
        const opened = new Promise<void>((resolve) => {
          open = resolve;
        });
        let locked = (): void => {};
        const isLocked = new Promise<void>((resolve) => {
          locked = resolve;
        });
        const gate = database.transaction(async (tx) => {
          await tx.rows('lock table up_users in share row exclusive mode', []);
          locked();
          await opened;
        });
        await isLocked;
        const registering = Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) =>
            register(account(`gated${index}`, { email: 'gated@example.com' })),
          ),
        );
        const waiting = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        await until('all wait', async () => Number((await database.rows(waiting, []))[0]![0]) === AT_ONCE);
        open();
        await gate;
        const statuses = (await registering).map(({ status }) => status).sort();
        deepStrictEqual(statuses, [200, ...Array(AT_ONCE - 1).fill(400)]);
      });
    }

    it('reports each missing or wrong field, and never the password', async () => {
      const paths = async (body: unknown) => {
        const answer = await register(body);
        strictEqual(answer.status, 400, answer.text);
        return (answer.body.error.details.errors ?? []).map(({ path }: { path: string[] }) => path.join('.'));
      };
      deepStrictEqual(await paths(undefined), ['email', 'username', 'password']);
      deepStrictEqual(await paths({ username: null, email: 5, password: {} }), ['email', 'username', 'password']);
      deepStrictEqual(await paths(account('ab')), ['username']);
      deepStrictEqual(await paths(account('short', { password: '12345' })), ['password']);
      for (const username of ['a\0bc', 'abc\nmail to x', 'abc\r', 'a\u0085bc', '\u001b[2Jabc']) {
        deepStrictEqual(await paths(account('nulls', { username })), ['username'], JSON.stringify(username));
      }
      deepStrictEqual(await paths(account('surro', { email: '\ud800aa@example.com' })), ['email']);
      deepStrictEqual(await paths(account('longer', { username: 'x'.repeat(256) })), ['username']);
      deepStrictEqual(await paths([]), ['']);
      const secret = 'x'.repeat(73);
      const answer = await register(account('bytes', { password: secret }));
      deepStrictEqual([answer.status, answer.text.includes(secret)], [400, false]);
      strictEqual((await register(account('bytes', { password: 'é'.repeat(37) }))).status, 400);
      strictEqual((await register(account('bytes', { password: 'é'.repeat(36) }))).status, 200);
    });

    it('refuses taken names before it hashes a password', async (t) => {
      await server.register('early1');
      takeAllSteps(true);
      t.after(() => takeAllSteps(false));
      const flood = Array.from({ length: NEW_PASSWORDS }, () => hashPassword('a'));
      const { status, body } = await register(account('early1'));
      deepStrictEqual([status, body.error.message], [400, TAKEN]);
      strictEqual((await register(account('early2'))).status, 503);
      await endPasswordThread();
      await Promise.allSettled(flood);
    });

    it('takes further attributes where the project lets them in, by the rules of content', async () => {
      const { user } = await server.register('nicky', { nickname: 'Nick' });
      strictEqual((user as { nickname?: string }).nickname, 'Nick');
      const wrong = await register(account('nicky2', { nickname: 'x'.repeat(11) }));
      deepStrictEqual(wrong.body.error.details.errors[0].path, ['nickname']);
      const other = await register(account('nicky3', { blocked: true, role: 2 }));
      strictEqual(other.body.error.message, 'Invalid parameters: blocked, role');
      strictEqual((await register(account('nicky4', { unknown: 1 }))).status, 200);
    });

    it('is closed, or assigns another role, by configuration', async () => {
      await server.advanced({ allow_register: false });
      try {
        strictEqual((await register(account('closed'))).body.error.message, 'Register action is currently disabled');
        await server.advanced({ allow_register: true, default_role: 'public' });
        const { user } = await server.register('openly');
        const { body } = await server.get(`/api/users/${user.id}?populate=role`, server.secrets['full']);
        strictEqual(body.role.type, 'public');
        await server.advanced({ default_role: 'nowhere' });
        strictEqual((await register(account('norole'))).body.error.message, 'Impossible to find the default role');
      } finally {
        await server.advanced({ allow_register: true, default_role: 'authenticated' });
      }
    });

    it('refuses to sign in before the address is confirmed, if that is required', async () => {
      await server.advanced({
        email_confirmation: true,
        email_confirmation_redirection: 'https://front.example.com/in',
      });
      try {
        const answer = await register(account('waiter', { email: 'Waiter@example.com' }));
        deepStrictEqual([answer.status, Object.keys(answer.body)], [200, ['user']]);
        strictEqual(answer.body.user.confirmed, false);
        strictEqual((await server.login('waiter', 'secret1')).status, 400);
        const first = codeOf(await server.nextMail('waiter@example.com'));
        const sent = await server.post('/auth/send-email-confirmation', { email: 'WAITER@example.com' });
        deepStrictEqual(sent.body, { email: 'waiter@example.com', sent: true });
        const code = codeOf(await server.nextMail('waiter@example.com'));
        const confirm = (token: string) => server.get(`/api/auth/email-confirmation?confirmation=${token}`);
        strictEqual((await confirm(first)).body.error.message, 'Invalid token');
        strictEqual((await server.request('HEAD', `/api/auth/email-confirmation?confirmation=${code}`)).status, 200);
        const confirmed = await confirm(code);
        deepStrictEqual([confirmed.status, confirmed.headers.get('location')], [302, 'https://front.example.com/in']);
        strictEqual((await confirm(code)).status, 400);
        strictEqual((await server.login('waiter', 'secret1')).status, 200);
        const again = await server.post('/auth/send-email-confirmation', { email: 'waiter@example.com' });
        strictEqual(again.body.error.message, 'Already confirmed');
      } finally {
        await server.advanced({ email_confirmation: false });
      }
    });

    it('accepts a confirmation code of the reference, and stores no code in clear text', async () => {
      const { database } = server.app;
      const { user } = await server.register('mailed');
      await database.transaction(async (tx) =>
        tx.rows(
          `update up_users set confirmation_token = 'abcdef0123456789', confirmed = null where id = ${user.id}`,
          [],
        ),
      );
      strictEqual((await server.get('/api/auth/email-confirmation?confirmation=abcdef0123456789')).status, 302);
      strictEqual((await server.get('/api/auth/email-confirmation?confirmation=abcdef0123456789')).status, 400);
      await server.request('PUT', `/api/users/${user.id}`, {
        token: server.secrets['full'],
        body: { confirmed: false },
      });
      await server.post('/auth/send-email-confirmation', { email: 'mailed@example.com' });
      const code = codeOf(await server.nextMail('mailed@example.com'));
      const rows = await database.rows(`select confirmation_hash from galley_accounts where user_id = ${user.id}`, []);
      match(String(rows[0]![0]), /^[0-9a-f]{64}$/);
      ok(rows[0]![0] !== code);
    });

    it("applies the project's rule for passwords", async () => {
      const rule = `module.exports = { 'users-permissions': { config: { ratelimit: { enabled: false }, validationRules: {
        validatePassword: async (text) => { if (text.includes('1')) throw new Error('No ones'); return text !== 'secrets'; } } } } };`;
      const strict = await serveAccounts(engine, { files: { plugins: rule } });
      try {
        const message = async (password: string) => {
          const answer = await strict.post('/auth/local/register', account('ruled', { password }));
          return answer.body.error?.message;
        };
        strictEqual(await message('secret1'), 'No ones');
        strictEqual(await message('secrets'), 'Password validation failed.');
        strictEqual(await message('secret2'), undefined);
      } finally {
        await strict.stop();
      }
    });
  });
}

describe('a password rule of the project', () => {
  const RULE = `(password) => {
    if (password === 'refused') throw new Error('Choose another one');
    if (password === 'mistake') return password.nothing.there;
    if (password === 'system1') require('node:fs').readFileSync('/no/such/' + password);
    if (password === 'wordless') throw 'no error';
    return password !== 'falsely';
  }`;

  it('refuses in its own words, and its mistakes stay with the server', async (t) => {
    const lines: string[] = [];
    const users = `{ config: { ratelimit: { enabled: false }, validationRules: { validatePassword: ${RULE} } } }`;
    const plugins = `module.exports = { 'users-permissions': ${users} };`;
    const server = await serveAccounts(engines[0]!, { files: { plugins } });
    t.mock.method(process.stderr, 'write', (line: string) => lines.push(line) > 0);
    try {
      const message = async (password: string) => {
        const body = { username: 'ruled1', email: 'ruled1@example.com', password };
        return (await server.post('/auth/local/register', body)).body.error?.message;
      };
      strictEqual(await message('refused'), 'Choose another one');
      strictEqual(await message('falsely'), 'Password validation failed.');
      deepStrictEqual(lines, []);
      for (const password of ['mistake', 'system1', 'wordless']) {
        strictEqual(await message(password), 'An error occurred.');
      }
      strictEqual(lines.length, 3, lines.join(''));
      const { err, ...line } = JSON.parse(lines[0]!);
      deepStrictEqual([line.level, line.msg], ['error', 'validatePassword of users-permissions failed']);
      strictEqual(err.type, 'TypeError');
      match(err.stack, /^ +at .*plugins\.js:\d+/);
      ok(!lines.some((line) => /system1|mistake/.test(line)), lines.join(''));
      strictEqual(await message('secret1'), undefined);
    } finally {
      await server.stop();
    }
  });
});
