/** Markdown signs in a blocks document, moving blocks, and undo steps. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEditor, Editor, Transforms } from 'slate';
import { withHistory } from 'slate-history';
import { withSteps } from '../../admin/src/form/blocks/history.ts';
import { moveByOne } from '../../admin/src/form/blocks/move-blocks.ts';
import { type BlocksEditor, type ElementNode, paragraph, stored, text } from '../../admin/src/form/blocks/nodes.ts';
import { withBlocks } from '../../admin/src/form/blocks/with-blocks.ts';

function editorOf(...blocks: readonly ElementNode[]): BlocksEditor {
  const editor = withSteps(withBlocks(withHistory(createEditor() as BlocksEditor)));
  editor.children = blocks.length > 0 ? [...blocks] : [paragraph()];
  Transforms.select(editor, Editor.end(editor, []));
  return editor;
}

/** Types character by character, with a change event for each. */
async function type(editor: BlocksEditor, words: string): Promise<void> {
  for (const letter of words) {
    editor.insertText(letter);
    await Promise.resolve();
  }
}

/** The single block in short: `a {bold:b}`. */
function inShort(editor: BlocksEditor): string {
  const [block] = stored(editor.children) ?? [];
  if (!block || 'text' in block) return '';
  const short = (node: (typeof block.children)[number]): string => {
    if (!('text' in node)) return `<${node.url}:${node.children.map(short).join('')}>`;
    const { type: _, text: words, ...marks } = node;
    return Object.keys(marks).length > 0 ? `{${Object.keys(marks).join()}:${words}}` : words;
  };
  return block.children.map(short).join('');
}

describe('Markdown signs around words', () => {
  for (const [written, expected] of [
    ['a **b c** d', 'a {bold:b c} d'],
    ['__b__ d', '{bold:b} d'],
    ['*b* d', '{italic:b} d'],
    ['a _b_ d', 'a {italic:b} d'],
    ['~~b~~ d', '{strikethrough:b} d'],
    ['`b*c*` d', '{code:b*c*} d'],
    ['**a *b* c** d', '{bold:a }{italic,bold:b}{bold: c} d'],
    ['see [this](https://example.org/a) d', 'see <https://example.org/a:this> d'],
    ['see [this](javascript:alert(1)) d', 'see [this](javascript:alert(1)) d'],
    ['snake_case_name', 'snake_case_name'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['** a**', '** a**'],
    ['****', '****'],
    ['5 ~~ 6 ~~', '5 ~~ 6 ~~'],
    ['👩‍👩‍👧 **é👍** x', '👩‍👩‍👧 {bold:é👍} x'],
  ] as const) {
    it(`turn ${written} into ${expected}`, async () => {
      const editor = editorOf();
      await type(editor, written);
      strictEqual(inShort(editor), expected);
    });
  }

  it('reappear when the change is undone', async () => {
    const editor = editorOf();
    await type(editor, '**b**');
    strictEqual(inShort(editor), '{bold:b}');
    editor.undo();
    strictEqual(inShort(editor), '**b**');
    editor.redo();
    strictEqual(inShort(editor), '{bold:b}');
  });

  it('have no effect in code', async () => {
    const editor = editorOf({ type: 'code', language: 'plaintext', children: [text()] });
    await type(editor, '**b**');
    strictEqual(inShort(editor), '**b**');
  });

  it('at the beginning of a block reappear when the change is undone', async () => {
    const editor = editorOf();
    await type(editor, '## ');
    deepStrictEqual(stored(editor.children), [{ type: 'heading', level: 2, children: [text()] }]);
    editor.undo();
    strictEqual(inShort(editor), '## ');
    await type(editor, 'a');
    strictEqual(inShort(editor), '## a');
  });
});

describe('undo in a blocks document', () => {
  it('removes one word at a time', async () => {
    const editor = editorOf();
    await type(editor, 'salt and honey');
    const seen: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      editor.undo();
      seen.push(inShort(editor));
    }
    deepStrictEqual(seen, ['salt and ', 'salt ', '']);
    editor.redo();
    editor.redo();
    strictEqual(inShort(editor), 'salt and ');
  });
});

describe('moving in a blocks document', () => {
  const item = (words: string): ElementNode => ({ type: 'list-item', children: [text(words)] });
  const list = (...children: readonly ElementNode[]): ElementNode => ({
    type: 'list',
    format: 'unordered',
    children: [...children],
  });
  const inner = (...children: readonly ElementNode[]): ElementNode => ({ ...list(...children), indentLevel: 1 });
  const line = (words: string): ElementNode => paragraph([text(words)]);
  /** The words of a document, with lists in brackets. */
  const words = (nodes: readonly unknown[]): string =>
    (nodes as readonly ElementNode[])
      .map((node) => (node.type === 'list' ? `[${words(node.children)}]` : (node.children[0] as { text: string }).text))
      .join(' ');
  const at = (editor: BlocksEditor, ...path: readonly number[]): void =>
    Transforms.select(editor, Editor.start(editor, [...path]));

  it('moves a block past its neighbours, up to the ends', () => {
    const editor = editorOf(line('a'), line('b'), line('c'));
    at(editor, 1);
    deepStrictEqual(moveByOne(editor, 1), { place: 3, count: 3 });
    strictEqual(words(editor.children), 'a c b');
    strictEqual(moveByOne(editor, 1), undefined);
    deepStrictEqual(moveByOne(editor, -1), { place: 2, count: 3 });
    deepStrictEqual(moveByOne(editor, -1), { place: 1, count: 3 });
    strictEqual(words(editor.children), 'b a c');
    editor.undo();
    strictEqual(words(editor.children), 'a b c');
  });

  it('moves an item with its nested lists, and at the end of a list the whole list', () => {
    const editor = editorOf(line('x'), list(item('a'), inner(item('1'), item('2')), item('b')), line('y'));
    at(editor, 1, 2);
    deepStrictEqual(moveByOne(editor, -1), { place: 1, count: 2 });
    strictEqual(words(editor.children), 'x [b a [1 2]] y');
    deepStrictEqual(moveByOne(editor, 1), { place: 2, count: 2 });
    strictEqual(words(editor.children), 'x [a [1 2] b] y');
    at(editor, 1, 1, 0);
    deepStrictEqual(moveByOne(editor, 1), { place: 2, count: 2 });
    strictEqual(words(editor.children), 'x [a [2 1] b] y');
    // Beyond its list, it takes the item above it along.
    deepStrictEqual(moveByOne(editor, 1), { place: 2, count: 2 });
    strictEqual(words(editor.children), 'x [b a [2 1]] y');
    deepStrictEqual(moveByOne(editor, 1), { place: 3, count: 3 });
    strictEqual(words(editor.children), 'x y [b a [2 1]]');
  });
});
