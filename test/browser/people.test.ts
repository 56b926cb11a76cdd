/** Invitations, forgotten passwords and site users. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { runCommandLine } from '../../src/cli/run.ts';
import { type AccountsServer, serveAccounts } from '../support/accounts/accounts.ts';
import { makeAdministrator, PASSWORD } from '../support/accounts/administrators.ts';
import { signIn } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';

describe('people of the administration app', () => {
  let browser: Browser;
  let server: AccountsServer;
  before(async () => {
    browser = await openBrowser();
    server = await serveAccounts(engines[0]!, { files: { admin: { rateLimit: { enabled: false } } } });
    await makeAdministrator(server, 'root', 'strapi-super-admin');
  });
  after(async () => {
    await browser.close();
    await server.stop();
  });

  it('choose a name and a password after an invitation, and are signed in', async () => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const args = ['admin', 'invite', 'ed@example.com', '--role', 'editor', '--no-mail', server.app.config.dir];
    strictEqual(await runCommandLine(args, { env: server.env, print, warn: print }), 0);
    const [, hash] = /\/admin\/invitation(#\S+)$/m.exec(lines.join('\n'))!;
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    await page.goto('/admin/sign-in');
    await signIn(page, PASSWORD, 'root@example.com');
    await page.getByRole('heading', { name: 'Good to see you, root' }).waitFor();
    await page.goto(`/admin/invitation${hash}`);
    await page.getByText('You are signed in as root. Sign out to accept this invitation.').waitFor();
    strictEqual(await page.getByLabel('First name').count(), 0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('First name').waitFor();
    const assertContract = watchContract(visitor.context);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url(), request.headers()['referer'] ?? ''));
    await page.goto(`/admin/invitation${hash}`);
    await page.getByText('You have been invited as ed@example.com.').waitFor();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Enter your first name.').waitFor();
    await page.getByLabel('First name').fill('Ed');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Good to see you, Ed' }).waitFor();
    strictEqual(new URL(page.url()).hash, '', 'the token has left the address');
    deepStrictEqual(
      requests.filter((text) => text.replace(/#.*/, '').includes(hash!.slice(1))),
      [],
      'no request names the token',
    );
    await assertContract();
    deepStrictEqual(visitor.complaints, []);
    await using other = await visit(browser, server.url);
    await other.page.goto(`/admin/invitation${hash}`);
    await other.page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
  });

  it('set a new password from a link by e-mail', async () => {
    await makeAdministrator(server, 'forgetful', 'strapi-editor');
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    const assertContract = watchContract(visitor.context);
    await page.goto('/admin');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    for (const email of ['stranger@example.com', 'forgetful@example.com']) {
      await page.goto('/admin/forgotten');
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('button', { name: 'Send link' }).click();
      await page.getByText(`If ${email} has an account here, a link is on its way.`).waitFor();
    }
    const mail = await server.nextMail('forgetful@example.com');
    const [, hash] = /\/admin\/reset(#[\w-]+)/.exec(mail.text)!;
    await page.goto(`/admin/reset${hash}`);
    await page.getByLabel('New password').fill('Another456');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
    await using other = await visit(browser, server.url);
    const usedUp = other.page.locator('main').getByText('A link for setting a password works once');
    await other.page.goto(`/admin/reset${hash}`);
    await usedUp.filter({ hasText: 'You can request another one.' }).waitFor();
    await other.page.route('**/admin/api/password-reset', (route) =>
      route.fulfill({ json: { data: { isMailed: false } } }),
    );
    await other.page.reload();
    await usedUp.waitFor();
    strictEqual(await usedUp.textContent(), 'A link for setting a password works once, within an hour.');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail').fill('forgetful@example.com');
    await page.getByLabel('Password', { exact: true }).fill('Another456');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Good to see you, forgetful' }).waitFor();
    await assertContract();
    deepStrictEqual(visitor.complaints, []);
  });

  it('are distinguished from site users', async () => {
    await server.register('reader');
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    const signIn = async (email: string, password: string) => {
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await page.goto('/admin');
    await signIn('reader@example.com', 'wrong');
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    await signIn('reader@example.com', 'secret1');
    await page.getByRole('alert').getByText('Site users cannot sign in here').waitFor();
    await signIn('root@example.com', PASSWORD);
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Site users' }).click();
    await page.getByRole('heading', { name: /^Site users/ }).waitFor();
    match(await page.title(), /^Site users/);
    await page.getByRole('link', { name: 'reader' }).first().click();
    await page.getByText('Site users sign in to your website or app, not here.').waitFor();
    await page.getByRole('link', { name: 'Site users' }).first().waitFor();
    deepStrictEqual(visitor.complaints, []);
  });
});
