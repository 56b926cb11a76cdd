/** Rows in the administration app: a list is exported, and a file with mistakes imported and undone. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { makeAdministrator, makeRole, PASSWORD } from '../support/accounts/administrators.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { ARTICLE, serveWritten, type Written } from '../support/browser/written.ts';
import { engines } from '../support/databases/databases.ts';

const FIELDS = ['title', 'slug', 'day'];

describe('rows in the administration app', () => {
  let browser: Browser;
  let server: Written;
  before(async () => {
    [browser, server] = await Promise.all([openBrowser(), serveWritten(engines[0]!, 6)]);
    await makeRole(server, 'clerk', [
      { operation: 'read', subject: ARTICLE, properties: { fields: [...FIELDS, 'views'], locales: ['en'] } },
      ...(['create', 'update', 'delete'] as const).map((operation) => ({
        ...{ operation, subject: ARTICLE },
        properties: { fields: FIELDS, locales: ['en'] },
      })),
    ]);
    await makeAdministrator(server, 'cleo', 'clerk');
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('export a list as it is searched', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    await server.admit(context);
    await page.goto(`/admin/content/${ARTICLE}?q=tide`);
    await page.getByRole('row').nth(1).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: /^Export / });
    const download = page.waitForEvent('download');
    await dialog.getByRole('link', { name: 'Download' }).click();
    const text = await readFile(await (await download).path(), 'utf8');
    match(text, /^\ufeffdocumentId,title,/);
    ok(text.includes('What the tide leaves'));
    strictEqual(text.includes('Charts nobody drew'), false);
    deepStrictEqual(visitor.complaints, []);
  });

  it('import a file with mistakes for an editor without the right to one column, and take it back', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await page.goto('/admin/');
    await page.getByLabel('E-mail').fill('cleo@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.goto(`/admin/content/${ARTICLE}`);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('heading', { name: /^Import into / }).waitFor();
    const rows = ['slug;Title;views;day', 'row-1;One;7;24.12.2026', 'row-2;Two;8;31.02.2026', 'row-1;Three;9;'];
    const buffer = Buffer.from(rows.join('\r\n'));
    await page.locator('input[type=file]').setInputFiles({ name: 'articles.csv', mimeType: 'text/csv', buffer });
    strictEqual(await page.getByLabel('Field for the column Title').inputValue(), 'title');
    strictEqual(await page.getByLabel('Field for the column views').inputValue(), '');
    strictEqual(await page.getByLabel('Find documents by').inputValue(), 'slug');

    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('1 would be created and 0 updated. 2 rows have mistakes and are left out.').waitFor();
    const problems = page.getByRole('list', { name: '2 rows with mistakes' }).getByRole('listitem');
    match((await problems.nth(0).textContent()) ?? '', /^Row 3.*day.*31\.02\.2026.*valid date/);
    match((await problems.nth(1).textContent()) ?? '', /^Row 4.*slug.*Row 2 has the same value/);
    const written = async () =>
      (await server.app.documents(ARTICLE).findMany({ filters: { slug: { $startsWith: 'row-' } } })).length;
    strictEqual(await written(), 0);

    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('1 created, 0 updated. 2 rows have mistakes and are left out.').waitFor();
    const [one] = await server.app.documents(ARTICLE).findMany({ filters: { slug: 'row-1' } });
    deepStrictEqual([one!['title'], one!['day']], ['One', '2026-12-24']);
    await page.getByRole('button', { name: 'Undo the import of articles.csv' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
    await page.getByText('1 row was undone.').waitFor();
    strictEqual(await written(), 0);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });
});
