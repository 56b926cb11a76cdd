/** What is taken back at once in a blocks document: a word, or what was written without a pause. */
import { Node, Range, Text, Transforms } from 'slate';
import { HistoryEditor } from 'slate-history';
import { beginsWord, PAUSE } from '../../keys/text-history.ts';
import type { BlocksEditor } from './nodes.ts';

/** Adds that to an editor with a history, which by itself takes back all that was written in one place. */
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

/** What stands before the caret in its text. */
function before({ selection, children }: BlocksEditor): string {
  if (!selection || Range.isExpanded(selection)) return '';
  const { path, offset } = selection.anchor;
  const node = Node.getIf({ children } as BlocksEditor, path);
  return Text.isText(node) ? node.text.slice(0, offset) : '';
}

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
