/** The blocks that editing keys leave behind, which the server always accepts. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEditor, Editor, Transforms } from 'slate';
import { withHistory } from 'slate-history';
import { type BlocksEditor, type ElementNode, editable, stored } from '../../admin/src/form/blocks/nodes.ts';
import { withBlocks } from '../../admin/src/form/blocks/with-blocks.ts';

const words = { type: 'text', text: '' } as const;
const picture = { type: 'image', image: {}, children: [words] } as ElementNode;
const heading = { type: 'heading', level: 2, children: [{ type: 'text', text: 'Nets' }] } as ElementNode;

function editorOf(...blocks: readonly ElementNode[]): BlocksEditor {
  const editor = withBlocks(withHistory(createEditor() as BlocksEditor));
  editor.children = [...blocks];
  return editor;
}

/** The types of the stored blocks, and the path of the caret. */
const leftOf = (editor: BlocksEditor) => [
  (stored(editor.children) ?? []).map((node) => ('type' in node ? node.type : undefined)),
  editor.selection?.anchor.path,
];

describe('deleting in a blocks document', () => {
  for (const key of ['deleteBackward', 'deleteForward'] as const) {
    it(`removes the only picture with ${key}`, () => {
      const editor = editorOf(picture);
      Transforms.select(editor, Editor.start(editor, [0]));
      editor[key]('character');
      deepStrictEqual(leftOf(editor), [[], [0, 0]]);
      editor.insertText('a');
      deepStrictEqual(stored(editor.children), [{ type: 'paragraph', children: [{ type: 'text', text: 'a' }] }]);
      editor.undo();
      editor.undo();
      deepStrictEqual(leftOf(editor), [['image'], [0, 0]]);
    });
  }

  for (const [name, ...blocks] of [
    ['pictures alone', picture, picture],
    ['a picture behind a heading', heading, picture],
    ['a picture before a heading', picture, heading],
  ] as const) {
    it(`removes ${name} if they are selected, and keeps a caret`, () => {
      const editor = editorOf(...blocks);
      Transforms.select(editor, Editor.range(editor, []));
      editor.deleteFragment();
      deepStrictEqual(leftOf(editor), [[], [0, 0]]);
    });
  }
});

describe('a picture of a blocks document', () => {
  const kept = { name: 'a.webp', mime: 'image/webp', ext: '.webp', createdAt: '2026-01-01', updatedAt: '2026-01-02' };
  const read = (image: object) => (editable([{ ...picture, image }])[0] as ElementNode).image;

  it('stays unchanged if it has all values that the server requires', () => deepStrictEqual(read(kept), kept));

  it('gets the required values that its copy of the file lacks', () => {
    const { createdAt, updatedAt, ext } = read({ ...kept, ext: '', createdAt: undefined, updatedAt: null })!;
    deepStrictEqual([!createdAt, createdAt === updatedAt, ext], [false, true, '.webp']);
    deepStrictEqual(
      ['drawing', 'scan.v2', 'page 1.', undefined].map((name) => read({ name, mime: 'image/svg+xml' })!['ext']),
      ['.svg', '.v2', '.svg', '.svg'],
    );
    deepStrictEqual(read({ name: 'what' })!['ext'], '.bin');
  });
});
