/** Long texts: toolbars within reach, growing fields, and undo in words. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { ARTICLE } from '../support/browser/document-page.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { onePage } from '../support/browser/one-page.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType } from '../support/servers/project.ts';
import { until } from '../support/wait.ts';

const LINE = 'The tide comes in and goes out. ';
const contentTypes = {
  article: contentType(
    'article',
    {
      title: { type: 'string' },
      summary: { type: 'text' },
      notes: { type: 'richtext' },
      body: { type: 'blocks' },
    },
    { options: { draftAndPublish: true }, info: { displayName: 'Article' } },
  ),
};
const paragraphs = Array.from({ length: 40 }, (_, index) => `${index}. ${LINE.repeat(8)}`);
const LONG = {
  title: 'Tides',
  summary: paragraphs.slice(0, 15).join('\n'),
  notes: paragraphs.join('\n\n'),
  body: paragraphs.map((words) => ({ type: 'paragraph', children: [{ type: 'text', text: words }] })),
};

describe('a long text', () => {
  let browser: Browser;
  let room: Newsroom;
  let place: string;
  before(async () => {
    browser = await openBrowser();
    room = await openNewsroom(engines[0]!, browser, { contentTypes, components: {} });
    const { body } = await room.ask('mara', 'POST', ARTICLE, { data: LONG });
    place = `/admin/${ARTICLE}/${body.data.documentId}`;
  });
  after(async () => {
    await browser.close();
    await room[Symbol.asyncDispose]();
  });

  /** The positions of the focused text's toolbar and caret. */
  const seen = (page: Page) =>
    page.evaluate(() => {
      const tools = document.activeElement!.closest('[role="group"]')!.querySelector('[role="toolbar"]')!;
      const bold = tools.querySelector('[aria-label="Bold"]')!.getBoundingClientRect();
      const [x, y] = [bold.left + bold.width / 2, bold.top + bold.height / 2];
      const range = getSelection()!.getRangeAt(0);
      const element =
        range.startContainer instanceof Element ? range.startContainer : range.startContainer.parentElement!;
      const caret = range.getClientRects()[0] ?? element.getBoundingClientRect();
      const [left, middle] = [caret.left, (caret.top + caret.bottom) / 2];
      return {
        isBoldReached: document.elementFromPoint(x, y)?.closest('[aria-label="Bold"]') != null,
        isCaretSeen:
          document.elementFromPoint(left + 1, middle)?.closest('[role="textbox"]') === document.activeElement,
      };
    });
  /** An editor scrolls in the next frame. */
  const inSight = async (page: Page): Promise<void> => {
    await until('the caret is in sight', async () => (await seen(page)).isCaretSeen);
    deepStrictEqual(await seen(page), { isBoldReached: true, isCaretSeen: true });
  };

  for (const width of [1440, 390] as const) {
    for (const name of ['notes', 'body']) {
      it(`keeps its toolbar within reach everywhere (${name}, ${width} px)`, async () => {
        await using visitor = await room.visit('mara', { width });
        const { page } = visitor;
        await page.goto(place);
        const text = page.getByRole('textbox', { name });
        await text.click({ position: { x: 40, y: 20 } });
        await page.keyboard.press('Control+End');
        await page.keyboard.type('High');
        await inSight(page);
        for (let line = 0; line < 45; line += 1) await page.keyboard.press('ArrowUp');
        await inSight(page);
        await page.locator('#page').evaluate((scroller) => scroller.scrollBy(0, -200));
        strictEqual((await seen(page)).isBoldReached, true);
        deepStrictEqual(visitor.complaints, []);
      });
    }

    it(`is shown completely, and does not move during typing (${width} px)`, async () => {
      await using visitor = await room.visit('mara', { width });
      const { page } = visitor;
      await page.goto(place);
      for (const name of ['summary', 'notes', 'body']) {
        const text = page.getByRole('textbox', { name });
        await text.waitFor();
        const cut = (element: Element): boolean => {
          for (let part: Element | null = element; part && part.id !== 'page'; part = part.parentElement) {
            if (part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY !== 'visible')
              return true;
          }
          return false;
        };
        strictEqual(await text.evaluate(cut), false, name);
      }
      const summary = page.getByRole('textbox', { name: 'summary' });
      await summary.focus();
      await page.keyboard.press('Control+End');
      const top = () => page.locator('#page').evaluate((scroller) => scroller.scrollTop);
      await page.keyboard.type('a');
      const before = await top();
      await page.keyboard.type('bc');
      strictEqual(await top(), before);
      const height = (await summary.boundingBox())!.height;
      for (let line = 0; line < 4; line += 1) await page.keyboard.press('Enter');
      await page.keyboard.type('more');
      ok((await summary.boundingBox())!.height > height + 40);
      // The caret stays above the bar of the page.
      const box = (await summary.boundingBox())!;
      const bar = await page.evaluate(() =>
        Number.parseFloat(getComputedStyle(document.querySelector('#page')!).getPropertyValue('--covered-bottom')),
      );
      ok(box.y + box.height - 10 <= page.viewportSize()!.height - bar);
    });
  }

  it('stays below the head and above an on-screen keyboard that covers the page', async () => {
    await using visitor = await room.visit('mara', { width: 390 });
    const { page } = visitor;
    await page.goto(place);
    await page.getByRole('textbox', { name: 'body' }).click();
    await page.keyboard.press('Control+End');
    // The events of Safari.
    await page.evaluate(() => {
      Object.defineProperty(visualViewport, 'height', { value: 500, configurable: true });
      visualViewport!.dispatchEvent(new Event('resize'));
    });
    strictEqual(await page.evaluate(() => document.querySelector('#page')!.getBoundingClientRect().bottom), 500);
    await page.keyboard.type('High');
    await inSight(page);
    await page.evaluate(() => {
      Reflect.deleteProperty(visualViewport!, 'height');
      visualViewport!.dispatchEvent(new Event('resize'));
    });
    strictEqual(await page.evaluate(() => document.querySelector('#page')!.getBoundingClientRect().bottom), 844);
  });
});

