/** Conversion of blocks documents between the server and the editor, without loss. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { editable, stored } from '../../../admin/src/form/blocks/nodes.ts';

const text = (words: string, marks: object = {}) => ({ type: 'text', text: words, ...marks });
const item = (words: string) => ({ type: 'list-item', children: [text(words)] });

const FILE = { name: 'pier', url: '/uploads/pier.png', ext: '.png', createdAt: '2026', updatedAt: '2026', width: 1 };

const DOCUMENT = [
  { type: 'heading', level: 6, children: [text('Nets')] },
  {
    type: 'paragraph',
    children: [
      text('Of '),
      text('hemp', { bold: true, italic: true, underline: true, strikethrough: true, code: true }),
      { type: 'link', url: 'https://example.org', rel: 'kept', children: [text('tar')] },
      text(''),
    ],
  },
  {
    type: 'list',
    format: 'unordered',
    children: [
      item('one'),
      { type: 'list', format: 'ordered', indentLevel: 1, children: [item('two')] },
      item('three'),
    ],
  },
  { type: 'quote', children: [text('a\nb')] },
  { type: 'code', language: 'javascript', children: [text('const a = 1;')] },
  { type: 'image', image: FILE, children: [text('')] },
];

describe('a blocks document', () => {
  it('is stored exactly as it was read', () => {
    deepStrictEqual(stored(editable(DOCUMENT)), DOCUMENT);
  });

  it('adds the type to texts of the editor, and keeps stored types', () => {
    const nodes = editable([{ type: 'paragraph', children: [{ text: 'a', bold: true }] }]);
    const first = stored(nodes);
    deepStrictEqual(first, [{ type: 'paragraph', children: [text('a', { bold: true })] }]);
    strictEqual(stored(nodes)?.[0], first?.[0]);
  });

  it('begins with a paragraph, which alone and empty is nothing', () => {
    for (const nothing of [null, undefined, [], 'no blocks']) {
      const nodes = editable(nothing);
      deepStrictEqual(nodes, [{ type: 'paragraph', children: [text('')] }]);
      strictEqual(stored(nodes), null);
    }
    deepStrictEqual(stored(editable([{ type: 'image', image: FILE }])), [
      { type: 'image', image: FILE, children: [text('')] },
    ]);
  });
});
