/** Enter in lists and quotes of Markdown. */
import { EditorSelection } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { isInCode } from './insert-markdown.ts';

/** What a line of a list or a quote begins with: its indentation, a sign, and the box of a task. */
const BEGINNING = /^(\s*)(>|[-*+]|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?/;

/** Begins the next line as this one, or ends the list in a line in which nothing is written. Whether there is one. */
export function continueList(view: EditorView): boolean {
  const { state } = view;
  const { main } = state.selection;
  const line = state.doc.lineAt(main.from);
  const found = BEGINNING.exec(line.text);
  if (!found || !main.empty || main.from < line.from + found[0].length || isInCode(state, main.from)) return false;
  const [whole, indentation, sign, number, end, space, task] = found;
  const isBlank = line.text.length === whole.length;
  const next = `${indentation}${number === undefined ? sign : `${Number(number) + 1}${end}`}${space}${task ? '[ ] ' : ''}`;
  const insert = isBlank ? '' : `${state.lineBreak}${next}`;
  const from = isBlank ? line.from : main.from;
  view.dispatch({
    changes: { from, to: main.from, insert },
    selection: EditorSelection.cursor(from + insert.length),
    scrollIntoView: true,
    userEvent: 'input',
  });
  return true;
}
