/** Pasting and dropping into a blocks document: formatted text as blocks, and uploads of pictures. */
import { type ClipboardEvent, type DragEvent, useEffect, useRef } from 'react';
import { Editor, type Path as NodePath, Range, Transforms } from 'slate';
import { HistoryEditor } from 'slate-history';
import { ReactEditor } from 'slate-react';
import { useText } from '../../language/language.tsx';
import { type FormHost, useHost } from '../host.ts';
import { toBlocks } from '../pasted/to-blocks.ts';
import { hasFilesOnly, type Pasting, usePasting } from '../pasted/use-pasting.ts';
import type { MissingAlternative } from '../pictures/missing-alternatives.tsx';
import type { MediaFile } from '../values/links.ts';
import type { Path } from '../values/model.ts';
import { fillPlace, imageOf, insertBlocks, insertPictures } from './commands.ts';
import { type BlocksEditor, type ElementNode, paragraph } from './nodes.ts';
import { pictureOfFile } from './pictures.ts';
import { missingAlternatives } from './placed-picture.ts';

interface BlocksPasting extends Pick<Pasting, 'takeText' | 'notices'> {
  readonly handlers: {
    readonly onPaste: (event: ClipboardEvent) => void;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

/** The maximum number of blocks of one paste. More would block the page. */
const MOST_BLOCKS = 2000;

export function useBlocksPasting(
  editor: BlocksEditor,
  path: Path,
  ask: (pictures: readonly MissingAlternative[]) => void,
): BlocksPasting {
  const t = useText();
  const host = useHost();
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const hold = (): ((files: readonly MediaFile[]) => void) => {
    const range = editor.selection ?? Editor.range(editor, Editor.end(editor, []));
    // Text that is written at the end of the selection comes after the pictures.
    const place = Editor.rangeRef(editor, range, { affinity: 'backward' });
    const currentPath = host.follow(path);
    return (files) => {
      const pictures = files.map(pictureOfFile);
      const at = place.unref();
      if (isThere.current) {
        insertAt(editor, at, () => ask(missingAlternatives(editor, insertPictures(editor, pictures))));
      } else append(host, currentPath(), pictures.map(imageOf));
    };
  };
  const { takeText, takeFiles, notify, notices } = usePasting((blocks, sources) => {
    const { nodes, places, hasTable } = toBlocks(blocks, sources);
    if (nodes.length > MOST_BLOCKS) return undefined;
    if (hasTable) notify(t('paste.table'));
    if (nodes.length === 0) return () => {};
    const refs = insertBlocks(
      editor,
      nodes,
      places.map(({ at }) => at),
    );
    const currentPath = host.follow(path);
    return (files) => {
      const images = places.map(({ picture: { source, alternative } }) => {
        const file = files.get(source);
        return file && pictureOfFile({ ...file, alternativeText: alternative || file.alternativeText || null });
      });
      if (!isThere.current) {
        const stored = images.filter((image) => image !== undefined);
        if (stored.length > 0) append(host, currentPath(), stored.map(imageOf));
        return;
      }
      const paths: NodePath[] = [];
      HistoryEditor.withNewBatch(editor, () =>
        Editor.withoutNormalizing(editor, () => {
          for (const [index, ref] of refs.entries()) {
            const at = ref.unref();
            // The text was undone or deleted during the upload, and its pictures with it.
            const filled = at && fillPlace(editor, at, images[index]);
            if (filled) paths.push(filled);
          }
        }),
      );
      ask(missingAlternatives(editor, paths));
    };
  }, hold);
  return {
    takeText,
    notices,
    handlers: {
      onPaste: (event) => {
        event.preventDefault();
        if (hasFilesOnly(event.clipboardData)) takeFiles(event.clipboardData.files);
        // The later event, with which browsers announce the insertion, has no files.
        else ReactEditor.insertData(editor, event.clipboardData);
      },
      onDragOver: (event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      },
      onDrop: (event) => {
        const { files } = event.dataTransfer;
        if (files.length === 0) return;
        event.preventDefault();
        const range = ReactEditor.findEventRange(editor, event, { suppressThrow: true });
        if (range) Transforms.select(editor, range);
        takeFiles(files);
      },
    },
  };
}

/** Inserts at a place of the text. A caret that is elsewhere stays where it is. */
function insertAt(editor: BlocksEditor, at: Range | null, insert: () => void): void {
  const { selection } = editor;
  const isElsewhere = selection !== null && at !== null && !Range.equals(selection, at);
  const now = isElsewhere ? Editor.rangeRef(editor, selection) : undefined;
  Transforms.select(editor, at ?? Editor.end(editor, []));
  insert();
  const back = now?.unref();
  if (back) Transforms.select(editor, back);
}

/** Appends blocks to a value whose editor was closed or replaced during the upload. */
function append({ valueAt, change }: FormHost, path: Path | undefined, nodes: readonly ElementNode[]): void {
  if (!path) return;
  const before = valueAt(path);
  change(path, [...(Array.isArray(before) ? before : []), ...nodes, paragraph()]);
}
