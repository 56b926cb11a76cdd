/** Calls the project's code that checks the details of files before anything is stored. */
import { invalidKey } from '../errors.ts';
import { at, Failures } from '../failures.ts';
import { nearest } from '../nearest.ts';
import { type FileInfo, infoAt } from './file-info.ts';
import { readRecord } from './file-record.ts';
import type { IncomingFile } from './form.ts';
import { folderIn } from './library/requests.ts';
import type { BeforeFiles, MediaContext, UploadedFile, ViewedRecords } from './media-context.ts';

/** Details of a file. Undefined values stay as they are or get their default. */
export interface FileDetails {
  readonly info: FileInfo;
  /** Null for no folder. */
  readonly folder: number | null | undefined;
}

type HooksContext = Pick<MediaContext, 'before'>;

/** The keys of details. */
const KEYS: readonly string[] = ['name', 'alternativeText', 'caption', 'focalPoint', 'folder'];

/**
 * The details of a new file after the project's code has checked them.
 *
 * @throws ContentError 400 for invalid details, and errors of the code.
 */
export function newFileDetails(
  { before }: HooksContext,
  details: FileDetails,
  file: UploadedFile,
  { by }: ViewedRecords,
): Promise<FileDetails> {
  return changed(before, { action: 'create', documentId: undefined, file, by }, details);
}

/**
 * The details of an existing file after the project's code has checked them. Files that do not exist or are hidden are
 * refused elsewhere.
 *
 * @param file the bytes that replace its own.
 * @throws ContentError also 403 for a file that the caller may not update.
 */
export async function fileDetails(
  { before, database, writer }: HooksContext & Pick<MediaContext, 'database' | 'writer'>,
  id: number | undefined,
  details: FileDetails,
  records: ViewedRecords,
  file?: UploadedFile,
): Promise<FileDetails> {
  const record = before && id !== undefined ? await readRecord(writer.reading(database), id) : undefined;
  if (!record || !(await records.isShown(database, record.id))) return details;
  await records.requireWritten(database, record.id, 'update');
  const { documentId } = record;
  return changed(before, { action: 'update', documentId, file, by: records.by }, details);
}

/** A file of a form as the project's code sees it. @param mime its detected type. */
export const uploadedFile = ({ path, name, size }: IncomingFile, mime: string): UploadedFile => {
  return { filepath: path, originalFilename: name ?? null, mimetype: mime, size };
};

type Write = Omit<Parameters<BeforeFiles['changed']>[0], 'data'>;

async function changed(before: BeforeFiles | undefined, write: Write, details: FileDetails): Promise<FileDetails> {
  if (!before) return details;
  const entries = Object.entries({ ...details.info, folder: details.folder }).filter(
    ([, value]) => value !== undefined,
  );
  const data = await before.changed({ ...write, data: Object.fromEntries(entries) });
  const { folder: _, ...info } = data;
  const key = Object.keys(data).find((name) => !KEYS.includes(name));
  if (key !== undefined) throw invalidKey({ key, path: null, source: 'body', nearest: nearest(key, KEYS) });
  const failures = new Failures();
  const folder = folderIn(data, 'folder', failures);
  failures.throwAny();
  return { info: infoAt(at(), info), folder };
}
