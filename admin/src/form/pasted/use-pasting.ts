/**
 * Pasting formatted text and files into an editor. The text is inserted at once, its pictures once they are uploaded.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { fileAtQuery, useMayFiles } from '../../media/data.ts';
import { uploadFiles } from '../../media/upload-files.ts';
import { useUpload } from '../links/upload.tsx';
import type { MediaFile } from '../values/links.ts';
import type { PasteNoticesProps } from './paste-notices.tsx';
import type { PastedBlock, PastedPicture } from './pasted.ts';
import { MOST_UPLOADS, type PicturePlan, planPictures, type Reason } from './pictures.ts';
import { readHtml } from './read-html.ts';

/** Inserts the uploaded pictures, by source. Missing ones are left out. */
type PutPictures = (files: ReadonlyMap<string, MediaFile>) => void;

/**
 * Puts blocks in place of the selection, with placeholders for the pictures of `sources`.
 *
 * @returns undefined if there are too many blocks.
 */
type PutBlocks = (blocks: readonly PastedBlock[], sources: ReadonlySet<string>) => PutPictures | undefined;

/** Allowed types of an upload, as attributes name them. */
export const PICTURES = ['images'];

export interface Pasting {
  /** Takes text with a format. Returns false if it has none: then the editor inserts its plain text. */
  readonly takeText: (data: DataTransfer) => boolean;
  /** Uploads pictures, or reports that the editor may not. Returns false if there are no files. */
  readonly takeFiles: (files: FileList) => boolean;
  readonly notify: (text: string) => void;
  readonly notices: PasteNoticesProps;
}

/**
 * Handles content that is pasted or dropped into a text.
 *
 * @param put puts formatted text in place of the selection.
 * @param hold remembers the selection when an upload starts; the returned function inserts the uploaded files there.
 */
export function usePasting(put: PutBlocks, hold: () => (files: readonly MediaFile[]) => void): Pasting {
  const t = useText();
  const may = useMayFiles();
  const client = useQueryClient();
  const { upload, onTheWay, failures, clearFailures } = useUpload(PICTURES, hold);
  const [notices, setNotices] = useState<readonly string[]>([]);
  const [uploading, setUploading] = useState(0);
  const number = useRef(0);
  const notify = (text: string): void => setNotices((before) => [...before.filter((one) => one !== text), text]);
  const notifyLeftOut = (leftOut: ReadonlyMap<Reason, number>): void => {
    for (const [reason, count] of leftOut) {
      notify(
        reason === 'tooMany'
          ? t('paste.left.tooMany', { count, limit: MOST_UPLOADS })
          : t(`paste.left.${reason}`, { count }),
      );
    }
  };
  const nameOf = ({ alternative }: PastedPicture): string => {
    number.current += 1;
    const words = alternative
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .trim()
      .slice(0, 60);
    return words || t('paste.name', { number: number.current });
  };
  const takeText = (data: DataTransfer): boolean => {
    setNotices([]);
    const html = data.getData('text/html');
    // Code editors copy their colours.
    if (html === '' || data.types.includes('vscode-editor-data')) return false;
    const blocks = readHtml(html);
    if (blocks?.length === 0) return false;
    const files = [...data.files].filter(({ type }) => type.startsWith('image/'));
    const plan = planPictures(blocks ?? [], files, { origin: location.origin, mayUpload: may.create, nameOf });
    const sources = new Set([...plan.own.keys(), ...plan.uploads.map(({ source }) => source)]);
    const putPictures = blocks && put(blocks, sources);
    if (!putPictures) {
      notify(t('paste.tooLarge'));
      return false;
    }
    notifyLeftOut(plan.leftOut);
    if (sources.size > 0) void store(plan).then(putPictures);
    return true;
  };
  /** Uploads files, and looks up those of this server in the library. */
  const store = async ({ uploads, own }: PicturePlan): Promise<ReadonlyMap<string, MediaFile>> => {
    setUploading((before) => before + uploads.length);
    const found = await Promise.all([...own].map(async ([source, url]) => [source, await inLibrary(url)] as const));
    const missing = found.filter(([, file]) => !file).length;
    if (missing > 0) notifyLeftOut(new Map([['unreadable', missing]]));
    const uploaded = await Promise.all(
      uploads.map(async ({ source, file }) => {
        const { files, failed } = await uploadFiles([file], { folder: null });
        for (const { error } of failed) notify(t('files.failed', { name: file.name, reason: failureText(t, error) }));
        return [source, files[0]] as const;
      }),
    );
    setUploading((before) => before - uploads.length);
    return new Map([...found, ...uploaded].flatMap(([source, file]) => (file ? [[source, file] as const] : [])));
  };
  const inLibrary = async (url: string): Promise<MediaFile | null> =>
    may.read ? await client.fetchQuery(fileAtQuery(url)).catch(() => null) : null;
  const takeFiles = (files: FileList): boolean => {
    if (files.length === 0) return false;
    if (may.create) void upload([...files]);
    else notify(t('blocks.picture.mayNot'));
    return true;
  };
  const onClose = (): void => {
    setNotices([]);
    clearFailures();
  };
  return { takeText, takeFiles, notify, notices: { notices, failures, uploading: onTheWay + uploading, onClose } };
}

/** True for files without text: programs often copy text together with a picture of it. */
export const hasFilesOnly = ({ files, types }: DataTransfer): boolean =>
  files.length > 0 && !types.includes('text/html') && !types.includes('text/plain');
