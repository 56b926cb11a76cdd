/** The health of the server: plots, slow requests, and the examination with its repair. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { storeEntry } from '../../src/db/interface/core-store.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { measure } from '../support/browser/measured.ts';
import { serveWritten, type Written } from '../support/browser/written.ts';
import { engines } from '../support/databases/databases.ts';

describe('health in the administration app', () => {
  let browser: Browser;
  let server: Written;
  before(async () => {
    [browser, server] = await Promise.all([openBrowser(), serveWritten(engines[0]!, 2)]);
    await measure(server, [50, 40, 30, 20, 10, 3]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('shows measurements over time as plots and as tables, and slow requests that can be explained', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await server.admit(context);
    await page.goto('/admin/');
    await page.getByRole('link', { name: 'Health' }).waitFor();
    await page.keyboard.press('Control+k');
    for (const [text, place] of [
      ['make public', 'Site permissions'],
      ['add field', 'Content types'],
      ['password', 'Account'],
    ]) {
      await page.getByRole('combobox', { name: 'Search or run a command' }).fill(text!);
      await page.getByRole('option', { name: place! }).first().waitFor();
    }
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Search or run a command' }).waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('link', { name: '1 request failed in this period.' }).click();
    await page.waitForURL('**/health#log');
    await page.getByRole('region', { name: 'Log of this period' }).waitFor();
    const latency = page.getByRole('region', { name: 'Response time', exact: true });
    match((await latency.getByRole('img').getAttribute('aria-label'))!, /Half within: now .*, highest .* ms.*; 95 %/);
    await latency.getByText('Values now').waitFor();
    await latency.getByText('Show values').click();
    strictEqual(await latency.getByRole('row').count(), 61);
    await latency.getByRole('img').hover({ position: { x: 5, y: 20 } });
    await latency.getByText('Values at').waitFor();

    const slow = page.getByRole('list', { name: 'Slowest requests' });
    const row = slow.getByRole('listitem').filter({ hasText: 'GET /api/articles' });
    match(await row.innerText(), /filters\[title]\[\$contains]=x&sort=title.*612 ms/s);
    const address = new URL((await row.getByRole('link', { name: /^Explain/ }).getAttribute('href'))!, server.url);
    deepStrictEqual(
      [address.pathname, address.searchParams.get('uid'), address.searchParams.get('query')],
      ['/admin/explore', 'api::article.article', 'filters[title][$contains]=x&sort=title'],
    );
    ok(await slow.getByRole('listitem').filter({ hasText: 'GET /api/authors/:id' }).isVisible());
    await page.getByRole('tab', { name: 'Hour' }).focus();
    await page.keyboard.press('End');
    await page.getByRole('tab', { name: '30 days', selected: true }).waitFor();
    await page.waitForFunction(() => document.querySelectorAll('table tbody tr').length === 6 * 120);
    strictEqual(await row.count(), 1);
    await page.locator('main').evaluate((main) => main.scrollTo(0, 500));
    await row.getByRole('link', { name: /^Explain/ }).click();
    await page.getByRole('region', { name: 'Parameters' }).waitFor();
    strictEqual(await page.locator('main').evaluate((main) => main.scrollTop), 0);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('examines the project, and repairs it after a confirmation', async () => {
    await server.app.database.transaction(async (tx) => {
      await tx.rows('insert into articles_author_lnk (article_id) select min(id) from articles', []);
    });
    await using visitor = await visit(browser, server.url, { language: 'de', width: 390, theme: 'dark' });
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await server.admit(context);
    await page.goto('/admin/health');
    await page.getByRole('button', { name: 'Untersuchen' }).click();
    const problems = page.getByRole('list', { name: 'Untersuchung' });
    await problems.getByText('Eine Verknüpfung führt zu etwas, das es nicht mehr gibt').waitFor();
    match(await problems.innerText(), /articles_author_lnk · link from or to a row that is gone/);
    await page.getByRole('button', { name: 'Reparieren' }).click();
    const dialog = page.getByRole('dialog', { name: 'Diese Probleme reparieren?' });
    await dialog.getByText('articles_author_lnk').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reparieren' }).click();
    await dialog.getByRole('button', { name: 'Jetzt reparieren' }).click();
    await page.getByText('Repariert. Es bleiben keine Probleme.').waitFor();
    await page.goto('/admin/health');
    await page.getByText('Repariert. Es bleiben keine Probleme.').waitFor();
    // a repair of another process
    const report = { work: 'repair', progress: { step: 'rows', repaired: 200, of: 1000 }, problems: null };
    const state = { at: 1, began: 1, until: Date.now() + 60_000, report };
    await server.app.database.transaction((tx) =>
      storeEntry(tx, 'galley_doctor_project', JSON.stringify(state), 'galley_doctor'),
    );
    await page.reload();
    await page.getByText('Dokumente werden repariert').waitFor();
    await page.getByText('200 von 1.000').waitFor();
    strictEqual(await page.getByRole('progressbar', { name: 'Fortschritt der Reparatur' }).getAttribute('max'), '1000');
    ok(await page.getByRole('button', { name: 'Untersuchen' }).isDisabled());
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('is not for administrators without the role Super Admin', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    await server.admit(context, 'ede');
    await page.goto('/admin/health');
    await page.getByRole('link', { name: 'Go to Home' }).waitFor();
    strictEqual(await page.getByRole('link', { name: 'Health' }).count(), 0);
    strictEqual(await page.getByRole('heading', { name: 'Health' }).count(), 0);
    deepStrictEqual(visitor.complaints, []);
  });
});
