/** All pages in both themes, checked by axe for WCAG 2.2 AA, and on the narrowest screen. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type axe from 'axe-core';
import type { Browser, Cookie, Page } from 'playwright-core';
import { type Administration, makeFirstAdministrator, serveAdministration } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { LIST_SCENES } from '../support/browser/list-scenes.ts';
import { firstScene, SCENES, type Scene } from '../support/browser/scenes.ts';
import { serveWritten, type Written } from '../support/browser/written.ts';
import { engines } from '../support/databases/databases.ts';
import { reflowFindings } from './reflow.ts';

const AXE = readFileSync(path.join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Colours depend on the theme and layout on the width, so these two looks cover both. */
const LOOKS = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 390 },
] as const;
type Look = (typeof LOOKS)[number];

/** Scenes that are sufficiently covered by others. */
const ALIKE: ReadonlySet<string> = new Set(['list', 'list-none', 'palette-documents']);
/** More than fit on a screen. */
const ARTICLES = 30;

describe('the pages of the administration app', () => {
  let browser: Browser;
  let server: Administration;
  let written: Written;
  let cookies: Cookie[];
  before(async () => {
    browser = await openBrowser();
    [server, written] = await Promise.all([serveAdministration(engines[0]!), serveWritten(engines[0]!, ARTICLES)]);
  });
  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
    await written.stop();
  });

  it('are accessible where the first administrator is created', async () => {
    const scene = firstScene(server.firstAddress);
    for (const look of LOOKS) {
      await using visitor = await visit(browser, server.url, look);
      await visitor.page.goto(`/admin/${scene.path}`);
      deepStrictEqual([...(await findingsOf(visitor.page, scene, look)), ...visitor.complaints], []);
    }
    await using visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
    cookies = await visitor.context.cookies(`${server.url}/admin/`);
  });

  for (const look of LOOKS) {
    const { theme, width } = look;
    it(`are accessible in the ${theme} theme, ${width} wide`, async () => {
      const findings: string[] = [];
      await using visitor = await visit(browser, server.url, look);
      const { page, context } = visitor;
      const scenes = SCENES.filter(({ phoneOnly }) => !phoneOnly || width === 390);
      for (const scene of scenes) {
        if (!scene.outside) await context.addCookies(cookies);
        await open(page, `${server.url}/admin/`, scene);
        findings.push(...(await findingsOf(page, scene, look)));
      }
      deepStrictEqual([...findings, ...visitor.complaints], []);
    });

    it(`are accessible with content in the ${theme} theme, ${width} wide`, async () => {
      const findings: string[] = [];
      await using visitor = await visit(browser, written.url, look);
      const { page, context } = visitor;
      await written.admit(context);
      const scenes = LIST_SCENES.filter(({ name }) => !ALIKE.has(name) || width === 390);
      for (const scene of scenes) {
        await open(page, `${written.url}/admin/`, scene);
        findings.push(...(await findingsOf(page, scene, look)));
      }
      deepStrictEqual([...findings, ...visitor.complaints], []);
    });
  }
});

/** Loads the page of a scene, or closes the layer of the scene before where that is enough. */
async function open(page: Page, app: string, { path, outside, follows }: Scene): Promise<void> {
  if (follows) {
    await page.keyboard.press('Escape');
    return;
  }
  await page.goto('about:blank');
  await page.goto(app + path);
  if (!outside) await page.locator('#page h1').waitFor();
}

/** The findings of a scene; on a phone also on the narrowest screen. */
async function findingsOf(page: Page, { name, show, within }: Scene, { width }: Look): Promise<readonly string[]> {
  const isPhone = width === 390;
  await show(page, isPhone);
  const findings = ALIKE.has(name) ? [] : [...(await axeFindings(page, within))];
  if (isPhone) findings.push(...(await reflowFindings(page)));
  return findings.map((finding) => `${name}: ${finding}`);
}

async function axeFindings(page: Page, within: string | undefined): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const { findings, passed } = await page.evaluate(
    async ({ rules, part }) => {
      // A click may have scrolled the page so that its edge cuts a button in two.
      document.getElementById('page')?.scrollTo(0, 0);
      const { violations, passes } = await (window as unknown as { axe: typeof axe }).axe.run(
        part === '' ? document : part,
        // Layers above the page belong to no region.
        {
          runOnly: rules,
          rules: { region: { enabled: part === '' } },
          resultTypes: ['violations'],
          // The preview shows another site.
          iframes: false,
          selectors: false,
        },
      );
      // Only details of findings are returned, because transferring everything takes longer than the check.
      const findings = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      );
      return { findings, passed: passes.length };
    },
    { rules: RULES, part: within ?? '' },
  );
  ok(passed > 0);
  return findings;
}
