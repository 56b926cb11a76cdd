/** What was read of the clipboard, written as Markdown and as blocks. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleaned } from '../../../admin/src/form/blocks/nodes.ts';
import type { Inline, Marks, PastedBlock } from '../../../admin/src/form/pasted/pasted.ts';
import { fileOfData, planPictures } from '../../../admin/src/form/pasted/pictures.ts';
import { toBlocks } from '../../../admin/src/form/pasted/to-blocks.ts';
import { pictureText, toMarkdown } from '../../../admin/src/form/pasted/to-markdown.ts';

const words = (text: string, ...marks: readonly (keyof Marks)[]): Inline => ({
  type: 'words',
  text,
  marks: Object.fromEntries(marks.map((mark) => [mark, true])),
});
const link = (url: string, text: string): Inline => ({ type: 'link', url, words: [words(text) as never] });
const picture = (source: string, alternative = ''): Inline => ({ type: 'picture', source, alternative });
const paragraph = (...line: readonly Inline[]): PastedBlock => ({ type: 'paragraph', line });
const item = (line: readonly Inline[], ...blocks: readonly PastedBlock[]) => ({ line, blocks });
const list = (format: 'ordered' | 'unordered', ...items: readonly ReturnType<typeof item>[]): PastedBlock => ({
  type: 'list',
  format,
  items,
});
const heading: PastedBlock = { type: 'heading', level: 2, line: [words('Nets')] };
const NONE: ReadonlySet<string> = new Set();

describe('pasted content as Markdown', () => {
  /** Beside a heading: what has no format at all is written as it is. */
  const markdown = (...blocks: readonly PastedBlock[]): string =>
    toMarkdown([heading, ...blocks], NONE).text.slice('## Nets\n\n'.length);

  for (const [name, line, expected] of [
    ['marks', [words('a '), words('b', 'bold'), words(' '), words('c', 'italic')], 'a **b** *c*'],
    ['marks within marks', [words('a ', 'bold'), words('b', 'bold', 'italic'), words(' c', 'bold')], '**a *b* c**'],
    ['spaces outside of marks', [words('a'), words(' b ', 'bold'), words('c')], 'a **b** c'],
    ['a space that is marked alone', [words('a'), words(' ', 'bold'), words('b')], 'a b'],
    ['a stop before a letter', [words('Note:', 'bold'), words('text')], '**Note**:text'],
    ['code with a backtick', [words('a`b', 'code')], '``a`b``'],
    ['code that is bold', [words('a', 'code', 'bold')], '**`a`**'],
    ['what is struck through', [words('a', 'strikethrough')], '~~a~~'],
    ['nothing of what is underlined', [words('a', 'underline')], 'a'],
    ['a link', [link('https://example.org/a b(c)', 'b')], '[b](https://example.org/a%20b%28c%29)'],
    ['a link behind an exclamation mark', [words('Look!'), link('/a', 'b')], 'Look\\![b](/a)'],
    ['an exclamation mark apart from a link', [words('Look! '), link('/a', 'b!'), words('!')], 'Look! [b!](/a)!'],
    ['a line end', [words('a\nb')], 'a\\\nb'],
    [
      'signs as letters',
      [words('*a* _b_ c_d [e] <f> &amp; `g` ~~h~~')],
      '\\*a\\* \\_b\\_ c_d \\[e\\] \\<f> \\&amp; \\`g\\` \\~\\~h\\~\\~',
    ],
    ['a number that is no list', [words('1. a')], '1\\. a'],
    ['a year that is none', [words('1978 was cold')], '1978 was cold'],
    ['a hash that is no heading', [words('# a')], '\\# a'],
    ['a dash that is no list', [words('- a')], '\\- a'],
  ] as const) {
    it(`has ${name}`, () => strictEqual(markdown(paragraph(...line)), expected));
  }

  it('has nested lists, and other content of their entries', () => {
    const inner = list('ordered', item([words('two')], paragraph(words('more'))), item([words('three')]));
    strictEqual(
      markdown(list('unordered', item([words('one')], inner), item([words('four')]))),
      '- one\n  1. two\n\n     more\n  2. three\n- four',
    );
    strictEqual(
      markdown({ type: 'list', format: 'ordered', start: 9, items: [item([words('a')]), item([words('b')])] }),
      '9. a\n10. b',
    );
    const task = { type: 'list', format: 'unordered', items: [{ ...item([words('a')]), isDone: true }] } as const;
    strictEqual(markdown(task), '- [x] a');
    strictEqual(
      markdown(list('unordered', item([words('a')])), list('unordered', item([words('b')]))),
      '- a\n\n<!-- -->\n\n- b',
    );
  });

  it('has quotes, code, tables and rules', () => {
    strictEqual(
      markdown({ type: 'quote', blocks: [paragraph(words('a')), list('unordered', item([words('b')]))] }),
      '> a\n>\n> - b',
    );
    strictEqual(markdown({ type: 'code', text: 'a\n```\n*b*', language: 'js' }), '````js\na\n```\n*b*\n````');
    const rows = [
      [[words('a|b')], [words('c', 'bold')]],
      [[words('d\ne')], []],
    ];
    strictEqual(markdown({ type: 'table', rows }), '| a\\|b | **c** |\n| --- | --- |\n| d e |  |');
    strictEqual(markdown({ type: 'rule' }, paragraph(words('a'))), '---\n\na');
  });

  it('is taken as it is where it has no format: it may be Markdown', () => {
    strictEqual(toMarkdown([paragraph(words('# **a**')), paragraph(words('b_'))], NONE).text, '# **a**\n\nb_');
  });

  it('has places for the pictures that will be put into it, each with its own alternative text', () => {
    const sources = new Set(['data:1', 'data:2']);
    const [old, other, last] = [picture('data:1', 'old'), picture('data:1', 'new'), picture('data:2')];
    const { text, places } = toMarkdown(
      [paragraph(words('a '), old, other, picture('https://x.example/b.png'), words('b')), paragraph(last)],
      sources,
    );
    strictEqual(text, 'a b\n\n');
    deepStrictEqual(places, [
      { at: 2, picture: old },
      { at: 2, picture: other },
      { at: 5, picture: last },
    ]);
    deepStrictEqual(toMarkdown([list('unordered', item([old], paragraph(words('c'))))], sources), {
      text: '- \n\n  c',
      places: [{ at: 2, picture: old }],
    });
    strictEqual(
      pictureText({ url: '/uploads/a b.png', alternative: 'Nets [old]' }),
      '![Nets \\[old\\]](/uploads/a%20b.png)',
    );
  });
});

