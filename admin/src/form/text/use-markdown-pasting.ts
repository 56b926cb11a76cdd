/** Pasting and dropping into Markdown: formatted text as Markdown, and uploads of pictures. */
import { EditorSelection } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { type RefObject, useState } from 'react';
import { type FormHost, useHost } from '../host.ts';
import { pictureText, toMarkdown } from '../pasted/to-markdown.ts';
import { hasFilesOnly, type Pasting, usePasting } from '../pasted/use-pasting.ts';
import type { MissingAlternative } from '../pictures/missing-alternatives.tsx';
import type { MediaFile } from '../values/links.ts';
import type { Path } from '../values/model.ts';
import { insertion, isInCode } from './edit-markdown.ts';
import { pictureAt, placedPicture } from './pictures.ts';
import { TrackedRanges } from './tracked-ranges.ts';

interface MarkdownPasting extends Pick<Pasting, 'notices'> {
  readonly places: TrackedRanges;
  /** Event handlers. They return true if they have handled the event. */
  readonly onPaste: (event: ClipboardEvent) => boolean;
  readonly onDragOver: (event: DragEvent) => boolean;
  readonly onDrop: (event: DragEvent) => boolean;
  /** Inserts files of the library at the caret. */
  readonly insert: (files: readonly MediaFile[]) => void;
}

export function useMarkdownPasting(
  view: RefObject<EditorView | null>,
  path: Path,
  ask: (pictures: readonly MissingAlternative[]) => void,
): MarkdownPasting {
  const host = useHost();
  const [places] = useState(() => new TrackedRanges());

  /** Requests the missing alternative texts of pictures, by the offsets at which they begin. */
  const askAt = (editor: EditorView, pictures: readonly { readonly at: number; readonly file: MediaFile }[]): void =>
    ask(
      pictures.flatMap(({ at, file }) => {
        const picture = pictureAt(editor.state, at + 2);
        if (picture?.text !== '') return [];
        return [{ ...placedPicture(() => view.current, places, picture), url: file.url, name: file.name }];
      }),
    );
  const hold = (): ((files: readonly MediaFile[]) => void) => {
    const editor = view.current;
    const { from = 0, to = 0 } = editor?.state.selection.main ?? {};
    const place = places.track(from, to);
    const currentPath = host.follow(path);
    return (files) => {
      places.release(place);
      const texts = files.map(markdownOf);
      const markdown = texts.join('\n');
      // The text was closed during the upload.
      if (!editor || view.current !== editor) return append(host, currentPath(), markdown);
      const { start, ...change } = insertion(editor.state, place, markdown, true);
      editor.dispatch(change);
      let at = start;
      askAt(
        editor,
        files.map((file, index) => {
          const begin = at;
          at += texts[index]!.length + 1;
          return { at: begin, file };
        }),
      );
    };
  };
  const { takeText, takeFiles, notices } = usePasting((blocks, sources) => {
    const editor = view.current!;
    const [only] = blocks;
    const written = toMarkdown(blocks, sources);
    const isInline = blocks.length === 1 && only?.type === 'paragraph';
    const { start, ...change } = insertion(editor.state, editor.state.selection.main, written.text, isInline);
    editor.dispatch(change);
    const whole = places.track(start, start + written.text.length);
    const held = written.places.map(({ at, picture }) => ({ picture, place: places.track(start + at) }));
    const currentPath = host.follow(path);
    return (files) => {
      for (const { place } of held) places.release(place);
      places.release(whole);
      const put = held.flatMap(({ picture: { source, alternative }, place: { from } }) => {
        const file = files.get(source);
        const words = alternative || (file?.alternativeText ?? '');
        return file ? [{ file, from, insert: pictureText({ url: file.url, alternative: words }) }] : [];
      });
      if (view.current !== editor) {
        const markdown = put.map(({ insert }) => insert).join('\n\n');
        if (markdown !== '') append(host, currentPath(), markdown);
        return;
      }
      // The text was undone or deleted during the upload, and its pictures with it.
      if (put.length === 0 || (written.text !== '' && whole.from === whole.to)) return;
      const changes = editor.state.changes(put.map(({ from, insert }) => ({ from, insert })));
      const { main } = editor.state.selection;
      editor.dispatch({
        changes,
        ...(main.empty && { selection: EditorSelection.cursor(changes.mapPos(main.head, 1)) }),
        userEvent: 'input.paste',
      });
      let before = 0;
      askAt(
        editor,
        put.map(({ from, insert, file }) => {
          const at = from + before;
          before += insert.length;
          return { at, file };
        }),
      );
    };
  }, hold);
  return {
    places,
    notices,
    insert: (files) => hold()(files),
    onPaste: (event) => {
      const data = event.clipboardData;
      const state = view.current?.state;
      if (!data || !state || state.readOnly) return false;
      const isCode = isInCode(state, state.selection.main.head);
      const isTaken = hasFilesOnly(data) ? takeFiles(data.files) : !isCode && takeText(data);
      if (isTaken) event.preventDefault();
      return isTaken;
    },
    onDragOver: (event) => {
      const isFiles = event.dataTransfer?.types.includes('Files') === true;
      if (isFiles) event.preventDefault();
      return isFiles;
    },
    onDrop: (event) => {
      const files = event.dataTransfer?.files;
      const editor = view.current;
      if (!files?.length || !editor || editor.state.readOnly) return false;
      event.preventDefault();
      const at = editor.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at !== null) editor.dispatch({ selection: { anchor: at } });
      return takeFiles(files);
    },
  };
}

const markdownOf = ({ url, alternativeText }: MediaFile): string =>
  pictureText({ url, alternative: alternativeText ?? '' });

/** Appends Markdown to a value whose editor was closed during the upload. */
function append({ valueAt, change }: FormHost, path: Path | undefined, markdown: string): void {
  if (!path) return;
  const before = valueAt(path);
  change(path, typeof before === 'string' && before !== '' ? `${before}\n\n${markdown}` : markdown);
}
