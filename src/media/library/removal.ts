/**
 * Deletes files, and folders with their contents. Each file has its own transaction, so one request deletes a part of
 * many files and reports how many remain. Folders are deleted when they contain no files any more.
 */
import type { Viewer } from '../../access/view.ts';
import { beginRow, transactionOf } from '../../content/rows/around-rows.ts';
import { deleting } from '../../content/rows/changes.ts';
import { removeLinksOf } from '../../content/rows/component-rows.ts';
import { layoutOfModel, type ReadContext } from '../../content/rows/write-context.ts';
import { forbidden, isNotFound, validation } from '../../errors.ts';
import { FOLDER_UID } from '../../schema/catalog.ts';
import { compileBelow, compileCountBelow, PATH_VALUES } from '../../sql/files.ts';
import { fileType } from '../file-record.ts';
import type { MediaContext, ViewedRecords } from '../media-context.ts';
import { removeFile } from '../remove.ts';
import { FOLDERS, type FolderRow, folderSubject, foldersLock, folderType, readFolders } from './folder-rows.ts';
import { inside } from './list-params.ts';
import type { Selection } from './requests.ts';

export interface RemoveResult {
  readonly files: number;
  readonly folders: number;
  /** Files that remain; the request is to be repeated. */
  readonly left: number;
}

/** Files deleted by one request. */
const FILES = 100;
/** Folders deleted by one transaction. */
const MOST_FOLDERS = 5000;

/**
 * Deletes files and folders; missing ones are no error.
 *
 * @throws ContentError 403, before anything is deleted, if the viewer may not change all files; 503 while one is being
 *   changed.
 */
export async function remove(
  context: MediaContext,
  { files, folders }: Selection,
  viewer: Viewer,
  records: ViewedRecords,
): Promise<RemoveResult> {
  const { database, writer } = context;
  const read = writer.reading(database);
  const chosen = await readFolders(read, folders);
  const paths = topmost(chosen.map(({ path }) => path));
  const tops = chosen.filter(({ path }) => paths.includes(path));
  if (!(await areShown(context, files, paths, viewer))) throw forbidden();
  const existingFiles = await existing(read, files);
  const inFolders = new Map(await rowsBelow(read, paths, FILES));
  const batch = [...new Set([...existingFiles, ...inFolders.keys()])].slice(0, FILES);
  let deleted = 0;
  for (const id of batch) {
    const path = inFolders.get(id);
    const top = path === undefined ? undefined : tops.find((one) => isWithin(path, one.path));
    deleted += await removeOne(context, id, records, top?.documentId);
  }
  const remaining = (await existing(read, files)).length + (await countBelow(read, paths));
  if (remaining > 0 || paths.length === 0) return { files: deleted, folders: 0, left: remaining };
  return { files: deleted, folders: await removeFolders(context, tops), left: remaining };
}

/** Whether a path is that of a folder, or below it. */
const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Deletes a file. Returns the number of deleted files: 0 if it is already gone. */
async function removeOne(
  context: MediaContext,
  id: number,
  records: ViewedRecords,
  folder: string | undefined,
): Promise<0 | 1> {
  try {
    await removeFile(context, id, records, folder);
    return 1;
  } catch (error) {
    if (isNotFound(error)) return 0;
    throw error;
  }
}

/** Deletes folders without files. Returns their number; 0 if a file has been added meanwhile. */
async function removeFolders(context: MediaContext, tops: readonly FolderRow[]): Promise<number> {
  const { writer, around } = context;
  const paths = tops.map(({ path }) => path);
  return transactionOf(context, [FOLDER_UID], async (tx) => {
    const write = writer.context(tx);
    await tx.lock(() => [foldersLock(false)]);
    if ((await countBelow(write, paths)) > 0) return 0;
    const values = [...pathValues(paths), MOST_FOLDERS + 1];
    const rows = await write.tables.run(`folders below ${paths.length}`, values, () =>
      compileBelow(write.tables.dialect, FOLDERS, 'path', paths.length),
    );
    if (rows.length > MOST_FOLDERS) throw validation(`At most ${MOST_FOLDERS} folders can be deleted at once`);
    const ids = rows.map(([id]) => Number(id));
    for (const { path: top, documentId } of tops) {
      const removed = rows.filter(([, path]) => isWithin(String(path), top));
      const row = { locale: null, published: true } as const;
      const all = removed.map(([id]) => ({ id: Number(id), ...row }));
      if (all.length > 0) await deleting(write, folderType(write), documentId, all);
    }
    const begun = await beginRow(around, FOLDER_UID, 'deleteMany', () => ({
      where: { $or: paths.flatMap((path) => [{ path: { $eq: path } }, { path: { $startsWith: `${path}/` } }]) },
    }));
    await removeLinksOf(write, folderType(write), ids);
    const removed = await readFolders(write, ids);
    await write.tables.delete(FOLDERS, { id: ids });
    await begun.end(ids.length);
    for (const folder of removed) tx.recordAction({ action: 'media-folder.delete', ...folderSubject(folder) });
    return ids.length;
  });
}

