/** Pictures in a Markdown text. */
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { escaped } from '../pasted/to-markdown.ts';
import type { MissingAlternative } from '../pictures/missing-alternatives.tsx';
import type { TrackedRanges } from './tracked-ranges.ts';

export interface PictureAt {
  readonly url: string;
  /** The alternative text and its range. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The milliseconds for parsing a long text up to the requested position. */
const PARSE_TIME = 200;

/** The picture at an offset, written as `![text](address)`. */
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

/** Removes the backslashes of escaped characters. */
export const unescaped = (text: string): string => text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');

/**
 * A picture whose alternative text can be set even after it has moved. @param view returns the editor; null while the
 * text is not being edited.
 */
export function placedPicture(
  view: () => Pick<EditorView, 'state' | 'dispatch'> | null,
  places: TrackedRanges,
  { url, from, to }: PictureAt,
): Omit<MissingAlternative, 'name'> {
  // Includes the closing bracket, so that the range is empty only once the picture is gone.
  const place = places.track(from, to + 1);
  const current = (state: EditorView['state']): PictureAt | undefined => {
    const picture = place.to > place.from ? pictureAt(state, place.from) : undefined;
    return picture?.url === url ? picture : undefined;
  };
  return {
    url,
    isMissing: () => {
      const state = view()?.state;
      return state === undefined || current(state)?.text === '';
    },
    describe: (alternative) => {
      const editor = view();
      const picture = editor && current(editor.state);
      if (!picture) return;
      const changes = { from: picture.from, to: picture.to, insert: escaped(alternative) };
      editor.dispatch({ changes, userEvent: 'input.describe' });
    },
  };
}
