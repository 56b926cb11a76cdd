/** Deleted documents, files and folders, as they are listed, read and deleted for good. */
import type { NewAction } from '../db/interface/action.ts';
import type { Database } from '../db/interface/database.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { execute, executeInPieces, query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { notFound } from '../errors.ts';
import type { Storage } from '../media/storage/storage.ts';
import { removeStored } from '../media/storage/stored-files.ts';
import { columnsIn, type RecordedColumns, recordOf } from '../media/trashed.ts';
import { FILE_UID, FOLDER_UID } from '../schema/catalog.ts';
import { compileForgetComments } from '../sql/review.ts';
import {
  compileCountIn,
  compileDeletion,
  compileDeletions,
  compileDeletionsIn,
  compileEndDeletions,
  compileForgetRestoredRows,
  compileForgetVersions,
  compileForgetVersionsOfRows,
  compileIsLeft,
  compileLastBeyond,
  compileMarkDeletion,
  compileMarkDeletionsIn,
  compileOldDeletions,
  compileRecordedColumns,
  compileRemovedVersions,
  compileTakeDeletion,
} from '../sql/trash.ts';
import type { RemovedRow } from './recorder.ts';
import { forgetVersions, type IsOver, lockContents } from './upkeep.ts';
import type { Author, Content } from './version.ts';
import { readOwnVersion } from './versions.ts';

/** The deletion of a document, of its versions in some locales, of a file, or of a folder with those in it. */
export interface Deletion {
  readonly id: number;
  readonly uid: string;
  readonly documentId: string;
  readonly rows: readonly RemovedRow[];
  /** Epoch milliseconds. */
  readonly deletedAt: number;
  readonly deletedBy: Author;
}