describe('pasted content as blocks', () => {
  const text = (value: string, marks: object = {}) => ({ type: 'text', text: value, ...marks });

  it('has lists within lists beside their entries', () => {
    const inner = list('ordered', item([words('two', 'bold')]));
    deepStrictEqual(toBlocks([list('unordered', item([words('one')], inner, paragraph(words('more'))))], NONE), {
      hasTable: false,
      places: [],
      nodes: [
        {
          type: 'list',
          format: 'unordered',
          children: [
            { type: 'list-item', children: [text('one\nmore')] },
            {
              type: 'list',
              format: 'ordered',
              indentLevel: 1,
              children: [{ type: 'list-item', children: [text('two', { bold: true })] }],
            },
          ],
        },
      ],
    });
  });

  it('has a paragraph for each row of a table, with a notice', () => {
    const rows = [
      [[words('a')], [words('b')]],
      [[words('c', 'italic')], []],
    ];
    deepStrictEqual(toBlocks([{ type: 'table', rows }], NONE), {
      hasTable: true,
      places: [],
      nodes: [
        { type: 'paragraph', children: [text('a | b')] },
        { type: 'paragraph', children: [text('c', { italic: true }), text(' | ')] },
      ],
    });
  });

  it('has empty paragraphs where pictures will be put, and leaves out the others', () => {
    const stored = picture('data:1', 'a');
    const { nodes, places } = toBlocks(
      [paragraph(words('a '), stored, words(' b'), picture('https://x.example/b.png'))],
      new Set(['data:1']),
    );
    deepStrictEqual(nodes, [
      { type: 'paragraph', children: [text('a')] },
      { type: 'paragraph', children: [text('')] },
      { type: 'paragraph', children: [text('b')] },
    ]);
    deepStrictEqual(places, [{ at: 1, picture: stored }]);
  });

  it('accepts only permitted nodes of foreign blocks', () => {
    deepStrictEqual(
      cleaned([
        { type: 'script', children: [{ text: 'a', onclick: 'x' }] },
        {
          type: 'paragraph',
          children: [{ type: 'link', url: 'javascript:alert(1)', children: [{ text: 'b', bold: true }] }],
        },
        { type: 'image', image: 'x', children: [] },
        'c',
      ]),
      [
        { type: 'paragraph', children: [text('a')] },
        { type: 'paragraph', children: [text('b', { bold: true })] },
      ],
    );
  });
});

