/** The frame of the app: shortcuts, palette, languages, themes, phones, and a missing server. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Cookie, Page } from 'playwright-core';
import {
  type Administration,
  makeFirstAdministrator,
  serveAdministration,
  signIn,
} from '../support/browser/administration.ts';
import { type Look, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { engines } from '../support/databases/databases.ts';
import { until } from '../support/wait.ts';
import { keptKeys } from './kept.ts';

describe('the frame of the administration app', () => {
  let browser: Browser;
  let server: Administration;
  let cookies: Cookie[];
  before(async () => {
    browser = await openBrowser();
    server = await serveAdministration(engines[0]!);
    await using visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
    cookies = await visitor.context.cookies(`${server.url}/admin/`);
  });
  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  /** A signed-in visitor on a page. */
  async function inside(path = '/admin/', look: Look = {}): Promise<Visit> {
    const visitor = await visit(browser, server.url, look);
    await visitor.context.addCookies(cookies);
    await visitor.page.goto(path);
    await visitor.page.locator('#page h1').waitFor();
    return visitor;
  }
  /** A visitor with a session of their own, which a test may end. */
  async function insideAnew(): Promise<Visit> {
    const visitor = await visit(browser, server.url);
    await visitor.page.goto('/admin/');
    await signIn(visitor.page);
    await visitor.page.locator('#page h1').waitFor();
    return visitor;
  }
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

  it('opens the requested page after signing in, and never another site', async () => {
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    await page.goto('/admin/account');
    await heading(page, 'Sign in');
    await signIn(page);
    await heading(page, 'Account');
    await visitor.context.clearCookies();
    await page.goto('/admin/sign-in?to=//example.org/');
    await signIn(page);
    await heading(page, /^Good to see you/);
    strictEqual(new URL(page.url()).origin, server.url);
    deepStrictEqual(visitor.complaints, []);
  });

  it('is accompanied by an API page that shows the permissions of a token without leaking it', async () => {
    const body = JSON.stringify({ username: 'reader', email: 'reader@example.org', password: 'Harbour1909' });
    const headers = { 'content-type': 'application/json' };
    const registered = await fetch(`${server.url}/api/auth/local/register`, { method: 'POST', headers, body });
    const { jwt } = (await registered.json()) as { readonly jwt: string };
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    await page.goto('/api/docs');
    const own = page.getByText('/api/users/me');
    const field = page.getByLabel('API token, or token of an account');
    await field.fill(`Bearer ${jwt}`);
    strictEqual(await own.count(), 0);
    await page.getByRole('button', { name: 'Show its requests' }).click();
    await own.first().waitFor();
    await page.getByText('These are the requests that the token permits.').waitFor();
    const kept = () => page.evaluate('JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }])');
    ok(!String(await kept()).includes(jwt));
    await field.fill('none');
    await page.getByRole('button', { name: 'Show its requests' }).click();
    await page.getByText(/^401: /).waitFor();
    await page.getByRole('button', { name: 'Show requests without a token' }).click();
    await own.first().waitFor({ state: 'detached' });
    strictEqual(await field.inputValue(), '');
    deepStrictEqual(visitor.complaints, []);
  });

  it('opens pages from the palette, which returns the focus when it closes', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    const find = page.getByRole('button', { name: /^Search or go to/ });
    await find.focus();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or run a command' });
    await field.waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await until('the focus is back', () => find.evaluate((element) => element === element.ownerDocument.activeElement));

    await page.keyboard.press('Control+k');
    await field.fill('âcc');
    strictEqual(
      await page
        .getByRole('option', { selected: true })
        .innerText()
        .then((text) => text.split('\n')[0]),
      'Account',
    );
    await page.keyboard.press('Enter');
    await heading(page, 'Account');
    await page.keyboard.press('Control+k');
    await field.fill('nothing of the kind');
    await page.getByText('No results for “nothing of the kind”').waitFor();
    deepStrictEqual(visitor.complaints, []);
  });

  it('keeps text that is typed before the palette appears, and does not treat it as shortcuts', async () => {
    await using visitor = await inside('/admin/content/api::article.article');
    const { page } = visitor;
    await page.getByRole('heading', { name: 'Articles', exact: true }).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/palette-[\w-]+\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ac');
    held.resolve();
    const field = page.getByRole('combobox', { name: 'Search or run a command' });
    await field.waitFor();
    await until('it is written there', async () => (await field.inputValue()) === 'ac');
    await page.keyboard.type('count');
    strictEqual(await field.inputValue(), 'account');
    await page.keyboard.press('Enter');
    await heading(page, 'Account');
  });

  it('has shortcuts, which are inactive in fields and can be turned off', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Account').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await heading(page, 'Account');
    await page.getByLabel('Username').focus();
    await page.keyboard.type('gh?');
    strictEqual(await page.getByLabel('Username').inputValue(), 'gh?');
    await heading(page, 'Account');
    strictEqual(await page.getByRole('dialog').count(), 0);

    await page.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck();
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or run a command' }).waitFor();
    strictEqual(await page.getByRole('dialog').count(), 1);
  });

  it('closes menus at once if the system prefers reduced motion', async () => {
    await using visitor = await inside();
    const { page } = visitor;
    const button = page.getByRole('button', { name: 'Mara Kovač', exact: true });
    for (let time = 0; time < 6; time++) {
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    }
  });

  it('keeps the selected theme, and shows no other one while it loads', async () => {
    await using visitor = await inside('/admin/account');
    const { page } = visitor;
    const desk = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await desk();
    await page.getByLabel('Theme').selectOption('dark');
    await until('the desk is dark', async () => (await desk()) !== light);
    const dark = await desk();
    await page.addInitScript(() => {
      const seen: string[] = [];
      const look = (): void => {
        if (document.body) seen.push(getComputedStyle(document.body).backgroundColor);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
      Object.assign(window, { seen });
    });
    await page.reload();
    await heading(page, 'Account');
    deepStrictEqual([...new Set(await page.evaluate(() => (window as unknown as { seen: string[] }).seen))], [dark]);
  });

  it('uses the language of the account on every device', async () => {
    {
      await using visitor = await inside('/admin/account');
      const { page } = visitor;
      const saved = page.waitForResponse((response) => response.url().endsWith('/api/me'));
      await page.getByLabel('Language').selectOption('de');
      await heading(page, 'Konto');
      strictEqual(await page.locator('html').getAttribute('lang'), 'de');
      strictEqual((await saved).status(), 200);
    }
    await using other = await inside('/admin/account');
    await heading(other.page, 'Konto');
    const saved = other.page.waitForResponse((response) => response.url().endsWith('/api/me'));
    await other.page.getByLabel('Sprache').selectOption('en');
    await heading(other.page, 'Account');
    await saved;
    deepStrictEqual(other.complaints, []);
  });

  it('uses the language of the browser before sign-in', async () => {
    await using visitor = await visit(browser, server.url, { language: 'de-AT' });
    await visitor.page.goto('/admin');
    await heading(visitor.page, 'Anmelden');
  });

  it('is mirrored for right-to-left languages', async () => {
    await using visitor = await inside('/admin/account', { settings: { direction: 'rtl' } });
    const { page } = visitor;
    strictEqual(await page.locator('html').getAttribute('dir'), 'rtl');
    const rail = (await page.getByRole('navigation', { name: 'Main navigation' }).boundingBox())!;
    const main = (await page.getByRole('main').boundingBox())!;
    ok(rail.x > main.x, 'the rail is at the right');
    strictEqual(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  });

  it('opens the navigation from the bottom on a phone, and fits the screen', async () => {
    await using visitor = await inside('/admin/account', { width: 390 });
    const { page } = visitor;
    strictEqual(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    await page.getByRole('button', { name: 'Open the menu' }).tap();
    await page.getByRole('dialog').getByRole('link', { name: 'Home' }).tap();
    await heading(page, /^Good to see you/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    deepStrictEqual(visitor.complaints, []);
  });

  it('shows stored data before the server answers, and deletes it at sign-out', async () => {
    await using visitor = await insideAnew();
    const { page } = visitor;
    const kept = async () => (await keptKeys(page)).length;
    await until('the session is kept', async () => (await kept()) > 0);
    const held = Promise.withResolvers<void>();
    await page.route('**/admin/api/**', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.reload();
    await heading(page, 'Good to see you, Mara');
    held.resolve();
    await page.unrouteAll({ behavior: 'wait' });

    await page.getByRole('button', { name: 'Mara Kovač', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    strictEqual(await kept(), 0);
    deepStrictEqual(visitor.complaints, []);
  });

  it('notices at once that the session has ended between two visits', async () => {
    await using visitor = await inside();
    const { page, context } = visitor;
    await context.clearCookies();
    await page.goto('/admin/account');
    await page.getByText('Sign in to continue where you left off.').waitFor();
    deepStrictEqual(visitor.complaints, []);
  });

  it('signs out all tabs of the browser', async () => {
    await using visitor = await insideAnew();
    const other = await visitor.context.newPage();
    await other.goto('/admin/account');
    await heading(other, 'Account');
    await visitor.page.getByRole('button', { name: 'Mara Kovač', exact: true }).click();
    await visitor.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(other, 'Sign in');
  });

  it('shows a notice while there is no connection', async () => {
    await using visitor = await inside();
    const { page, context } = visitor;
    await context.setOffline(true);
    await page.getByText('You are offline. This page shows the data that was loaded last.').waitFor();
    await heading(page, 'Good to see you, Mara');
    await context.setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
  });

  it('reports that the server does not respond, and continues once it does', async () => {
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    await page.route('**/admin/api/**', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
    await page.goto('/admin/account');
    await heading(page, 'The server is not responding');
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Sign in');
  });

  it('reports an unknown address, and keeps the navigation visible', async () => {
    await using visitor = await inside('/admin/nothing/of/the/kind');
    const { page } = visitor;
    await heading(page, 'Not found');
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await heading(page, /^Good to see you/);
    deepStrictEqual(visitor.complaints, []);
  });
});
