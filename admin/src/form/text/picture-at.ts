/** Pictures of Markdown: where their parts stand. */
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

export interface PictureAt {
  readonly url: string;
  /** Its alternative text, and where that stands. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The picture around a place, written as `![text](address)`. */
export function pictureAt(state: EditorState, at: number): PictureAt | undefined {
  for (const side of [-1, 1] as const) {
    for (let node = syntaxTree(state).resolveInner(at, side); node.parent; node = node.parent) {
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

/** The last picture of an address. */
export function pictureOf(state: EditorState, address: string): PictureAt | undefined {
  let found: PictureAt | undefined;
  syntaxTree(state).iterate({
    enter: ({ name, to }) => {
      const picture = name === 'Image' ? pictureAt(state, to) : undefined;
      if (picture?.url === address) found = picture;
    },
  });
  return found;
}

/** Without the backslashes before signs that are meant as letters. */
export const unescaped = (text: string): string => text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