describe('undo in text fields', () => {
  let page: Page;
  const opened = onePage('samples.html?page=form', (there) => there.getByRole('textbox', { name: 'Body' }));
  beforeEach(() => {
    page = opened();
  });

  const textOf = (field: Locator) =>
    field.evaluate((element) =>
      element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
        ? element.value
        : (element as HTMLElement).innerText.replaceAll(/[\n\uFEFF]/g, ''),
    );

  for (const name of ['Title', 'Summary', 'Colour', 'Notes', 'Body', 'Data']) {
    it(`works in words, as does redo (${name})`, async () => {
      const field = page.getByRole('textbox', { name, exact: true });
      await field.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      const says = async (text: string) => {
        let told = '';
        const isSo = async () => {
          told = await textOf(field);
          return told.trimEnd() === text;
        };
        await until(`it says ${text}`, isSo).catch(() => strictEqual(told, text));
      };
      await page.keyboard.type('salt and honey');
      await page.keyboard.press('Control+z');
      await says('salt and');
      await page.keyboard.press('Control+z');
      await says('salt');
      await page.keyboard.press('Control+Shift+Z');
      await says('salt and');
      await page.keyboard.press('Control+y');
      await says('salt and honey');
    });
  }

  it('does not affect other fields, nor a field that was loaded again', async () => {
    const title = page.getByRole('textbox', { name: 'Title', exact: true });
    const summary = page.getByRole('textbox', { name: 'Summary', exact: true });
    await title.fill('Nets');
    await summary.fill('Of hemp');
    await title.focus();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    strictEqual(await summary.inputValue(), 'Of hemp');
    ok((await title.inputValue()) !== 'Nets');
    await page.keyboard.press('Control+y');
    strictEqual(await title.inputValue(), 'Nets');
  });
});
