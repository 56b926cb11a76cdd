/** Folders of the library: lists, creates, changes and moves them. */
import type { Viewer } from '../../access/view.ts';
import { beginRow, readRows, transactionOf } from '../../content/rows/around-rows.ts';
import { layoutOfModel, type WriteContext } from '../../content/rows/write-context.ts';
import { forbidden, notFound } from '../../errors.ts';
import { at, because, validationFailure } from '../../failures.ts';
import { FILE_UID, FOLDER_UID } from '../../schema/catalog.ts';
import { compileCountByPath, compileCountOfPath } from '../../sql/files.ts';
import { authorColumns, fileType } from '../file-record.ts';
import type { MediaContext } from '../media-context.ts';
import {
  destination,
  type FilePlace,
  FOLDERS,
  type FolderRow,
  folderSubject,
  foldersLock,
  folderType,
  insertFolder,
  moveFolder,
  NO_FOLDER,
  parentPlace,
  putIntoFolder,
  readFolders,
  takeFromFolders,
} from './folder-rows.ts';
import { pathColumn } from './removal.ts';
import type { FolderChange, Selection } from './requests.ts';

/** A folder in an answer. */
export interface FolderAnswer {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly parent: number | null;
  readonly path: string;
  /** The number of its own files; null for a viewer who does not see all files. */
  readonly files: number | null;
}

/** Folders in one answer, which form a tree. */
const MOST = 5000;
const WHOLE = { mode: 'offset', offset: 0, limit: MOST, withCount: false } as const;
const SHAPE = { fields: ['name', 'path'], populate: { parent: { fields: ['id'] } } };

/** All folders by name, up to the limit. */
export async function listFolders(context: MediaContext, viewer: Viewer): Promise<FolderAnswer[]> {
  const { reader, around } = context;
  const params = { ...SHAPE, sort: ['name', 'id'] };
  const rows = await readRows(
    around,
    FOLDER_UID,
    'findMany',
    () => ({ params: { where: {} }, found: (folders) => folders.map(({ id }) => id) }),
    async () =>
      JSON.parse((await reader.list(folderType(context), viewer, params, { page: WHOLE })).data) as FolderRecord[],
  );
  const counts = await countFiles(context, viewer);
  return rows.map((row) => answerOf(row, counts && (counts.get(row.path) ?? 0)));
}

interface FolderRecord {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly path: string;
  readonly parent: { readonly id: number } | null;
}

const answerOf = ({ id, documentId, name, path, parent }: FolderRecord, files: number | null): FolderAnswer => ({
  id,
  documentId,
  name,
  parent: parent?.id ?? null,
  path,
  files,
});

/** The number of files by the path of their folder, or of one folder; null for a viewer who does not see all files. */
async function countFiles(
  { database, writer, reader, catalog }: MediaContext,
  viewer: Viewer,
  one?: string,
): Promise<ReadonlyMap<string, number> | null> {
  if (!reader.shown(database, viewer).areAll(fileType({ catalog }))) return null;
  const context = writer.reading(database);
  const { tables } = context;
  const place = pathColumn(context);
  if (!place) return new Map();
  const { table, column } = place;
  if (one !== undefined) {
    const [row] = await tables.run(`files in ${table}`, [one], () => compileCountOfPath(table, column));
    return new Map([[one, Number(row?.[0] ?? 0)]]);
  }
  const rows = await tables.run(`files by path ${table}`, [], () => compileCountByPath(tables.dialect, table, column));
  return new Map(rows.map(([path, count]) => [String(path), Number(count)]));
}

/** Creates a folder. @throws ContentError 400 for a name that exists, and for a parent that does not. */
export async function createFolder(
  context: MediaContext,
  { name = '', parent = null }: FolderChange,
  viewer: Viewer,
): Promise<FolderAnswer> {
  const { writer, around } = context;
  const id = await transactionOf(context, [FOLDER_UID], async (tx) => {
    const write = writer.context(tx);
    await tx.lock(() => [foldersLock(false)]);
    const place = await destination(write, parent, 'parent');
    await requireFree(write, [name], place);
    return (await insertFolder(write, { name, parent: place }, viewer.values.administratorId, around)).id;
  });
  return readAnswer(context, id, viewer);
}

/**
 * Renames and moves a folder.
 *
 * @throws ContentError 400 for a name that exists, a parent that does not exist or is inside the folder; 404 for no
 *   such folder.
 */
export async function changeFolder(
  context: MediaContext,
  id: number,
  { name, parent }: FolderChange,
  viewer: Viewer,
): Promise<FolderAnswer> {
  const { writer, around } = context;
  await transactionOf(context, [FOLDER_UID], async (tx) => {
    const write = writer.context(tx);
    await tx.lock(() => [foldersLock(false)]);
    const [folder] = await readFolders(write, [id]);
    if (!folder) throw notFound();
    const place = parent === undefined ? await placeAbove(write, folder) : await destination(write, parent, 'parent');
    await requireFree(write, [name ?? folder.name], place, [id]);
    requireOutside(folder, place, 'parent');
    if (parent !== undefined) await moveFolder(write, folder, place);
    const data = name === undefined ? {} : { name };
    const begun = await beginRow(around, FOLDER_UID, 'update', () => ({ where: { id }, data }));
    const columns = new Map([
      ...(name === undefined ? [] : [['name', name] as const]),
      ['updated_at', write.tables.dialect.encodeTime(Date.now())] as const,
      ...authorColumns(viewer.values.administratorId, ['updated_by_id']),
    ]);
    await write.tables.update(FOLDERS, columns, { id });
    await begun.end(id);
    const fields = Object.entries({ name, parent }).flatMap(([key, value]) => (value === undefined ? [] : [key]));
    tx.recordAction({ action: 'media-folder.update', ...folderSubject(folder), fields });
  });
  return readAnswer(context, id, viewer);
}

