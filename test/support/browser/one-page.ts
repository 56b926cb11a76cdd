/** One page for all tests of a suite, which is opened again for each test. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { engines } from '../databases/databases.ts';
import { type Administration, makeFirstAdministrator, serveAdministration } from './administration.ts';
import { openBrowser, type Visit, visit } from './browser.ts';

/**
 * Opens a page before each test of the suite, and checks for complaints after it.
 *
 * @param place the path below `/admin/`.
 * @param isThere returns the element to wait for.
 * @returns a function that returns the page.
 */
export function onePage(place: string, isThere: (page: Page) => Locator): () => Page {
  let browser: Browser;
  let server: Administration;
  let visitor: Visit;
  before(async () => {
    browser = await openBrowser();
    server = await serveAdministration(engines[0]!);
    visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
  });
  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await visitor.page.goto(`/admin/${place}`);
    await isThere(visitor.page).waitFor();
  });
  afterEach(() => deepStrictEqual(visitor.complaints, []));
  return () => visitor.page;
}

/** Whether an element has the focus. */
export async function hasFocus(locator: Locator): Promise<boolean> {
  return (await locator.and(locator.page().locator(':focus')).count()) === 1;
}
