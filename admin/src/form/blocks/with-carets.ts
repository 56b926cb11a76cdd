/** Where the caret stands after something is done again: where it stood when it had been done. */
import { type Range, Transforms } from 'slate';
import type { BlocksEditor } from './nodes.ts';

type Batch = BlocksEditor['history']['undos'][number];

/**
 * Adds that to an editor with a history. The history keeps no changes of the selection, so a step whose caret was moved,
 * as into a paragraph that it has made, would leave the caret where the step began.
 */
export function withCarets(editor: BlocksEditor): BlocksEditor {
  const { undo, redo, onChange } = editor;
  const after = new WeakMap<Batch, Range | null>();
  // until the editor tells what has changed
  let isTravelling = false;

  editor.undo = () => {
    isTravelling ||= editor.history.undos.length > 0;
    undo();
  };
  editor.redo = () => {
    const batch = editor.history.redos.at(-1);
    isTravelling ||= batch !== undefined;
    redo();
    const caret = batch && after.get(batch);
    if (caret) Transforms.select(editor, caret);
  };
  editor.onChange = (options) => {
    const batch = editor.history.undos.at(-1);
    const hasChanged = editor.operations.some(({ type }) => type !== 'set_selection');
    if (batch && hasChanged && !isTravelling) after.set(batch, editor.selection);
    isTravelling = false;
    onChange(options);
  };
  return editor;
}
