/** Uploads several files, one request each, so that each has its own progress and error. */
import type { LibraryFile } from '../../contract/media.ts';
import { sendForm } from '../data/upload.ts';

export interface UploadOptions {
  /** The id of the target folder; null for the top. */
  readonly folder: number | null;
  /** Called with the index of a file, the bytes that were sent, and its total. */
  readonly onProgress?: (index: number, sent: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface UploadOutcome {
  /** The stored files, in the order of the list. */
  readonly files: readonly LibraryFile[];
  readonly failed: readonly { readonly file: File; readonly error: unknown }[];
}

/** The number of simultaneous requests. More would share the same bandwidth. */
const AT_ONCE = 2;

/** Uploads files. An error of one does not affect the others. */
export async function uploadFiles(
  list: readonly File[],
  { folder, onProgress, signal }: UploadOptions,
): Promise<UploadOutcome> {
  const stored: (LibraryFile | undefined)[] = list.map(() => undefined);
  const failed: { file: File; error: unknown }[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < list.length) {
      const index = next;
      next += 1;
      const file = list[index]!;
      try {
        stored[index] = await uploadFile(file, {
          folder,
          signal,
          onProgress: (sent, total) => onProgress?.(index, sent, total),
        });
      } catch (error) {
        failed.push({ file, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { files: stored.filter((file) => file !== undefined), failed };
}

/**
 * Uploads one file.
 *
 * @throws the errors of `sendForm`.
 */
export async function uploadFile(
  file: File,
  {
    folder,
    ...options
  }: {
    readonly folder: number | null;
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: (sent: number, total: number) => void;
  },
): Promise<LibraryFile> {
  const form = new FormData();
  if (folder !== null) form.set('folder', String(folder));
  form.set('files', file, file.name);
  const { data } = await sendForm('POST files', form, options);
  return data[0]!;
}
