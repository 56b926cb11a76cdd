/**
 * Rows of `upload_folders` as in the reference. Each folder has a number, `path_id`, and a path made of the numbers of
 * its ancestors and its own, which its files have as `folder_path`. Link tables connect folders, and files with
 * folders.
 */
import { insertLinks, linkValues, lockLists } from '../../content/relations/stored-links.ts';
import { type AroundRows, beginRow } from '../../content/rows/around-rows.ts';
import { documentColumns } from '../../content/rows/document-rows.ts';
import { layoutOfModel, placeOf, type ReadContext, type WriteContext } from '../../content/rows/write-context.ts';
import type { Sent } from '../../db/interface/queryable.ts';
import type { Lock } from '../../db/interface/transaction.ts';
import { at, validationFailure } from '../../failures.ts';
import type { LinkTable } from '../../plan/link-place.ts';
import { type ContentType, FOLDER_UID, type RelationAttribute } from '../../schema/catalog.ts';
import { compileLastFolder, compileLongestPath, compileMovePaths, PATH_VALUES } from '../../sql/files.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { authorColumns, fileType } from '../file-record.ts';

/** The place of a file: a folder, or none (`id` null, path `/`). */
export interface FilePlace {
  readonly id: number | null;
  /** Numbers of the ancestors and its own: `/1/4`. */
  readonly path: string;
}

export interface FolderRow {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly pathId: number;
  readonly path: string;
}

export const FOLDERS = 'upload_folders';
/** Characters of a path. */
const PATH_LENGTH = 255;
/** The place of files without a folder. */
export const NO_FOLDER: FilePlace = { id: null, path: '/' };

/** Shared by transactions that add files, exclusive for those that move, create or delete folders. */
export const foldersLock = (shared: boolean): Lock => ({ key: 'galley media folders', shared });

/** The content type of folders. */
export function folderType({ catalog }: Pick<ReadContext, 'catalog'>): ContentType {
  return catalog.contentTypes.get(FOLDER_UID)!;
}

/** Reads folders by id, in the order of ids. */
export async function readFolders({ tables }: ReadContext, ids: readonly number[]): Promise<FolderRow[]> {
  const columns = ['id', 'name', 'path_id', 'path', 'document_id'];
  const rows = await tables.select(FOLDERS, columns, { id: [...new Set(ids)] }, ['id']);
  return rows.map(([id, name, pathId, path, documentId]) => ({
    id: Number(id),
    documentId: String(documentId ?? ''),
    name: String(name ?? ''),
    pathId: Number(pathId),
    path: String(path ?? '/'),
  }));
}

/**
 * The target folder of a request; null for none.
 *
 * @param key the name of the parameter.
 * @throws ContentError 400 if it does not exist.
 */
export async function destination(context: ReadContext, id: number | null, key: string): Promise<FilePlace> {
  if (id === null) return NO_FOLDER;
  const [folder] = await readFolders(context, [id]);
  if (!folder) throw validationFailure(at(key), 'the folder does not exist', id);
  return folder;
}

/**
 * Creates a folder. The caller has locked the folders and checked that the name is free.
 *
 * @param around as in `MediaContext`.
 */
export async function insertFolder(
  context: WriteContext,
  { name, parent }: { readonly name: string; readonly parent: FilePlace | null },
  author?: number,
  around?: AroundRows,
): Promise<FolderRow> {
  const { tables } = context;
  const pathId = await nextFolder(context);
  const path = joined(parent?.path ?? '/', pathId);
  requireLength(path.length);
  const begun = await beginRow(around, FOLDER_UID, 'create', () => ({
    data: { name, parent: parent?.id ?? null, pathId, path },
  }));
  const row = documentColumns(context.tx, Date.now());
  const values = { ...row, name, path_id: pathId, path };
  const columns = new Map([...Object.entries(values), ...authorColumns(author, ['created_by_id', 'updated_by_id'])]);
  const id = await tables.insert(FOLDERS, columns);
  if (parent !== null && parent.id !== null) await linkParent(context, id, parent.id);
  await begun.end(id);
  context.tx.recordAction({ action: 'media-folder.create', ...folderSubject({ id, name }) });
  return { id, documentId: String(row['document_id']), name, pathId, path };
}

/** The columns of a folder whose row is inserted again. */
export interface FormerFolder {
  readonly id: number;
  readonly name: string;
  readonly pathId: number;
  readonly columns: ReadonlyMap<string, SqlValue>;
}

/**
 * Inserts a folder again, with its former id, and its former number if that is free. The caller has locked the folders
 * and checked that the name is free.
 *
 * @param around as in `MediaContext`.
 */
export async function insertFormerFolder(
  context: WriteContext,
  { id, name, pathId: former, columns }: FormerFolder,
  parent: FilePlace,
  around: AroundRows | undefined,
): Promise<FilePlace> {
  const { tables, tx } = context;
  const isTaken = (await tables.select(FOLDERS, ['id'], { path_id: former })).length > 0;
  const pathId = isTaken ? await nextFolder(context) : former;
  const path = joined(parent.path, pathId);
  requireLength(path.length);
  const begun = await beginRow(around, FOLDER_UID, 'create', () => ({
    data: { name, parent: parent.id, pathId, path },
  }));
  await tables.insert(FOLDERS, new Map([...columns, ['path_id', pathId], ['path', path]]));
  if (parent.id !== null) await linkParent(context, id, parent.id);
  await begun.end(id);
  tx.recordAction({ action: 'media-folder.create', ...folderSubject({ id, name }) });
  return { id, path };
}

