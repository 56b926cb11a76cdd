/** What is pasted or dropped into a blocks document: texts of other programs as blocks, pictures uploaded. */
import { type ClipboardEvent, type DragEvent, useEffect, useRef } from 'react';
import { Editor, type Path as NodePath, Range, Transforms } from 'slate';
import { HistoryEditor } from 'slate-history';
import { ReactEditor } from 'slate-react';
import { useText } from '../../language/language.tsx';
import { useMayFiles } from '../../media/data.ts';
import { type FormHost, useHost } from '../host.ts';
import { useUpload } from '../links/upload.tsx';
import { toBlocks } from '../pasted/to-blocks.ts';
import { usePasting } from '../pasted/use-pasting.ts';
import type { MissingAlternative } from '../pictures/missing-alternatives.tsx';
import type { Path } from '../values/model.ts';
import { fillPlace, imageOf, insertBlocks, insertPictures } from './commands.ts';
import { type BlocksEditor, type ElementNode, paragraph } from './nodes.ts';
import { pictureOfFile } from './pictures.ts';
import { missingAlternatives } from './placed-picture.ts';

interface BlocksPasting {
  /** Takes what is pasted, if it has a format. Whether it did. */
  readonly take: (data: DataTransfer) => boolean;
  readonly handlers: {
    readonly onPaste: (event: ClipboardEvent) => void;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
  readonly notices: readonly string[];
  readonly failures: readonly string[];
  readonly clearNotices: () => void;
  readonly uploading: number;
}

const PICTURES = ['images'];
/** Blocks of one paste; a browser would stand still over more. */
const MOST_BLOCKS = 2000;

export function useBlocksPasting(
  editor: BlocksEditor,
  path: Path,
  ask: (pictures: readonly MissingAlternative[]) => void,
): BlocksPasting {
  const t = useText();
  const may = useMayFiles();
  const host = useHost();
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  /** Remembers the selection; the returned function inserts at it. */
  const hold = (): ((nodes: readonly ElementNode[], insert: () => void) => void) => {
    const range = editor.selection ?? Editor.range(editor, Editor.end(editor, []));
    // what is written at the end of it comes after what is put there
    const place = Editor.rangeRef(editor, range, { affinity: 'backward' });
    const found = host.follow(path);
    return (nodes, insert) => {
      const at = place.unref();
      if (isThere.current) insertAt(editor, at, insert);
      // the text was closed meanwhile, or begun anew: they stand at its end
      else append(host, found(), nodes);
    };
  };
  const pasting = usePasting((blocks, sources) => {
    const { nodes, places, hasTable } = toBlocks(blocks, sources);
    if (nodes.length > MOST_BLOCKS) return undefined;
    if (hasTable) pasting.notify(t('paste.table'));
    if (nodes.length === 0) return () => {};
    const refs = insertBlocks(
      editor,
      nodes,
      places.map(({ at }) => at),
    );
    const found = host.follow(path);
    return (files) => {
      const images = places.map(({ picture: { source, alternative } }) => {
        const file = files.get(source);
        return file && pictureOfFile({ ...file, alternativeText: alternative || file.alternativeText || null });
      });
      if (!isThere.current) {
        const stored = images.filter((image) => image !== undefined);
        if (stored.length > 0) append(host, found(), stored.map(imageOf));
        return;
      }
      const paths: NodePath[] = [];
      HistoryEditor.withNewBatch(editor, () =>
        Editor.withoutNormalizing(editor, () => {
          for (const [index, ref] of refs.entries()) {
            const at = ref.unref();
            // the text was taken back or deleted meanwhile, and its pictures with it
            const filled = at && fillPlace(editor, at, images[index]);
            if (filled) paths.push(filled);
          }
        }),
      );
      ask(missingAlternatives(editor, paths));
    };
  });
  const { upload, onTheWay, failures, clearFailures } = useUpload(PICTURES, () => {
    const put = hold();
    return (files) => {
      const pictures = files.map(pictureOfFile);
      put(pictures.map(imageOf), () => ask(missingAlternatives(editor, insertPictures(editor, pictures))));
    };
  });
  const takeFiles = (files: readonly File[]): void => {
    if (may.create) void upload(files);
    else pasting.notify(t('blocks.picture.mayNot'));
  };
  return {
    take: pasting.take,
    notices: pasting.notices,
    failures,
    clearNotices: () => {
      pasting.clearNotices();
      clearFailures();
    },
    uploading: onTheWay + pasting.uploading,
    handlers: {
      onPaste: (event) => {
        const { files, types } = event.clipboardData;
        event.preventDefault();
        // what is copied from a document is often text and a picture of it
        if (files.length > 0 && !types.includes('text/html') && !types.includes('text/plain')) takeFiles([...files]);
        // what a browser tells afterwards, when it is about to insert something, has no files
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
        takeFiles([...files]);
      },
    },
  };
}

/** Whoever writes elsewhere in the text meanwhile goes on there. */
function insertAt(editor: BlocksEditor, at: Range | null, insert: () => void): void {
  const { selection } = editor;
  const isElsewhere = selection !== null && at !== null && !Range.equals(selection, at);
  const now = isElsewhere ? Editor.rangeRef(editor, selection) : undefined;
  Transforms.select(editor, at ?? Editor.end(editor, []));
  insert();
  const back = now?.unref();
  if (back) Transforms.select(editor, back);
}

function append({ valueAt, change }: FormHost, path: Path | undefined, nodes: readonly ElementNode[]): void {
  if (!path) return;
  const before = valueAt(path);
  change(path, [...(Array.isArray(before) ? before : []), ...nodes, paragraph()]);
}