/**
 * Whether a viewer may delete all selected files that it sees. Hidden files in the folders do not change the answer.
 *
 * @param reading what it sees.
 * @param changing what it may change.
 */
export async function mayRemove(
  context: MediaContext,
  { files, folders }: Selection,
  reading: Viewer,
  changing: Viewer,
): Promise<boolean> {
  if (!(await areShown(context, files, [], changing))) return false;
  const paths = topmost((await readFolders(context.writer.reading(context.database), folders)).map(({ path }) => path));
  if (paths.length === 0) return true;
  const [shown, changed] = await Promise.all([reading, changing].map((viewer) => countShown(context, paths, viewer)));
  return shown === changed;
}

/** Whether a viewer sees all of some files, and all below paths. */
async function areShown(
  context: MediaContext,
  files: readonly number[],
  paths: readonly string[],
  viewer: Viewer,
): Promise<boolean> {
  const { database, reader, writer } = context;
  const type = fileType(context);
  const shown = reader.shown(database, viewer);
  if (shown.areAll(type)) return true;
  const there = await existing(writer.reading(database), files);
  const hidden = await shown.hidden(
    type,
    there.map((id) => ({ id, published: true })),
  );
  if (hidden.size > 0) return false;
  if (paths.length === 0) return true;
  return (await countShown(context, paths, viewer)) === (await countBelow(writer.reading(database), paths));
}

/** The number of files below paths that a viewer sees. */
async function countShown(context: MediaContext, paths: readonly string[], viewer: Viewer): Promise<number> {
  const counted = { mode: 'offset', offset: 0, limit: 1, withCount: true } as const;
  const filters = { $or: paths.map((path) => inside({ path })) };
  const { total } = await context.reader.list(
    fileType(context),
    viewer,
    { fields: ['id'], filters },
    { page: counted },
  );
  return total ?? 0;
}

/** The existing ones of some files. */
async function existing(context: ReadContext, files: readonly number[]): Promise<number[]> {
  const { table } = layoutOfModel(context, fileType(context));
  const rows = await context.tables.select(table, ['id'], { id: files }, ['id']);
  return rows.map(([id]) => Number(id));
}

/** Ids of files in some folders and below, in order. */
export async function filesBelow(context: ReadContext, paths: readonly string[], most: number): Promise<number[]> {
  return (await rowsBelow(context, paths, most)).map(([id]) => id);
}

/** Ids of files in some folders and below, in order, with the paths of their folders. */
async function rowsBelow(
  context: ReadContext,
  paths: readonly string[],
  most: number,
): Promise<(readonly [id: number, path: string])[]> {
  const place = pathColumn(context);
  if (!place || paths.length === 0) return [];
  const { table, column } = place;
  const rows = await context.tables.run(`files below ${table} ${paths.length}`, [...pathValues(paths), most], () =>
    compileBelow(context.tables.dialect, table, column, paths.length),
  );
  return rows.map(([id, path]) => [Number(id), String(path)]);
}

/** The number of files in some folders and below. */
export async function countBelow(context: ReadContext, paths: readonly string[]): Promise<number> {
  const place = pathColumn(context);
  if (!place || paths.length === 0) return 0;
  const { table, column } = place;
  const [row] = await context.tables.run(`files below ${table} ${paths.length} counted`, pathValues(paths), () =>
    compileCountBelow(context.tables.dialect, table, column, paths.length),
  );
  return Number(row?.[0] ?? 0);
}

/** The column of a file's folder path; undefined if a project's extension has none. */
export function pathColumn(context: ReadContext): { readonly table: string; readonly column: string } | undefined {
  const { table, columns } = layoutOfModel(context, fileType(context));
  const column = columns.get('folderPath');
  return column === undefined ? undefined : { table, column };
}

/** The paths that are not below another one. */
export function topmost(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
}

/** Paths as parameters of statements about their contents. */
export const pathValues = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => Array.from({ length: PATH_VALUES }, () => path));
