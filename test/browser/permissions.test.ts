/** Site permissions and API tokens: explaining, reviewing and saving what is open, and secrets that are shown once. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Cookie, Page } from 'playwright-core';
import { type Administration, makeFirstAdministrator, serveAdministration } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';

const statusOf = (url: string, token?: string): Promise<number> =>
  fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);

const openRole = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Roles' }).getByRole('link', { name }).click();

describe('site permissions and API tokens in the administration app', () => {
  let browser: Browser;
  let server: Administration;
  let cookies: Cookie[];
  before(async () => {
    [browser, server] = await Promise.all([openBrowser(), serveAdministration(engines[0]!)]);
    await using visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
    cookies = await visitor.context.cookies(`${server.url}/admin/`);
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  it('explains each permission, shows the difference before it saves, and shows changes of others', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/');
    await page.getByRole('link', { name: 'Site permissions' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await openRole(page, 'Public');
    const list = page.getByRole('checkbox', { name: 'Anyone can list “Articles” · GET /api/articles' });
    await page.keyboard.press('Tab');
    await list.focus();
    await page.getByRole('tooltip').filter({ hasText: 'GET /api/articles' }).waitFor();
    await page.keyboard.press('Space');
    const row = page.getByRole('button', { name: 'Articles' });
    await row.focus();
    await page.keyboard.press('Enter');
    match(await page.getByRole('listitem').filter({ has: row }).innerText(), /Articles 1 of 7[\s\S]*opens when saved/);
    await page.getByRole('checkbox', { name: 'Anyone can create documents of “Articles”' }).check();
    await page.getByText('Everyone who can reach the server can write with this').waitFor();
    const url = `${server.url}/api/articles`;
    strictEqual(await statusOf(url), 403);
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    const opens = dialog.getByRole('list', { name: 'Opens' }).getByRole('listitem');
    deepStrictEqual(
      (await opens.allInnerTexts()).map((text) => text.split('\n').filter(Boolean)),
      [
        ['Anyone can list “Articles”', 'GET /api/articles'],
        [
          'Anyone can create documents of “Articles”',
          'POST /api/articles',
          'Everyone who can reach the server can write with this, without signing in.',
        ],
      ],
    );
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    strictEqual(await statusOf(url), 200);
    const tried = page.getByRole('link', { name: 'Try as this role' }).first();
    match((await tried.getAttribute('href'))!, /\/admin\/explore\?as=role%3A\d+$/);

    // another administrator opens something else
    await page.evaluate(async () => {
      const { data } = await (await fetch('/admin/api/permissions/roles')).json();
      const { id, actions } = data.find(({ type }: { type: string }) => type === 'public');
      await fetch(`/admin/api/permissions/roles/${id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ actions: [...actions, 'api::author.author.find'] }),
      });
    });
    await page.getByRole('checkbox', { name: 'Anyone can create documents of “Articles”' }).uncheck();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog.getByRole('list', { name: 'Closes' }).getByText('POST /api/articles').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Someone else has changed this').waitFor();
    await dialog.getByRole('list', { name: 'Opens' }).getByText('Anyone can list “Authors”').waitFor();
    await dialog.getByRole('button', { name: 'Add my changes to theirs' }).click();
    await page.getByText('1 unsaved change').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('unsaved').waitFor({ state: 'detached' });
    strictEqual(await statusOf(`${server.url}/api/authors`), 200);

    await page.goto('/admin/permissions/new');
    await page.getByLabel('Name').fill('Public');
    await page.keyboard.press('Enter');
    await page.getByText('Another document already has this value.').waitFor();
    await page.getByLabel('Name').fill('Members');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    await page.getByRole('checkbox', { name: 'Accounts of the role “Members” can delete' }).first().check();
    await page.getByRole('link', { name: 'API tokens' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('No account has this role.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('table').waitFor();
    strictEqual(await page.getByRole('link', { name: 'Members' }).count(), 0);
    match(await page.getByRole('row', { name: /^Authors/ }).innerText(), /Authors\s+List\s+Nothing/);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('creates a token whose secret is shown once, renews it, and revokes it', async () => {
    await using visitor = await visit(browser, server.url, { language: 'de', width: 390 });
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/tokens');
    await page.getByRole('link', { name: 'Neues Token' }).click();
    await page.getByLabel('Name').fill('Build');
    await page.getByLabel('Rechte').selectOption('Eigene Auswahl');
    await page.getByRole('button', { name: 'Token anlegen' }).click();
    await page.getByText('Wählen Sie mindestens ein Recht aus.').waitFor();
    await page.getByRole('button', { name: 'Articles' }).click();
    await page.getByRole('checkbox', { name: 'Inhaber dieses Tokens können „Articles“ auflisten' }).check();
    await page.getByRole('button', { name: 'Token anlegen' }).click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'Fertig' }).click();
    await page.getByRole('heading', { name: 'Build', level: 1 }).waitFor();
    await page.getByText('von Mara Kovač').waitFor();
    const url = `${server.url}/api/articles?fields=title`;
    strictEqual(await statusOf(url, secret), 200);
    await page.getByRole('button', { name: 'Neues Geheimnis' }).click();
    await dialog.getByLabel('Gültigkeit').selectOption('Unbegrenzt');
    await dialog.getByRole('button', { name: 'Neues Geheimnis' }).click();
    const renewed = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'Fertig' }).click();
    deepStrictEqual([await statusOf(url, secret), await statusOf(url, renewed)], [401, 200]);
    await page.locator('dt', { hasText: 'Läuft ab' }).locator('+ dd', { hasText: /^Nie$/ }).waitFor();
    await page.getByRole('combobox', { name: 'Rechte' }).selectOption('Voller Zugriff');
    await page.getByRole('button', { name: 'Prüfen und speichern' }).click();
    match(await dialog.innerText(), /Rechte: Voller Zugriff[\s\S]*alles lesen, ändern und löschen/);
    await dialog.getByRole('button', { name: 'Speichern' }).click();
    await page.getByText('Gespeichert', { exact: true }).waitFor();
    strictEqual(await statusOf(`${server.url}/api/users`, renewed), 200);
    await page.getByRole('button', { name: 'Widerrufen' }).click();
    await dialog.getByRole('button', { name: 'Widerrufen' }).click();
    await page.getByText('Noch keine API-Tokens').waitFor();
    strictEqual(await statusOf(url, renewed), 401);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });
});