/** What a list of deletions is narrowed to. */
export interface DeletionQuery {
  readonly uids: readonly string[];
  /** The id before which the list begins; undefined: the last one. */
  readonly before?: number | undefined;
  readonly documentId?: string | undefined;
  readonly actor?: Pick<Author, 'kind' | 'id'> | undefined;
  /** Epoch milliseconds: the first time, and the one after the last. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

const DAY = 86_400_000;
/** Deletions that are forgotten at a time. */
const PIECE = 50;
/** Files of a folder that are removed with it at once; the others are removed in the background. */
const FILES = 500;
/** Milliseconds after which the rest of a removal is left for the next time. */
const LONGEST = 10_000;

/** Whether a type is that of files or of folders, whose deleted rows are recorded by their columns. */
export const isOfLibrary = (uid: string): boolean => uid === FILE_UID || uid === FOLDER_UID;

/** Deletions, the last one first. */
export async function listDeletions(
  db: Queryable,
  { uids, before = Number.MAX_SAFE_INTEGER, documentId, actor, from, until }: DeletionQuery,
  most: number,
): Promise<Deletion[]> {
  const filter = {
    ofDocument: documentId !== undefined,
    byActor: actor !== undefined,
    from: from !== undefined,
    until: until !== undefined,
  };
  const values = [
    ...[JSON.stringify(uids.map((uid) => [uid])), before, most],
    ...(documentId === undefined ? [] : [documentId]),
    ...(actor ? [actor.kind, actor.id] : []),
    ...[from, until].filter((time) => time !== undefined),
  ];
  return (await query(db, compileDeletions(db.dialect, filter), values)).map(deletionOf);
}

/** @throws ContentError 404 for a deletion that is not in the trash. */
export async function readDeletion(db: Queryable, id: number): Promise<Deletion> {
  const [row] = await query(db, compileDeletion(), [id]);
  if (!row) throw notFound();
  return deletionOf(row);
}

function deletionOf([id, uid, documentId, rows, deletedAt, kind, actorId, actorName]: Row): Deletion {
  return {
    id: Number(id),
    uid: String(uid),
    documentId: String(documentId),
    rows: JSON.parse(String(rows)) as RemovedRow[],
    deletedAt: Number(deletedAt),
    deletedBy: {
      kind: kind as Author['kind'],
      id: actorId === null ? null : Number(actorId),
      name: actorName === null ? null : String(actorName),
    },
  };
}

/** What was deleted with a folder and can be restored, the first one first. */
export async function deletionsIn(db: Queryable, { documentId }: Deletion, most: number): Promise<Deletion[]> {
  return (await query(db, compileDeletionsIn(false), [documentId, most])).map(deletionOf);
}

/** The number of files that were deleted with a folder and can be restored. */
export async function countIn(db: Queryable, { documentId }: Deletion): Promise<number> {
  const [row] = await query(db, compileCountIn(), [documentId]);
  return Number(row?.[0] ?? 0);
}

/** The recorded columns of the rows of a file, or of a folder and those in it. */
export async function recordedColumns(db: Queryable, { id }: Deletion): Promise<readonly RecordedColumns[]> {
  const [row] = await query(db, compileRecordedColumns(), [id]);
  return columnsIn(row?.[0]);
}

/** The recorded state of a removed row. */
export interface RemovedVersion {
  readonly version: number;
  /** Row ids of administrators. */
  readonly createdBy: number | null;
  readonly updatedBy: number | null;
}

/** The JSON of a list of lists of one row id. */
const rowList = ({ rows }: Deletion): string => JSON.stringify(rows.map(([row]) => [row]));

/** The recorded states of the rows of a deletion, by row id. */
export async function removedVersions(db: Queryable, deletion: Deletion): Promise<ReadonlyMap<number, RemovedVersion>> {
  const values = [deletion.uid, rowList(deletion), deletion.documentId];
  const rows = await query(db, compileRemovedVersions(db.dialect), values);
  const idOf = (id: unknown) => (id === null ? null : Number(id));
  return new Map(
    rows.map(([version, row, createdBy, updatedBy]) => [
      Number(row),
      { version: Number(version), createdBy: idOf(createdBy), updatedBy: idOf(updatedBy) },
    ]),
  );
}

/** The recorded content of a removed row. @param version of its last state. */
export async function removedContent(db: Queryable, { uid, documentId }: Deletion, version: number): Promise<Content> {
  return (await readOwnVersion(db, { uid, documentId }, version)).content;
}

/**
 * Takes a deletion that is restored out of the trash, once.
 *
 * @throws ContentError 404 if another request has taken it.
 */
export async function takeDeletion(tx: Transaction, deletion: Deletion): Promise<void> {
  if ((await execute(tx, compileTakeDeletion(false), [deletion.id])).length === 0) throw notFound();
  tx.recordAction(actionOn(deletion, 'trash.restore'));
}

/** The entry of a deletion in the log of actions. */
function actionOn({ uid, documentId, rows }: Deletion, action: 'trash.restore' | 'trash.delete'): NewAction {
  const locales = [...new Set(rows.flatMap(([, locale]) => locale ?? []))];
  return { action, type: uid, id: documentId, ...(locales.length > 0 && { more: { locales } }) };
}

/** What deleting for good needs. */
export interface Forgetting {
  readonly database: Database;
  /** The tables of the project's types, by uid. */
  readonly tables: ReadonlyMap<string, string>;
  /** All stores that may have files. */
  readonly stores: readonly Storage[];
}

/** Deletes something for good. Returns whether it was in the trash. */
export async function deleteForGood(forgetting: Forgetting, deletion: Deletion): Promise<boolean> {
  const { database, tables } = forgetting;
  if (isOfLibrary(deletion.uid)) return (await removeFromLibrary(forgetting, deletion)) !== 'gone';
  return database.transaction((tx) => forgetDeletion(tx, deletion, tables.get(deletion.uid)));
}

/**
 * Removes a file with what is stored of it, or a folder with the files that were deleted with it. `gone`: it was not in the
 * trash; `left`: a store could not be reached, and the upkeep tries again.
 */
async function removeFromLibrary(forgetting: Forgetting, deletion: Deletion): Promise<'gone' | 'removed' | 'left'> {
  const { database } = forgetting;
  const { id, uid, documentId } = deletion;
  // bytes and rows cannot be removed together: what is marked cannot be restored, and is removed even after a kill
  const isMarked = await database.transaction(async (tx) => {
    const rows = await execute(tx, compileMarkDeletion(), [id]);
    if (rows.length > 0 && uid === FOLDER_UID) await execute(tx, compileMarkDeletionsIn(), [documentId]);
    return rows.length > 0;
  });
  if (!isMarked) return 'gone';
  if (uid === FOLDER_UID) {
    const inside = (await query(database, compileDeletionsIn(true), [documentId, FILES])).map(deletionOf);
    for (const one of inside) if (!(await removeMarked(forgetting, one))) return 'left';
  }
  return (await removeMarked(forgetting, deletion)) ? 'removed' : 'left';
}

/** Removes what is stored of a marked deletion, and then the deletion. Returns whether everything was removed. */
async function removeMarked({ database, stores }: Forgetting, deletion: Deletion): Promise<boolean> {
  if (deletion.uid === FILE_UID) {
    for (const columns of await recordedColumns(database, deletion)) {
      if (!(await removeStored(stores, recordOf(columns)))) return false;
    }
  }
  await database.transaction(async (tx) => {
    if ((await execute(tx, compileTakeDeletion(true), [deletion.id])).length === 0) return;
    tx.recordAction(actionOn(deletion, 'trash.delete'));
  });
  return true;
}

/**
 * Deletes a document for good: its deletion, and the versions and comments of everything that no longer exists. Returns
 * whether it was in the trash.
 *
 * @param table that of its type; undefined for a type that no longer exists.
 */
async function forgetDeletion(tx: Transaction, deletion: Deletion, table: string | undefined): Promise<boolean> {
  const { uid, documentId, rows } = deletion;
  await lockContents(tx);
  if ((await execute(tx, compileTakeDeletion(true), [deletion.id])).length === 0) return false;
  // what was never in the trash was deleted once
  if (deletion.deletedAt > 0) tx.recordAction(actionOn(deletion, 'trash.delete'));
  const values = [uid, rowList(deletion), documentId];
  await forgetVersions(tx, compileForgetVersionsOfRows(tx.dialect), values);
  for (const locale of new Set(rows.map((row) => row[1]))) {
    const place = [uid, documentId, locale];
    const left = await query(tx, compileIsLeft(tx.dialect, table, locale !== null), place);
    if (left.length > 0) continue;
    await forgetVersions(tx, compileForgetVersions(tx.dialect), place);
    await execute(tx, compileForgetComments(), [uid, documentId, locale ?? '']);
  }
  return true;
}

/** Deletes expired deletions for good, and the remains of removals that were interrupted. */
export async function forgetOldDeletions(
  forgetting: Forgetting,
  { days, isOver }: { readonly days: number; readonly isOver: IsOver },
): Promise<void> {
  const { database, tables } = forgetting;
  const before = Date.now() - days * DAY;
  let failed = 0;
  for (;;) {
    const old = (await query(database, compileOldDeletions(), [before, PIECE, failed])).map(deletionOf);
    if (old.length === 0 || (await isOver())) return;
    const ofTypes = old.filter(({ uid }) => !isOfLibrary(uid));
    await database.transaction(async (tx) => {
      for (const deletion of ofTypes) await forgetDeletion(tx, deletion, tables.get(deletion.uid));
    });
    // a store that cannot be reached is left for the next time
    for (const deletion of old.filter(({ uid }) => isOfLibrary(uid))) {
      if (failed > 0 || (await removeFromLibrary(forgetting, deletion)) === 'left') failed += 1;
    }
  }
}

/** Has the oldest documents beyond a number be deleted for good, by the next `forgetOldDeletions`. */
export async function limitDeletions(database: Database, most: number): Promise<void> {
  const [last] = await query(database, compileLastBeyond(), [most]);
  if (last) await executeInPieces(database, compileEndDeletions(), [Number(last[0])], Date.now() + LONGEST);
}

/** Forgets the ids that the rows of restored documents had before, once nothing in the trash can name them. */
export async function forgetRestoredRows(database: Database, days: number): Promise<void> {
  const now = Date.now();
  await executeInPieces(database, compileForgetRestoredRows(), [now - days * DAY], now + LONGEST);
}
