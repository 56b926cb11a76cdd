/** Signs of Markdown that are written in a blocks document, moving its blocks, and what is taken back at once. */
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

/** Writes letter by letter, as keys do: each is told of before the next one. */
async function type(editor: BlocksEditor, words: string): Promise<void> {
  for (const letter of words) {
    editor.insertText(letter);
    await Promise.resolve();
  }
}

/** The only block in short: `a {bold:b}`. */
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

describe('signs that are written around words', () => {
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
    it(`make of ${written}: ${expected}`, async () => {
      const editor = editorOf();
      await type(editor, written);
      strictEqual(inShort(editor), expected);
    });
  }

  it('stand there as they were written once that is taken back', async () => {
    const editor = editorOf();
    await type(editor, '**b**');
    strictEqual(inShort(editor), '{bold:b}');
    editor.undo();
    strictEqual(inShort(editor), '**b**');
    editor.redo();
    strictEqual(inShort(editor), '{bold:b}');
  });

  it('are letters in code', async () => {
    const editor = editorOf({ type: 'code', language: 'plaintext', children: [text()] });
    await type(editor, '**b**');
    strictEqual(inShort(editor), '**b**');
  });

  it('at the beginning of a block stand there as they were written once that is taken back', async () => {
    const editor = editorOf();
    await type(editor, '## ');
    deepStrictEqual(stored(editor.children), [{ type: 'heading', level: 2, children: [text()] }]);
    editor.undo();
    strictEqual(inShort(editor), '## ');
    await type(editor, 'a');
    strictEqual(inShort(editor), '## a');
  });
});

describe('what is taken back in a blocks document', () => {
  it('is a word at a time', async () => {
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
  /** The words of a document: lists in brackets. */
  const words = (nodes: readonly unknown[]): string =>
    (nodes as readonly ElementNode[])
      .map((node) => (node.type === 'list' ? `[${words(node.children)}]` : (node.children[0] as { text: string }).text))
      .join(' ');
  const at = (editor: BlocksEditor, ...path: readonly number[]): void =>
    Transforms.select(editor, Editor.start(editor, [...path]));

  it('puts a block before or behind another one, as far as there is one', () => {
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

  it('moves an entry with the lists below it, and from the end of a list all of it', () => {
    const editor = editorOf(line('x'), list(item('a'), inner(item('1'), item('2')), item('b')), line('y'));
    at(editor, 1, 2);
    deepStrictEqual(moveByOne(editor, -1), { place: 1, count: 2 });
    strictEqual(words(editor.children), 'x [b a [1 2]] y');
    deepStrictEqual(moveByOne(editor, 1), { place: 2, count: 2 });
    strictEqual(words(editor.children), 'x [a [1 2] b] y');
    at(editor, 1, 1, 0);
    deepStrictEqual(moveByOne(editor, 1), { place: 2, count: 2 });
    strictEqual(words(editor.children), 'x [a [2 1] b] y');
    // past its list it takes the entry along that it is below
    deepStrictEqual(moveByOne(editor, 1), { place: 2, count: 2 });
    strictEqual(words(editor.children), 'x [b a [2 1]] y');
    deepStrictEqual(moveByOne(editor, 1), { place: 3, count: 3 });
    strictEqual(words(editor.children), 'x y [b a [2 1]]');
  });
});
