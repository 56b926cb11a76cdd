/** Editing the layout of a type with keyboard and mouse, and its effect on lists and forms. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { ARTICLE, serveWritten, type Written } from '../support/browser/written.ts';
import { engines } from '../support/databases/databases.ts';
import { until } from '../support/wait.ts';

describe('editing layouts in the administration app', () => {
  let browser: Browser;
  let server: Written;
  before(async () => {
    [browser, server] = await Promise.all([openBrowser(), serveWritten(engines[0]!, 8)]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('moves columns and fields, changes their texts, and applies both to lists and forms', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await server.admit(context);
    await page.goto(`/admin/content/${ARTICLE}`);
    await page.getByRole('button', { name: 'Edit layout', exact: true }).click();
    const columns = page.getByRole('region', { name: 'Columns' });
    const names = () => columns.getByRole('listitem').allInnerTexts();
    await columns.waitFor();
    const before = await names();
    await columns.getByRole('button', { name: `Move ${before[1]}` }).focus();
    await page.keyboard.press('Space');
    // An arrow key works once positions have been measured; at the first position, another one changes nothing.
    await until('it is at the first place', async () => {
      await page.keyboard.press('ArrowUp');
      return (await page.getByText('at place 1 of').count()) > 0;
    });
    await page.keyboard.press('Space');
    await page.getByRole('combobox', { name: 'Add a column…' }).selectOption('slug');
    await columns.getByText('Slug', { exact: true }).waitFor();
    deepStrictEqual(await names(), [before[1], before[0], ...before.slice(2), 'Slug']);

    const form = page.getByRole('region', { name: 'Form' });
    await form.getByRole('button', { name: 'Change views' }).click();
    await page.getByLabel('Label').fill('Readers');
    await page.getByLabel('Width').selectOption('12');
    await page.keyboard.press('Escape');
    await form.getByText('Readers').waitFor();
    await form.getByRole('button', { name: 'Change kind' }).click();
    await page.getByRole('button', { name: 'Remove from the form' }).click();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leaving.getByRole('button', { name: 'Stay' }).click();
    await form.getByText('Readers').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();

    // Changes of someone else are not overwritten without confirmation.
    const count = page.getByLabel('Documents per page');
    await count.selectOption('50');
    const status = await page.evaluate(async (address) => {
      const { data } = await (await fetch(address)).json();
      const headers = { 'content-type': 'application/json', 'if-match': data.tag };
      return (await fetch(address, { method: 'PUT', headers, body: '{"settings":{"pageSize":100}}' })).status;
    }, `/admin/api/layout/${ARTICLE}`);
    strictEqual(status, 200);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('dialog', { name: 'Someone else has changed this layout in the meantime' });
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await until('it is theirs', async () => (await count.inputValue()) === '100');

    await page.goto(`/admin/content/${ARTICLE}`);
    const heads = page.getByRole('grid').getByRole('columnheader');
    await heads.filter({ hasText: 'Readers' }).waitFor();
    match((await heads.allInnerTexts()).join(), /Readers/);
    await page.goto(`/admin/content/${ARTICLE}/${server.articles[0]}`);
    await page.getByLabel('Readers').waitFor();
    deepStrictEqual(await page.getByLabel('Kind').count(), 0);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });
});
