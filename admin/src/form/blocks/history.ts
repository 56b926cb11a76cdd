/** The history of the blocks editor: steps of words, and the caret after redo. */
import { Node, Range, Text, Transforms } from 'slate';
import { HistoryEditor } from 'slate-history';
import { beginsWord, PAUSE } from '../../keys/text-history.ts';
import type { BlocksEditor } from './nodes.ts';

/** Splits the history into steps. Without this, everything that was typed in one place is one step. */
export function withSteps(editor: BlocksEditor): BlocksEditor {
  const { insertText, deleteBackward, deleteForward } = editor;
  let last = 0;
  const step = (begins: boolean, write: () => void): void => {
    const now = performance.now();
    const isNew = begins || now - last > PAUSE;
    last = now;
    if (isNew) HistoryEditor.withNewBatch(editor, write);
    else write();
  };
  editor.insertText = (words, options) => step(beginsWord(before(editor), words), () => insertText(words, options));
  editor.deleteBackward = (unit) => step(false, () => deleteBackward(unit));
  editor.deleteForward = (unit) => step(false, () => deleteForward(unit));
  return editor;
}

/** The text before the caret. */
function before({ selection, children }: BlocksEditor): string {
  if (!selection || Range.isExpanded(selection)) return '';
  const { path, offset } = selection.anchor;
  const node = Node.getIf({ children } as BlocksEditor, path);
  return Text.isText(node) ? node.text.slice(0, offset) : '';
}

type Batch = BlocksEditor['history']['undos'][number];

/**
 * Restores the caret after redo. The history does not store selections, so a step that moves the caret, for example
 * into a new paragraph, would leave it where the step began.
 */
export function withCarets(editor: BlocksEditor): BlocksEditor {
  const { undo, redo, onChange } = editor;
  const after = new WeakMap<Batch, Range | null>();
  // Until the next change event.
  let isReplaying = false;

  editor.undo = () => {
    isReplaying ||= editor.history.undos.length > 0;
    undo();
  };
  editor.redo = () => {
    const batch = editor.history.redos.at(-1);
    isReplaying ||= batch !== undefined;
    redo();
    const caret = batch && after.get(batch);
    if (caret) Transforms.select(editor, caret);
  };
  editor.onChange = (options) => {
    const batch = editor.history.undos.at(-1);
    const hasChanged = editor.operations.some(({ type }) => type !== 'set_selection');
    if (batch && hasChanged && !isReplaying) after.set(batch, editor.selection);
    isReplaying = false;
    onChange(options);
  };
  return editor;
}
