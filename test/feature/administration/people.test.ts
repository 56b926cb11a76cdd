/** Inviting administrators, managing them by commands, links for forgotten passwords, and site users who try to sign in. */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { programText } from '../../../src/own-files.ts';
import { type AccountsServer, serveAccounts } from '../../support/accounts/accounts.ts';
import { Browser, makeAdministrator, PASSWORD } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { until } from '../../support/wait.ts';

const SUPER = 'strapi-super-admin';
const RESET = `${programText()} admin reset-password --email …`;
const PUBLIC_URL = 'https://cms.example.com';

for (const engine of engines) {
  describe(`people of the administration on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine, {
        files: { admin: { rateLimit: { max: 200 } } },
        env: { PUBLIC_URL, EMAIL_FROM: 'galley@example.com' },
      });
      await makeAdministrator(server, 'root', SUPER);
    });
    after(() => server?.stop());

    const galley = async (...args: string[]) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const env = server.env;
      const code = await runCommandLine(['admin', ...args, server.app.config.dir], { env, print, warn: print });
      return { code, text: lines.join('\n') };
    };
    const tokenIn = (text: string): string => /\/admin\/(?:invitation|reset)#(\d+-[\w-]{43})$/m.exec(text)![1]!;
    const invite = async (name: string, ...more: string[]) => {
      const { code, text } = await galley('invite', `${name}@example.com`, '--role', 'editor', ...more);
      strictEqual(code, 0, text);
      return tokenIn(text);
    };
    const rows = (text: string) => server.app.database.rows(text, []);
    const expire = async (column: string, name: string) => {
      const [row] = await rows(`select ${column} from admin_users where email = '${name}@example.com'`);
      const stored = String(row![0]).replace(/^\d+/, String(Date.now() - 1));
      await server.app.database.transaction(async (tx) =>
        tx.rows(`update admin_users set ${column} = '${stored}' where email = '${name}@example.com'`, []),
      );
    };
    const isIn = async (browser: Browser) => (await browser.get('session')).status === 200;
    const accepted = { firstname: 'Ed', password: PASSWORD };
    const send = (path: string, body: object, method = 'POST') => new Browser(server).send(method, path, body);

    it('get a link by mail only where the address of the server is configured', async () => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const { PUBLIC_URL: _, ...env } = server.env;
      const args = ['admin', 'invite', 'guess@example.com', '--role', 'editor'];
      const run = async (...more: string[]) => {
        lines.length = 0;
        const code = await runCommandLine([...args, ...more, server.app.config.dir], { env, print, warn: print });
        return { code, text: lines.join('\n') };
      };
      const guessed = await run();
      strictEqual(guessed.code, 0);
      match(guessed.text, /not configured.*set PUBLIC_URL, or .*--url/);
      doesNotMatch(guessed.text, /Mailed/);
      match(
        (await run('--url', 'https://cms.example.org/')).text,
        /https:\/\/cms\.example\.org\/admin\/invitation#.*\nMailed/,
      );
      strictEqual((await run('--url', 'nowhere')).code, 2);
    });

    it('accept an invitation once, choose name and password, and are signed in', async () => {
      const { code, text } = await galley('invite', 'Ed@Example.com', '--role', 'editor');
      strictEqual(code, 0);
      match(text, /^Invited ed@example\.com as Editor\. .*once, within 7 days:\nhttps:\/\/cms\.example\.com\/admin\//);
      match(text, /^Mailed the link to ed@example\.com\.$/m);
      const token = tokenIn(text);
      const mail = await server.nextMail('ed@example.com');
      strictEqual(tokenIn(mail.text.replaceAll('\r', '')), token);
      const [stored] = await rows(
        "select registration_token, is_active from admin_users where email = 'ed@example.com'",
      );
      ok(!String(stored![0]).includes(token));
      // nor does what is stored open anything
      for (const wrong of [String(stored![0]), `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, '1-x', '']) {
        notStrictEqual((await send('invitation', { ...accepted, token: wrong })).status, 201);
      }
      for (const id of ['2147483648', '999999999999999']) {
        const beyond = { token: token.replace(/^\d+/, id) };
        strictEqual((await send('invitation/check', beyond)).status, 403);
        strictEqual((await send('password-reset/check', beyond)).status, 403);
      }
      const info = await send('invitation/check', { token });
      deepStrictEqual(info.body.data, { email: 'ed@example.com', firstname: null, lastname: null });
      strictEqual((await send('invitation', { ...accepted, token, password: 'weak' })).status, 400);
      const browsers = [new Browser(server), new Browser(server)];
      const answers = await Promise.all(browsers.map((one) => one.send('POST', 'invitation', { ...accepted, token })));
      deepStrictEqual(answers.map(({ status }) => status).sort(), [201, 403]);
      const { user, roles } = answers.find(({ status }) => status === 201)!.body.data;
      deepStrictEqual([user.email, user.firstname, roles[0].code], ['ed@example.com', 'Ed', 'strapi-editor']);
      deepStrictEqual((await Promise.all(browsers.map(isIn))).sort(), [false, true]);
      strictEqual((await send('invitation/check', { token })).status, 403);
      const again = await galley('invite', 'ed@example.com', '--role', 'editor');
      deepStrictEqual([again.code, /set-role/.test(again.text)], [2, true]);
    });

    it('are invited in the app, with a mail where it is wanted', async () => {
      const root = new Browser(server);
      await root.signIn('root');
      const { roles, isMailed } = (await root.get('people/options')).body.data;
      strictEqual(isMailed, true);
      const editor = roles.find(({ code }: { code: string }) => code === 'strapi-editor').id;
      const body = { email: 'app@example.com', roles: [editor], mail: true };
      const { id, invitation } = (await root.send('POST', 'people', body)).body.data;
      match(invitation.link, /^https:\/\/cms\.example\.com\/admin\/invitation#/);
      strictEqual(tokenIn((await server.nextMail('app@example.com')).text.replaceAll('\r', '')), invitation.token);
      const again = (await root.send('POST', `people/${id}/invitation`, { mail: false })).body.data;
      deepStrictEqual([again.isMailed, again.token === invitation.token], [false, false]);
      strictEqual((await send('invitation/check', { token: invitation.token })).status, 403);
      // a changed address voids what was mailed to the old one
      await root.send('PUT', `people/${id}`, { email: 'App2@example.com' });
      strictEqual((await send('invitation/check', { token: again.token })).status, 403);
      ok(!server.mailbox.mails.some(({ to }) => to.some((one) => one.startsWith('app'))));
      strictEqual((await root.send('DELETE', `people/${id}`)).status, 204);
    });

    it('have the link of the newest invitation alone, which expires', async () => {
      const first = await invite('late', '--no-mail');
      const second = await invite('late', '--role', 'author', '--no-mail');
      strictEqual((await send('invitation/check', { token: first })).status, 403);
      strictEqual((await send('invitation/check', { token: second })).status, 200);
      const [row] = JSON.parse(`[${(await galley('list', '--json')).text.split('\n').join(',')}]`).slice(-1);
      deepStrictEqual(row.roles, ['strapi-editor', 'strapi-author']);
      strictEqual((await new Browser(server).signIn('late')).status, 400);
      await expire('registration_token', 'late');
      strictEqual((await send('invitation', { ...accepted, token: second })).status, 403);
      strictEqual((await galley('invite', 'nobody', '--role', 'editor')).code, 2);
      match((await galley('invite', 'x@example.com', '--role', 'editr')).text, /did you mean editor\?/);
    });

    it('are signed out as they are blocked, and let in again', async () => {
      await makeAdministrator(server, 'blocked', 'strapi-editor');
      const browser = new Browser(server);
      await browser.signIn('blocked');
      ok(await isIn(browser));
      strictEqual((await galley('block', 'blocked@example.com')).code, 0);
      ok(!(await isIn(browser)));
      strictEqual((await new Browser(server).signIn('blocked')).status, 400);
      strictEqual((await galley('unblock', 'blocked@example.com')).code, 0);
      // the sessions of before do not come back
      ok(!(await isIn(browser)));
      strictEqual((await browser.signIn('blocked')).status, 200);
      strictEqual((await galley('set-role', 'blocked@example.com', '--role', 'author')).code, 0);
      deepStrictEqual((await browser.get('session')).body.data.roles[0].code, 'strapi-author');
      strictEqual((await galley('delete', 'blocked@example.com')).code, 0);
      ok(!(await isIn(browser)));
      match((await galley('delete', 'blocked@example.com')).text, /no administrator blocked@example\.com/);
    });

    it('are invited only where the link would work', async () => {
      await invite('shut', '--no-mail');
      await makeAdministrator(server, 'inactive', 'strapi-editor');
      strictEqual((await galley('block', 'shut@example.com')).code, 0);
      await server.app.database.transaction(async (tx) =>
        tx.rows(`update admin_users set is_active = false where email = 'inactive@example.com'`, []),
      );
      for (const [name, state] of [
        ['shut', 'blocked'],
        ['inactive', 'deactivated'],
      ] as const) {
        const { code, text } = await galley('invite', `${name}@example.com`, '--role', 'editor');
        deepStrictEqual([code, text.includes(state), text.includes('#')], [2, true, false], text);
        ok(text.includes(`admin unblock ${name}@example.com`), text);
        strictEqual((await galley('unblock', `${name}@example.com`)).code, 0);
      }
      strictEqual((await new Browser(server).signIn('inactive')).status, 200);
      strictEqual((await send('invitation/check', { token: await invite('shut', '--no-mail') })).status, 200);
      for (const name of ['shut', 'inactive']) strictEqual((await galley('delete', `${name}@example.com`)).code, 0);
    });

    it('void an invitation as they are blocked', async () => {
      const token = await invite('uninvited', '--no-mail');
      strictEqual((await galley('block', 'uninvited@example.com')).code, 0);
      strictEqual((await send('invitation/check', { token })).status, 403);
      match((await galley('unblock', 'uninvited@example.com')).text, /admin invite uninvited@example\.com --role ROLE/);
      strictEqual((await send('invitation', { ...accepted, token })).status, 403);
    });

    it('keep the last super admin who can sign in', async () => {
      const root = 'root@example.com';
      const refused = async () => {
        for (const args of [
          ['block', root],
          ['delete', root],
          ['set-role', root, '--role', 'editor'],
        ]) {
          const { code, text } = await galley(...args);
          deepStrictEqual([code, /last super admin/.test(text)], [1, true], text);
        }
      };
      await refused();
      // others who have the role and cannot sign in do not count
      await makeAdministrator(server, 'second', SUPER);
      strictEqual((await galley('block', 'second@example.com')).code, 0);
      strictEqual((await galley('invite', 'third@example.com', '--role', 'super-admin', '--no-mail')).code, 0);
      await refused();
      strictEqual((await galley('unblock', 'second@example.com')).code, 0);
      strictEqual((await galley('set-role', root, '--role', 'editor')).code, 0);
      strictEqual((await galley('set-role', root, '--role', 'super-admin', '--role', 'editor')).code, 0);
      for (const name of ['second', 'third']) strictEqual((await galley('delete', `${name}@example.com`)).code, 0);
    });

    it('set a new password by a mailed link, which ends all sessions and does not sign in', async () => {
      await makeAdministrator(server, 'forgetful', 'strapi-editor');
      const browser = new Browser(server);
      await browser.signIn('forgetful');
      deepStrictEqual((await browser.get('password-reset')).body, { data: { isMailed: true, command: RESET } });
      const ask = (name: string, headers = {}) =>
        new Browser(server).send('POST', 'password-reset', { email: `${name}@example.com` }, headers);
      const asked = await ask('Forgetful', { 'x-forwarded-host': 'evil.example' });
      const unknown = await ask('stranger');
      deepStrictEqual([asked.status, asked.text], [unknown.status, unknown.text]);
      strictEqual(asked.status, 204);
      const mail = await server.nextMail('forgetful@example.com');
      doesNotMatch(mail.text, /evil/);
      match(mail.text, /https:\/\/cms\.example\.com\/admin\/reset#/);
      const token = tokenIn(mail.text.replaceAll('\r', ''));
      const [stored] = await rows(
        "select reset_password_token, reset_password_token_expires_at from admin_users where email = 'forgetful@example.com'",
      );
      ok(!String(stored![0]).includes(token) && stored![1] !== null);
      strictEqual((await send('password-reset/check', { token })).status, 204);
      // a token of the one kind is none of the other
      strictEqual((await send('invitation/check', { token })).status, 403);
      const body = { token, password: 'Another456' };
      strictEqual((await send('password-reset', { ...body, password: 'weak' }, 'PUT')).status, 400);
      const answers = await Promise.all([1, 2].map(() => send('password-reset', body, 'PUT')));
      deepStrictEqual(answers.map(({ status }) => status).sort(), [204, 403]);
      strictEqual(answers.find(({ status }) => status === 204)!.headers.get('set-cookie'), null);
      ok(!(await isIn(browser)));
      strictEqual((await browser.signIn('forgetful', { password: 'Another456' })).status, 200);
    });

    it('get no second mail within a minute, and no mail if they cannot sign in', async () => {
      for (const name of ['often', 'shut']) await makeAdministrator(server, name, 'strapi-editor');
      strictEqual((await galley('block', 'shut@example.com')).code, 0);
      await invite('pending', '--no-mail');
      for (const name of ['often', 'shut', 'pending', 'often', 'root']) {
        strictEqual((await send('password-reset', { email: `${name}@example.com` })).status, 204);
        // what is mailed last is mailed behind what came before
        if (name === 'often')
          await until('the mail', () => server.mailbox.mails.some(({ to }) => to.includes('often@example.com')));
      }
      await server.nextMail('root@example.com');
      const others = server.mailbox.mails.flatMap(({ to }) => to);
      deepStrictEqual(
        others.filter((to) => /^(?:often|shut|pending)@/.test(to)),
        ['often@example.com'],
      );
      await expire('reset_password_token', 'often');
      const token = tokenIn((await server.nextMail('often@example.com')).text.replaceAll('\r', ''));
      strictEqual((await send('password-reset', { token, password: 'Another456' }, 'PUT')).status, 403);
    });

    it('learn that site users sign in elsewhere, once the password is right', async () => {
      await server.register('reader', { email: 'reader@example.com' });
      const signIn = (email: string, password: string) => send('session', { email, password });
      const right = await signIn('reader@example.com', 'secret1');
      deepStrictEqual([right.status, right.body.error.details], [400, { reason: { code: 'siteUser' } }]);
      const wrong = await signIn('reader@example.com', 'secret2');
      const unknown = await signIn('unknown@example.com', 'secret1');
      deepStrictEqual([wrong.status, wrong.body], [unknown.status, unknown.body]);
      deepStrictEqual(wrong.body.error.details, { reason: { code: 'credentials' } });
    });

    it('learn nothing about site users who could not sign in to the site either', async () => {
      await server.register('excluded', { email: 'excluded@example.com' });
      const signIn = () => send('session', { email: 'excluded@example.com', password: 'secret1' });
      const details = async () => (await signIn()).body.error.details;
      const change = (text: string) => server.app.database.transaction(async (tx) => tx.rows(text, []));
      deepStrictEqual(await details(), { reason: { code: 'siteUser' } });
      for (const [excluded, included] of [
        ['blocked = true', 'blocked = false'],
        ["provider = 'github'", "provider = 'local'"],
      ]) {
        await change(`update up_users set ${excluded} where username = 'excluded'`);
        deepStrictEqual(await details(), { reason: { code: 'credentials' } }, excluded);
        await change(`update up_users set ${included} where username = 'excluded'`);
      }
      await server.advanced({ email_confirmation: true });
      await change(`update up_users set confirmed = false where username = 'excluded'`);
      deepStrictEqual(await details(), { reason: { code: 'credentials' } });
      await server.advanced({ email_confirmation: false });
      deepStrictEqual(await details(), { reason: { code: 'siteUser' } });
      const [callback, dir] = ['plugin::users-permissions.auth.callback', server.app.config.dir];
      for (const [verb, expected] of [
        ['revoke', { reason: { code: 'credentials' } }],
        ['grant', { reason: { code: 'siteUser' } }],
      ] as const) {
        const args = ['role', verb, 'public', '--action', callback, dir];
        strictEqual(await runCommandLine(args, { env: server.env, print: () => {}, warn: () => {} }), 0);
        deepStrictEqual(await details(), expected, verb);
      }
    });
  });

  it(`count against the sign-in of the site where site users try to sign in, on ${engine.name}`, async () => {
    const server = await serveAccounts(engine, { users: { ratelimit: { max: 3 } } });
    try {
      await makeAdministrator(server, 'root', SUPER);
      await server.register('reader', { email: 'reader@example.com' });
      const signIn = async (password: string) => {
        const body = { email: 'reader@example.com', password };
        const { status, body: answer } = await new Browser(server).send('POST', 'session', body);
        return [status, answer.error.details];
      };
      for (const _ of [1, 2]) deepStrictEqual(await signIn('secret2'), [400, { reason: { code: 'credentials' } }]);
      deepStrictEqual(await signIn('secret1'), [400, { reason: { code: 'siteUser' } }]);
      deepStrictEqual(await signIn('secret1'), [400, { reason: { code: 'credentials' } }]);
      strictEqual((await server.login('reader', 'secret1')).status, 429);
      strictEqual((await new Browser(server).signIn('root')).status, 200);
    } finally {
      await server.stop();
    }
  });

  describe(`forgotten passwords without mail on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine, { files: { admin: { rateLimit: { max: 2 } } }, env: { SMTP_URL: '' } });
      await makeAdministrator(server, 'root', SUPER);
    });
    after(() => server?.stop());

    it('send no mail, and limit the requests for mails', async () => {
      const browser = new Browser(server);
      deepStrictEqual((await browser.get('password-reset')).body, { data: { isMailed: false, command: RESET } });
      const ask = (name: string) => browser.send('POST', 'password-reset', { email: `${name}@example.com` });
      const answers = [await ask('root'), await ask('stranger')];
      deepStrictEqual(
        answers.map(({ status }) => status),
        [400, 400],
      );
      deepStrictEqual(answers[0]!.body, answers[1]!.body);
      deepStrictEqual([(await ask('root')).status, (await ask('root')).status], [400, 429]);
    });
  });
}