describe('pictures in pasted content', () => {
  const plan = (blocks: readonly PastedBlock[], files: readonly File[] = [], more: object = {}) => {
    const {
      uploads,
      own,
      leftOut: left,
    } = planPictures(blocks, files, {
      origin: 'https://cms.example',
      mayUpload: true,
      nameOf: () => 'Pasted',
      ...more,
    });
    return [uploads.map(({ file }) => `${file.name} ${file.type}`), [...own], [...left]];
  };
  const PNG = 'data:image/png;base64,iVBORw0KGgo=';
  const screen = new File(['x'], 'image.png', { type: 'image/png' });

  it('are uploaded where a page can read them, and counted by the reason where not', () => {
    const line = [
      PNG,
      'file:///C:/a.png',
      'https://x.example/b.png',
      'https://y.example/c.png',
      'blob:x',
      'data:text/html,x',
    ];
    deepStrictEqual(plan([paragraph(words('a'), ...line.map((source) => picture(source)))]), [
      ['Pasted.png image/png'],
      [],
      [
        ['device', 1],
        ['elsewhere', 2],
        ['unreadable', 2],
      ],
    ]);
    deepStrictEqual(plan([paragraph(picture(PNG))], [], { mayUpload: false }), [[], [], [['rights', 1]]]);
    const many = Array.from({ length: 22 }, (_, index) => picture(`${PNG}#${index}`));
    deepStrictEqual(plan([paragraph(...many)])[2], [['unreadable', 22]]);
    const others = Array.from({ length: 22 }, (_, index) => picture(`data:image/svg+xml,${index}`));
    deepStrictEqual(plan([paragraph(...others)])[2], [['tooMany', 2]]);
  });

  it('of this server are looked up by absolute addresses; relative ones may be of any site', () => {
    const line = ['https://cms.example/uploads/a.png?v=1', '/uploads/b.png', '//cms.example/c.png'];
    deepStrictEqual(plan([paragraph(...line.map((source) => picture(source)))]), [
      [],
      [['https://cms.example/uploads/a.png?v=1', '/uploads/a.png']],
      [['unreadable', 2]],
    ]);
    const many = Array.from({ length: 102 }, (_, index) => picture(`https://cms.example/${index}.png`));
    deepStrictEqual(plan([paragraph(...many)])[2], [['unreadable', 2]]);
  });

  it('of the same source are uploaded once', () => {
    deepStrictEqual(plan([paragraph(picture(PNG, 'a'), picture(PNG, 'b'))]), [['Pasted.png image/png'], [], []]);
  });

  it('are files of the clipboard where a picture was copied alone, not where a text has a picture of itself', () => {
    const one = picture('https://x.example/b.png');
    deepStrictEqual(plan([paragraph(one)], [screen]), [['image.png image/png'], [], []]);
    deepStrictEqual(plan([paragraph(words('a'), one)], [screen]), [[], [], [['elsewhere', 1]]]);
  });

  it('of an address that holds its bytes are files', async () => {
    const file = fileOfData('data:image/svg+xml,%3Csvg/%3E', 'a')!;
    deepStrictEqual([file.name, file.type, await file.text()], ['a.svg', 'image/svg+xml', '<svg/>']);
    strictEqual((await fileOfData(PNG, 'a')!.arrayBuffer()).byteLength, 8);
    for (const wrong of ['data:image/png;base64,@@', 'data:image/png', 'data:text/html,a', 'data:image/png;base64,']) {
      strictEqual(fileOfData(wrong, 'a'), undefined, wrong);
    }
  });
});
