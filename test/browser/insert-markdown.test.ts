/** Inserting Markdown of whole paragraphs, and the caret afterwards. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EditorState } from '@codemirror/state';
import { insertion } from '../../admin/src/form/text/edit-markdown.ts';

/** Inserts at `|`. Returns the text with `|` at the caret. */
function inserted(text: string, markdown: string, isInline: boolean): string {
  const at = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', ''), selection: { anchor: at } });
  const next = state.update(insertion(state, { from: at, to: at }, markdown, isInline)).state;
  const { head } = next.selection.main;
  return `${next.sliceDoc(0, head)}|${next.sliceDoc(head)}`;
}

describe('Markdown that is inserted into a text', () => {
  for (const [name, text, isInline, expected] of [
    ['continues its line', 'a|b', true, 'aX|b'],
    ['is the whole text', '|', false, 'X|'],
    ['separates the two parts of a line', 'a|b', false, 'a\n\nX|\n\nb'],
    ['fills an empty line', 'a\n\n|\n\nb', false, 'a\n\nX|\n\nb'],
    ['has an empty line before and after it', '\na\n|\nb', false, '\na\n\nX|\n\nb'],
    ['is at the end', 'a\n|', false, 'a\n\nX|'],
  ] as const) {
    it(name, () => strictEqual(inserted(text, 'X', isInline), expected));
  }
});
