/**
 * The form of a document: every kind of attribute is entered, sorted, compared with the published version, and reset.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { hasFocus, onePage } from '../support/browser/one-page.ts';
import { until } from '../support/wait.ts';
import { give } from './pasted.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect width="80" height="60"/></svg>';

interface Sent {
  readonly [name: string]: unknown;
}

/** A list directly within another one. */
const LIST_IN_LIST = ':is(ul, ol) > :is(ul, ol)';

describe('the form of a document', () => {
  let page: Page;
  const opened = onePage('samples.html?page=form', (there) => there.getByRole('textbox', { name: 'Body' }));
  beforeEach(() => {
    page = opened();
  });

  const field = (name: string): Locator => page.getByLabel(name, { exact: true });
  const group = (name: string): Locator => page.getByRole('group', { name, exact: true });
  const sent = async (): Promise<Sent> => JSON.parse(await page.getByLabel('What would be sent').innerText()) as Sent;
  /** Waits until this value of an attribute would be sent. */
  const sends = async (name: string, value: unknown): Promise<void> => {
    let seen: unknown;
    const isSent = async (): Promise<boolean> => {
      seen = (await sent())[name];
      return isDeepStrictEqual(seen, value);
    };
    await until(`${name} is sent`, isSent).catch(() => deepStrictEqual(seen, value));
  };

  it('sends the changed values, each in its format, and nothing else', async () => {
    deepStrictEqual(await sent(), {});
    await field('Title').fill('Smoke\nand honey');
    await field('Summary').fill('');
    await field('Section').selectOption('letters');
    await group('On the first page').getByRole('radio', { name: 'Not set' }).check();
    await field('Pages').fill('12');
    await field('Views').fill('9223372036854775807');
    await field('Price').fill('19.95');
    await field('Weight').fill('1e-3');
    await field('Day').fill('2026-12-24');
    await field('Hour').fill('18:45');
    await field('Moment').fill('2026-12-24T18:45');
    await field('Colour').fill('#102030');
    await field('E-mail').fill('mara@example.org');
    await field('Secret').fill('hon');
    strictEqual((await sent())['secret'], undefined, 'no part of it is');
    await field('Secret').fill('honey7');
    await field('Secret').press('Enter');
    const moment = new Date(await page.evaluate(() => new Date('2026-12-24T18:45').getTime())).toISOString();
    await sends('secret', 'honey7');
    deepStrictEqual(await sent(), {
      title: 'Smoke and honey',
      summary: null,
      section: 'letters',
      front: null,
      pages: 12,
      views: '9223372036854775807',
      price: 19.95,
      weight: 0.001,
      day: '2026-12-24',
      hour: '18:45:00.000',
      moment,
      colour: '#102030',
      mail: 'mara@example.org',
      secret: 'honey7',
    });
    await field('Secret').fill('');
    await field('Pages').fill('4');
    await sends('secret', undefined);
    await sends('pages', undefined);
  });

  it('shows an error after leaving a field, and at once if more typing makes it worse', async () => {
    await field('Pages').fill('0');
    strictEqual(await page.getByText('At least 1.').count(), 0);
    await field('Views').fill('12x');
    await page.getByText('At least 1.').waitFor();
    await field('Summary').fill('x'.repeat(161));
    await page.getByText('At most 160 characters.').waitFor();
    await page.getByText('161 of 160').waitFor();
    await page.getByText('Enter a whole number.').waitFor();
    strictEqual(await field('Views').inputValue(), '12x');
    await sends('views', undefined);
    await field('Views').fill('12');
    await sends('views', '12');
    // A password is put into the form when its field loses the focus.
    await field('Secret').fill('hon');
    await field('Title').focus();
    const said = page.getByText('At least 6 characters.');
    await said.waitFor();
    await sends('secret', undefined);
    // The error disappears as soon as the value is correct, so that the layout does not shift when the field is left.
    await field('Secret').fill('honey7');
    await said.waitFor({ state: 'detached' });
    await sends('secret', undefined);
    await field('Secret').fill('hon');
    await said.waitFor();
    await field('Secret').fill('honey7');
    await field('Title').focus();
    await sends('secret', 'honey7');
    strictEqual(await said.count(), 0);
  });

  it('rejects invalid colours, and shows valid ones', async () => {
    const said = page.getByText('Enter a colour');
    await field('Colour').fill('#zzz');
    await field('Title').focus();
    await said.waitFor();
    await sends('colour', undefined);
    await field('Colour').fill('#1ab');
    await said.waitFor({ state: 'detached' });
    strictEqual(await page.getByLabel('Choose a colour').inputValue(), '#11aabb');
    await field('Colour').fill('teal');
    await sends('colour', 'teal');
    strictEqual(await said.count(), 0);
  });

  it('shows errors of the server at their fields, and opens their rows', async () => {
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('Another document already has this value.').waitFor();
    await page.getByText('This field is required.').waitFor();
    await field('Slug').fill('smoke');
    await page.getByText('already in use').waitFor();
    strictEqual(await page.getByText('Another document already has this value.').count(), 0);
    await page.getByRole('button', { name: 'Use “smoke-1”' }).click();
    await page.getByText('available', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Generate from “Title”' }).click();
    await sends('slug', 'smoke-patience-honey');
  });

  it('shows the published value in the margin, and restores it', async () => {
    await page.getByRole('button', { name: 'Publish 6 changes' }).waitFor();
    await page.getByRole('button', { name: 'was “Smoke and patience”' }).first().click();
    const panel = page.getByRole('dialog', { name: 'Differs from what is published' });
    await panel.getByText('Smoke and patience').waitFor();
    await panel.getByRole('button', { name: 'Revert' }).click();
    await until('the field has the focus', () => hasFocus(field('Title')));
    strictEqual(await field('Title').inputValue(), 'Smoke and patience');
    await page.getByRole('button', { name: '4 paragraphs changed' }).click();
    await panel.getByText('It makes them think of leaving.').waitFor();
    await panel.getByRole('listitem').getByText('cut in June').waitFor();
    strictEqual(await page.locator(LIST_IN_LIST).count(), 0, 'lists have nothing but entries');
    await panel.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('button', { name: '1 part added, 1 part changed' }).click();
    await panel.getByRole('button', { name: 'Revert' }).click();
    await page.getByRole('button', { name: 'Publish 3 changes' }).waitFor();
    await sends('sections', [
      { __component: 'text.quote', id: 3, who: 'Ilse' },
      { __component: 'pictures.gallery', id: 2 },
    ]);
    const items = page.getByRole('textbox', { name: 'Body' }).getByRole('listitem');
    deepStrictEqual(await items.allInnerTexts(), ['dry grass', 'cut in June', 'cut in June']);
  });

  it('links search results, and sorts them with the keyboard', async () => {
    const tags = group('Tags');
    const find = tags.getByRole('combobox');
    await find.fill('let');
    await page.getByRole('listbox').getByRole('option', { name: 'letters' }).click();
    await tags.getByRole('listitem').filter({ hasText: 'letters' }).waitFor();
    const grip = tags.getByRole('button', { name: 'Move letters' });
    await grip.focus();
    await page.keyboard.press('Space');
    await page.getByText('letters at place 4 of 4.').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowUp');
    await page.getByText('letters at place 3 of 4.').waitFor({ state: 'attached' });
    await page.keyboard.press('Space');
    await tags.getByRole('button', { name: 'Unlink food' }).click();
    await sends('tags', {
      connect: [{ documentId: 'letters', position: { after: 'harbour' } }],
      disconnect: [{ documentId: 'food' }],
    });
    const main = group('Main tag');
    await main.getByRole('combobox').fill('boats');
    await page.getByRole('listbox').getByRole('option', { name: 'boats' }).click();
    await sends('author', {
      connect: [{ documentId: 'boats', position: { start: true } }],
      disconnect: [{ documentId: 'harbour' }],
    });
    await main.getByRole('button', { name: 'Unlink boats' }).click();
    await sends('author', { connect: [], disconnect: [{ documentId: 'harbour' }] });
  });

  it('adds, fills, duplicates, moves and removes rows, at any depth', async () => {
    const sections = group('Sections');
    await sections.getByRole('button', { name: 'Add a part' }).click();
    await page.getByRole('group', { name: 'pictures' }).getByRole('menuitem', { name: 'Gallery' }).click();
    await until('its first field has the focus', () => hasFocus(page.getByRole('textbox', { name: 'Heading' })));
    await page.keyboard.type('Nets');
    const quotations = sections.getByRole('group', { name: 'Quotations' });
    await quotations.getByRole('button', { name: 'Add Quotation' }).click();
    await page.keyboard.type('Salt keeps');
    const more = quotations.getByRole('button', { name: 'Actions for Salt keeps' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    // Rows with the same name are numbered.
    await quotations.getByRole('button', { name: 'Actions for Salt keeps (2)' }).waitFor();
    await quotations.getByRole('group', { name: 'Salt keeps (1)', exact: true }).getByLabel('Words').waitFor();
    await more.first().click();
    await page.getByRole('menuitem', { name: 'Move down' }).click();
    const added = {
      __component: 'pictures.gallery',
      heading: 'Nets',
      quotes: [{ words: 'Salt keeps' }, { words: 'Salt keeps' }],
    };
    const before = [
      { __component: 'text.quote', id: 3 },
      { __component: 'pictures.gallery', id: 2 },
      { __component: 'text.quote', id: 4 },
    ];
    await sends('sections', [...before, added]);
    // A full list shows a message in place of its button.
    await more.first().click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    const full = quotations.getByText('No more than 3 entries are possible here.');
    await full.waitFor();
    strictEqual(await quotations.getByRole('button', { name: 'Add Quotation' }).count(), 0);
    await more.last().click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await full.waitFor({ state: 'detached' });
    await page.getByRole('status').getByRole('button', { name: 'Close' }).click();
    await sends('sections', [...before, added]);
    await sections.getByRole('button', { name: 'Actions for Four pictures' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await sends('sections', [before[0], before[2], added]);
    // If nothing can be undone in the focused field, a browser would undo a change elsewhere.
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByRole('button', { name: 'Undo' }).click();
    await sends('sections', [...before, added]);
    await group('Search engines').getByRole('button', { name: 'Remove' }).click();
    await sends('seo', null);
  });

  it('edits blocks: kinds, marks, nested lists, links', async () => {
    const body = page.getByRole('textbox', { name: 'Body' });
    await body.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type('## Nets');
    await page.keyboard.press('Enter');
    await page.keyboard.type('- hemp');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('tarred');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+b');
    await page.keyboard.type('Salt');
    await page.keyboard.press('ControlOrMeta+b');
    await page.keyboard.type(' keeps');
    await page.getByRole('toolbar', { name: 'Tools for Body' }).getByRole('button', { name: 'Link' }).click();
    await page.getByLabel('Address').fill('example.org/salt');
    await page.getByLabel('Text', { exact: true }).fill('more');
    await page.getByRole('button', { name: 'Set link' }).click();
    await sends('body', [
      { type: 'heading', children: [{ type: 'text', text: 'Nets' }], level: 2 },
      {
        type: 'list',
        format: 'unordered',
        children: [
          { type: 'list-item', children: [{ type: 'text', text: 'hemp' }] },
          {
            type: 'list',
            format: 'unordered',
            indentLevel: 1,
            children: [{ type: 'list-item', children: [{ type: 'text', text: 'tarred' }] }],
          },
        ],
      },
      {
        type: 'paragraph',
        children: [
          { type: 'text', text: 'Salt', bold: true },
          { type: 'text', text: ' keeps' },
          { type: 'link', url: 'https://example.org/salt', children: [{ type: 'text', text: 'more' }] },
          { type: 'text', text: '' },
        ],
      },
    ]);
    deepStrictEqual([await body.locator('li li').innerText(), await page.locator(LIST_IN_LIST).count()], ['tarred', 0]);
  });

  it('does not send an incomplete date, and reports it', async () => {
    const inDay = (text: string) => field('Day').locator('xpath=ancestor::*[@data-field]').getByText(text).waitFor();
    for (const [name, half, whole] of [
      ['Day', '0724', '2026'],
      ['Moment', '07242026', undefined],
    ] as const) {
      await field(name).fill('');
      await sends(name.toLowerCase(), null);
      await field(name).focus();
      for (const digit of half) await page.keyboard.press(digit);
      await sends(name.toLowerCase(), undefined);
      if (whole === undefined) continue;
      await field('Title').focus();
      await inDay('Enter a valid date or time.');
      await field(name).focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      for (const digit of whole) await page.keyboard.press(digit);
      await sends('day', '2026-07-24');
    }
    // The existing date stays until the new one is complete.
    await field('Day').focus();
    await page.keyboard.press('Backspace');
    await sends('day', undefined);
    strictEqual(await field('Day').evaluate((control) => (control as HTMLInputElement).validity.badInput), true);
    await field('Title').focus();
    await inDay('Enter a valid date or time.');
    await field('Day').focus();
    for (const key of ['Backspace', 'Tab', 'Backspace', 'Tab', 'Backspace']) await page.keyboard.press(key);
    await sends('day', null);
    await field('Day').fill('2026-07-25');
    await sends('day', '2026-07-25');
  });

  it('continues below a block that stays complete, and starts code with three signs', async () => {
    await page.getByRole('textbox', { name: 'Body' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type('the last letter');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.keyboard.type('```');
    await page.keyboard.press('Enter');
    await page.keyboard.type('const a;');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.keyboard.type('> so');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('below');
    const block = (type: string, text: string, more: object = {}) => ({
      type,
      ...more,
      children: [{ type: 'text', text }],
    });
    await sends('body', [
      block('paragraph', 'the last letter'),
      block('code', 'const a;', { language: 'plaintext' }),
      block('quote', 'so'),
      block('paragraph', 'below'),
    ]);
  });

  it('restores the caret on redo', async () => {
    await page.getByRole('textbox', { name: 'Body' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type('# Nets');
    await page.keyboard.press('Enter');
    await page.keyboard.type('hemp');
    const nets = { type: 'heading', children: [{ type: 'text', text: 'Nets' }], level: 1 };
    const below = (text: string) => ({ type: 'paragraph', children: [{ type: 'text', text }] });
    await sends('body', [nets, below('hemp')]);
    await page.keyboard.press('ControlOrMeta+z');
    await sends('body', [nets, below('')]);
    await page.keyboard.press('ControlOrMeta+z');
    await sends('body', [nets]);
    await page.keyboard.press('ControlOrMeta+Shift+z');
    await sends('body', [nets, below('')]);
    await page.keyboard.type('tar');
    await sends('body', [nets, below('tar')]);
  });

  it('pastes blocks without anything executable', async () => {
    const body = page.getByRole('textbox', { name: 'Body' });
    const paste = async (html: string): Promise<void> => {
      await body.click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.press('Delete');
      await body.evaluate((element, pasted) => {
        const data = new DataTransfer();
        data.setData('text/html', pasted);
        data.setData('text/plain', 'Nets');
        const init = { inputType: 'insertFromPaste', dataTransfer: data, bubbles: true, cancelable: true };
        element.dispatchEvent(new InputEvent('beforeinput', init));
      }, html);
    };
    await paste(
      '<h2>Nets</h2><p>Of <b>hemp</b> and <a href="javascript:alert(1)">tar</a>.<script>alert(1)</script></p>' +
        '<ul><li>one<ol><li>two</li></ol></li></ul><pre>a\n  b</pre>',
    );
    await sends('body', [
      { type: 'heading', level: 2, children: [{ type: 'text', text: 'Nets' }] },
      {
        type: 'paragraph',
        children: [
          { type: 'text', text: 'Of ' },
          { type: 'text', text: 'hemp', bold: true },
          { type: 'text', text: ' and tar.' },
        ],
      },
      {
        type: 'list',
        format: 'unordered',
        children: [
          { type: 'list-item', children: [{ type: 'text', text: 'one' }] },
          {
            type: 'list',
            format: 'ordered',
            indentLevel: 1,
            children: [{ type: 'list-item', children: [{ type: 'text', text: 'two' }] }],
          },
        ],
      },
      { type: 'code', language: 'plaintext', children: [{ type: 'text', text: 'a\n  b' }] },
    ]);
    // A line as Google Docs copies it.
    const docs = (style: string, words: string) => `<span style="color:#000;${style}">${words}</span>`;
    await paste(
      `<b style="font-weight:normal;" id="docs-internal-guid-1"><p>${docs('font-weight:400', 'plain ')}` +
        docs('font-weight:700', 'bold ') +
        docs('font-weight:400;font-style:italic', 'slanted ') +
        `${docs('font-weight:400;text-decoration:line-through', 'struck')}</p></b>` +
        '<table><tr><td><p>a <i>b</i></p></td><td><a href="/c" style="text-decoration:underline">c</a></td></tr></table>',
    );
    const words = (text: string, marks: object = {}) => ({ type: 'text', text, ...marks });
    await sends('body', [
      {
        type: 'paragraph',
        children: [
          words('plain '),
          words('bold ', { bold: true }),
          words('slanted ', { italic: true }),
          words('struck', { strikethrough: true }),
        ],
      },
      {
        type: 'paragraph',
        children: [
          words('a '),
          words('b', { italic: true }),
          words(' | '),
          { type: 'link', url: '/c', children: [words('c')] },
          words(''),
        ],
      },
    ]);
    // Lists as Word copies them.
    const entry = (level: number, sign: string, text: string) =>
      `<p class=MsoListParagraph style='margin-left:36pt;mso-list:l0 level${level} lfo1'><![if !supportLists]>` +
      `<span style='mso-list:Ignore'>${sign}<span style='font:7pt "Times"'>&nbsp; </span></span><![endif]>${text}</p>`;
    await paste(
      `${entry(1, '·', 'hemp')}\n${entry(2, 'o', 'tarred')}\n${entry(1, '·', '<b>flax</b>')}\n<p>and</p>\n${entry(1, '1.', 'first')}`,
    );
    const item = (...children: readonly object[]) => ({ type: 'list-item', children });
    await sends('body', [
      {
        type: 'list',
        format: 'unordered',
        children: [
          item(words('hemp')),
          { type: 'list', format: 'unordered', indentLevel: 1, children: [item(words('tarred'))] },
          item(words('flax', { bold: true })),
        ],
      },
      { type: 'paragraph', children: [words('and')] },
      { type: 'list', format: 'ordered', children: [item(words('first'))] },
    ]);
    // Each partly selected list becomes a numbered one.
    const numbered = page
      .getByRole('toolbar', { name: 'Tools for Body' })
      .getByRole('button', { name: 'Numbered list' });
    await page.keyboard.press('ControlOrMeta+a');
    await until('all is selected', async () => (await numbered.getAttribute('aria-pressed')) === 'false');
    await numbered.click();
    await until('all lists are numbered', async () => !JSON.stringify((await sent())['body']).includes('unordered'));
    // The format of the text is removed together with the text.
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('ControlOrMeta+b');
    await page.keyboard.press('Delete');
    await page.keyboard.type('a');
    await sends('body', [{ type: 'paragraph', children: [words('a')] }]);
  });

  it('accepts pasted and dropped pictures in a text, and continues after a selected one', async () => {
    const body = page.getByRole('textbox', { name: 'Body' });
    await body.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type('one');
    const stored = Promise.withResolvers<void>();
    await page.route('**/api/files', async (route) => {
      await stored.promise;
      await route.continue();
    });
    await give(body, 'paste', [['nets.svg', 'image/svg+xml', SVG]]);
    await page.getByText('Uploading 1 file').waitFor();
    // A caret that has moved on stays in its place.
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    stored.resolve();
    const kinds = async () =>
      (
        (await sent())['body'] as readonly { type: string; image?: { name: string }; children: { text: string }[] }[]
      ).map(({ type, image, children }) => `${type} ${image?.name ?? children[0]?.text}`);
    await until('the picture is there', async () => (await kinds()).some((kind) => /^image nets/.test(kind)));
    await page.keyboard.type('!');
    await until('it is where it was put', async () =>
      isDeepStrictEqual(await kinds(), ['paragraph one', 'image nets.svg', 'paragraph two!']),
    );
    await give(body, 'drop', [['salt.svg', 'image/svg+xml', SVG]]);
    await until('the other one is there', async () => (await kinds()).includes('image salt.svg'));
    await give(body, 'paste', [['tides.txt', 'text/plain', 'six hours']]);
    await page.getByText('Files like “tides.txt” cannot be used here.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });

    const notes = page.getByRole('textbox', { name: 'Notes' });
    await notes.fill('Look: ');
    await notes.press('End');
    await group('Notes').getByRole('button', { name: 'Picture' }).press('Enter');
    const library = page.getByRole('dialog');
    await library.getByRole('gridcell').filter({ hasText: 'nets.svg' }).click();
    await library.getByRole('button', { name: 'Use 1 file' }).press('Enter');
    await until('one writes on', () => hasFocus(notes));
    await page.keyboard.type('!');
    await until('it is there', async () => /^Look: !\[\]\(.+\)!$/.test(String((await sent())['notes'])));
  });

  it('previews Markdown, shows HTML as text, and locates errors in JSON', async () => {
    const notes = page.getByRole('textbox', { name: 'Notes' });
    // Enter continues a list until an item is empty; not in code.
    await notes.fill('Nets');
    await notes.press('End');
    await page.keyboard.press('Enter');
    for (const line of ['- [x] hemp', 'flax', '', '9. nine', 'ten', '', '```', '- a', '```']) {
      await page.keyboard.type(line);
      await page.keyboard.press('Enter');
    }
    await sends('notes', 'Nets\n- [x] hemp\n- [ ] flax\n9. nine\n10. ten\n```\n- a\n```\n');
    await notes.fill(
      '# Nets\n\n**hemp** [tar](javascript:alert(1)) [salt](https://example.org)\n\n<img src=x onerror=alert(1)>',
    );
    await group('Notes').getByRole('button', { name: 'Preview' }).click();
    await group('Notes').getByRole('heading', { name: 'Nets' }).waitFor();
    const links = group('Notes').getByRole('link');
    deepStrictEqual(await links.allInnerTexts(), ['salt']);
    strictEqual(await group('Notes').locator('img').count(), 0);
    await group('Notes').getByText('<img src=x onerror=alert(1)>').waitFor();
    const data = page.getByRole('textbox', { name: 'Data' });
    await data.fill('{"a": 1,\n "b" 2}');
    await data.blur();
    await page.getByText('This is not valid JSON: check line 2, column 6.').waitFor();
    await sends('data', undefined);
    await data.fill('{"a": 1}');
    await sends('data', { a: 1 });
    ok(!(await page.getByText('check line').isVisible()));
    await data.fill('{"a": "12345678901234567890", "b": 9007199254740993}');
    await page.getByText('9007199254740993 cannot be stored exactly: it becomes 9007199254740992.').waitFor();
    await data.fill('{"a": 9007199254740991}');
    await sends('data', { a: 9_007_199_254_740_991 });
    ok(!(await page.getByText('cannot be stored').isVisible()));
    // A rounded number is not changed further.
    await data.fill('{"a": 12345678901234567000}');
    await sends('data', { a: 12_345_678_901_234_567_000 });
    ok(!(await page.getByText('cannot be stored').isVisible()));
  });
});
