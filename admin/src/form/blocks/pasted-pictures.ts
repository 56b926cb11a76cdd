/** Pictures that are pasted or dropped into a blocks document: uploaded, and put where they were meant to be. */
import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from 'react';
import { Editor, Range, Transforms } from 'slate';
import { ReactEditor } from 'slate-react';
import { useText } from '../../language/language.tsx';
import { useMayFiles } from '../../media/data.ts';
import { type FormHost, useHost } from '../host.ts';
import { useUpload } from '../links/upload.tsx';
import type { Path } from '../values/model.ts';
import { insertPictures } from './commands.ts';
import { type BlocksEditor, paragraph, text } from './nodes.ts';
import { pictureOfFile } from './pictures.ts';

interface PastedPictures {
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
  readonly onTheWay: number;
  readonly failures: readonly string[];
}

export function usePastedPictures(editor: BlocksEditor, path: Path): PastedPictures {
  const t = useText();
  const may = useMayFiles();
  const host = useHost();
  const [mayNot, setMayNot] = useState(false);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const { upload, onTheWay, failures } = useUpload(PICTURES, () => {
    const range = editor.selection ?? Editor.range(editor, Editor.end(editor, []));
    // what is written at the end of it comes after them
    const place = Editor.rangeRef(editor, range, { affinity: 'backward' });
    const found = host.follow(path);
    return (files) => {
      const pictures = files.map(pictureOfFile);
      const at = place.unref();
      if (isThere.current) insertAt(editor, at, pictures);
      // the text was closed meanwhile, or begun anew: they stand at its end
      else append(host, found(), pictures);
    };
  });
  const take = (files: readonly File[]): void => {
    setMayNot(!may.create);
    if (may.create) void upload(files);
  };
  return {
    onTheWay,
    failures: mayNot ? [t('blocks.picture.mayNot')] : failures,
    onPaste: (event) => {
      const { files, types } = event.clipboardData;
      // what is copied from a document is often text and a picture of it
      if (files.length === 0 || types.includes('text/html') || types.includes('text/plain')) return;
      event.preventDefault();
      take([...files]);
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
      take([...files]);
    },
  };
}

const PICTURES = ['images'];

type Pictures = readonly ReturnType<typeof pictureOfFile>[];

/** Whoever writes elsewhere in the text meanwhile goes on there. */
function insertAt(editor: BlocksEditor, at: Range | null, pictures: Pictures): void {
  const { selection } = editor;
  const isElsewhere = selection !== null && at !== null && !Range.equals(selection, at);
  const now = isElsewhere ? Editor.rangeRef(editor, selection) : undefined;
  Transforms.select(editor, at ?? Editor.end(editor, []));
  insertPictures(editor, pictures);
  const back = now?.unref();
  if (back) Transforms.select(editor, back);
}

function append({ valueAt, change }: FormHost, path: Path | undefined, pictures: Pictures): void {
  if (!path) return;
  const before = valueAt(path);
  const blocks = pictures.map((image) => ({ type: 'image', image, children: [text()] }));
  change(path, [...(Array.isArray(before) ? before : []), ...blocks, paragraph()]);
}
