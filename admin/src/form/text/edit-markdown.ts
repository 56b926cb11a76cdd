/** Editing Markdown: inserting paragraphs, and continuing lists. */
import { syntaxTree } from '@codemirror/language';
import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/**
 * Replaces a range of a text.
 *
 * @param isInline whether the Markdown continues the line; otherwise it is surrounded by empty lines.
 * @returns the transaction, with the offset at which the Markdown begins.
 */
export function insertion(
  { doc, selection }: EditorState,
  { from, to }: { readonly from: number; readonly to: number },
  markdown: string,
  isInline: boolean,
): TransactionSpec & { readonly start: number } {
  const [before, after] = [doc.sliceString(0, from), doc.sliceString(to)];
  const [above, below] = isInline
    ? ['', '']
    : [missingLines(before, (ends) => before.endsWith(ends)), missingLines(after, (ends) => after.startsWith(ends))];
  const insert = `${above}${markdown}${below}`;
  const end = from + insert.length - below.length;
  // A caret elsewhere in the text does not move.
  const isHere = selection.main.from >= from && selection.main.to <= to;
  return {
    changes: { from, to, insert },
    ...(isHere && { selection: EditorSelection.cursor(end), scrollIntoView: true }),
    userEvent: 'input.paste',
    start: from + above.length,
  };
}

/** The line breaks that are missing for an empty line between a text and the insertion. */
function missingLines(text: string, hasEnds: (ends: string) => boolean): string {
  if (text.trim() === '' || hasEnds('\n\n')) return '';
  return hasEnds('\n') ? '\n' : '\n\n';
}

/** Whether an offset is in a code block or in inline code. */
export function isInCode(state: EditorState, at: number): boolean {
  for (let node = syntaxTree(state).resolveInner(at, -1); node.parent; node = node.parent) {
    if (/^(?:FencedCode|CodeBlock|InlineCode)$/.test(node.name)) return true;
  }
  return false;
}

/** The beginning of a line in a list or a quote: indentation, sign, and the box of a task. */
const BEGINNING = /^(\s*)(>|[-*+]|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?/;

/** Continues the list or quote on a new line, or ends it in an empty item. Returns whether the line belongs to one. */
export function continueList(view: EditorView): boolean {
  const { state } = view;
  const { main } = state.selection;
  const line = state.doc.lineAt(main.from);
  const match = BEGINNING.exec(line.text);
  if (!match || !main.empty || main.from < line.from + match[0].length || isInCode(state, main.from)) return false;
  const [whole, indentation, sign, number, end, space, task] = match;
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