async function readAnswer(context: MediaContext, id: number, viewer: Viewer): Promise<FolderAnswer> {
  const row = await context.reader.one(folderType(context), viewer, SHAPE, { kind: 'row', id });
  // it has been deleted meanwhile
  if (!row) throw notFound();
  const folder = JSON.parse(row.data) as FolderRecord;
  const counts = await countFiles(context, viewer, folder.path);
  return answerOf(folder, counts && (counts.get(folder.path) ?? 0));
}

/** The place of a folder. */
async function placeAbove(context: WriteContext, { id }: FolderRow): Promise<FilePlace> {
  const { table, source, target } = parentPlace(context);
  const [link] = await context.tables.select(table, [target], { [source]: id }, ['id']);
  const [above] = link ? await readFolders(context, [Number(link[0])]) : [];
  return above ?? NO_FOLDER;
}

/**
 * Refuses names that other folders in the same place have.
 *
 * @param own the folders with the names.
 * @throws ContentError 400.
 */
export async function requireFree(
  context: WriteContext,
  names: readonly string[],
  place: FilePlace,
  own: readonly number[] = [],
): Promise<void> {
  const { table, source, target } = parentPlace(context);
  const alike = await context.tables.select(FOLDERS, ['id', 'name'], { name: [...new Set(names)] }, ['id']);
  const others = alike.map(([id]) => Number(id)).filter((id) => !own.includes(id));
  const links = await context.tables.select(table, [source, target], { [source]: others }, ['id']);
  const parents = new Map(links.map(([child, above]) => [Number(child), Number(above)]));
  const taken = others.some((id) => (parents.get(id) ?? null) === place.id);
  if (taken || new Set(names).size < names.length) {
    throw validationFailure(at('name'), because('A folder with this name already exists', 'folderTaken'), names[0]);
  }
}

/** Refuses to move a folder into itself or below. @throws ContentError 400. */
function requireOutside(folder: FolderRow, place: FilePlace, key: string): void {
  if (place.path !== folder.path && !place.path.startsWith(`${folder.path}/`)) return;
  throw validationFailure(at(key), because('folder cannot be moved inside itself', 'folderInItself'), place.id);
}

/**
 * Moves files and folders into a folder; null for none. As in the reference, their change dates stay.
 *
 * @throws ContentError 400 for a folder that does not exist, would be inside itself, or whose name exists there; 403
 *   for files that the viewer may not change; 404 for files or folders that do not exist.
 */
export async function move(
  { database, writer, reader }: MediaContext,
  { files, folders, to }: Selection & { readonly to: number | null },
  viewer: Viewer,
): Promise<void> {
  await database.transaction(async (tx) => {
    const write = writer.context(tx);
    const type = fileType(write);
    const { table, columns } = layoutOfModel(write, type);
    await tx.lock(() => [foldersLock(false)]);
    const place = await destination(write, to, 'to');
    const moved = await readFolders(write, folders);
    const found = await write.tables.select(table, ['id'], { id: files }, ['id']);
    if (moved.length < folders.length || found.length < files.length) throw notFound();
    const rows = files.map((id) => ({ id, published: true }));
    if ((await reader.shown(tx, viewer).hidden(type, rows)).size > 0) throw forbidden();
    for (const folder of moved) requireOutside(folder, place, 'to');
    const names = moved.map(({ name }) => name);
    if (names.length > 0) await requireFree(write, names, place, folders);
    // inner folders first, so that each path is changed once
    for (const folder of moved.sort(deepestFirst)) {
      await moveFolder(write, folder, place);
      tx.recordAction({ action: 'media-folder.update', ...folderSubject(folder), fields: ['parent'] });
    }
    if (files.length === 0) return;
    tx.recordAction({ action: 'media.update', type: FILE_UID, id: null, fields: ['folder'], more: { files } });
    await takeFromFolders(write, files);
    if (place.id !== null) await putIntoFolder(write, files, place.id);
    const column = columns.get('folderPath');
    // `updated_at` stays, since a replacement of the file's bytes uses it to detect its end
    if (column !== undefined) await write.tables.update(table, new Map([[column, place.path]]), { id: files });
  });
}

/**
 * Moves a file into a folder, or out of its folder, within a transaction. Returns the path for its record.
 *
 * @throws ContentError 400 for a folder that does not exist.
 */
export async function putFile(write: WriteContext, file: number, folder: number | null): Promise<string> {
  await write.tx.lock(() => [foldersLock(true)]);
  const { id, path } = await destination(write, folder, 'folder');
  await takeFromFolders(write, [file]);
  if (id !== null) await putIntoFolder(write, [file], id);
  return path;
}

const deepestFirst = (a: FolderRow, b: FolderRow): number => b.path.split('/').length - a.path.split('/').length;
