/** Deleted documents, as they are listed, read and deleted for good. */
import type { Database } from '../db/interface/database.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { execute, executeInPieces, query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { notFound } from '../errors.ts';
import type { Catalog } from '../schema/catalog.ts';
import {
  compileDeletion,
  compileDeletions,
  compileForgetRestoredRows,
  compileForgetVersions,
  compileForgetVersionsOfRows,
  compileIsLeft,
  compileOldDeletions,
  compileRemovedVersions,
  compileTakeDeletion,
} from '../sql/trash.ts';
import type { RemovedRow } from './recorder.ts';
import { forgetVersions, type IsOver, lockContents } from './upkeep.ts';
import type { Author, Content } from './version.ts';
import { readVersion } from './versions.ts';

/** The deletion of a document, or of its versions in some locales. */
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
/** Milliseconds after which the rest of a removal is left for the next time. */
const LONGEST = 10_000;

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

/** The recorded state of a removed row. */
export interface RemovedVersion {
  readonly version: number;
  /** Row ids of administrators. */
  readonly createdBy: number | null;
  readonly updatedBy: number | null;
}

/** The JSON of a list of lists of one row id. */
export const rowList = ({ rows }: Deletion): string => JSON.stringify(rows.map(([row]) => [row]));

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
export async function removedContent(
  db: Queryable,
  catalog: Catalog,
  { uid, documentId }: Deletion,
  version: number,
): Promise<Content> {
  return (await readVersion(db, catalog, { uid, documentId }, String(version))).content;
}

/** Takes a deletion out of the trash, once. @throws ContentError 404 if another request has taken it. */
export async function takeDeletion(tx: Transaction, { id }: Deletion): Promise<void> {
  if ((await execute(tx, compileTakeDeletion(), [id])).length === 0) throw notFound();
}

/**
 * Deletes a document for good: its deletion, and the versions of everything that no longer exists. Returns whether it was
 * in the trash.
 *
 * @param table that of its type; undefined for a type that no longer exists.
 */
export async function forgetDeletion(tx: Transaction, deletion: Deletion, table: string | undefined): Promise<boolean> {
  const { uid, documentId, rows } = deletion;
  await lockContents(tx);
  if ((await execute(tx, compileTakeDeletion(), [deletion.id])).length === 0) return false;
  const values = [uid, rowList(deletion), documentId];
  await forgetVersions(tx, compileForgetVersionsOfRows(tx.dialect), values);
  for (const locale of new Set(rows.map((row) => row[1]))) {
    const place = [uid, documentId, locale];
    const left = await query(tx, compileIsLeft(tx.dialect, table, locale !== null), place);
    if (left.length === 0) await forgetVersions(tx, compileForgetVersions(tx.dialect), place);
  }
  return true;
}

/** Deletes documents for good that were deleted too long ago. */
export async function forgetOldDeletions(
  database: Database,
  {
    days,
    tables,
    isOver,
  }: { readonly days: number; readonly tables: ReadonlyMap<string, string>; readonly isOver: IsOver },
): Promise<void> {
  const before = Date.now() - days * DAY;
  for (;;) {
    const old = (await query(database, compileOldDeletions(), [before, PIECE])).map(deletionOf);
    if (old.length === 0 || (await isOver())) return;
    await database.transaction(async (tx) => {
      for (const deletion of old) await forgetDeletion(tx, deletion, tables.get(deletion.uid));
    });
  }
}

/** Forgets the ids that the rows of restored documents had before, once nothing in the trash can name them. */
export async function forgetRestoredRows(database: Database, days: number): Promise<void> {
  const now = Date.now();
  await executeInPieces(database, compileForgetRestoredRows(), [now - days * DAY], now + LONGEST);
}
