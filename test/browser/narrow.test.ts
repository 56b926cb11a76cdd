/** Every page on the narrowest screen that there is: nothing is wider than it, and no control's words are cut. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Administration, makeFirstAdministrator, serveAdministration } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { LIST_SCENES } from '../support/browser/list-scenes.ts';
import { firstScene, SCENES, type Scene } from '../support/browser/scenes.ts';
import { serveWritten, type Written } from '../support/browser/written.ts';
import { engines } from '../support/databases/databases.ts';
import { until } from '../support/wait.ts';

/** More than a screen has. */
const ARTICLES = 30;
/** Words are of different lengths in them. */
const LANGUAGES = ['en', 'de'] as const;

describe('a page that is 320 pixels wide', () => {
  let browser: Browser;
  let server: Administration;
  let written: Written;
  before(async () => {
    browser = await openBrowser();
    [server, written] = await Promise.all([serveAdministration(engines[0]!), serveWritten(engines[0]!, ARTICLES)]);
  });
  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
    await written.stop();
  });

  it('shows all of itself without being scrolled sideways', async () => {
    deepStrictEqual(await findingsOf(server.url, [firstScene(server.firstAddress)], async () => {}), []);
    await using first = await visit(browser, server.url);
    await makeFirstAdministrator(first.page, server);
    const cookies = await first.context.cookies(`${server.url}/admin/`);
    deepStrictEqual(await findingsOf(server.url, SCENES, (context) => context.addCookies(cookies)), []);
  });

  it('does so with content', async () => {
    deepStrictEqual(await findingsOf(written.url, LIST_SCENES, (context) => written.admit(context)), []);
  });

  async function findingsOf(
    url: string,
    scenes: readonly Scene[],
    admit: (context: BrowserContext) => Promise<void>,
  ): Promise<readonly string[]> {
    const findings: string[] = [];
    await using visitor = await visit(browser, url, { width: 320 });
    const { page, context } = visitor;
    for (const { name, path, show, outside } of scenes) {
      if (!outside) await admit(context);
      await page.goto('about:blank');
      await page.goto(`${url}/admin/${path}`);
      if (!outside) await page.locator('#page h1').waitFor();
      await show(page, true);
      for (const language of LANGUAGES) {
        await speak(page, language);
        findings.push(...(await tooWide(page)).map((finding) => `${name} (${language}): ${finding}`));
      }
      await speak(page, 'en');
    }
    return [...findings, ...visitor.complaints];
  }
});

/** Has the page say everything in another language, as another tab would by choosing it. */
async function speak(page: Page, language: string): Promise<void> {
  await page.evaluate((chosen) => {
    const key = 'galley-admin.language';
    localStorage.setItem(key, chosen);
    dispatchEvent(new StorageEvent('storage', { key, newValue: chosen }));
  }, language);
  await until(`it speaks ${language}`, () =>
    page.evaluate((wanted) => document.documentElement.lang === wanted, language),
  );
}

/** What is wider than its place. Names that somebody has given to content may be shortened, with dots that say so. */
async function tooWide(page: Page): Promise<readonly string[]> {
  const { findings, seen } = await page.evaluate(() => {
    const { clientWidth } = document.documentElement;
    const elements = [...document.querySelectorAll<HTMLElement>('body, body *')].filter(
      (element) => element.getClientRects().length > 0 && !element.closest('svg'),
    );
    const named = (element: HTMLElement): string =>
      `${element.tagName.toLowerCase()} “${element.textContent.trim().slice(0, 40)}”`;
    const findings = elements.flatMap((element) => {
      const { overflowX, textOverflow, font, paddingLeft, paddingRight } = getComputedStyle(element);
      const { left, right, width } = element.getBoundingClientRect();
      const has = element.clientWidth;
      const isWider = has > 1 && element.scrollWidth > has + 1;
      if (isWider && /auto|scroll/.test(overflowX))
        return `${named(element)} scrolls: ${element.scrollWidth} in ${has}`;
      if (width > 1 && (left < -1 || right > clientWidth + 1))
        return `${named(element)} reaches from ${left} to ${right}`;
      if (
        isWider &&
        element.matches('button, [role=tab], [role=menuitem], label, h1, h2') &&
        textOverflow !== 'ellipsis'
      ) {
        return `${named(element)} is cut: ${element.scrollWidth} in ${has}`;
      }
      if (element instanceof HTMLSelectElement) {
        const paint = document.createElement('canvas').getContext('2d')!;
        paint.font = font;
        const needs = paint.measureText(element.selectedOptions[0]?.text ?? '').width;
        const inside = has - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        if (needs > inside + 1) return `${named(element)} is cut: ${needs} in ${inside}`;
      }
      return [];
    });
    return { findings, seen: elements.length };
  });
  ok(seen > 5, 'there is something to be seen');
  return findings;
}
