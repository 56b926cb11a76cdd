/** Pasting content from Word, Google Docs and web pages into Markdown and blocks. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { onePage } from '../support/browser/one-page.ts';
import { until } from '../support/wait.ts';
import { give } from './pasted.ts';

const SAMPLES = path.join(import.meta.dirname, '../fixtures/clipboard');
const sample = (name: string): string => readFileSync(path.join(SAMPLES, `${name}.html`), 'utf8');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect width="80" height="60"/></svg>';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly level?: number;
  readonly image?: { readonly alternativeText: string | null };
  readonly children: readonly Block[];
}

describe('pasting', () => {
  let page: Page;
  const opened = onePage('samples.html?page=form', (there) => there.getByRole('textbox', { name: 'Body' }));
  beforeEach(() => {
    page = opened();
  });

  const text = (name: string) => page.getByRole('textbox', { name, exact: true });
  const group = (name: string) => page.getByRole('group', { name, exact: true });
  const sent = async (name: string): Promise<unknown> =>
    JSON.parse(await page.getByLabel('What would be sent').innerText())[name];
  const empty = async (name: string): Promise<void> => {
    await text(name).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
  };
  /** Pastes HTML with the events of a browser. */
  const paste = (name: string, html: string, plain = 'plain'): Promise<void> =>
    text(name).evaluate(
      (element, [markup, words]) => {
        const data = new DataTransfer();
        data.setData('text/html', markup!);
        data.setData('text/plain', words!);
        const init = { bubbles: true, cancelable: true };
        if (element.classList.contains('cm-content')) {
          element.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
        } else {
          element.dispatchEvent(
            new InputEvent('beforeinput', { ...init, inputType: 'insertFromPaste', dataTransfer: data }),
          );
        }
      },
      [html, plain],
    );
  /** The blocks in short: their types and words. */
  const outline = (blocks: unknown): readonly string[] =>
    (blocks as readonly Block[]).map(
      ({ type, level, children, image }) =>
        `${type}${level ?? ''}: ${image ? image.alternativeText : children.map(inShort).join('')}`,
    );
  const inShort = ({ text: words, type, children, ...rest }: Block): string => {
    if (words !== undefined) return Object.keys(rest).length > 0 ? `{${Object.keys(rest).join()}:${words}}` : words;
    return type === 'link'
      ? `<${rest.url}:${children.map(inShort).join('')}>`
      : `(${type} ${children.map(inShort).join('')})`;
  };

  it('turns content from Word into Markdown, and reports missing pictures', async () => {
    await empty('Notes');
    await paste('Notes', sample('word'));
    strictEqual(
      await sent('notes'),
      [
        '# Tides',
        '## The moon',
        'The sea follows the **moon**, *not* the ***sun***. See [the table](https://example.org/tides?a=1&b=2)\\[1\\].',
        '- spring tide\n  - at **full** moon\n  - at new moon\n- neap tide',
        'Then:',
        '1. ebb\n2. flood',
        '| **Harbour** | **Height** |\n| --- | --- |\n| Husum | 3,5 m |',
      ].join('\n\n'),
    );
    await group('Notes')
      .getByText('1 picture was left out because web pages cannot read files on your device.')
      .waitFor();
    // It is one undo step, and the next paste removes the notice.
    await page.keyboard.press('ControlOrMeta+z');
    strictEqual(await sent('notes'), null);
    await paste('Notes', '<p>High <b>tide</b></p>');
    strictEqual(await sent('notes'), 'High **tide**');
    strictEqual(await group('Notes').getByText('left out').count(), 0);
  });

  it('turns content from Google Docs into Markdown', async () => {
    await empty('Notes');
    await paste('Notes', sample('google-docs'));
    strictEqual(
      await sent('notes'),
      [
        '# Tides',
        'The sea follows the **moon**, *not* the sun. See [the table](https://example.org/tides) and run `tide --now`.',
        '- spring tide\n  - at full moon\n- ~~neap tide~~',
        '| Harbour | Height |\n| --- | --- |\n| Husum | 3,5 m |',
      ].join('\n\n'),
    );
    await group('Notes').getByText('1 picture was left out because it is on another site.').waitFor();
  });

  it('turns a web page into Markdown, uploads its pictures, and drops everything executable', async () => {
    await empty('Notes');
    await paste('Notes', sample('web-page'));
    await until('it is there', async () => String(await sent('notes')).includes('/uploads/'));
    const written = String(await sent('notes'));
    match(written, /!\[A \\\*black\\\* box\]\(\/uploads\/A_black_box_\w+\.svg\)$/);
    strictEqual(
      written.replace(/\n\n!\[.*$/, ''),
      [
        '## Tides',
        'The sea follows the **moon**, *not* the sun. Use `tide()`.\\\nAnd [read **on**](https://example.org/x).',
        '3. ebb\n   - slow\n4. flood',
        '- [x] look\n- [ ] wait',
        '```js\nconst a = 1;\nif (a < 2) tide();\n```',
        '> Time and tide\n>\n> wait for no man.',
        '---',
        '| Harbour |  | Height |\n| --- | --- | --- |\n| Husum | North | 3.5 \\| m |\n| Büsum |  | 3.2 m |',
      ].join('\n\n'),
    );
    doesNotMatch(written, /alert|javascript|unread|count\.example/);
    await group('Notes').getByText('1 picture was left out because it is on another site.').waitFor();
    await group('Notes').getByRole('button', { name: 'Preview' }).click();
    await group('Notes').getByRole('heading', { name: 'Tides' }).waitFor();
    await group('Notes').getByRole('img', { name: 'A *black* box' }).waitFor();
    deepStrictEqual(await group('Notes').getByRole('row').allInnerTexts(), [
      'Harbour\t\tHeight',
      'Husum\tNorth\t3.5 | m',
      'Büsum\t\t3.2 m',
    ]);
  });

  it('reads the text of nested tables once, at any depth', async () => {
    const nested = (depth: number, inner: string): string =>
      depth === 0 ? inner : nested(depth - 1, `<table><tr><td>${inner}</td></tr></table>`);
    const inner = '<table><tr><td>a</td><td><b>b</b></td></tr><tr><td>c</td><td>d</td></tr></table>';
    for (const depth of [1, 3, 40]) {
      await empty('Notes');
      await paste('Notes', nested(depth, inner), 'plain');
      strictEqual(await sent('notes'), '| a | **b** |\n| --- | --- |\n| c | d |', `${depth} deep`);
    }
    await empty('Notes');
    await paste('Notes', `<table><tr><td>before</td><td>${inner}</td></tr><tr><td>after</td></tr></table>`);
    strictEqual(await sent('notes'), 'before\n\n| a | **b** |\n| --- | --- |\n| c | d |\n\nafter');
    await empty('Notes');
    await paste('Notes', nested(400, inner), 'plain');
    strictEqual(await sent('notes'), 'plain');
    await group('Notes').getByText('Only its text was pasted.').waitFor();
  });

  it('keeps line breaks that the style of a text shows', async () => {
    for (const [style, expected] of [
      ['white-space: pre-wrap', 'a\\\n**b**\n\nc'],
      ['white-space: pre-line', 'a\\\n**b**\n\nc'],
      ['white-space-collapse: preserve', 'a\\\n**b**\n\nc'],
      ['white-space: normal', 'a **b** c'],
    ] as const) {
      await empty('Notes');
      await paste('Notes', `<div style="${style}"><span>a\r\n<b>b</b> \n \nc</span></div>`);
      strictEqual(await sent('notes'), expected, style);
    }
    await empty('Notes');
    await paste(
      'Notes',
      '<div style="white-space: pre">\n<p>a</p>\n<p style="white-space: normal">b\n<i>c</i></p></div>',
    );
    strictEqual(await sent('notes'), 'a\n\nb *c*');
    await empty('Body');
    await paste('Body', '<div style="white-space: pre-wrap">a\n<b>b</b>\n\nc</div>');
    deepStrictEqual(outline(await sent('body')), ['paragraph: a\n{bold:b}', 'paragraph: c']);
  });

  it('turns each of them into blocks, and reports that table rows became paragraphs', async () => {
    await empty('Body');
    await paste('Body', sample('word'));
    const list =
      '(list-item spring tide)(list (list-item at {bold:full} moon)(list-item at new moon))(list-item neap tide)';
    deepStrictEqual(outline(await sent('body')), [
      'heading1: Tides',
      'heading2: The moon',
      'paragraph: The sea follows the {bold:moon}, {italic:not} the {bold,italic:sun}. See <https://example.org/tides?a=1&b=2:the table>[1].',
      `list: ${list}`,
      'paragraph: Then:',
      'list: (list-item ebb)(list-item flood)',
      'paragraph: {bold:Harbour} | {bold:Height}',
      'paragraph: Husum | 3,5 m',
    ]);
    await group('Body').getByText('Each row became a paragraph').waitFor();
    await group('Body').getByText('1 picture was left out because web pages cannot read').waitFor();

    await empty('Body');
    await paste('Body', sample('google-docs'));
    deepStrictEqual(outline(await sent('body')).slice(0, 3), [
      'heading1: Tides',
      'paragraph: The sea follows the {bold:moon}, {italic:not} the sun. See <https://example.org/tides:the table> and run {code:tide --now}.',
      'list: (list-item spring tide)(list (list-item at full moon))(list-item {strikethrough:neap tide})',
    ]);

    await empty('Body');
    await page.keyboard.type('Before after');
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowLeft');
    await paste('Body', sample('web-page'));
    await until('it is there', async () => JSON.stringify(await sent('body')).includes('image'));
    deepStrictEqual(outline(await sent('body')), [
      'paragraph: Before',
      'heading2: Tides',
      'paragraph: The sea follows the {bold:moon}, {italic:not} the sun. Use {code:tide()}.\nAnd <https://example.org/x:read {bold:on}>.',
      'list: (list-item ebb)(list (list-item slow))(list-item flood)',
      'list: (list-item [x] look)(list-item [ ] wait)',
      'code: const a = 1;\nif (a < 2) tide();',
      'quote: Time and tide\nwait for no man.',
      'paragraph: Harbour |  | Height',
      'paragraph: Husum | North | 3.5 | m',
      'paragraph: Büsum |  | 3.2 m',
      'image: A *black* box',
      'paragraph:  after',
    ]);
  });

  it('pastes plain text on request, in code, and without a format', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(() =>
      navigator.clipboard.write([
        new ClipboardItem({
          'text/html': new Blob(['<p>The <b>moon</b></p>'], { type: 'text/html' }),
          'text/plain': new Blob(['The moon'], { type: 'text/plain' }),
        }),
      ]),
    );
    for (const [name, formatted] of [
      ['Notes', 'The **moon**'],
      ['Body', ['paragraph: The {bold:moon}']],
    ] as const) {
      const isSent = async (expected: unknown) => {
        const now = await sent(name.toLowerCase());
        const short = typeof now === 'string' || now === null ? now : outline(now);
        return JSON.stringify(short) === JSON.stringify(expected);
      };
      await empty(name);
      await page.keyboard.press('Control+v');
      await until(`${name} has its format`, () => isSent(formatted));
      await empty(name);
      await page.keyboard.press('Control+Shift+V');
      await until(`${name} is plain`, () => isSent(name === 'Notes' ? 'The moon' : ['paragraph: The moon']));
    }
    await empty('Notes');
    await page.keyboard.type('```');
    await page.keyboard.press('Enter');
    await paste('Notes', '<p>a <b>b</b></p>', 'a b');
    strictEqual(await sent('notes'), '```\na b');
    // The text is Markdown from elsewhere.
    await empty('Notes');
    await paste('Notes', '<p># Tides</p><p>**high**</p>', '# Tides\n**high**');
    strictEqual(await sent('notes'), '# Tides\n\n**high**');
  });

  it('uses the file of a picture that was copied from a page', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 8, height: 8 });
      canvas.getContext('2d')!.fillRect(0, 0, 8, 8);
      const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
      const html = new Blob(['<img src="https://elsewhere.example/a.png" alt="A tide">'], { type: 'text/html' });
      await navigator.clipboard.write([new ClipboardItem({ 'text/html': html, 'image/png': png! })]);
    });
    await empty('Notes');
    await page.keyboard.press('Control+v');
    await until('it is there', async () => String(await sent('notes')).includes('/uploads/'));
    match(String(await sent('notes')), /^!\[A tide\]\(\/uploads\/\w+\.png\)$/);
    await empty('Body');
    await page.keyboard.press('Control+v');
    await until('it is there', async () => JSON.stringify(await sent('body')).includes('A tide'));
    deepStrictEqual(outline(await sent('body')), ['image: A tide', 'paragraph: ']);
  });

  it('inserts pictures of the clipboard into Markdown, and asks for alternative texts', async () => {
    const notes = text('Notes');
    await notes.fill('Look: ');
    await notes.press('End');
    await give(notes, 'paste', [['nets.svg', 'image/svg+xml', SVG]]);
    await group('Notes').getByText('“nets.svg” has no alternative text.').waitFor();
    match(String(await sent('notes')), /^Look: !\[\]\(\/uploads\/nets_\w+\.svg\)$/);
    await group('Notes').getByRole('button', { name: 'Describe it' }).click();
    const dialog = page.getByRole('dialog', { name: 'Alternative text' });
    await dialog.getByLabel('What the picture shows here').fill('Nets [drying]');
    // Shortcuts of the page are inactive behind the dialog.
    const addresses: string[] = [];
    const watch = (request: Request): void => void addresses.push(request.url());
    page.on('request', watch);
    await page.keyboard.press('Control+Shift+p');
    // The file has no text yet.
    ok(await dialog.getByLabel('Also save it in the library').isChecked());
    await dialog.getByRole('button', { name: 'Set text' }).click();
    page.off('request', watch);
    deepStrictEqual(
      addresses.filter((url) => url.includes('/publish')),
      [],
    );
    match(String(await sent('notes')), /^Look: !\[Nets \\\[drying\\\]\]\(/);
    strictEqual(await group('Notes').getByText('has no alternative text').count(), 0);

    // In place, and the other way round: the text of the library can be used.
    await notes.focus();
    await page.keyboard.press('ControlOrMeta+End');
    await group('Notes').getByRole('button', { name: 'Alternative text of the picture' }).click();
    strictEqual(await dialog.getByLabel('What the picture shows here').inputValue(), 'Nets [drying]');
    await dialog.getByLabel('What the picture shows here').fill('Something else');
    await dialog.getByText('In the library: “Nets [drying]”').waitFor();
    ok(!(await dialog.getByLabel('Also save it in the library').isChecked()));
    await dialog.getByRole('button', { name: 'Set text' }).click();
    match(String(await sent('notes')), /^Look: !\[Something else\]\(/);
    await group('Notes').getByRole('button', { name: 'Alternative text of the picture' }).click();
    await dialog.getByRole('button', { name: 'Use this text' }).click();
    await dialog.getByRole('button', { name: 'Set text' }).click();
    match(String(await sent('notes')), /^Look: !\[Nets \\\[drying\\\]\]\(/);
  });

  it('asks for alternative texts in blocks, which can be edited at the picture', async () => {
    await empty('Body');
    await give(text('Body'), 'paste', [['salt.svg', 'image/svg+xml', SVG]]);
    await group('Body').getByText('“salt.svg” has no alternative text.').waitFor();
    await group('Body').getByRole('button', { name: 'No alternative text' }).click();
    const dialog = page.getByRole('dialog', { name: 'Alternative text' });
    await dialog.getByLabel('What the picture shows here').fill('Salt');
    await page.keyboard.press('Enter');
    deepStrictEqual(outline(await sent('body')), ['image: Salt', 'paragraph: ']);
    await group('Body').getByRole('img', { name: 'Salt' }).waitFor();
    strictEqual(await group('Body').getByText('has no alternative text').count(), 0);
    // The next use of the picture starts with the text of the library.
    await page.keyboard.press('ControlOrMeta+End');
    await group('Body').getByRole('button', { name: 'Picture', exact: true }).click();
    const library = page.getByRole('dialog');
    await library.getByRole('gridcell').filter({ hasText: 'salt.svg' }).click();
    await library.getByRole('button', { name: 'Use 1 file' }).click();
    await until(
      'it is there',
      async () => outline(await sent('body')).filter((one) => one === 'image: Salt').length === 2,
    );
  });

  it('describes one of several uses of the same picture', async () => {
    const svg = `data:image/svg+xml,${encodeURIComponent(SVG)}`;
    const html = `<p>a <img src="${svg}"> b <img src="${svg}"> c <img src="${svg}" alt="Third"></p>`;
    const dialog = page.getByRole('dialog', { name: 'Alternative text' });
    const describe = async (name: string, words: string, at: number): Promise<void> => {
      await group(name).getByRole('button', { name: 'Describe it' }).nth(at).click();
      await dialog.getByLabel('What the picture shows here').fill(words);
      await dialog.getByText('Also save it in the library').uncheck();
      await dialog.getByRole('button', { name: 'Set text' }).click();
    };
    await empty('Notes');
    await paste('Notes', html);
    await until(
      'both are asked for',
      async () => (await group('Notes').getByText('no alternative text').count()) === 2,
    );
    const address = /\((\/uploads\/.*?)\)/.exec(String(await sent('notes')))?.[1];
    strictEqual(await sent('notes'), `a ![](${address}) b ![](${address}) c ![Third](${address})`);
    await describe('Notes', 'Second', 1);
    await describe('Notes', 'First', 0);
    strictEqual(await sent('notes'), `a ![First](${address}) b ![Second](${address}) c ![Third](${address})`);
    strictEqual(await group('Notes').getByText('has no alternative text').count(), 0);

    // The library finds it by its address.
    const own = `<p>a <img src="${new URL(address!, page.url()).href}" alt="Own"> b <img src="${address}"></p>`;
    await empty('Notes');
    await paste('Notes', own);
    await until('it is there', async () => String(await sent('notes')).includes('/uploads/'));
    strictEqual(await sent('notes'), `a ![Own](${address}) b`);
    await group('Notes').getByText('1 picture was left out because it cannot be read.').waitFor();
    await group('Notes').getByRole('button', { name: 'Close notices' }).click();
    strictEqual(await group('Notes').getByText('left out').count(), 0);

    await empty('Body');
    await paste('Body', html);
    await until(
      'both are asked for',
      async () => (await group('Body').getByText('no alternative text.').count()) === 2,
    );
    await describe('Body', 'Second', 1);
    deepStrictEqual(
      outline(await sent('body')).filter((one) => one.startsWith('image')),
      ['image: null', 'image: Second', 'image: Third'],
    );
  });

  it('inserts the text at once, and its pictures in place once they are uploaded', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const uploads = (url: URL): boolean => url.pathname.endsWith('/files');
    await page.route(uploads, async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    });
    const [one, two] = ['red', 'blue'].map(
      (colour) => `data:image/svg+xml,${encodeURIComponent(SVG.replace('<rect', `<rect fill="${colour}"`))}`,
    );
    const html = `<p>a</p><p><img src="${one}" alt="One"></p><p>b <img src="${two}" alt="Two"></p>`;
    await empty('Notes');
    await paste('Notes', html);
    strictEqual(await sent('notes'), 'a\n\n\n\nb ');
    await page.keyboard.type('and more');
    await empty('Body');
    await paste('Body', html);
    deepStrictEqual(outline(await sent('body')), ['paragraph: a', 'paragraph: ', 'paragraph: b', 'paragraph: ']);
    release();
    await until('they are there', async () => JSON.stringify(await sent('body')).includes('Two'));
    deepStrictEqual(outline(await sent('body')), [
      'paragraph: a',
      'image: One',
      'paragraph: b',
      'image: Two',
      'paragraph: ',
    ]);
    await until('they are there', async () => String(await sent('notes')).includes('Two'));
    match(String(await sent('notes')), /^a\n\n!\[One\]\([^)]*\)\n\nb !\[Two\]\([^)]*\)and more$/);
    await page.unroute(uploads);
  });

  it('keeps the kind of a single block, and the link around a picture and words', async () => {
    await empty('Body');
    await page.keyboard.type('Before');
    await paste('Body', '<h2>Tides</h2>');
    deepStrictEqual(outline(await sent('body')), ['paragraph: Before', 'heading2: Tides']);
    await empty('Body');
    await page.keyboard.type('Before ');
    await paste('Body', '<a href="https://example.org/x"><img src="https://elsewhere.example/a.png"> Tides</a>');
    deepStrictEqual(outline(await sent('body')), ['paragraph: Before <https://example.org/x: Tides>']);
    await empty('Body');
    await page.keyboard.type('- one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('/List');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    deepStrictEqual(outline(await sent('body')), ['list: (list-item one)(list-item two)']);
  });
});
