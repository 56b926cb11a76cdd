/** Right-to-left content in a left-to-right app, and the other way round. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType } from '../support/servers/project.ts';

const ARTICLE = 'content/api::article.article';
const NOTE = 'content/api::note.note';
const localized = { pluginOptions: { i18n: { localized: true } } };
const content = {
  contentTypes: {
    article: contentType(
      'article',
      {
        title: { type: 'string', required: true, ...localized },
        slug: { type: 'uid', targetField: 'title' },
        sku: { type: 'string' },
        summary: { type: 'text', ...localized },
        body: { type: 'blocks', ...localized },
        notes: { type: 'richtext', ...localized },
        parts: { type: 'component', component: 'shared.part', repeatable: true, ...localized },
      },
      { options: { draftAndPublish: true }, ...localized, info: { displayName: 'Article' } },
    ),
    note: contentType(
      'note',
      { name: { type: 'string' }, text: { type: 'richtext' } },
      { info: { displayName: 'Note' } },
    ),
  },
  components: {
    'shared.part': {
      collectionName: 'components_parts',
      info: { displayName: 'Part' },
      attributes: { head: { type: 'string' } },
    },
  },
};
const LOCALES = [{ code: 'en', name: 'English', default: true }, { code: 'ar' }, { code: 'he' }];
const block = (text: string) => ({ type: 'paragraph', children: [{ type: 'text', text }] });
const ARABIC = {
  title: 'الدخان والصبر',
  // A Latin name at the beginning does not determine the direction of a text.
  summary: 'Smoke يعني دخان.',
  body: [block('API واحدة تكفي.')],
  notes: 'Nets هي شباك.',
  parts: [{ head: 'باب' }],
};

describe('content that runs from right to left', () => {
  let browser: Browser;
  let room: Newsroom;
  let id: string;
  before(async () => {
    browser = await openBrowser();
    room = await openNewsroom(engines[0]!, browser, content, LOCALES);
    const data = { title: 'Smoke', slug: 'smoke', sku: 'A-1', summary: 'In short', body: [block('Hemp')] };
    const made = await room.ask('mara', 'POST', ARTICLE, { data });
    id = made.body.data.documentId;
    await room.ask('mara', 'PUT', `${ARTICLE}/${id}`, { data: ARABIC, locale: 'ar' });
    await room.ask('mara', 'POST', `${ARTICLE}/${id}/publish`, { locale: 'ar' });
    const { tag } = (await room.ask('mara', 'GET', `${ARTICLE}/${id}?locale=ar`)).body.data;
    const later = { title: 'الدخان والعسل', summary: 'Smoke يعني عسل.', body: [block('API واحدة لا تكفي.')] };
    await room.ask('mara', 'PUT', `${ARTICLE}/${id}`, { data: later, locale: 'ar' }, { 'if-match': tag });
  });
  after(async () => {
    await browser.close();
    await room[Symbol.asyncDispose]();
  });

  const label = (within: Page | Locator, name: string): Locator => within.getByLabel(name, { exact: true });
  const editor = (within: Page | Locator, name: string): Locator => within.getByRole('textbox', { name, exact: true });
  /** The direction that the browser has computed. */
  const runs = (locator: Locator): Promise<string> =>
    locator.evaluate((element) => {
      const { direction } = getComputedStyle(element);
      return direction;
    });

  /** The pixels that a field reserves at its end, for each direction of its text. */
  const roomsAtEnd = async (page: Page): Promise<readonly number[]> => {
    await page.goto('/admin/samples.html');
    const field = page.getByRole('combobox', { name: 'Tag' });
    const rooms: number[] = [];
    for (const text of ['Nets', 'شباك']) {
      await field.fill(text);
      rooms.push(
        await field.evaluate((input) => {
          const [box, icon] = [input, input.parentElement!.querySelector('svg')!].map((element) =>
            element.getBoundingClientRect(),
          );
          const { paddingLeft, paddingRight } = getComputedStyle(input);
          return Number.parseFloat(icon!.left < box!.left + box!.width / 2 ? paddingLeft : paddingRight);
        }),
      );
    }
    return rooms;
  };

  it('runs that way in every field of its locale, beside another locale as well', async () => {
    await using visitor = await room.visit('mara');
    const { page } = visitor;
    await page.goto(`/admin/${ARTICLE}/${id}?locale=ar&beside=en`);
    const own = page.locator('form, main').first();
    await editor(own, 'Body').first().waitFor();
    await editor(own, 'Notes').first().waitFor();
    for (const name of ['Title', 'Summary']) strictEqual(await runs(label(own, name).first()), 'rtl', name);
    for (const name of ['Body', 'Notes']) strictEqual(await runs(editor(own, name).first()), 'rtl', name);
    strictEqual(await runs(editor(own, 'Body').first().locator('p')), 'rtl');
    strictEqual(await label(own, 'Summary').first().getAttribute('lang'), 'ar');
    // Shared values, and values that are not text, have no direction of their own.
    for (const name of ['Slug', 'Sku']) strictEqual(await runs(label(own, name).first()), 'ltr', name);
    await own.getByRole('button', { name: 'باب' }).first().click();
    strictEqual(await runs(label(own, 'Head').first()), 'rtl');
    const beside = page.getByRole('region', { name: 'English' });
    for (const name of ['Title', 'Summary']) strictEqual(await runs(label(beside, name)), 'ltr', name);
    strictEqual(await runs(page.locator('html')), 'ltr');
    // An empty field has no letters that determine its direction.
    await page.goto(`/admin/${ARTICLE}/new?locale=he`);
    strictEqual(await runs(label(page, 'Title')), 'rtl');
    deepStrictEqual(visitor.complaints, []);
  });

  it('runs that way in previews and comparisons', async () => {
    await using visitor = await room.visit('mara');
    const { page } = visitor;
    await page.goto(`/admin/${ARTICLE}/${id}?locale=ar`);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    strictEqual(await runs(page.getByText('Nets هي شباك.')), 'rtl');
    await page.getByRole('button', { name: 'Compare side by side' }).click();
    const dialog = page.getByRole('dialog');
    for (const text of ['Smoke يعني دخان.', 'Smoke يعني عسل.', 'API واحدة تكفي.', 'API واحدة لا تكفي.']) {
      strictEqual(await runs(dialog.getByRole('paragraph').filter({ hasText: text })), 'rtl', text);
    }
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    // Within a sentence of the app, it stays in one piece.
    await page.getByRole('button', { name: 'was “\u2068الدخان والصبر\u2069”' }).waitFor();
    deepStrictEqual(visitor.complaints, []);
  });

  it('keeps its direction in lists, and its alignment', async () => {
    await using visitor = await room.visit('mara');
    const { page } = visitor;
    await page.goto(`/admin/${ARTICLE}?locale=ar`);
    const link = page.getByRole('grid').getByRole('link', { name: 'الدخان والعسل' });
    strictEqual(await runs(link), 'rtl');
    strictEqual(await link.evaluate((element) => getComputedStyle(element).textAlign), 'left');
    await page.goto('/admin/');
    strictEqual(await runs(page.getByText('الدخان والعسل', { exact: true }).first()), 'rtl');
  });

  it('has the direction of its own letters without locales', async () => {
    await using visitor = await room.visit('mara');
    const { page } = visitor;
    await page.goto(`/admin/${NOTE}/new`);
    await editor(page, 'Text').waitFor();
    for (const [text, direction] of [
      ['شباك: Nets', 'rtl'],
      ['Nets: شباك', 'ltr'],
    ] as const) {
      await label(page, 'Name').fill(text);
      strictEqual(await runs(label(page, 'Name')), direction);
      await editor(page, 'Text').fill(text);
      const line = editor(page, 'Text').locator('.cm-line').filter({ hasText: text });
      await line.waitFor();
      strictEqual(await runs(line), direction);
    }
    deepStrictEqual(await roomsAtEnd(page), [38, 38]);
  });

  it('does not reverse left-to-right text in a right-to-left app', async () => {
    await using visitor = await room.visit('mara', { settings: { direction: 'rtl' } });
    const { page } = visitor;
    await page.goto(`/admin/${ARTICLE}/${id}?locale=en`);
    await editor(page, 'Body').waitFor();
    strictEqual(await runs(page.locator('html')), 'rtl');
    strictEqual(await runs(label(page, 'Title')), 'ltr');
    strictEqual(await runs(editor(page, 'Body').locator('p')), 'ltr');
    strictEqual(await runs(label(page, 'Slug')), 'ltr');
    deepStrictEqual(await roomsAtEnd(page), [38, 38]);
    deepStrictEqual(visitor.complaints, []);
  });
});
