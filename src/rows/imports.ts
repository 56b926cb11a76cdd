/** Imports as they are stored: their state, what became of their rows, and which process works on them. */
import { currentActor } from '../db/interface/account.ts';
import type { Actor } from '../db/interface/actor.ts';
import type { Database } from '../db/interface/database.ts';
import { NamedLease } from '../db/interface/named-lease.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, query, updateRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { notFound } from '../errors.ts';
import { numberOrNull, textOrNull } from '../plain-values.ts';
import type { Reason } from '../reasons.ts';
import {
  COUNTS,
  compileAddWritten,
  compileBeginUndo,
  compileCountRows,
  compileCountUndoable,
  compileFailedRows,
  compileImport,
  compileImports,
  compileKeptRows,
  compileMoveImport,
  compileMoveVersion,
  compileOldImports,
  compileUndoable,
  IMPORT_ROWS_TABLE,
  IMPORTS_TABLE,
} from '../sql/imports.ts';

/**
 * `interrupted`: the server ended in between; `failed`: an error that no row has; `partlyUndone`: undoing it has left some
 * documents as they are, or was interrupted.
 */
export const IMPORT_STATES = [
  ...(['running', 'done', 'stopped', 'interrupted', 'failed', 'undoing', 'undone', 'partlyUndone'] as const),
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** The numbers of rows by outcome. */
export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export interface StoredImport extends Counts {
  readonly id: number;
  /** The uid of the content type. */
  readonly uid: string;
  readonly fileName: string;
  readonly options: ImportRecord;
  readonly state: ImportState;
  readonly lease: string;
  readonly total: number;
  readonly by: Actor;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** What is stored of an import's options. */
export interface ImportRecord {
  readonly isTrial: boolean;
  readonly isPublished: boolean;
  readonly key: string | null;
  /** The columns of the file, by which failures are named. */
  readonly columns: readonly string[];
}

/** A mistake in a row. */
export interface RowProblem {
  /** The index of the column; null for one of the whole row. */
  readonly column: number | null;
  readonly message: string;
  readonly reason?: Reason;
  /** The beginning of the cell. */
  readonly value?: string;
}

/** A row that could not be written. */
export interface FailedRow {
  /** Its number, as a spreadsheet shows it. */
  readonly row: number;
  readonly problems: readonly RowProblem[];
}

/** A row that was written. `localized`: the document has got a version in a further locale. */
export interface WrittenRow {
  readonly row: number;
  readonly kind: 'created' | 'updated' | 'localized';
  readonly documentId: string;
  readonly locale: string | null;
  /** The time of the written version, and of the one before; 0 without one. */
  readonly version: number;
  readonly versionBefore: number;
  /** Whether a draft, and a published version, were replaced. */
  readonly draft: boolean;
  readonly published: boolean;
}

/** A written row with the ids of the versions that hold its state before. */
export interface UndoableRow {
  readonly id: number;
  readonly row: number;
  readonly kind: WrittenRow['kind'];
  readonly documentId: string;
  readonly locale: string | null;
  readonly version: number;
  readonly versionBefore: number;
  readonly draftBefore: number | null;
  readonly publishedBefore: number | null;
}

/** The most failed rows that are stored; further ones are counted. */
export const MOST_FAILURES = 1000;
/** Milliseconds for which imports are stored. */
const STORED = 30 * 24 * 3_600_000;
/** Old imports that a new one removes. */
const REMOVED = 5;

/** An import has been stopped, or another process takes it for interrupted. */
export class Stopped extends Error {}

/** The process that works on an import, until it ends or stops renewing. */
export const leaseOf = (database: Database, lease: string): NamedLease => new NamedLease(database, `rows ${lease}`);

/** Stores a new import of the current actor. Returns its id. Removes imports of long ago. */
export async function addImport(
  database: Database,
  { uid, fileName, options, total, lease }: Pick<StoredImport, 'uid' | 'fileName' | 'options' | 'total' | 'lease'>,
): Promise<number> {
  const { kind, id, name } = currentActor();
  const now = Date.now();
  const old = await query(database, compileOldImports(), [now - STORED, REMOVED]);
  return database.transaction(async (tx) => {
    for (const [one] of old) {
      await deleteRows(tx, IMPORT_ROWS_TABLE, { import_id: Number(one) });
      await deleteRows(tx, IMPORTS_TABLE, { id: Number(one) });
    }
    return insertRow(tx, IMPORTS_TABLE, {
      ...{ content_type: uid, file_name: fileName.slice(0, 255), options: JSON.stringify(options), state: 'running' },
      ...{ lease, total, by_kind: kind, by_id: id, by_name: name, started_at: now },
      ...Object.fromEntries(COUNTS.map((count) => [count, 0])),
    });
  });
}

/** @throws ContentError 404 for an import that does not exist. */
export async function findImport(db: Queryable, id: number | undefined): Promise<StoredImport> {
  const [row] = id === undefined ? [] : await query(db, compileImport(), [id]);
  if (!row) throw notFound();
  return importOf(row);
}

/** The last imports of a type by an administrator. */
export async function listImports(db: Queryable, uid: string, by: number, most: number): Promise<StoredImport[]> {
  return (await query(db, compileImports(), [uid, by, most])).map(importOf);
}

/** The import with its present state: one whose process has ended is interrupted. */
export async function settled(database: Database, known: StoredImport): Promise<StoredImport> {
  const { id, state, lease } = known;
  if (state !== 'running' && state !== 'undoing') return known;
  const own = leaseOf(database, lease);
  if (!(await own.hold())) return known;
  await endImport(database, id, state, state === 'running' ? 'interrupted' : 'partlyUndone');
  await own.end();
  return findImport(database, id);
}

/** Moves an import to a state if it still has another one. Returns whether it had. */
export function endImport(database: Database, id: number, from: ImportState, to: ImportState): Promise<boolean> {
  const values = [to, Date.now(), id, from];
  return database.transaction(async (tx) => (await execute(tx, compileMoveImport(), values)).length > 0);
}

/** Begins to undo an import. Returns whether no other process does. */
export async function beginUndo(database: Database, id: number, lease: string): Promise<boolean> {
  return database.transaction(async (tx) => (await execute(tx, compileBeginUndo(), [lease, id])).length > 0);
}

/** Adds to the counts of an import. @throws Stopped if it is not in the state any more. */
export async function countRows(
  tx: Transaction,
  id: number,
  state: ImportState,
  counts: Partial<Counts>,
): Promise<void> {
  const values = [...COUNTS.map((name) => counts[name] ?? 0), id, state];
  if ((await execute(tx, compileCountRows(), values)).length === 0) throw new Stopped('the import was stopped');
}

/** Stores what was written, with the versions that the history has recorded of it in this transaction. */
export async function addWritten(
  tx: Transaction,
  { id, uid, startedAt }: Pick<StoredImport, 'id' | 'uid' | 'startedAt'>,
  rows: readonly WrittenRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const listed = rows.map(({ row, kind, documentId, locale, version, versionBefore, draft, published }) => [
    ...[id, row, kind, documentId, locale, version, versionBefore],
    ...[Number(draft), Number(published)],
  ]);
  await execute(tx, compileAddWritten(tx.dialect), [JSON.stringify(listed), uid, startedAt]);
}

/** Stores rows that failed. */
export async function addFailed(tx: Transaction, id: number, rows: readonly FailedRow[]): Promise<void> {
  for (const { row, problems } of rows) {
    const problem = JSON.stringify(problems);
    await insertRow(tx, IMPORT_ROWS_TABLE, { import_id: id, place: row, kind: 'failed', problem });
  }
}

/** Rows that failed, in the order of the file. */
export async function failedRows(db: Queryable, id: number): Promise<FailedRow[]> {
  const rows = await query(db, compileFailedRows(), [id, MOST_FAILURES]);
  return rows.map(([row, problem]) => ({
    row: Number(row),
    problems: JSON.parse(String(problem)) as readonly RowProblem[],
  }));
}

/** The number of written rows that may still be undone. */
export async function countUndoable(db: Queryable, id: number): Promise<number> {
  const [row] = await query(db, compileCountUndoable(), [id]);
  return Number(row?.[0] ?? 0);
}

/** Written rows that are not undone, the last one first. */
export async function undoableRows(db: Queryable, id: number, most: number): Promise<UndoableRow[]> {
  const rows = await query(db, compileUndoable(), [id, most]);
  return rows.map(([rowId, row, kind, documentId, locale, version, versionBefore, draft, published]) => ({
    id: Number(rowId),
    row: Number(row),
    kind: kind as WrittenRow['kind'],
    documentId: String(documentId),
    locale: textOrNull(locale),
    version: Number(version),
    versionBefore: Number(versionBefore),
    draftBefore: numberOrNull(draft),
    publishedBefore: numberOrNull(published),
  }));
}

/** Why undoing leaves a document as it is. */
export const KEPT_REASONS = ['changedSince', 'notRecorded', 'forbidden', 'refused'] as const;
export type KeptReason = (typeof KEPT_REASONS)[number];

/** Notes what undoing has done to a row. */
export async function noteUndone(tx: Transaction, row: UndoableRow, outcome: 'undone' | KeptReason): Promise<void> {
  await updateRows(tx, IMPORT_ROWS_TABLE, { undone: outcome }, { id: row.id });
}

/**
 * Makes earlier imports of a version take it for unchanged, after a later import was undone.
 *
 * @param version its time now.
 */
export async function noteRestored(tx: Transaction, row: UndoableRow, version: number): Promise<void> {
  const values = [version, row.documentId, row.versionBefore, row.locale];
  await execute(tx, compileMoveVersion(tx.dialect), values);
}

/** Documents that undoing has left as they are. */
export async function keptRows(
  db: Queryable,
  id: number,
): Promise<{ readonly row: number; readonly documentId: string; readonly reason: KeptReason }[]> {
  const rows = await query(db, compileKeptRows(), [id, MOST_FAILURES]);
  return rows.map(([row, documentId, reason]) => ({
    row: Number(row),
    documentId: String(documentId),
    reason: reason as KeptReason,
  }));
}

function importOf(row: Row): StoredImport {
  const [id, uid, fileName, options, state, lease, total, done, created, updated, failed, ...rest] = row;
  const [undone, kept, kind, by, name, startedAt, endedAt] = rest;
  return {
    id: Number(id),
    uid: String(uid),
    fileName: String(fileName ?? ''),
    options: JSON.parse(String(options)) as ImportRecord,
    state: IMPORT_STATES.find((known) => known === state) ?? 'failed',
    lease: String(lease),
    total: Number(total),
    ...{ done: Number(done), created: Number(created), updated: Number(updated), failed: Number(failed) },
    ...{ undone: Number(undone), kept: Number(kept) },
    by: { kind: kind as Actor['kind'], id: numberOrNull(by), name: textOrNull(name), address: null },
    startedAt: Number(startedAt),
    endedAt: numberOrNull(endedAt),
  };
}
