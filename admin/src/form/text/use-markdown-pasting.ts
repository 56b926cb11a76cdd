/** What is pasted or dropped into Markdown: texts of other programs as Markdown, pictures uploaded. */
import type { EditorView } from '@codemirror/view';
import { type RefObject, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { useMayFiles } from '../../media/data.ts';
import { type FormHost, useHost } from '../host.ts';
import { useUpload } from '../links/upload.tsx';
import { pictureText, toMarkdown } from '../pasted/to-markdown.ts';
import { type Stored, usePasting } from '../pasted/use-pasting.ts';
import type { AskedPicture } from '../pictures/asked.tsx';
import type { MediaFile } from '../values/links.ts';
import type { Path } from '../values/model.ts';
import { insertion, isInCode } from './insert-markdown.ts';
import { Places } from './places.ts';

interface MarkdownPasting {
  readonly places: Places;
  /** They say whether they have done something. */
  readonly onPaste: (event: ClipboardEvent) => boolean;
  readonly onDragOver: (event: DragEvent) => boolean;
  readonly onDrop: (event: DragEvent) => boolean;
  /** Puts files of the library where the caret is. */
  readonly insert: (files: readonly MediaFile[]) => void;
  readonly told: readonly string[];
  readonly failures: readonly string[];
  readonly onTheWay: number;
}

const PICTURES = ['images'];

export function useMarkdownPasting(
  view: RefObject<EditorView | null>,
  path: Path,
  ask: (pictures: readonly AskedPicture[]) => void,
): MarkdownPasting {
  const t = useText();
  const may = useMayFiles();
  const host = useHost();
  const [places] = useState(() => new Places());

  /** Holds what is chosen. What it gives puts Markdown there. */
  const hold = (): ((markdown: string, isInline: boolean) => void) => {
    const editor = view.current;
    const { from = 0, to = 0 } = editor?.state.selection.main ?? {};
    const release = places.hold(from, to);
    const found = host.follow(path);
    return (markdown, isInline) => {
      const place = release();
      if (markdown === '') return;
      if (editor && view.current === editor) editor.dispatch(insertion(editor.state, place, markdown, isInline));
      // the text was closed meanwhile: it stands at its end
      else append(host, found(), markdown);
    };
  };
  const pasting = usePasting(() => {
    const put = hold();
    return (blocks, pictures) => {
      const written = new Map([...pictures].map(([source, stored]) => [source, textsOf(stored)] as const));
      const [only] = blocks;
      put(toMarkdown(blocks, written), blocks.length === 1 && only?.type === 'paragraph');
      ask(
        [...pictures.values()].flatMap((stored) =>
          stored.file && !textsOf(stored).alternative ? [named(stored.file)] : [],
        ),
      );
    };
  }, true);
  const { upload, onTheWay, failures } = useUpload(PICTURES, () => {
    const put = hold();
    return (files) => {
      put(markdownOf(files), true);
      ask(files.filter(({ alternativeText }) => !alternativeText).map(named));
    };
  });
  const take = (files: readonly File[]): boolean => {
    if (files.length === 0) return false;
    if (may.create) void upload(files);
    else pasting.tell(t('blocks.picture.mayNot'));
    return true;
  };
  return {
    places,
    told: pasting.told,
    failures,
    onTheWay: onTheWay + pasting.onTheWay,
    insert: (files) => {
      hold()(markdownOf(files), true);
      ask(files.filter(({ alternativeText }) => !alternativeText).map(named));
    },
    onPaste: (event) => {
      const data = event.clipboardData;
      const state = view.current?.state;
      if (!data || !state || state.readOnly) return false;
      const isCode = isInCode(state, state.selection.main.head);
      const { files, types } = data;
      // what is copied from a document is often text and a picture of it
      const isFiles = files.length > 0 && !types.includes('text/plain') && !types.includes('text/html');
      const isTaken = isFiles ? take([...files]) : !isCode && pasting.take(data);
      if (isTaken) event.preventDefault();
      return isTaken;
    },
    onDragOver: (event) => {
      const isFiles = event.dataTransfer?.types.includes('Files') === true;
      if (isFiles) event.preventDefault();
      return isFiles;
    },
    onDrop: (event) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      const editor = view.current;
      if (files.length === 0 || !editor || editor.state.readOnly) return false;
      event.preventDefault();
      const at = editor.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at !== null) editor.dispatch({ selection: { anchor: at } });
      return take(files);
    },
  };
}

const named = ({ url, name }: MediaFile): AskedPicture => ({ url, name });

const textsOf = ({ picture, file, url }: Stored) => ({
  url,
  alternative: picture.alternative || (file?.alternativeText ?? ''),
});

function markdownOf(files: readonly MediaFile[]): string {
  return files.map(({ url, alternativeText }) => pictureText({ url, alternative: alternativeText ?? '' })).join('\n');
}

function append({ valueAt, change }: FormHost, path: Path | undefined, markdown: string): void {
  if (!path) return;
  const before = valueAt(path);
  change(path, typeof before === 'string' && before !== '' ? `${before}\n\n${markdown}` : markdown);
}
