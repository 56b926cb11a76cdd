/** What is pasted or dropped into a blocks document: texts of other programs as blocks, pictures uploaded. */
import { type ClipboardEvent, type DragEvent, useEffect, useRef } from 'react';
import { Editor, Range, Transforms } from 'slate';
import { ReactEditor } from 'slate-react';
import { useText } from '../../language/language.tsx';
import { useMayFiles } from '../../media/data.ts';
import { type FormHost, useHost } from '../host.ts';
import { useUpload } from '../links/upload.tsx';
import { toBlocks } from '../pasted/to-blocks.ts';
import { usePasting } from '../pasted/use-pasting.ts';
import type { AskedPicture } from '../pictures/asked.tsx';
import type { MediaFile } from '../values/links.ts';
import type { Path, Values } from '../values/model.ts';
import { insertBlocks, insertPictures } from './commands.ts';
import { type BlocksEditor, type ElementNode, paragraph, text } from './nodes.ts';
import { pictureOfFile } from './pictures.ts';

interface BlocksPasting {
  /** Takes what is pasted, if it has a format. Whether it did. */
  readonly take: (data: DataTransfer) => boolean;
  readonly handlers: {
    readonly onPaste: (event: ClipboardEvent) => void;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
  readonly told: readonly string[];
  readonly failures: readonly string[];
  readonly onTheWay: number;
}

const PICTURES = ['images'];

export function useBlocksPasting(
  editor: BlocksEditor,
  path: Path,
  ask: (pictures: readonly AskedPicture[]) => void,
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
  /** Holds what is chosen. What it gives does something there. */
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
  const pasting = usePasting(() => {
    const put = hold();
    return (blocks, pictures) => {
      const images = new Map<string, Values>();
      for (const [source, { picture, file }] of pictures) {
        const alternativeText = picture.alternative || file?.alternativeText || null;
        if (file) images.set(source, pictureOfFile({ ...file, alternativeText }));
        if (file && alternativeText === null) ask([named(file)]);
      }
      const { nodes, hasTable } = toBlocks(blocks, images);
      if (hasTable) pasting.tell(t('paste.table'));
      if (nodes.length > 0) put(nodes, () => insertBlocks(editor, nodes));
    };
  }, false);
  const { upload, onTheWay, failures } = useUpload(PICTURES, () => {
    const put = hold();
    return (files) => {
      const pictures = files.map(pictureOfFile);
      const nodes = pictures.map((image): ElementNode => ({ type: 'image', image, children: [text()] }));
      put(nodes, () => insertPictures(editor, pictures));
      ask(files.filter(({ alternativeText }) => !alternativeText).map(named));
    };
  });
  const takeFiles = (files: readonly File[]): void => {
    if (may.create) void upload(files);
    else pasting.tell(t('blocks.picture.mayNot'));
  };
  return {
    take: pasting.take,
    told: pasting.told,
    failures,
    onTheWay: onTheWay + pasting.onTheWay,
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

const named = ({ url, name }: MediaFile): AskedPicture => ({ url, name });

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
