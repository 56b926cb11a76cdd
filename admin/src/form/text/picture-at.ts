/** Pictures of Markdown: where their parts are. */
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

export interface PictureAt {
  readonly url: string;
  /** Its alternative text, and where that begins and ends. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Milliseconds that parsing a long text may take before a place is looked up in it. */
const PARSE_TIME = 200;

/** The picture around a place, written as `![text](address)`. */
export function pictureAt(state: EditorState, at: number): PictureAt | undefined {
  const tree = ensureSyntaxTree(state, Math.min(at + 1, state.doc.length), PARSE_TIME) ?? syntaxTree(state);
  for (const side of [-1, 1] as const) {
    for (let node = tree.resolveInner(at, side); node.parent; node = node.parent) {
      if (node.name !== 'Image') continue;
      const [open, close] = node.getChildren('LinkMark');
      const url = node.getChild('URL');
      if (!open || !close || !url) return undefined;
      const [from, to] = [open.to, close.from];
      return {
        url: state.sliceDoc(url.from, url.to).replace(/^<|>$/g, ''),
        text: unescaped(state.sliceDoc(from, to)),
        from,
        to,
      };
    }
  }
  return undefined;
}

/** Without the backslashes before signs that are meant as letters. */
export const unescaped = (text: string): string => text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
