/** Lists: searching, filtering, sorting, views, and bulk actions with undo. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type Look, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { hasFocus } from '../support/browser/one-page.ts';
import { whenOver } from '../support/browser/requests.ts';
import { ARTICLE, serveWritten, type Written } from '../support/browser/written.ts';
import { engines } from '../support/databases/databases.ts';
import { settled, until } from '../support/wait.ts';

const COUNT = 120;

describe('lists of the administration app', () => {
  let browser: Browser;
  let server: Written;
  let mara: Visit;
  before(async () => {
    [browser, server] = await Promise.all([openBrowser(), serveWritten(engines[0]!, COUNT)]);
    mara = await visit(browser, server.url);
    await server.admit(mara.context);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Mara's browser on a page. */
  async function inside(path = `content/${ARTICLE}`): Promise<Visit> {
    const page = await mara.context.newPage();
    await page.goto(`/admin/${path}`);
    await page.locator('#page h1').waitFor();
    return { ...mara, page, [Symbol.asyncDispose]: () => page.close() };
  }
  /** A user on another device. */
  async function elsewhere(name: string, look: Look = {}, path = `content/${ARTICLE}`): Promise<Visit> {
    const visitor = await visit(browser, server.url, look);
    await server.admit(visitor.context, name);
    await visitor.page.goto(`/admin/${path}`);
    await visitor.page.locator('#page h1').waitFor();
    return visitor;
  }
  const grid = (page: Page) => page.getByRole('grid');
  const row = (page: Page, name: string) => grid(page).getByRole('row').filter({ hasText: name });
  const search = (page: Page) => new URL(page.url()).searchParams;
  /** Waits for a number of rows, without the head. */
  const has = (page: Page, count: number) =>
    until(`there are ${count}`, async () => (await grid(page).getAttribute('aria-rowcount')) === String(count + 1));
  const stateOf = async (documentId: string): Promise<string> => {
    const posts = server.app.documents(ARTICLE);
    if ((await posts.findOne({ documentId, status: 'published' })) !== null) return 'published';
    return (await posts.findOne({ documentId, status: 'draft' })) === null ? 'gone' : 'draft';
  };

  it('show documents with the state of each locale, and load pages while scrolling', async () => {
    await using visitor = await inside();
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await has(page, COUNT);
    match(await row(page, 'Charts nobody drew 119').innerText(), /Published\s+en/);
    await row(page, 'Letters to the harbour master 115').getByRole('img', { name: 'Draft' }).waitFor();
    await grid(page).locator('[tabindex="0"]').focus();
    await page.keyboard.press('End');
    await grid(page).getByText('Smoke, patience, honey', { exact: true }).waitFor();
    await page.reload();
    await has(page, COUNT);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  /**
   * Records the links whose modified clicks the app leaves to the browser. Whether a new tab opens cannot be observed
   * reliably on a slow machine.
   */
  const leftToBrowser = async (page: Page): Promise<() => Promise<readonly string[]>> => {
    const noted = await page.evaluateHandle(() => {
      const links: string[] = [];
      addEventListener('click', (event) => {
        const link = (event.target as Element).closest('a');
        if (!link || event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        links.push(link.getAttribute('href')!);
      });
      return links;
    });
    return () => noted.jsonValue();
  };

  it('open documents by links, which also work in new tabs, and by clicks on rows', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    const name = 'Charts nobody drew 119';
    const link = row(page, name).getByRole('link', { name });
    const [id] = server.articles.slice(119);
    strictEqual(await link.getAttribute('href'), `/admin/content/${encodeURIComponent(ARTICLE)}/${id}?locale=en`);
    await row(page, name).getByText('Published').waitFor();
    // A hovered document is loaded, together with its page. That takes a while on a slow machine.
    const fetched = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(`/${id}`));
    await link.hover();
    await (await fetched).finished();
    const left = await leftToBrowser(page);
    await link.click({ modifiers: ['ControlOrMeta'] });
    deepStrictEqual(await left(), [`/admin/content/${encodeURIComponent(ARTICLE)}/${id}?locale=en`]);
    ok(!page.url().includes(id!));
    for (const pressed of [row(page, name).getByText('Published'), link]) {
      await pressed.click();
      await page.getByRole('textbox', { name: 'Title' }).waitFor();
      ok(page.url().includes(id!));
      await page.goBack();
      await has(page, COUNT);
      await until('its row has the focus', () => hasFocus(row(page, name)));
    }
  });

  it('open the row that was pressed, even if another one is there on release', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    const id = server.articles[119]!;
    const pressed = row(page, 'Charts nobody drew 119');
    let count = COUNT;
    for (const inTab of [true, false]) {
      const { documentId } = await server.app.documents(ARTICLE).create({ data: { title: `One to go ${inTab}` } });
      count += 1;
      await page.reload();
      await has(page, count);
      const held = Promise.withResolvers<void>();
      await page.route(/bulk\/delete/, async (route) => held.promise.then(() => route.continue()));
      await row(page, `One to go ${inTab}`).getByRole('checkbox').check();
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('1 document deleted').waitFor();
      await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
      const { x, y, width, height } = (await pressed.getByRole('link').boundingBox())!;
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.down();
      held.resolve();
      count -= 1;
      // A row has disappeared by now, so another one would be in this place.
      const told = page.locator('h1 small');
      await until('the list has come anew', async () => (await told.innerText()) === String(count));
      const left = await leftToBrowser(page);
      if (inTab) await page.keyboard.down('ControlOrMeta');
      await page.mouse.up();
      if (inTab) {
        await page.keyboard.up('ControlOrMeta');
        deepStrictEqual(await left(), [`/admin/content/${encodeURIComponent(ARTICLE)}/${id}?locale=en`]);
        // Afterwards, the list is up to date.
        await has(page, count);
      } else await page.waitForURL(`**/${id}?locale=en`);
      await page.unroute(/bulk\/delete/);
      strictEqual(await stateOf(documentId as string), 'gone');
    }
    deepStrictEqual(visitor.complaints, []);
  });

  const top = (page: Page) => grid(page).evaluate(({ scrollTop }) => scrollTop);
  /** A row by its index. */
  const rowAt = (page: Page, index: number) => grid(page).locator(`[data-index="${index}"]`);
  const isOpen = (page: Page) => page.getByRole('textbox', { name: 'Title' }).waitFor();
  const arrow = (page: Page) => page.locator('#page header').getByRole('link', { name: 'Articles' });
  const isInSight = async (page: Page, index: number): Promise<boolean> => {
    if ((await rowAt(page, index).count()) === 0) return false;
    const [outer, inner] = [await grid(page).boundingBox(), await rowAt(page, index).boundingBox()];
    return inner !== null && inner.y >= outer!.y && inner.y + inner.height <= outer!.y + outer!.height;
  };
  /** Scrolls to a row with the wheel and opens it. Returns its name and the scroll position. */
  const openRow = async (page: Page, index: number): Promise<{ name: string; left: number }> => {
    await grid(page).hover();
    await until('it is in sight', async () => {
      if (await isInSight(page, index)) return true;
      await page.mouse.wheel(0, 300);
      return false;
    });
    const name = await rowAt(page, index).getByRole('link').innerText();
    const left = await settled('the place of the list', () => top(page));
    await rowAt(page, index).click();
    await isOpen(page);
    return { name, left };
  };
  const isWhereLeft = (page: Page, name: string, left: number) =>
    until('it is where it was, and the row has the focus', async () => {
      return (await hasFocus(row(page, name))) && Math.abs((await top(page)) - left) <= 1;
    });

  it('restore their position and the opened row, whichever way the user returns', async () => {
    await using visitor = await inside(`content/${ARTICLE}?sort=views:asc&locale=en`);
    const { page } = visitor;
    await has(page, COUNT);
    const { name, left } = await openRow(page, 80);
    ok(left > 500, 'it was scrolled');
    for (const isLoadedAnew of [false, true]) {
      for (const back of [() => page.goBack(), () => arrow(page).click()]) {
        // Distant rows then have to be loaded.
        if (isLoadedAnew) await page.reload();
        await isOpen(page);
        await back();
        await isWhereLeft(page, name, left);
        strictEqual(search(page).get('sort'), 'views:asc');
        await page.keyboard.press('Enter');
      }
    }
    deepStrictEqual(visitor.complaints, []);
  });

  it('return to the document that was open last, however far it is from the loaded rows', async () => {
    await using visitor = await inside(`content/${ARTICLE}?sort=views:asc`);
    const { page } = visitor;
    await has(page, COUNT);
    // The last but one row of the first page.
    await page.keyboard.press('j');
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('PageDown');
    const { name } = await openRow(page, 48);
    await page.reload();
    const titles = [name];
    for (let n = 0; n < 3; n += 1) {
      await page
        .locator('#page h1')
        .filter({ hasText: titles.at(-1)! })
        .waitFor();
      await page.locator('#page').focus();
      await page.keyboard.press(']');
      await page
        .locator('#page h1')
        .filter({ hasNotText: titles.at(-1)! })
        .waitFor();
      titles.push(await page.locator('#page h1').innerText());
    }
    await arrow(page).click();
    await until('the row of the last has the focus', () => hasFocus(rowAt(page, 51)));
    strictEqual(await rowAt(page, 51).getByRole('link').innerText(), titles.at(-1));
    ok(await isInSight(page, 51));
    deepStrictEqual(visitor.complaints, []);
  });

  it('keep their position when documents are added and removed, and focus the neighbour of a removed one', async () => {
    const articles = server.app.documents(ARTICLE);
    const make = async (title: string, views: number) =>
      ((await articles.create({ data: { title, views } })) as { documentId: string }).documentId;
    const doomed = await make('One to delete', 351);
    await make('One to delete here', 352);
    await using visitor = await inside(`content/${ARTICLE}?sort=views:asc`);
    const { page } = visitor;
    await has(page, COUNT + 2);
    const place = await articles.count({ filters: { views: { $lt: 351 } } });
    const { name, left } = await openRow(page, place);
    strictEqual(name, 'One to delete');
    await articles.delete({ documentId: doomed });
    // Recent answers are not requested again.
    await page.reload();
    await page.goBack();
    await has(page, COUNT + 1);
    const neighbour = row(page, 'One to delete here');
    await until('its neighbour has the focus', () => hasFocus(neighbour));
    await until('the list stands', async () => Math.abs((await top(page)) - left) <= 1);
    // The focus stays on its row when others are inserted before it.
    await page.keyboard.press('Enter');
    await isOpen(page);
    const others = [await make('One before', 3), await make('Another before', 4)];
    await page.reload();
    await page.goBack();
    await has(page, COUNT + 3);
    await until('the same row has the focus', () => hasFocus(neighbour));
    await page.keyboard.press('j');
    await until('so has the next one', () => hasFocus(rowAt(page, place + 3)));
    await page.keyboard.press('k');
    // The same after deleting the document on its own page.
    await page.keyboard.press('Enter');
    await isOpen(page);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const remove = page.getByRole('dialog').getByRole('button', { name: /^Delete/ });
    await remove.last().click();
    await has(page, COUNT + 2);
    strictEqual(search(page).get('sort'), 'views:asc');
    await until('its neighbour has the focus', () => hasFocus(rowAt(page, place + 2)));
    for (const documentId of others) await articles.delete({ documentId });
    deepStrictEqual(visitor.complaints, []);
  });

  it('show an error at an invalid filter, and do not send it', async () => {
    await using visitor = await inside(
      `content/${ARTICLE}?where=${encodeURIComponent(JSON.stringify([{ field: 'views', operator: '$gt', value: 'many' }]))}`,
    );
    const { page } = visitor;
    await has(page, COUNT);
    const chip = page.getByRole('button', { name: 'Views is more than many Enter a number.', exact: true });
    await chip.click();
    const form = page.getByRole('dialog');
    const value = form.getByLabel('Value');
    await form.getByText('Enter a number.').waitFor();
    await value.fill('1.5');
    await form.getByText('Enter a whole number.').waitFor();
    await page.keyboard.press('Enter');
    await chip.waitFor();
    await value.fill('100');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Views is more than 100', exact: true }).waitFor();
    await has(page, 84);
    strictEqual(await page.locator('h1 small').innerText(), '84');
  });

  it('report a missing connection, and load when it returns', async () => {
    await using visitor = await elsewhere('mara');
    const { page, context } = visitor;
    await has(page, COUNT);
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Authors' }).click();
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    await context.setOffline(false);
    await grid(page).getByText('Ines Ferro').waitFor();
    // In this type, documents can have no other state.
    strictEqual(await grid(page).getByText('Published').count(), 0);
  });

  it('search while typing, first in loaded rows and then on the server', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    let released = (): void => {};
    const held = new Promise<void>((resolve) => (released = resolve));
    await page.route(/_q=/, async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('/');
    await page.keyboard.type('harbour');
    // Of the loaded pages.
    await has(page, 5);
    released();
    await has(page, 12);
    await until('its address says so', () => search(page).get('q') === 'harbour');
    await page.keyboard.press('Escape');
    await has(page, COUNT);
    strictEqual(search(page).has('q'), false);
  });

  it('filter by chips and states, sort by column heads, and keep both in the address', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    await page.getByRole('tab', { name: /^Changed/ }).click();
    await has(page, COUNT / 4);
    await page.keyboard.press('f');
    const form = page.getByRole('dialog');
    await form.getByLabel('Field').selectOption({ label: 'Views' });
    await form.getByLabel('Condition').selectOption({ label: 'is less than' });
    await form.getByLabel('Value').fill('30');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Views is less than 30', exact: true }).waitFor();
    await has(page, 8);
    await grid(page).getByRole('button', { name: 'Views' }).click();
    const first = grid(page).locator('[aria-rowindex="2"]');
    await until('the smallest is first', async () => (await first.innerText()).includes('What the tide leaves'));
    await grid(page).getByRole('button', { name: 'Views' }).click();
    await until('the largest is first', async () => (await first.innerText()).includes('Charts nobody drew 29'));
    const address = page.url();
    await page.goto('/admin/');
    await page.goto(address);
    await has(page, 8);
    strictEqual(await grid(page).getByRole('columnheader', { name: 'Views' }).getAttribute('aria-sort'), 'descending');
    await page.getByRole('button', { name: /^Remove filter Views/ }).click();
    await has(page, COUNT / 4);
    // The history of the browser has each step; the letters of a search are one step.
    await page.getByRole('searchbox').pressSequentially('tide');
    await until('it is searched', () => search(page).get('q') === 'tide');
    await page.goBack();
    await has(page, COUNT / 4);
    strictEqual(await page.getByRole('searchbox').inputValue(), '');
    await page.goBack();
    await has(page, 8);
    await page.goForward();
    await has(page, COUNT / 4);
  });

  it('leave an empty search field with Escape, so that shortcuts work again', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    const search = page.getByRole('searchbox');
    await search.fill('ferr');
    await search.press('Escape');
    strictEqual(await search.inputValue(), '');
    // Without results, the focus stays in the field.
    await search.fill('nothing has these words');
    await page.getByText('Try other words or fewer filters.').waitFor();
    await search.fill('');
    await has(page, COUNT);
    strictEqual(await hasFocus(search), true);
    await search.press('Escape');
    await page.keyboard.press('f');
    await page.getByRole('dialog').getByLabel('Field').waitFor();
    strictEqual(await search.inputValue(), '');
  });

  it('filter by linked documents, which are found by name', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    await page.getByRole('button', { name: '+ Filter' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Field').selectOption({ label: 'Author' });
    await form.getByRole('combobox', { name: 'Value' }).fill('ferr');
    await page.getByRole('option', { name: 'Ines Ferro' }).click();
    await form.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('button', { name: 'Author is Ines Ferro', exact: true }).waitFor();
    await has(page, COUNT / 3);
  });

  it('filter by ranges and by several values, which the chips show', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    await page.keyboard.press('f');
    const form = page.getByRole('dialog');
    await form.getByLabel('Field').selectOption({ label: 'Views' });
    await form.getByLabel('Condition').selectOption({ label: 'is between' });
    await form.getByLabel('From').fill('70');
    await page.keyboard.press('Enter');
    await form.getByText('Enter a value to compare with.').waitFor();
    await form.getByLabel('To').fill('91');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Views is between 70 – 91', exact: true }).waitFor();
    // Three of them by the views of their first version, five by those of the changed draft.
    await has(page, 8);
    await page.getByRole('button', { name: /^Remove filter Views/ }).click();
    await page.keyboard.press('f');
    await form.getByLabel('Field').selectOption({ label: 'Author' });
    await form.getByLabel('Condition').selectOption({ label: 'is one of' });
    await form.getByRole('combobox', { name: 'Value' }).fill('ferr');
    await page.getByRole('option', { name: 'Ines Ferro' }).click();
    await form.getByRole('button', { name: 'Add value' }).click();
    await form.getByRole('combobox', { name: 'Value' }).nth(1).click();
    const offered = page.getByRole('listbox').getByRole('option');
    await offered.filter({ hasNotText: 'Ines Ferro' }).first().click();
    await form.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('button', { name: /^Author is one of Ines Ferro, \w/ }).waitFor();
    await has(page, (COUNT / 3) * 2);
    const address = page.url();
    await page.goto('/admin/');
    await page.goto(address);
    await page.getByRole('button', { name: /^Author is one of Ines Ferro, \w/ }).click();
    await form.getByRole('button', { name: 'Remove value 1' }).click();
    await form.getByRole('button', { name: 'Apply', exact: true }).click();
    await has(page, COUNT / 3);
  });

  it('filter by a time of day in the format of the browser control', async () => {
    const events = server.app.documents('api::event.event');
    for (const hour of ['11:59:59', '12:00:00']) await events.create({ data: { name: hour, hour } });
    await using visitor = await inside('content/api::event.event');
    const { page } = visitor;
    await has(page, 2);
    await page.keyboard.press('f');
    const form = page.getByRole('dialog');
    await form.getByLabel('Field').selectOption({ label: 'Hour' });
    await form.getByLabel('Condition').selectOption({ label: 'is before' });
    await form.getByLabel('Value').fill('12:00');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Hour is before 12:00 PM', exact: true }).waitFor();
    await has(page, 1);
  });

  it('store columns and views for their user, on every device', async () => {
    await using visitor = await inside(`content/${ARTICLE}?cohort=draft`);
    const { page } = visitor;
    await has(page, COUNT / 4);
    await page.getByRole('button', { name: 'Columns' }).click();
    // The checkbox changes when the choice is stored, which `check` would not wait for.
    await page.getByRole('checkbox', { name: 'Author' }).click();
    await grid(page).getByRole('columnheader', { name: 'Author' }).waitFor();
    await page.keyboard.press('Escape');
    const views = page.getByRole('button', { name: 'Views', exact: true }).first();
    await views.click();
    await page.getByLabel('Save this view as').fill('My drafts');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('View “My drafts” saved').waitFor();
    await until('one is back at the button', () => hasFocus(views));
    strictEqual(await page.getByLabel('Save this view as').count(), 0);
    await using visited = await elsewhere('mara');
    await grid(visited.page).getByRole('columnheader', { name: 'Author' }).waitFor();
    await visited.page.getByRole('button', { name: 'Views', exact: true }).first().click();
    await visited.page.getByRole('button', { name: 'My drafts', exact: true }).click();
    await has(visited.page, COUNT / 4);
    strictEqual(search(visited.page).get('cohort'), 'draft');
    // Pages can be chosen instead of scrolling.
    await visited.page.getByRole('button', { name: 'Columns' }).click();
    const rows = visited.page.getByLabel('Rows');
    await rows.selectOption('10');
    await visited.page.getByText('Page 1 of 3').waitFor();
    await visited.page.keyboard.press('Escape');
    await visited.page.getByRole('button', { name: 'Next' }).click();
    await visited.page.getByText('Page 2 of 3').waitFor();
    await until('they are ten', async () => (await grid(visited.page).getAttribute('aria-rowcount')) === '11');
    strictEqual(search(visited.page).get('page'), '2');
    const sixth = await openRow(visited.page, 5);
    await arrow(visited.page).click();
    await isWhereLeft(visited.page, sixth.name, sixth.left);
    strictEqual(search(visited.page).get('page'), '2');
    await visited.page.getByRole('button', { name: 'Columns' }).click();
    await rows.selectOption('0');
    await has(visited.page, COUNT / 4);
    // Earlier choices are kept when another tab changes the settings, or before they are loaded.
    await using third = await visit(browser, server.url);
    await server.admit(third.context, 'mara');
    const known = Promise.withResolvers<void>();
    await third.page.route('**/me/settings', async (route) => {
      await known.promise;
      await route.continue();
    });
    await third.page.goto(`/admin/content/${ARTICLE}`);
    await third.page.getByRole('button', { name: 'Columns' }).click();
    await third.page.getByLabel('Rows').selectOption('20');
    await page.getByRole('button', { name: 'Views', exact: true }).first().click();
    await page.getByLabel('Save this view as').fill('Meanwhile');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('View “Meanwhile” saved').waitFor();
    known.resolve();
    await third.page.getByText('Page 1 of 6').waitFor();
    await third.page.keyboard.press('Escape');
    await third.page.getByRole('button', { name: 'Views', exact: true }).first().click();
    for (const name of ['My drafts', 'Meanwhile'])
      await third.page.getByRole('button', { name, exact: true }).waitFor();
    await grid(third.page).getByRole('columnheader', { name: 'Author' }).waitFor();
    await third.page.keyboard.press('Escape');
    await third.page.getByRole('button', { name: 'Columns' }).click();
    const kept = third.page.waitForResponse((response) => response.request().method() === 'PUT');
    await third.page.getByLabel('Rows').selectOption('0');
    await kept;
    deepStrictEqual(third.complaints, []);
  });

  it('are navigated with keys, and publish several documents with undo', async () => {
    await using visitor = await inside(`content/${ARTICLE}?cohort=draft`);
    const { page } = visitor;
    await has(page, COUNT / 4);
    const [one, two] = [server.articles[116]!, server.articles[112]!];
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const marks = row(page, 'How fog is measured 116').getByText('Published');
    await marks.waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await marks.waitFor({ state: 'detached' });
    await page.getByText('2 selected').waitFor();
    deepStrictEqual([await stateOf(one), await stateOf(two)], ['draft', 'draft']);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    // Success is reported once it is certain.
    await page.getByText('Publishing 2 documents').waitFor();
    strictEqual(await page.getByText('2 documents published').count(), 0);
    // Dismissing a notice does not undo its action.
    await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('2 documents published').waitFor();
    await has(page, COUNT / 4 - 2);
    deepStrictEqual([await stateOf(one), await stateOf(two)], ['published', 'published']);
    await page.getByRole('tab', { name: `Drafts ${COUNT / 4 - 2}` }).waitFor();
  });

  it('show the future state of documents during an action, and the actual one afterwards', async () => {
    await using visitor = await inside(`content/${ARTICLE}?q=119`);
    const { page } = visitor;
    await has(page, 1);
    const only = row(page, 'Charts nobody drew 119');
    let released = (): void => {};
    const held = new Promise<void>((resolve) => (released = resolve));
    await page.route(/bulk\/unpublish/, async (route) => {
      await held;
      await route.continue();
    });
    await only.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Unpublish', exact: true }).click();
    // The state and the mark of the locale.
    const drafts = only.getByRole('gridcell').filter({ hasText: 'Draft' });
    await drafts.waitFor();
    await only.getByRole('img', { name: 'Draft' }).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
    strictEqual(await only.getByRole('img', { name: 'Published' }).count(), 0);
    released();
    await until('it is a draft', async () => (await stateOf(server.articles[119]!)) === 'draft');
    await drafts.waitFor();
    await server.app.documents(ARTICLE).publish({ documentId: server.articles[119]! });
  });

  it('perform actions on a document in order, whichever notice disappears first', async () => {
    await using visitor = await inside(`content/${ARTICLE}?q=104`);
    const { page } = visitor;
    await has(page, 1);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(...(/bulk\/\w+/.exec(request.url()) ?? [])));
    const only = grid(page).getByRole('row').nth(1);
    for (const [action, mark] of [
      ['Publish', 'Published'],
      ['Unpublish', 'Draft'],
    ] as const) {
      await only.getByRole('checkbox').check();
      await page.getByRole('button', { name: action, exact: true }).click();
      await only.getByRole('gridcell').filter({ hasText: mark }).waitFor();
    }
    await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
    await until('both are asked for', () => asked.length === 2);
    deepStrictEqual(asked, ['bulk/publish', 'bulk/unpublish']);
    // Undo is no longer possible.
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await until('it is a draft', async () => (await stateOf(server.articles[104]!)) === 'draft');
  });

  it('select a range with Shift, also with keys, whether or not its rows are loaded', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    const chosen = (count: number) => page.getByText(`${count} selected`, { exact: true }).waitFor();
    const box = (index: number) => grid(page).locator(`[data-index="${index}"]`).getByRole('checkbox');
    await box(1).click();
    await box(5).click({ modifiers: ['Shift'] });
    await chosen(5);
    strictEqual(await page.evaluate(() => getSelection()?.toString()), '');
    // The range gets the state of its last row.
    await box(3).click({ modifiers: ['Shift'] });
    await chosen(2);
    // A click with a modifier selects a row, except on its link.
    await grid(page)
      .locator('[data-index="8"]')
      .getByRole('gridcell')
      .last()
      .click({ modifiers: ['Shift'] });
    await chosen(8);
    await page.keyboard.press('Escape');
    await grid(page).locator('[data-index="1"]').focus();
    await page.keyboard.press('x');
    await chosen(1);
    // The pages in between are not loaded.
    await page.keyboard.press('End');
    await grid(page).getByText('Smoke, patience, honey', { exact: true }).waitFor();
    await page.keyboard.press('Shift+X');
    await chosen(COUNT - 1);
    // Another list has no selection, and no start of a range.
    await page.getByRole('searchbox').fill('harbour');
    await has(page, 12);
    const none = () => until('nothing is selected', async () => (await page.getByText(/\d selected/).count()) === 0);
    await none();
    await box(2).click({ modifiers: ['Shift'] });
    await chosen(1);
    deepStrictEqual(visitor.complaints, []);
  });

  it('ignore late selections: in another list, after clearing, and of rows that are not in the new list', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    const chosen = (count: number) => page.getByText(`${count} selected`, { exact: true }).waitFor();
    const none = () => until('nothing is selected', async () => (await page.getByText(/\d selected/).count()) === 0);
    const box = (index: number) => grid(page).locator(`[data-index="${index}"]`).getByRole('checkbox');
    // The page in between never loads, so its ids are requested.
    await page.route(/page%5D=2&/, () => {});
    /** Selects from the second row to the last. Returns a function that lets the answer pass. */
    const chooseToEnd = async (): Promise<() => Promise<void>> => {
      const held = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      await page.route(/\/ids\?/, async (route) => {
        asked.resolve();
        await held.promise;
        // The page may have cancelled the request.
        await route.continue().catch(() => {});
      });
      const over = whenOver(page, /\/ids\?/);
      await grid(page).locator('[data-index="1"]').focus();
      await page.keyboard.press('x');
      await chosen(1);
      await page.keyboard.press('End');
      await grid(page).getByText('Smoke, patience, honey', { exact: true }).waitFor();
      await page.keyboard.press('Shift+X');
      await asked.promise;
      return async () => {
        held.resolve();
        await over;
        await page.unroute(/\/ids\?/);
      };
    };
    const first = await chooseToEnd();
    await page.getByRole('searchbox').fill('harbour');
    await page.getByRole('status').getByText('12 documents found').waitFor();
    await none();
    await box(0).click();
    await chosen(1);
    await first();
    await box(1).click();
    await chosen(2);
    await page.getByRole('searchbox').fill('');
    await has(page, COUNT);
    await none();
    const second = await chooseToEnd();
    await page.keyboard.press('Escape');
    await none();
    await second();
    await page.keyboard.press('Home');
    await box(0).click();
    await chosen(1);
    // Loaded rows also match in fields that the server does not search.
    const coming = Promise.withResolvers<void>();
    await page.route(/_q=/, async (route) => {
      await coming.promise;
      await route.continue();
    });
    await page.getByRole('searchbox').fill(server.articles[119]!.slice(0, 12));
    await has(page, 1);
    await none();
    await box(0).click();
    await chosen(1);
    coming.resolve();
    await page.getByRole('status').getByText('0 documents found').waitFor();
    await none();
    deepStrictEqual(visitor.complaints, []);
  });

  it('select all documents, process them in parts with progress, and stop', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    await grid(page).getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByText('50 selected').waitFor();
    const listed = page.waitForResponse(/\/ids\?/);
    await page.getByRole('button', { name: `Select all ${COUNT}` }).click();
    await page.getByText(`${COUNT} selected`).waitFor();
    strictEqual(await page.getByRole('button', { name: /^Select/ }).count(), 0);
    const asked: (readonly string[])[] = [];
    const second = Promise.withResolvers<void>();
    await page.route(/bulk\/unpublish/, async (route) => {
      const { documentIds } = route.request().postDataJSON() as { documentIds: readonly string[] };
      asked.push(documentIds);
      if (asked.length === 2) await second.promise;
      // The first ten of each part fail.
      const gone = { status: 404, name: 'NotFoundError', message: 'Not Found', errors: [] };
      const data = documentIds.map((documentId, index) => ({ documentId, error: index < 10 ? gone : null }));
      await route.fulfill({ json: { data, meta: { refused: null } } });
    });
    await page.getByRole('button', { name: 'Unpublish', exact: true }).click();
    await page.getByText(`Unpublishing ${COUNT} documents`).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText(`Unpublishing: 50 of ${COUNT}`).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Stop' }).click();
    second.resolve();
    await page.getByText(`Stopped: 80 of ${COUNT} documents unpublished`).waitFor();
    await page.getByText('20 documents could not be unpublished').waitFor();
    // In the order of the list: two documents may have been created in the same millisecond.
    const { data } = (await (await listed).json()) as { data: readonly string[] };
    deepStrictEqual(asked.flat(), data.slice(0, 100));
    deepStrictEqual(data.toSorted(), server.articles.toSorted());
  });

  it('ask before an action that is too large for undo, and warn before the tab is closed', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    const many = Array.from({ length: 3000 }, (_, n) => `many${String(n).padStart(20, '0')}`);
    await page.route(/\/ids\?/, (route) => route.fulfill({ json: { data: many } }));
    let count = 0;
    const last = Promise.withResolvers<void>();
    await page.route(/bulk\/publish/, async (route) => {
      const { documentIds } = route.request().postDataJSON() as { documentIds: readonly string[] };
      count += documentIds.length;
      if (count === many.length) await last.promise;
      const gone = { status: 404, name: 'NotFoundError', message: 'Not Found', errors: [] };
      const data = documentIds.map((documentId) => ({ documentId, error: documentId === many[7] ? gone : null }));
      await route.fulfill({ json: { data, meta: { refused: null } } });
    });
    await grid(page).getByRole('checkbox').nth(1).check();
    await page.getByRole('button', { name: `Select all ${COUNT}` }).click();
    await page.getByText('3,000 selected').waitFor();
    const publish = page.getByRole('button', { name: 'Publish', exact: true });
    await publish.click();
    const dialog = page.getByRole('dialog', { name: 'Publish 3,000 documents?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    strictEqual(count, 0);
    await publish.click();
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Publishing: 2,950 of 3,000').waitFor();
    strictEqual(await page.getByRole('button', { name: 'Undo' }).count(), 0);
    const asks = page.waitForEvent('dialog');
    // The page reloads itself, because a reload from here would wait for it forever.
    await page.evaluate(() => void setTimeout(() => location.reload()));
    await (await asks).dismiss();
    last.resolve();
    await page.getByText('2,999 documents published').waitFor();
    await page.getByText('1 document could not be published').waitFor();
    await page.getByRole('button', { name: 'Show details' }).click();
    await page.getByRole('dialog').getByText('Untitled (0007)').waitFor();
  });

  it('complete a reported action even if the tab is closed', async () => {
    const events = server.app.documents('api::event.event');
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, n) => events.create({ data: { name: `Fair ${n}` } })),
    );
    const ids = new Set(made.map(({ documentId }) => documentId as string));
    const left = async (): Promise<number> =>
      ((await events.findMany({ filters: { name: { $startsWith: 'Fair' } }, limit: 100 })) as unknown[]).length;
    const visitor = await inside('content/api::event.event?q=Fair');
    const { page } = visitor;
    await has(page, 60);
    // The first part is never answered.
    await page.evaluate(() => {
      const send = globalThis.fetch;
      globalThis.fetch = (address, init) => {
        if (!String(address).includes('bulk/delete')) return send(address, init);
        globalThis.fetch = send;
        document.title = String(init?.body);
        return new Promise(() => {});
      };
    });
    await grid(page).getByRole('checkbox').nth(1).check();
    await page.getByRole('button', { name: 'Select all 60' }).click();
    await page.getByText('60 selected').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 60 documents' });
    await dialog.getByText('60 are on the site.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('60 documents deleted').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
    const first = await until('it is asked for', async () => /^\{.*\}$/.exec(await page.title())?.[0]);
    const { documentIds } = JSON.parse(first) as { documentIds: readonly string[] };
    strictEqual(documentIds.filter((id) => ids.has(id)).length, 50);
    await page.close({ runBeforeUnload: true });
    await until('the rest is gone', async () => (await left()) === 50);
    for (const documentId of documentIds) await events.delete({ documentId });
    await visitor[Symbol.asyncDispose]();
  });

  it('filter by who changed a document', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    const own = await page.request.post(`/admin/api/content/${ARTICLE}`, {
      headers: { origin: server.url },
      data: { data: { title: 'By Mara herself' }, locale: 'en' },
    });
    await page.keyboard.press('f');
    const form = page.getByRole('dialog');
    await form.getByLabel('Field').selectOption({ label: 'Changed by' });
    await form.getByLabel('Condition').selectOption({ label: 'me' });
    await form.getByRole('button', { name: 'Add filter' }).click();
    const chip = page.getByRole('button', { name: 'Changed by me', exact: true });
    await chip.waitFor();
    await has(page, 1);
    await row(page, 'By Mara herself').waitFor();
    await chip.click();
    await form.getByLabel('Condition').selectOption({ label: 'someone named' });
    await form.getByLabel('Value').fill('mara');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Changed by someone named mara', exact: true }).waitFor();
    await has(page, 1);
    const { data } = (await own.json()) as { data: { documentId: string } };
    await server.app.documents(ARTICLE).delete({ documentId: data.documentId });
  });

  it('show dates and times of content exactly, in the zone and format of the reader', async () => {
    const events = server.app.documents('api::event.event');
    const starts = '2031-03-09T23:30:00.000Z';
    const { documentId } = await events.create({ data: { name: 'Regatta', starts, hour: '07:05:00' } });
    for (const [locale, timezoneId, day, hour] of [
      ['en-US', 'America/New_York', 'Mar 9, 2031, 7:30 PM', '7:05 AM'],
      ['en-GB', 'Europe/Berlin', '10 Mar 2031, 00:30', '07:05'],
      ['de', 'Europe/Berlin', '10.03.2031, 00:30', '07:05'],
    ] as const) {
      const context = await browser.newContext({ baseURL: server.url, locale, timezoneId });
      await server.admit(context);
      const page = await context.newPage();
      await page.goto('/admin/content/api::event.event?q=Regatta');
      const told = row(page, 'Regatta').getByRole('time').or(row(page, 'Regatta').locator('time'));
      await told.first().waitFor();
      const texts = (await told.allInnerTexts()).map((text) => text.replace(/\s/g, ' '));
      deepStrictEqual(texts.slice(0, 2), [day, hour]);
      await context.close();
    }
    await events.delete({ documentId: documentId as string });
  });

  it('search texts, show the matches, and name the searched fields without a match', async () => {
    const events = server.app.documents('api::event.event');
    const program = [{ type: 'paragraph', children: [{ type: 'text', text: 'At noon the smokehouse opens.' }] }];
    const made = [];
    for (const data of [
      { name: 'Market', notes: 'Bring a *smokehouse* ham.' },
      { name: 'Open day', program },
      { name: 'Smokehouse night' },
    ]) {
      made.push((await events.create({ data } as never)) as { documentId: string });
    }
    for (const look of [{}, { width: 390, theme: 'dark', language: 'de' }] as const) {
      await using visitor = await elsewhere('mara', look, 'content/api::event.event?q=smokehouse');
      const { page, context } = visitor;
      const isHeld = watchContract(context);
      await row(page, 'Market').getByText('in Notes: Bring a *smokehouse* ham.').waitFor();
      await row(page, 'Open day').getByText('in Program: At noon the smokehouse opens.').waitFor();
      strictEqual(await row(page, 'Smokehouse night').getByText('in ', { exact: false }).count(), 0);
      ok(await row(page, 'Market').locator('mark').isVisible());
      await page.goto('/admin/content/api::event.event?q=nowhere');
      const searched =
        look.width === 390 ? 'Gesucht wurde in Name, Notes und Program.' : 'Searched in Name, Notes, and Program.';
      await page.getByText(searched).waitFor();
      await isHeld();
      deepStrictEqual(visitor.complaints, []);
    }
    for (const { documentId } of made) await events.delete({ documentId });
  });

  it('keep the name of a row visible, and its line complete, if columns need more space', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await has(page, COUNT);
    for (const width of [1000, 700]) {
      await page.setViewportSize({ width, height: 500 });
      const link = row(page, 'Charts nobody drew 119').getByRole('link');
      const place = async () => (await link.boundingBox())!.x;
      const before = await place();
      const [scrolled, wide] = await grid(page).evaluate((frame) => {
        frame.scrollLeft = 1000;
        const lines = [...frame.querySelectorAll('[role=row]')].map((line) => line.getBoundingClientRect().right);
        const { right } = frame.getBoundingClientRect();
        return [frame.scrollLeft, lines.every((end) => Math.abs(end - right) < 2)] as const;
      });
      ok(scrolled > 0, `${width}: it scrolls`);
      ok(wide, `${width}: lines run to the end`);
      strictEqual(await place(), before);
      // And nothing lies above it.
      const { x, y, height } = (await link.boundingBox())!;
      const isOnTop = await link.evaluate(
        (element, [left, top]) => element.contains(document.elementFromPoint(left, top)),
        [x + 4, y + height / 2] as const,
      );
      ok(isOnTop, `${width}: the name is on top`);
      await grid(page).evaluate((frame) => frame.scrollTo(0, 0));
    }
  });

  it('delete several documents, immediately if the tab closes', async () => {
    const visitor = await inside(`content/${ARTICLE}?q=ropewalk`);
    const { page } = visitor;
    await has(page, 12);
    await row(page, 'The last ropewalk 113').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1 document' });
    await dialog.getByText('The document is on the site.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 document deleted').waitFor();
    strictEqual(await stateOf(server.articles[113]!), 'published');
    await page.close({ runBeforeUnload: true });
    await until('it is gone', async () => (await stateOf(server.articles[113]!)) === 'gone');
    await visitor[Symbol.asyncDispose]();
  });

  it('ask which versions to delete of documents in several locales', async () => {
    const visitor = await inside(`content/${ARTICLE}?locale=fr&q=105`);
    const { page } = visitor;
    const [documentId, posts] = [server.articles[105]!, server.app.documents(ARTICLE)];
    const version = (locale: string) => posts.findOne({ documentId, locale, status: 'draft' });
    await row(page, '105 (fr)').getByRole('checkbox').check();
    const remove = page.getByRole('toolbar').getByRole('button', { name: 'Delete' });
    const dialog = page.getByRole('dialog', { name: 'Delete 1 document' });
    await remove.click();
    await dialog.getByText('There are versions in other locales as well: English (en).').waitFor();
    await dialog.getByRole('button', { name: 'Delete all versions' }).waitFor();
    await dialog.getByRole('button', { name: 'Delete in French (fr) only' }).click();
    await page.getByText('The French (fr) version of 1 document deleted').waitFor();
    await page.close({ runBeforeUnload: true });
    await until('it is gone', async () => (await version('fr')) === null);
    notStrictEqual(await version('en'), null);
    await visitor[Symbol.asyncDispose]();
  });

  it('list links to documents before deleting them', async () => {
    await using visitor = await inside('content/api::author.author');
    const { page } = visitor;
    await grid(page).getByRole('checkbox').nth(1).check();
    const remove = page.getByRole('toolbar').getByRole('button', { name: 'Delete' });
    await remove.click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1 document' });
    await dialog.getByText('The document is on the site; more than 20 other documents link to it.').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'Author' }).first().waitFor();
    const isCut = await dialog.getByRole('list').evaluate((list) => {
      const { bottom } = list.getBoundingClientRect();
      const rows = [...list.children].map((row) => row.getBoundingClientRect());
      return rows.some((row) => row.top + 8 < bottom && row.bottom > bottom + 8);
    });
    ok(isCut, 'one sees that there is more than fits');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    strictEqual(await page.getByText('1 document deleted').count(), 0);
    await until('the button has the focus', () => hasFocus(remove));
    await remove.click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 document deleted').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 selected').waitFor();
    deepStrictEqual(visitor.complaints, []);
  });

  it('ask, with counts, before deleting published or linked documents, and not before others', async () => {
    const [posts, authors] = [server.app.documents(ARTICLE), server.app.documents('api::author.author')];
    const madeAs = async (documents: typeof posts, data: object, status: 'draft' | 'published') =>
      ((await documents.create({ data, status })) as { documentId: string }).documentId;
    const written = ['alpha', 'beta', 'gamma', 'delta'].map((name, n) =>
      madeAs(posts, { title: `Doomed ${name}`, slug: `doomed-${n}` }, n < 2 ? 'published' : 'draft'),
    );
    const ids = await Promise.all(written);
    const linked = [];
    for (const name of ['Doomed Ann', 'Doomed Ben', 'Doomed Cid']) {
      linked.push(await madeAs(authors, { name }, 'published'));
    }
    const citing: string[] = [];
    for (const [n, author] of [linked[0], linked[0], linked[1]].entries()) {
      citing.push(await madeAs(posts, { title: `Citing ${n}`, slug: `citing-${n}`, author }, 'draft'));
    }
    await using visitor = await inside(`content/${ARTICLE}?q=Doomed`);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await has(page, 4);
    const remove = page.getByRole('toolbar').getByRole('button', { name: 'Delete' });
    await grid(page).getByRole('checkbox').first().check();
    await remove.click();
    const dialog = page.getByRole('dialog', { name: 'Delete 4 documents' });
    await dialog.getByText('2 are on the site.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    for (const name of ['alpha', 'beta']) await row(page, name).getByRole('checkbox').uncheck();
    // Unpublished and unlinked documents are deleted without a question, but with undo.
    await remove.click();
    await page.getByText('2 documents deleted').waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();

    await page.goto('/admin/content/api::author.author?q=Doomed');
    await has(page, 3);
    await grid(page).getByRole('checkbox').first().check();
    await remove.click();
    const authorsDialog = page.getByRole('dialog', { name: 'Delete 3 documents' });
    await authorsDialog.getByText('3 are on the site, 2 are linked from 3 other documents:').waitFor();
    await authorsDialog.getByRole('button', { name: 'Cancel' }).click();
    for (const documentId of [...ids, ...citing]) await posts.delete({ documentId });
    for (const documentId of linked) await authors.delete({ documentId });
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('report for which documents an action failed, and why', async () => {
    const posts = server.app.documents(ARTICLE);
    const { documentId } = (await posts.create({ data: { slug: 'untitled' } })) as { documentId: string };
    await using visitor = await inside(`content/${ARTICLE}?cohort=draft`);
    const { page } = visitor;
    await row(page, `Untitled (${documentId.slice(-4)})`)
      .getByRole('checkbox')
      .check();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('1 document could not be published').waitFor();
    await page.getByRole('button', { name: 'Show details' }).click();
    await page.getByRole('dialog').getByText('Title: This field is required.').waitFor();
    await page.goto('/admin/');
    const untitled = page.getByRole('link', { name: `Untitled (${documentId.slice(-4)})` });
    await untitled.first().waitFor();
    strictEqual(await page.getByText(documentId).count(), 0);
    await posts.delete({ documentId });
  });

  it('report failures on the next visit if the page was closed', async () => {
    const posts = server.app.documents(ARTICLE);
    const { documentId } = (await posts.create({ data: { slug: 'untold' } })) as { documentId: string };
    const name = `Untitled (${documentId.slice(-4)})`;
    const visitor = await inside(`content/${ARTICLE}?cohort=draft`);
    await row(visitor.page, name).getByRole('checkbox').check();
    await visitor.page.getByRole('button', { name: 'Publish', exact: true }).click();
    await visitor.page.getByText('Publishing 1 document').waitFor();
    await visitor.page.close({ runBeforeUnload: true });
    const kept = () => server.app.database.rows('select id from galley_admin_refused', []);
    await until('it is refused', async () => (await kept()).length === 1);
    await using again = await inside('');
    const { page } = again;
    const text = page.getByText('1 document was left unchanged after you closed the page');
    await text.waitFor();
    // It is reported again until it was seen.
    await page.goto(`/admin/content/${ARTICLE}`);
    await text.waitFor();
    await page.getByRole('button', { name: 'Show details' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Articles: 1 document could not be published').waitFor();
    await dialog.getByText(name).waitFor();
    await dialog.getByText('Title: This field is required.').waitFor();
    await until('it is forgotten', async () => (await kept()).length === 0);
    await posts.delete({ documentId });
    deepStrictEqual(again.complaints, []);
  });

  it('do not exist for single types, whose pages show their name and actions', async () => {
    await using visitor = await elsewhere('mara', { width: 390 }, 'content/api::about.about/single');
    const { page } = visitor;
    await page.getByRole('heading', { name: 'About', exact: true }).and(page.locator('h1')).waitFor();
    strictEqual(await page.getByRole('heading', { name: 'About', exact: true, level: 1 }).isVisible(), true);
    match(await page.title(), /^About/);
    strictEqual(await page.getByText('Untitled').count(), 0);
    await page.getByRole('textbox', { name: 'Title' }).fill('Who writes here');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = page.getByRole('button', { name: 'Up to date' });
    await saved.waitFor();
    await until('whoever saves is still there', () => hasFocus(saved));
    await page.getByRole('button', { name: 'More', exact: true }).click();
    // Separators stand between two items.
    deepStrictEqual(await page.getByRole('menu').locator('> *').allInnerTexts(), ['History', '', 'Delete']);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'About', exact: true, level: 1 }).waitFor();
    deepStrictEqual(visitor.complaints, []);
  });

  it('offer only permitted actions', async () => {
    await using visitor = await elsewhere('aino');
    const { page } = visitor;
    await page.getByText('Nothing in Articles yet').waitFor();
  });

  it('have two lines per row on a phone, and are reachable from the palette and the home page', async () => {
    await using visitor = await elsewhere('mara', { width: 390 });
    const { page } = visitor;
    const box = (await row(page, 'Charts nobody drew 119').boundingBox())!;
    ok(box.height > 45 && box.height < 70, String(box.height));
    const { scrollWidth, clientWidth } = await page.locator('#page').evaluate(({ scrollWidth, clientWidth }) => ({
      scrollWidth,
      clientWidth,
    }));
    strictEqual(scrollWidth, clientWidth);
    // Rows with an unknown height keep their position.
    const seventieth = grid(page).locator('[data-index="69"]');
    await until('it is in sight', async () => {
      if (await isInSight(page, 69)) return true;
      await grid(page).evaluate((list) => list.scrollBy({ top: 200 }));
      return false;
    });
    await seventieth.getByRole('link').waitFor();
    const y = await settled('its place', async () => (await seventieth.boundingBox())!.y);
    await seventieth.tap();
    await isOpen(page);
    await page.reload();
    await page.goBack();
    await until('it stands where it stood', async () => {
      return (await seventieth.count()) === 1 && Math.abs((await seventieth.boundingBox())!.y - y) <= 1;
    });
    await page.getByRole('button', { name: 'Search or go to…' }).tap();
    await page.getByRole('dialog').getByRole('combobox').fill('lock 118');
    await page.getByRole('option', { name: /Night watch at the lock 118/ }).waitFor();
    await page.getByRole('dialog').getByRole('combobox').fill('115 (fr');
    await page.getByRole('option', { name: /master 115 \(fr\).*Articles · French/ }).waitFor();
    await page.goto('/admin/');
    const changed = page.getByRole('region', { name: 'Recent changes' });
    await changed.getByRole('link', { name: /Charts nobody drew 119/ }).waitFor();
    await page.getByRole('img', { name: /documents last changed/ }).waitFor();
    deepStrictEqual(visitor.complaints, []);
  });
});
