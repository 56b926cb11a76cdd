/** Editing blocks: the slash menu, Markdown signs, and moving blocks by mouse, touch and keys. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { ARTICLE } from '../support/browser/document-page.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { hasFocus, onePage } from '../support/browser/one-page.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType } from '../support/servers/project.ts';
import { until } from '../support/wait.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Block {
  readonly type: string;
  readonly level?: number;
  readonly text?: string;
  readonly children: readonly Block[];
}

const text = (block: Block): string => block.text ?? block.children.map(text).join('|');
const outline = (blocks: readonly Block[]): readonly string[] =>
  blocks.map((block) => `${block.type}${block.level ?? ''} ${text(block)}`);

describe('editing a blocks document', () => {
  let page: Page;
  const opened = onePage('samples.html?page=form', (there) => there.getByRole('textbox', { name: 'Body' }));
  beforeEach(async () => {
    page = opened();
    await body().click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
  });

  const body = () => page.getByRole('textbox', { name: 'Body' });
  const menu = () => page.getByRole('listbox', { name: 'Paragraph style' });
  const chosen = () => menu().getByRole('option', { selected: true }).innerText();
  const sent = async (): Promise<readonly string[]> =>
    outline(JSON.parse(await page.getByLabel('What would be sent').innerText())['body'] ?? []);
  const becomes = async (expected: readonly string[]): Promise<void> => {
    let seen: readonly string[] = [];
    const isSo = async () => {
      seen = await sent();
      return seen.join('\n') === expected.join('\n');
    };
    await until(`it is ${expected.join()}`, isSo).catch(() => deepStrictEqual(seen, expected));
  };

  it('selects everything before the next key, even on a page whose timers are late', async () => {
    await page.evaluate(() => {
      const { setTimeout: start } = window;
      Object.assign(window, {
        setTimeout: (run: () => void, milliseconds = 0) => start(run, milliseconds + 1000),
      });
    });
    await page.keyboard.type('nets');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await becomes([]);
  });

  it('opens a menu with a slash, which typing filters and arrow keys navigate', async () => {
    await page.keyboard.type('/');
    await menu().waitFor();
    strictEqual(await menu().getByRole('option').count(), 12);
    await page.evaluate(AXE);
    const violations = await page.evaluate(async () => {
      const { violations: found } = await (
        window as never as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
      ).axe.run();
      return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    });
    deepStrictEqual(violations, []);
    // The text element names the active option.
    const active = async () =>
      page.evaluate(
        () => document.getElementById(document.activeElement!.getAttribute('aria-activedescendant')!)?.innerText,
      );
    strictEqual((await active())?.trim(), 'Text');
    await page.keyboard.press('ArrowUp');
    strictEqual((await active())?.trim(), 'Picture');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    strictEqual((await chosen()).split('\n')[0], 'Heading 1');
    await page.keyboard.type('head');
    strictEqual(await menu().getByRole('option').count(), 6);
    await page.keyboard.type('ing 3');
    strictEqual(await menu().getByRole('option').count(), 1);
    await page.keyboard.press('Enter');
    await menu().waitFor({ state: 'detached' });
    await page.keyboard.type('Nets');
    await becomes(['heading3 Nets']);
    await page.keyboard.press('Enter');
    await page.keyboard.type('/num');
    await menu().waitFor();
    await menu().getByRole('option', { name: 'Numbered list' }).click();
    await page.keyboard.type('hemp');
    await becomes(['heading3 Nets', 'list hemp']);
    ok(await hasFocus(body()));
  });

  it('keeps a slash that does not open the menu', async () => {
    await page.keyboard.type('and/or');
    strictEqual(await menu().count(), 0);
    await page.keyboard.type(' /');
    await menu().waitFor();
    await page.keyboard.press('Escape');
    await menu().waitFor({ state: 'detached' });
    await page.keyboard.type('xy');
    strictEqual(await menu().count(), 0);
    await page.keyboard.type(' /');
    await menu().waitFor();
    // No option has this name.
    await page.keyboard.type('zzz');
    await menu().waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.keyboard.type('```');
    await page.keyboard.press('Enter');
    await page.keyboard.type('/');
    strictEqual(await menu().count(), 0);
    await becomes(['paragraph and/or /xy /zzz', 'code /']);
  });

  it('inserts a picture from the menu', async () => {
    await page.keyboard.type('/pict');
    await menu().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await becomes([]);
  });

  it('turns signs into marks that end with the words', async () => {
    await page.keyboard.type('the **moon** and *not* the `sun`, ~~tides~~ ebb');
    strictEqual(await body().locator('strong').innerText(), 'moon');
    strictEqual(await body().locator('em').innerText(), 'not');
    strictEqual(await body().locator('code').innerText(), 'sun');
    strictEqual(await body().locator('s').innerText(), 'tides');
    await becomes(['paragraph the |moon| and |not| the |sun|, |tides| ebb']);
  });

  it('moves blocks with keys, and announces their positions', async () => {
    await page.keyboard.type('one');
    for (const word of ['two', 'three']) {
      await page.keyboard.press('Enter');
      await page.keyboard.type(word);
    }
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText('Moved to place 2 of 3.').waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText('This block is already the first.').waitFor();
    await page.keyboard.type('!');
    await becomes(['paragraph three!', 'paragraph one', 'paragraph two']);
    await page.keyboard.press('ControlOrMeta+z');
    await page.keyboard.press('ControlOrMeta+z');
    await becomes(['paragraph one', 'paragraph three', 'paragraph two']);
  });

  it('moves blocks with the mouse, unless Escape cancels it', async () => {
    await page.keyboard.type('one');
    for (const word of ['two', 'three']) {
      await page.keyboard.press('Enter');
      await page.keyboard.type(word);
    }
    const place = async (word: string) => (await body().getByText(word, { exact: true }).boundingBox())!;
    const drag = async (word: string, to: string, after = false) => {
      const from = await place(word);
      await page.mouse.move(from.x + 5, from.y + from.height / 2);
      const grip = page.getByRole('button', { name: /^Move block/ });
      const box = (await grip.boundingBox())!;
      ok(Math.abs(box.y + box.height / 2 - from.y - from.height / 2) < 8, 'the grip is beside the block');
      await page.mouse.move(box.x + 12, box.y + 12);
      await page.mouse.down();
      const target = await place(to);
      await page.mouse.move(box.x + 12, target.y + (after ? target.height - 2 : 2), { steps: 4 });
    };
    await drag('one', 'three', true);
    await page.locator('[data-drop="3"]').waitFor();
    await page.mouse.up();
    await becomes(['paragraph two', 'paragraph three', 'paragraph one']);
    await page.getByText('Moved to place 3 of 3.').waitFor();
    await drag('one', 'two');
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await becomes(['paragraph two', 'paragraph three', 'paragraph one']);
    ok(await hasFocus(body()));
  });
});

describe('a blocks document on a phone', () => {
  let browser: Browser;
  let room: Newsroom;
  before(async () => {
    browser = await openBrowser();
    const article = contentType(
      'article',
      { title: { type: 'string' }, body: { type: 'blocks' } },
      { options: { draftAndPublish: true }, info: { displayName: 'Article' } },
    );
    room = await openNewsroom(engines[0]!, browser, { contentTypes: { article }, components: {} });
  });
  after(async () => {
    await browser.close();
    await room[Symbol.asyncDispose]();
  });

  it('is sorted by touch, and scrolls at the edges', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const data = {
      title: 'Tides',
      body: lines.map((words) => ({ type: 'paragraph', children: [{ type: 'text', text: words }] })),
    };
    const { body: made } = await room.ask('mara', 'POST', ARTICLE, { data });
    const id: string = made.data.documentId;
    await using visitor = await room.visit('mara', { width: 390, language: 'de', theme: 'dark' });
    const { page, context } = visitor;
    await page.goto(`/admin/${ARTICLE}/${id}`);
    await page.getByRole('textbox', { name: 'body' }).getByText('line 1', { exact: true }).tap();
    const grip = page.getByRole('button', { name: 'Block 2 verschieben' });
    const { x, y } = (await grip.boundingBox())!;
    const device = await context.newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) =>
      device.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: at === undefined ? [] : [{ x: x + 12, y: at }],
      });
    await touch('touchStart', y + 12);
    await touch('touchMove', y + 60);
    await touch('touchMove', 770);
    await until('the end is in sight', () => page.locator('[data-drop="40"]').isVisible());
    await touch('touchEnd');
    const stored = async (): Promise<readonly string[]> =>
      outline((await room.ask('mara', 'GET', `${ARTICLE}/${id}`)).body.data.draft.body);
    await until('it is saved', async () => (await stored()).at(-1) === 'paragraph line 1');
    strictEqual((await stored())[1], 'paragraph line 2');
    deepStrictEqual(visitor.complaints, []);
  });
});
