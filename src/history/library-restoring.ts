/**
 * Restores deleted files and folders under their former ids: a file with its bytes, its folder, and the links of documents
 * whose attributes are free; a folder with the folders in it and the files that were deleted with it.
 */
import type { Viewer } from '../access/view.ts';
import { beginRow, transactionOf } from '../content/rows/around-rows.ts';
import { recordRowChange } from '../content/rows/changes.ts';
import { documentLock } from '../content/rows/locks.ts';
import type { ReadContext, WriteContext } from '../content/rows/write-context.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { isNotFound, refusal } from '../errors.ts';
import { storageFailure } from '../media/failures.ts';
import { fileType, metadataOf } from '../media/file-record.ts';
import {
  type FilePlace,
  foldersLock,
  folderType,
  insertFormerFolder,
  NO_FOLDER,
  putIntoFolder,
  readFolders,
} from '../media/library/folder-rows.ts';
import { requireFree } from '../media/library/folders.ts';
import type { MediaContext } from '../media/media-context.ts';
import { hideStored, type RecordedColumns, recordOf } from '../media/trashed.ts';
import { viewedRecords } from '../media/viewed-records.ts';
import { reason } from '../reasons.ts';
import { type ContentType, FILE_UID, FOLDER_UID } from '../schema/catalog.ts';
import { layoutOf } from '../schema/layout/layout.ts';
import type { SqlValue } from '../sql/fragment.ts';
import type { Viewers } from './shown-deletions.ts';
import { countIn, type Deletion, deletionsIn, readDeletion, recordedColumns, takeDeletion } from './trash.ts';
import {
  locksOfOthers,
  otherRows,
  type RecordedLinks,
  recordedLinks,
  returningLinks,
  type TrashLoss,
} from './trash-links.ts';
import type { Restored } from './trash-restoring.ts';

type Links = RecordedLinks['links'];

/** Files restored by one request. */
const FILES = 100;

/**
 * What a deleted file or folder would lose.
 *
 * @param viewers who restores it: `files` as they add files.
 */
export async function lossesInLibrary(
  media: MediaContext,
  viewers: Viewers,
  deletion: Deletion,
): Promise<readonly TrashLoss[]> {
  const { database, writer } = media;
  const context = writer.reading(database);
  const { links } = await recordedLinks(database, context, deletion);
  const { losses } = await placeOf(context, deletion, links);
  if (deletion.uid === FOLDER_UID) return losses;
  return [
    ...losses,
    ...(await linksOfFile(media, { viewer: viewers.documents, deletion, links, db: database, context })).losses,
  ];
}

/** Restores a file or a folder. @throws ContentError as `restoreFile` and `restoreFolder`. */
export function restoreInLibrary(media: MediaContext, viewers: Viewers, deletion: Deletion): Promise<Restored> {
  return deletion.uid === FILE_UID ? restoreFile(media, viewers, deletion) : restoreFolder(media, viewers, deletion);
}

/**
 * Restores a file, all of it or nothing.
 *
 * @throws ContentError 404 for a deletion that is no longer in the trash; 403 for a file that the viewer may not create;
 * 503 while it is being changed.
 */
function restoreFile(media: MediaContext, viewers: Viewers, deletion: Deletion): Promise<Restored> {
  const { database, writer, leases, around, stores } = media;
  const { documentId, rows } = deletion;
  const id = rows[0]![0];
  // the removal hides the bytes while it has the lease
  return leases.withFile(id, async (lease) => {
    const context = writer.reading(database);
    const { links } = await recordedLinks(database, context, deletion);
    const locks = locksOfOthers(await otherRows(context, links));
    return transactionOf(media, [FILE_UID], async (tx) => {
      await lease.confirm(tx);
      await tx.lock(() => [documentLock(FILE_UID, documentId), foldersLock(true), ...locks]);
      const [columns] = await recordedColumns(tx, deletion);
      await takeDeletion(tx, deletion);
      const write = writer.context(tx);
      const type = fileType(write);
      if (!columns) throw refusal('The content of the document was not recorded', reason('notRecorded'));
      const record = recordOf(columns);
      const place = await placeOf(write, deletion, links);
      const begun = await beginRow(around, FILE_UID, 'create', () => ({
        data: { ...valuesOf(write, type, columns), folder: place.id, folderPath: place.path },
      }));
      await insertAgain(write, type, columns, new Map([['folderPath', place.path]]));
      if (place.id !== null) await putIntoFolder(write, [id], place.id);
      const returned = await linksOfFile(media, { viewer: viewers.documents, deletion, links, db: tx, context: write });
      await returned.write(write);
      recordRowChange(tx, FILE_UID, documentId, 'created', id, { name: record.name });
      await begun.end(id);
      await viewedRecords(media, viewers.files, {}).requireWritten(tx, id, 'create');
      tx.afterRollback(() => hideStored(stores, record, true));
      await hideStored(stores, record, false).catch((error: unknown) => {
        throw storageFailure(error);
      });
      return { documentId, locales: [], losses: [...place.losses, ...returned.losses], left: 0 };
    });
  });
}

/** The links of a file that can return. */
function linksOfFile(
  { reader }: MediaContext,
  {
    viewer,
    deletion,
    links,
    db,
    context,
  }: {
    readonly viewer: Viewer;
    readonly deletion: Deletion;
    readonly links: Links;
    readonly db: Queryable;
    readonly context: ReadContext;
  },
) {
  return returningLinks(context, {
    ...{ type: fileType(context), deletion, viewer, shown: reader.shown(db, viewer) },
    links: links.filter((link) => !isPlace(link)),
    rows: new Map(deletion.rows.map(([row]) => [row, row])),
  });
}

