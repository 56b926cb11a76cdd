/** Keyboard behaviour of the components. */
import { ok, strictEqual } from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { hasFocus, onePage } from '../support/browser/one-page.ts';
import { until } from '../support/wait.ts';

describe('the components of the administration app', () => {
  let page: Page;
  const opened = onePage('samples.html', (there) => there.getByRole('grid'));
  beforeEach(() => {
    page = opened();
  });

  it('include a table of a hundred thousand rows with one tab stop and keyboard navigation', async () => {
    const grid = page.getByRole('grid', { name: 'Articles' });
    strictEqual(await grid.getAttribute('aria-rowcount'), '100001');
    ok((await grid.getByRole('row').count()) < 60, 'only what is in sight is drawn');
    await grid.locator('[tabindex="0"]').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await until('it has the focus', () => hasFocus(grid.locator('[aria-rowindex="4"]')));
    await page.keyboard.press('x');
    strictEqual(await grid.locator('[aria-rowindex="4"]').getAttribute('aria-selected'), 'true');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('A winter on the pilot boat').waitFor();
    await page.keyboard.press('End');
    await until('the last row has the focus', () => hasFocus(grid.locator('[aria-rowindex="100001"]')));
    await page.keyboard.press('Home');
    await until('the first row has the focus', () => hasFocus(grid.locator('[aria-rowindex="2"]')));
    strictEqual(await grid.locator('[tabindex="0"]').count(), 1);
  });

  it('scroll inside of the page, and keep the navigation visible', async () => {
    const next = page.getByRole('navigation', { name: 'Pages' });
    await next.scrollIntoViewIfNeeded();
    const { y, height } = (await next.boundingBox())!;
    ok(y + height < 900);
    strictEqual((await page.getByRole('navigation', { name: 'Main navigation' }).boundingBox())!.y >= 0, true);
    ok(await page.locator('#page').evaluate((element) => element.scrollTop > 0));
  });

  it('announce the sorted column', async () => {
    const header = page.getByRole('columnheader', { name: 'Changed' });
    strictEqual(await header.getAttribute('aria-sort'), 'ascending');
    await header.getByRole('button').click();
    strictEqual(await header.getAttribute('aria-sort'), 'descending');
    await page.getByRole('row').filter({ hasText: '99999 h' }).waitFor();
  });

  it('include a combobox that keeps the focus in its field', async () => {
    const field = page.getByRole('combobox', { name: 'Tag' });
    await field.fill('cra');
    const proposed = page.getByRole('listbox').getByRole('option');
    await proposed.getByText('craft').waitFor();
    strictEqual(await proposed.count(), 1);
    await page.keyboard.press('Enter');
    strictEqual(await field.inputValue(), 'craft');
    await until('it has the focus', () => hasFocus(field));
    await field.fill('nothing');
    await page.getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    strictEqual(await field.inputValue(), 'craft', 'what was chosen before is still selected');
  });

  it('select the pressed option even if the list shrinks before release', async () => {
    const field = page.getByRole('combobox', { name: 'Tag' });
    const proposed = page.getByRole('listbox').getByRole('option');
    await field.fill('');
    await proposed.getByText('harbour').hover();
    await page.mouse.down();
    await page.keyboard.type('craft');
    await until('only one is left', async () => (await proposed.count()) === 1);
    await page.mouse.up();
    await proposed.waitFor({ state: 'detached' });
    strictEqual(await field.inputValue(), 'harbour');
  });

  it('select nothing if the pointer leaves the pressed option', async () => {
    const field = page.getByRole('combobox', { name: 'Tag' });
    const proposed = page.getByRole('listbox').getByRole('option');
    await field.fill('');
    await proposed.getByText('craft').hover();
    await page.mouse.down();
    await proposed.getByText('harbour').hover();
    await page.mouse.up();
    ok((await proposed.count()) > 1, 'the list is still there');
    await proposed.getByText('craft').click();
    strictEqual(await field.inputValue(), 'craft', 'the next press counts');
  });

  it('select nothing if a list is scrolled by touch, or another finger is lifted', async () => {
    const field = page.getByRole('combobox', { name: 'Tag' });
    const proposed = page.getByRole('listbox').getByRole('option');
    await field.fill('');
    const [pressed, before] = [proposed.getByText('harbour'), await proposed.count()];
    const { x, y } = (await pressed.boundingBox())!;
    const touch = (pointerId: number) => ({
      pointerId,
      pointerType: 'touch',
      button: 0,
      clientX: x + 2,
      clientY: y + 2,
    });
    await pressed.dispatchEvent('pointerdown', touch(1));
    await pressed.dispatchEvent('pointercancel', touch(1));
    await pressed.dispatchEvent('pointerup', touch(1));
    await pressed.dispatchEvent('pointerdown', touch(2));
    await pressed.dispatchEvent('pointerup', touch(3));
    strictEqual(await proposed.count(), before, 'the list is still there');
    await pressed.dispatchEvent('pointerup', touch(2));
    await proposed.first().waitFor({ state: 'detached' });
    strictEqual(await field.inputValue(), 'harbour');
  });

  it('include tabs with arrow keys', async () => {
    await page.getByRole('tab', { name: 'All' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await until('it has the focus', () => hasFocus(page.getByRole('tab', { name: 'Changed', selected: true })));
    await page.getByRole('tabpanel').getByText('Everything is as published').waitFor();
    await page.keyboard.press('ArrowLeft');
    await until('it has the focus', () => hasFocus(page.getByRole('tab', { name: 'Drafts', selected: true })));
  });

  it('include dialogs that trap the focus and return it', async () => {
    const opener = page.getByRole('button', { name: 'Dialogue' });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: /^Delete/ });
    await dialog.waitFor();
    for (let press = 0; press < 4; press++) {
      await page.keyboard.press('Tab');
      ok(await dialog.evaluate((element) => element.contains(element.ownerDocument.activeElement)));
    }
    await page.keyboard.press('Escape');
    await until('the focus is where it was', () => hasFocus(opener));
  });

  it('include a menu with letter and arrow keys', async () => {
    await page.getByRole('button', { name: 'More' }).focus();
    await page.keyboard.press('Enter');
    await until('the first item has the focus', () => hasFocus(page.getByRole('menuitem', { name: /^Duplicate/ })));
    await page.keyboard.press('ArrowDown');
    await until('it has the focus', () => hasFocus(page.getByRole('menuitem', { name: 'Delete for good' })));
    await page.keyboard.press('Escape');
    await until('the focus is where it was', () => hasFocus(page.getByRole('button', { name: 'More' })));
  });

  it('reopen a menu that is still closing', async () => {
    const more = page.getByRole('button', { name: 'More' });
    const menu = page.getByRole('menu');
    await more.click();
    await menu.waitFor();
    await more.evaluate((button) => {
      document.querySelector<HTMLElement>('main button')?.focus(); // The second press closes the menu.
      button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true, button: 0 }));
    });
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    strictEqual(await menu.count(), 1);
    await more.click();
    await menu.waitFor({ state: 'detached' });
  });

  it('hide the tooltip of a button when its menu closes', async () => {
    const more = page.getByRole('button', { name: 'More' });
    const words = page.getByRole('tooltip');
    await more.click();
    await page.getByRole('menuitem', { name: /^Duplicate/ }).click();
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await until('the button has the focus', () => hasFocus(more));
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    strictEqual(await words.count(), 0);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: /^Duplicate/ }).waitFor();
    await page.keyboard.press('Escape');
    await words.waitFor({ state: 'attached' });
  });

  it('announce notices, which offer undo', async () => {
    await page.getByRole('button', { name: 'Notice' }).click();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').getByText('Undone').waitFor();
  });

  it('connect errors and hints with their fields', async () => {
    const field = page.getByLabel('Address');
    strictEqual(await field.getAttribute('aria-invalid'), 'true');
    const described = await field.getAttribute('aria-describedby');
    strictEqual(await page.locator(`[id="${described}"]`).innerText(), 'This address is taken. Choose another.');
  });
});