/** The number of a new folder. */
async function nextFolder({ tables }: WriteContext): Promise<number> {
  const [last] = await tables.run('last folder', [], compileLastFolder);
  return Number(last?.[0] ?? 0) + 1;
}

/** A folder as the subject of an action. */
export const folderSubject = ({ id, name }: Pick<FolderRow, 'id' | 'name'>) => ({
  type: FOLDER_UID,
  id: String(id),
  name,
});

/** Moves a folder with its contents into another one, or to the top. The caller has locked the folders. */
export async function moveFolder(context: WriteContext, folder: FolderRow, to: FilePlace): Promise<void> {
  const { tables } = context;
  const path = joined(to.path, folder.pathId);
  const own = Array.from({ length: PATH_VALUES }, () => folder.path);
  const [longest] = await tables.run('longest folder path', own, () =>
    compileLongestPath(tables.dialect, FOLDERS, 'path'),
  );
  requireLength(Number(longest?.[0] ?? 0) - folder.path.length + path.length);
  await tables.delete(parentPlace(context).table, { [parentPlace(context).source]: folder.id });
  if (to.id !== null) await linkParent(context, folder.id, to.id);
  if (path === folder.path) return;
  const files = layoutOfModel(context, fileType(context));
  const paths = [path, folder.path, ...own];
  await tables.run('move folder paths', paths, () => compileMovePaths(tables.dialect, FOLDERS, 'path'));
  const column = files.columns.get('folderPath');
  if (column !== undefined) {
    await tables.run(`move file paths ${column}`, paths, () => compileMovePaths(tables.dialect, files.table, column));
  }
}

/** Adds files without a folder to the end of a folder. */
export async function putIntoFolder(context: WriteContext, files: readonly number[], folder: number): Promise<void> {
  const place = filePlace(context);
  if (!place) return;
  await lockLists(context, place, [folder]);
  for (const file of files) await link(context, place, file, folder);
}

/** Removes files from their folders. */
export async function takeFromFolders(context: WriteContext, files: readonly number[]): Promise<void> {
  const place = filePlace(context);
  if (place) await context.tables.delete(place.table, { [place.source]: files });
}

/** The link table of files and folders; undefined if a project's extension has none. */
function filePlace(context: ReadContext): LinkTable | undefined {
  const attribute = fileType(context).attributes.get('folder') as RelationAttribute | undefined;
  return attribute && (placeOf(context, fileType(context), attribute) as LinkTable);
}

/** The link table of folders and their parents. */
export function parentPlace(context: ReadContext): LinkTable {
  const type = folderType(context);
  return placeOf(context, type, type.attributes.get('parent') as RelationAttribute) as LinkTable;
}

function linkParent(context: WriteContext, folder: number, parent: number): Sent {
  return link(context, parentPlace(context), folder, parent);
}

function link(context: WriteContext, place: LinkTable, source: number, folder: number): Sent {
  return insertLinks(context, place, [linkValues(place, source, { target: folder, uid: FOLDER_UID, order: null })]);
}

/** The path of a folder in another one. */
const joined = (above: string, pathId: number): string => `${above === '/' ? '' : above}/${pathId}`;

/** @throws ContentError 400 for a path that is too long for its column. */
function requireLength(length: number): void {
  if (length > PATH_LENGTH) throw validationFailure(at('parent'), 'folders would be nested too deeply');
}

const API_FOLDER = 'API Uploads';
const SETTING = 'plugin_upload_api-folder';

/**
 * The folder 'API Uploads', which gets all files uploaded through the API; created if necessary. Only the reference's
 * panel shows folders. Until the transaction ends no other one adds files to it.
 *
 * @param around as in `MediaContext`.
 */
export async function holdApiFolder(context: WriteContext, around?: AroundRows): Promise<FilePlace> {
  const isThere = (await findFolder(context)) !== undefined;
  // files in it are numbered, it is created once, and it is not moved
  await context.tx.lock(() => [{ key: 'galley api folder', shared: false }, foldersLock(isThere)]);
  return (await findFolder(context)) ?? makeFolder(context, around);
}

async function findFolder({ tables }: WriteContext): Promise<FilePlace | undefined> {
  const [setting] = await tables.select(CORE_STORE_TABLE, ['value'], { key: SETTING }, ['id']);
  const id = idIn(setting?.[0]);
  if (id === undefined) return undefined;
  const [folder] = await tables.select(FOLDERS, ['id', 'path'], { id });
  return folder && { id: Number(folder[0]), path: String(folder[1] ?? '/') };
}

async function makeFolder(context: WriteContext, around: AroundRows | undefined): Promise<FilePlace> {
  const { tables } = context;
  const taken = new Set((await tables.select(FOLDERS, ['name'], {})).map(([name]) => String(name)));
  let name = API_FOLDER;
  for (let n = 1; taken.has(name); n++) name = `${API_FOLDER} (${n})`;
  const { id, path } = await insertFolder(context, { name, parent: null }, undefined, around);
  const value = JSON.stringify({ id });
  const [setting] = await tables.select(CORE_STORE_TABLE, ['id'], { key: SETTING });
  if (setting) await tables.update(CORE_STORE_TABLE, new Map([['value', value]]), { key: SETTING });
  else await tables.insert(CORE_STORE_TABLE, new Map(Object.entries({ key: SETTING, value, type: 'object' })));
  return { id, path };
}

function idIn(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const id = (JSON.parse(value) as { id?: unknown } | null)?.id;
    return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
