/** Unsaved changes survive closed tabs, ended sessions and a crash of the browser. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { PASSWORD } from '../support/accounts/administrators.ts';
import { signIn } from '../support/browser/administration.ts';
import { openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { ARTICLE, idOf, NEW, saved, summary, title } from '../support/browser/document-page.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { engines } from '../support/databases/databases.ts';
import { until } from '../support/wait.ts';

const OFFLINE = 'Offline: saved on this device';

describe('unsaved changes', () => {
  let browser: Browser;
  let room: Newsroom;
  before(async () => {
    browser = await openBrowser();
    room = await openNewsroom(engines[0]!, browser);
  });
  after(async () => {
    await room?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const write = async (data: object): Promise<string> =>
    (await room.ask('mara', 'POST', `${ARTICLE}?locale=en`, { data })).body.data.documentId;
  const stored = async (documentId: string) =>
    (await room.ask('mara', 'GET', `${ARTICLE}/${documentId}?locale=en`)).body.data.draft;
  const open = async ({ context }: Visit, path: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(path.startsWith('/') ? path : `/admin/${path}`);
    await title(page).waitFor();
    return page;
  };
  const kept = (page: Page): Promise<string[]> =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('unsaved')));
  /** Blocks all writes, as if there were no connection. Returns a function that ends this. */
  const cutOff = async ({ context }: Visit): Promise<() => Promise<void>> => {
    const hold = (route: Route) =>
      route.request().method() === 'GET' ? route.fallback() : route.abort('internetdisconnected');
    await context.route('**/admin/api/content/**', hold);
    return () => context.unroute('**/admin/api/content/**', hold);
  };
  const close = async (page: Page): Promise<void> => {
    // Requests that outlive a closing tab would arrive.
    await page.goto('about:blank');
    await page.close();
  };
  const bringBack = (page: Page) => page.getByRole('button', { name: 'Restore' });
  const signOut = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'mara', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };

  it('are stored for each of several new documents, which can be resumed', async () => {
    await using visitor = await room.visit('mara');
    const connect = await cutOff(visitor);
    const pages = [await open(visitor, NEW), await open(visitor, NEW)];
    for (const [index, page] of pages.entries()) {
      await title(page).fill(`Begun ${index}`);
      await page.getByText(OFFLINE).waitFor();
    }
    for (const page of pages) await close(page);
    await connect();
    const titles: string[] = [];
    for (const expected of ['Begun 0', 'Begun 1']) {
      const page = await open(visitor, NEW);
      await bringBack(page).click();
      strictEqual(await title(page).inputValue(), expected);
      await page.waitForURL((url) => !url.pathname.endsWith('/new'));
      await saved(page);
      // The other changes do not belong to this document.
      strictEqual(await bringBack(page).count(), 0);
      titles.push((await stored(idOf(page))).title);
      await page.close();
    }
    deepStrictEqual(titles, ['Begun 0', 'Begun 1']);
    const page = await open(visitor, NEW);
    deepStrictEqual([await bringBack(page).count(), await kept(page)], [0, []]);
  });

  it('are stored for each page in which a document was edited', async () => {
    const id = await write({ title: 'Fog' });
    await using visitor = await room.visit('mara');
    const connect = await cutOff(visitor);
    const first = await open(visitor, `${ARTICLE}/${id}`);
    const second = await open(visitor, `${ARTICLE}/${id}`);
    const third = await open(visitor, `${ARTICLE}/${id}`);
    await title(first).fill('Fog and rain');
    await summary(second).fill('With a lamp');
    await summary(third).fill('With two lamps');
    for (const page of [first, second, third]) {
      await page.getByText(OFFLINE).waitFor();
      await close(page);
    }
    await connect();
    const page = await open(visitor, `${ARTICLE}/${id}`);
    await bringBack(page).click();
    await until('it is saved', async () => (await stored(id)).summary === 'With a lamp');
    strictEqual((await stored(id)).title, 'Fog and rain');
    // Current changes are saved first. If both have changed the same field, the user chooses.
    await summary(page).fill('With a lantern');
    await bringBack(page).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('With two lamps').waitFor();
    await dialog.getByText('With a lantern').waitFor();
    strictEqual((await stored(id)).summary, 'With a lantern');
  });

  it('are restored in their latest state if another tab continues them', async () => {
    const id = await write({ title: 'Spring' });
    await using visitor = await room.visit('mara');
    const connect = await cutOff(visitor);
    const first = await open(visitor, `${ARTICLE}/${id}`);
    await title(first).fill('Spring tide');
    await first.getByText(OFFLINE).waitFor();
    const second = await open(visitor, `${ARTICLE}/${id}`);
    await bringBack(second).waitFor();
    await title(first).fill('Spring tides');
    await until('it is kept', async () =>
      (await second.evaluate(() => JSON.stringify(localStorage))).includes('Spring tides'),
    );
    await close(first);
    await connect();
    await bringBack(second).click();
    await until('it is saved', async () => (await stored(id)).title === 'Spring tides');
  });

  it('survive a browser that ends before it writes its storage to disk', async () => {
    const id = await write({ title: 'Slack' });
    await using visitor = await room.visit('mara');
    await cutOff(visitor);
    const page = await open(visitor, `${ARTICLE}/${id}`);
    await title(page).fill('Slack water');
    await page.getByText(OFFLINE).waitFor();
    await close(page);
    const bare = await visitor.context.newPage();
    await bare.goto('/admin/api/presence');
    await bare.evaluate(() => localStorage.clear());
    await bare.close();
    const again = await open(visitor, `${ARTICLE}/${id}`);
    await bringBack(again).click();
    strictEqual(await title(again).inputValue(), 'Slack water');
  });

  it('are saved before signing out, in every tab', async () => {
    const [here, there] = [await write({ title: 'Ebb' }), await write({ title: 'Flow' })];
    await using visitor = await room.visit('mara');
    const page = await open(visitor, `${ARTICLE}/${here}`);
    const other = await open(visitor, `${ARTICLE}/${there}`);
    await page.evaluate(() => localStorage.setItem('galley/admin/unsaved [999,"a","b",null,"c"]', '{"at":1e15}'));
    await title(page).fill('Ebb tide');
    await title(other).fill('Flood tide');
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    deepStrictEqual([(await stored(here)).title, (await stored(there)).title], ['Ebb tide', 'Flood tide']);
    deepStrictEqual(
      await kept(page),
      ['galley/admin/unsaved [999,"a","b",null,"c"]'],
      'what others have not saved stays',
    );
  });

  it('are not saved by another user who signs in in another tab', async () => {
    const id = await write({ title: 'Ebb' });
    await using visitor = await visit(browser, room.server.url);
    const forms = [await visitor.context.newPage(), await visitor.context.newPage()] as const;
    for (const form of forms) {
      await form.goto('/admin/sign-in');
      await form.getByRole('button', { name: 'Sign in' }).waitFor();
    }
    await signIn(forms[0], PASSWORD, 'mara@example.com');
    await forms[0].getByRole('heading', { name: 'Good to see you, mara' }).waitFor();
    const page = await open(visitor, `${ARTICLE}/${id}`);
    await until('it is there', async () => (await title(page).inputValue()) === 'Ebb');
    const reconnect = await cutOff(visitor);
    await title(page).fill('Ebb of Mara');
    await page.getByText(OFFLINE).waitFor();
    await signIn(forms[1], PASSWORD, 'eve@example.com');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await reconnect();
    deepStrictEqual([(await kept(page)).length, (await stored(id)).title], [1, 'Ebb']);
    await signIn(page, PASSWORD, 'mara@example.com');
    await bringBack(page).click();
    strictEqual(await title(page).inputValue(), 'Ebb of Mara');
  });

  it('are discarded at sign-out only after confirmation if they cannot be saved', async () => {
    const id = await write({ title: 'Neap' });
    await using visitor = await room.visit('mara');
    const page = await open(visitor, `${ARTICLE}/${id}`);
    await title(page).fill('x'.repeat(256));
    await signOut(page);
    const notice = page.getByRole('status').filter({ hasText: 'Changes in 1 document could not be saved' });
    await notice.waitFor();
    deepStrictEqual([(await kept(page)).length, await title(page).inputValue()], [1, 'x'.repeat(256)]);
    await notice.getByRole('button', { name: 'Sign out anyway' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    deepStrictEqual([await kept(page), (await stored(id)).title], [[], 'Neap']);
  });
});