/** Whether a link leads to the folder of a file, or to that above a folder. */
const isPlace = ({ side, attribute, otherType }: Links[number]): boolean =>
  side === 'source' && otherType === FOLDER_UID && (attribute === 'folder' || attribute === 'parent');

/** The folder of a deleted file or folder; the top if it no longer exists, which is a loss. */
async function placeOf(
  context: ReadContext,
  { rows }: Deletion,
  links: Links,
): Promise<FilePlace & { readonly losses: readonly TrashLoss[] }> {
  const own = new Set(rows.map(([row]) => row));
  const link = links.find((one) => isPlace(one) && !own.has(one.other!));
  if (!link) return { ...NO_FOLDER, losses: [] };
  const [folder] = await readFolders(context, [link.other!]);
  if (folder) return { ...folder, losses: [] };
  return {
    ...NO_FOLDER,
    losses: [
      {
        path: link.attribute,
        reason: 'deletedDocument',
        target: { type: FOLDER_UID, ...(link.otherDocument !== null && { documentId: link.otherDocument }) },
      },
    ],
  };
}

/**
 * Restores a folder and those in it, and then as many of its files as one request may: each in its own transaction, as
 * they were deleted. The folder stays in the trash until all of its files are restored.
 *
 * @throws ContentError 404 for a deletion that is no longer in the trash; 400 for a folder whose name is taken; those of
 * `restoreFile`.
 */
async function restoreFolder(media: MediaContext, viewers: Viewers, deletion: Deletion): Promise<Restored> {
  const { database } = media;
  const losses = [...(await restoreFolders(media, deletion))];
  for (const one of await deletionsIn(database, deletion, FILES)) {
    const restored = await restoreFile(media, viewers, one).catch((error: unknown) => {
      // another request has restored it
      if (isNotFound(error)) return undefined;
      throw error;
    });
    losses.push(...(restored?.losses ?? []));
  }
  const left = await countIn(database, deletion);
  if (left === 0) await database.transaction((tx) => takeDeletion(tx, deletion));
  return { documentId: deletion.documentId, locales: [], losses, left };
}

/** Restores the folders of a deletion that do not exist. */
function restoreFolders(media: MediaContext, deletion: Deletion): Promise<readonly TrashLoss[]> {
  const { writer, around } = media;
  return transactionOf(media, [FOLDER_UID], async (tx) => {
    await tx.lock(() => [foldersLock(false)]);
    const write = writer.context(tx);
    const type = folderType(write);
    const { links } = await recordedLinks(tx, write, await readDeletion(tx, deletion.id));
    const above = await placeOf(write, deletion, links);
    const recorded = await recordedColumns(tx, deletion);
    const existing = await readFolders(
      write,
      deletion.rows.map(([row]) => row),
    );
    const present = new Map(existing.map((folder) => [folder.id, folder]));
    const places = new Map<string, FilePlace>();
    const depth = ({ path }: RecordedColumns) => String(path).split('/').length;
    for (const columns of recorded.toSorted((a, b) => depth(a) - depth(b))) {
      const [id, name, path] = [Number(columns['id']), columns['name'] ?? '', columns['path'] ?? ''];
      const there = present.get(id);
      const parent = places.get(path.slice(0, path.lastIndexOf('/'))) ?? above;
      if (!there && parent === above) await requireFree(write, [name], above);
      const former = { id, name, pathId: Number(columns['path_id']), columns: await rowOf(write, type, columns) };
      places.set(path, there ?? (await insertFormerFolder(write, former, parent, around)));
    }
    return existing.length === recorded.length ? [] : above.losses;
  });
}

/** Inserts a recorded row again. @param changed values of attributes that differ from the recorded ones. */
async function insertAgain(
  context: WriteContext,
  type: ContentType,
  recorded: RecordedColumns,
  changed: ReadonlyMap<string, SqlValue>,
): Promise<void> {
  const { table, columns } = layoutOf(context.layout, type.uid);
  const row = await rowOf(context, type, recorded);
  for (const [name, value] of changed) {
    const column = columns.get(name);
    if (column !== undefined) row.set(column, value);
  }
  const isTaken = (await context.tables.select(table, ['id'], { id: Number(recorded['id']) })).length > 0;
  if (isTaken) throw refusal('The file exists again', reason('existsAgain'));
  await context.tables.insert(table, row);
}

/** The values of a recorded row in the columns that its table has now, without administrators who no longer exist. */
async function rowOf(
  { tables, layout }: WriteContext,
  { uid }: ContentType,
  recorded: RecordedColumns,
): Promise<Map<string, SqlValue>> {
  const { table } = layoutOf(layout, uid);
  const { columns } = layout.tables.find(({ name }) => name === table)!;
  const row = new Map(columns.map(({ name }): [string, SqlValue] => [name, recorded[name] ?? null]));
  const creators = ['created_by_id', 'updated_by_id'].flatMap((name) => Number(recorded[name] ?? 0) || []);
  const rows = creators.length === 0 ? [] : await tables.select('admin_users', ['id'], { id: creators });
  const existing = new Set(rows.map(([id]) => String(id)));
  for (const name of ['created_by_id', 'updated_by_id']) if (!existing.has(String(recorded[name]))) row.set(name, null);
  return row;
}

/** The values of a recorded row by attribute, as code of the project receives them. */
function valuesOf({ layout }: ReadContext, type: ContentType, recorded: RecordedColumns): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, column] of layoutOf(layout, type.uid).columns) {
    const text = recorded[column];
    const kind = type.attributes.get(name)?.type;
    if (text === null || text === undefined || kind === undefined) continue;
    if (kind === 'json') values[name] = metadataOf(text);
    else if (kind === 'boolean') values[name] = text === '1' || text === 'true';
    else values[name] = NUMBERS.has(kind) ? Number(text) : text;
  }
  return values;
}

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'float', 'decimal']);
