/** The settings of the site, its locales, and the access of its users. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Cookie, Page } from 'playwright-core';
import { type Administration, makeFirstAdministrator, serveAdministration } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType, makeProject } from '../support/servers/project.ts';

const USERS = 'plugin::users-permissions.user';
const PAGE = 'api::page.page';
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } };

const project = () =>
  makeProject({
    contentTypes: {
      page: contentType(
        'page',
        { title: { type: 'string', ...LOCALIZED }, at: { type: 'datetime', ...LOCALIZED } },
        { info: { displayName: 'Page' }, options: { draftAndPublish: true }, ...LOCALIZED },
      ),
    },
    files: {
      'config/admin.js': `module.exports = { rateLimit: { enabled: false }, preview: { urls: { '${PAGE}': 'https://example.com/{title}?token=of-the-preview' } } };`,
      'config/plugins.js': `module.exports = { upload: { config: { sizeLimit: 5000000 } } };`,
    },
  });

describe('the site in the administration app', () => {
  let browser: Browser;
  let server: Administration;
  let cookies: Cookie[];
  before(async () => {
    [browser, server] = await Promise.all([openBrowser(), serveAdministration(engines[0]!, project)]);
    await using visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
    cookies = await visitor.context.cookies(`${server.url}/admin/`);
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  /** Sends a request as the administrator, and returns `data`. */
  const ask = (page: Page, method: string, path: string, body?: unknown): Promise<{ documentId: string }> =>
    page.evaluate(
      async ([method, path, body]) => {
        const headers = { 'content-type': 'application/json' };
        const init = method === 'GET' ? {} : { method, headers, body: JSON.stringify(body ?? {}) };
        return (await (await fetch(`/admin/api/${path}`, init)).json()).data;
      },
      [method, path, body] as const,
    );

  it('adds a locale, shows untranslated content, and removes the locale with its content', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/');
    const { documentId } = await ask(page, 'POST', `content/${PAGE}`, { data: { title: 'Fog' }, locale: 'en' });
    await ask(page, 'POST', `content/${PAGE}`, { data: { title: 'Tide' }, locale: 'en' });
    await page.getByRole('link', { name: 'Locales' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('button', { name: 'Add a locale' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Code').fill('en-UK');
    await page.keyboard.press('Enter');
    await dialog.getByText('did you mean en-GB?').waitFor();
    await dialog.getByLabel('Code').fill('de');
    await dialog.getByText('German. The code cannot be changed later.').waitFor();
    await page.keyboard.press('Enter');
    const row = (name: string) =>
      page.getByRole('list', { name: 'Locales' }).getByRole('listitem').filter({ hasText: name });
    await row('German (de)').getByRole('button', { name: 'Actions for German (de)' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Deutsch');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row('Deutsch').waitFor();
    await page.getByRole('link', { name: 'Deutsch: 2' }).waitFor();
    await ask(page, 'PUT', `content/${PAGE}/${documentId}`, { data: { title: 'Nebel' }, locale: 'de' });
    await page.reload();
    await page.getByRole('link', { name: 'Deutsch: 1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Page' }).waitFor();
    await page.getByText('Tide').waitFor();
    strictEqual(await page.getByText('Fog', { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Translation is missing in Deutsch', exact: true }).waitFor();

    await page.goto('/admin/locales');
    await row('Deutsch').getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Make it the default' }).click();
    await row('Deutsch').getByText('Default').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('English').getByText('Default').waitFor();
    await row('Deutsch').getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog.getByText('1 document in this locale is deleted').waitFor();
    const remove = dialog.getByRole('button', { name: 'Remove' });
    await dialog.getByLabel('Type de to confirm').fill('d');
    ok(await remove.isDisabled());
    await dialog.getByLabel('Type de to confirm').fill('de');
    await page.keyboard.press('Enter');
    await page.getByText('Deutsch removed').waitFor();
    await row('Deutsch').waitFor({ state: 'detached' });
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('changes the settings of the site, shows the source of others, and tests mail and storage', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/site');
    const section = (name: string) => page.getByRole('region', { name });
    const general = section('General');
    await general.getByLabel('Name').fill('The harbour');
    await general.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await general.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('navigation').getByText('The harbour').waitFor();
    await section('Registration').getByLabel('People can register').uncheck();
    await section('Registration').getByLabel('Page for a new password').fill('nowhere');
    await section('Registration').getByRole('button', { name: 'Save' }).click();
    await section('Registration').getByText('Enter a complete address').waitFor();
    await section('Registration').getByLabel('Page for a new password').fill('https://example.com/reset');
    await section('Registration').getByRole('button', { name: 'Save' }).click();
    await section('Registration')
      .getByRole('button', { name: 'Save' })
      .and(page.locator('[aria-disabled=true]'))
      .waitFor();
    await section('Pictures').getByRole('switch', { name: 'Reduce the file size' }).click();
    await page.getByRole('button', { name: 'Undo' }).last().waitFor();
    match(
      await section('Limits').innerText(),
      /Size of a file\s+5 MB\s+config\/plugins\.js · upload\.config\.sizeLimit/,
    );
    match(await section('Previews').innerText(), /token=…/);
    await section('Mail').getByRole('button', { name: 'Send a test mail' }).click();
    await section('Mail')
      .getByText(/^Written to the log/)
      .waitFor();
    const mails = section('Mail templates');
    await mails.getByLabel('Subject').first().fill('For <%= USER.username %>');
    await mails.getByText('For anna').waitFor();
    await mails.getByLabel('Message').first().fill('<p>Hello <%= USER.secret %></p>');
    await mails.getByText('Without <%= TOKEN %> nobody can use the link of this mail.').waitFor();
    await mails.getByRole('button', { name: 'Save' }).first().click();
    await mails.getByText('A mail cannot contain <%= USER.secret %>.').waitFor();
    await mails.getByLabel('Message').first().fill('<p>Hello <%= USER.username %>: <%= URL %>?code=<%= TOKEN %></p>');
    await mails.getByRole('button', { name: 'Save' }).first().click();
    await page
      .frameLocator('iframe[title="Preview with examples"]')
      .first()
      .getByText('Hello anna: https://example.com/password?code=3f1c9a')
      .waitFor();
    await mails.getByRole('tab', { name: 'Confirmation of an address' }).click();
    await mails.getByText('the code of this account').waitFor();
    await section('Storage').getByRole('button', { name: 'Test the storage' }).click();
    await section('Storage')
      .getByText(/^It works: written, read, deleted in/)
      .waitFor();
    await page.reload();
    ok(!(await section('Registration').getByLabel('People can register').isChecked()));
    strictEqual(await mails.getByLabel('Subject').first().inputValue(), 'For <%= USER.username %>');
    ok(!(await section('Pictures').getByRole('switch', { name: 'Reduce the file size' }).isChecked()));

    // Dates and times are entered in the zone of the site.
    await page.goto(`/admin/content/${PAGE}/new`);
    await page.getByText('Time in Asia/Tokyo').waitFor();
    const [saved] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('page.page')),
      page.locator('input[type=datetime-local]').fill('2026-11-22T09:00'),
    ]);
    match(saved.postData() ?? '', /2026-11-22T00:00:00\.000Z/);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('blocks and confirms a site user, and ends the sessions', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/');
    const account = { username: 'ann', email: 'ann@example.com', password: 'Secret123', confirmed: false };
    const { documentId } = await ask(page, 'POST', `content/${USERS}`, { data: account });
    const login = () =>
      fetch(`${server.url}/api/auth/local`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ identifier: 'ann', password: account.password }),
      });
    await login();
    await login();
    await page.goto(`/admin/content/${USERS}/${documentId}`);
    const side = page.getByRole('complementary');
    await side.getByText('Address not confirmed').waitFor();
    await side.getByRole('button', { name: 'Confirm the address' }).click();
    await side.getByText('Can sign in').waitFor();
    await side
      .getByRole('button', { name: /^Sign out (?!everywhere)/ })
      .first()
      .click();
    await side
      .getByRole('button', { name: /^Sign out (?!everywhere)/ })
      .nth(1)
      .waitFor({ state: 'detached' });
    await side.getByRole('button', { name: 'Sign out everywhere' }).click();
    await side.getByText('Not signed in.').waitFor();
    await side.getByRole('button', { name: 'Block', exact: true }).click();
    await side.getByText('Blocked').waitFor();
    strictEqual((await login()).status, 400);
    await side.getByRole('button', { name: 'Unblock' }).click();
    await side.getByText('Can sign in').waitFor();
    strictEqual((await login()).status, 200);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });
});
