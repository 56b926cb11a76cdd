/** A picture of a Markdown text that can be described wherever it is by now. */
import type { EditorView } from '@codemirror/view';
import { escaped } from '../pasted/to-markdown.ts';
import type { MissingAlternative } from '../pictures/missing-alternatives.tsx';
import { type PictureAt, pictureAt } from './picture-at.ts';
import type { Places } from './places.ts';

/** @param view gives the editor; undefined while the text is not being edited. */
export function placedPicture(
  view: () => Pick<EditorView, 'state' | 'dispatch'> | null,
  places: Places,
  { url, from, to }: PictureAt,
): Omit<MissingAlternative, 'name'> {
  // up to behind the bracket that closes the text: it is empty only once the picture is gone
  const place = places.hold(from, to + 1);
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
