/** Code of the project that looks at what is told of files before anything is stored of them. */
import { invalidKey } from '../errors.ts';
import { at, Failures } from '../failures.ts';
import { nearest } from '../nearest.ts';
import { type FileInfo, infoAt } from './file-info.ts';
import { readRecord } from './file-record.ts';
import type { IncomingFile } from './form.ts';
import { folderIn } from './library/requests.ts';
import type { BeforeFiles, MediaContext, UploadedFile, ViewedRecords } from './media-context.ts';

/** What is told of a file, and the folder that it lies in. Undefined: it stays as it is, or is what it usually is. */
export interface ToldFile {
  readonly info: FileInfo;
  /** Null: in none. */
  readonly folder: number | null | undefined;
}

type Watching = Pick<MediaContext, 'before'>;

/** What may be told of a file. */
const KEYS: readonly string[] = ['name', 'alternativeText', 'caption', 'focalPoint', 'folder'];

/**
 * What is told of a new file, as code leaves it.
 *
 * @throws ContentError 400 for what code has made of it and no file can be told, and whatever code refuses it with.
 */
export function toldOfNew(
  { before }: Watching,
  told: ToldFile,
  file: UploadedFile,
  { by }: ViewedRecords,
): Promise<ToldFile> {
  return changed(before, { action: 'create', documentId: undefined, file, by }, told);
}

/**
 * The same of a file that is there. One that is not, or that is hidden, is for others to refuse.
 *
 * @param file the bytes that take the place of its own.
 * @throws ContentError also 403 for a file that the caller may not update.
 */
export async function toldOf(
  { before, database, writer }: Watching & Pick<MediaContext, 'database' | 'writer'>,
  id: number | undefined,
  told: ToldFile,
  records: ViewedRecords,
  file?: UploadedFile,
): Promise<ToldFile> {
  const record = before && id !== undefined ? await readRecord(writer.reading(database), id) : undefined;
  if (!record || !(await records.isShown(database, record.id))) return told;
  await records.requireWritten(database, record.id, 'update');
  const { documentId } = record;
  return changed(before, { action: 'update', documentId, file, by: records.by }, told);
}

/** A file of a form as code has it. @param mime its type, which was looked into. */
export const uploadedFile = ({ path, name, size }: IncomingFile, mime: string): UploadedFile => {
  return { filepath: path, originalFilename: name ?? null, mimetype: mime, size };
};

type Write = Omit<Parameters<BeforeFiles['changed']>[0], 'data'>;

async function changed(before: BeforeFiles | undefined, write: Write, told: ToldFile): Promise<ToldFile> {
  if (!before) return told;
  const given = Object.entries({ ...told.info, folder: told.folder }).filter(([, value]) => value !== undefined);
  const data = await before.changed({ ...write, data: Object.fromEntries(given) });
  const { folder: _, ...info } = data;
  const key = Object.keys(data).find((name) => !KEYS.includes(name));
  if (key !== undefined) throw invalidKey({ key, path: null, source: 'body', nearest: nearest(key, KEYS) });
  const failures = new Failures();
  const folder = folderIn(data, 'folder', failures);
  failures.throwAny();
  return { info: infoAt(at(), info), folder };
}
