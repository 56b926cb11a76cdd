/** The audit log in the administration app: its entries, filters, links and export. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser, Cookie } from 'playwright-core';
import { type Administration, makeFirstAdministrator, serveAdministration } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';

describe('the audit log in the administration app', () => {
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

  it('is filtered by action with the keyboard, keeps the filters in its address, and is exported', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/audit');
    const rows = page.getByRole('list', { name: 'Entries' }).getByRole('listitem');
    await rows.filter({ hasText: 'Signed in · People · ' }).waitFor();
    const action = page.getByRole('combobox', { name: 'Action' });
    await action.fill('Person ad');
    await page.keyboard.press('Enter');
    await page.waitForURL(/action=user\.create/);
    await page.getByText('Signed in ·').waitFor({ state: 'detached' });
    strictEqual(await rows.count(), 1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    deepStrictEqual(
      lines.map((line) => JSON.parse(line).action),
      ['user.create'],
    );
    match(download.suggestedFilename(), /^audit-log-.*\.ndjson$/);
    await page.reload();
    await rows.first().waitFor();
    strictEqual(await action.inputValue(), 'Person added');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No entries found').waitFor();
    await isHeld();
  });

  it('leads to the documents that it names, except deleted ones', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    await context.addCookies(cookies);
    await page.goto('/admin/audit');
    const ask = (method: string, path: string, body?: object) =>
      page.evaluate(
        async ([method, path, body]) => {
          const headers = { 'content-type': 'application/json' };
          const answer = await fetch(`/admin/api/${path}`, {
            method,
            headers,
            ...(body && { body: JSON.stringify(body) }),
          });
          return answer.status === 204 ? undefined : answer.json();
        },
        [method, path, body] as const,
      );
    const make = async () =>
      (await ask('POST', 'content/api::article.article', { data: { title: 'Smoke' } })).data.documentId;
    const [kept, gone] = [await make(), await make()];
    await ask('DELETE', `content/api::article.article/${gone}`);
    await page.reload();
    const deleted = page.getByRole('listitem').filter({ hasText: 'Deleted' });
    await deleted.waitFor();
    strictEqual(await deleted.getByRole('link').count(), 0);
    await page.locator(`a[href*="${kept}"]`, { hasText: 'Smoke' }).click();
    await page.waitForURL(new RegExp(`content/api::article\\.article/${kept}`));
    ok(await page.getByRole('textbox').first().isVisible());
  });
});
