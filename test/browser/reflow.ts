/** Content that does not fit the narrowest screen: WCAG 2.2, 1.4.10 (Reflow), in every language. */
import { ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { until } from '../support/wait.ts';

/** In pixels. */
const NARROWEST = 320;
/** Their words have different lengths. */
const LANGUAGES = ['en', 'de'] as const;

/** Elements that are wider than a page of 320 pixels, and cut labels of controls. The page is restored afterwards. */
export async function reflowFindings(page: Page): Promise<readonly string[]> {
  const size = page.viewportSize()!;
  await page.setViewportSize({ ...size, width: NARROWEST });
  const findings: string[] = [];
  for (const language of LANGUAGES) {
    await speak(page, language);
    // Layers above a page are positioned in the next frame.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    findings.push(...(await tooWide(page)).map((finding) => `${language}: ${finding}`));
  }
  await speak(page, 'en');
  await page.setViewportSize(size);
  return findings;
}

/** Changes the language of the page, as another tab would. */
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

/** Elements that are wider than their container. Names of content may be shortened with an ellipsis. */
async function tooWide(page: Page): Promise<readonly string[]> {
  const { findings, seen } = await page.evaluate(() => {
    const { clientWidth } = document.documentElement;
    const elements = [...document.querySelectorAll<HTMLElement>('body, body *')].filter(
      // WCAG excepts "toolbars in view while manipulating content": those of a text are a single row that scrolls
      (element) => element.getClientRects().length > 0 && !element.closest('svg, [role="toolbar"]'),
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
