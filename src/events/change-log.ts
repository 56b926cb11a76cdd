/**
 * The log of changes that listeners are told from: rows that the changes themselves write, as long as anybody listens
 * or has within the last minutes. Their numbers are the order in which listeners are told.
 */
import type { Change } from '../db/interface/change.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { execute, executeInPieces, query, type Written } from '../db/interface/statements.ts';
import type { ChangeListener, Transaction } from '../db/interface/transaction.ts';
import {
  compileAddEvents,
  compileEventRange,
  compileEventsAfter,
  compileEventsNumbered,
  compileForgetEvents,
  compileListen,
  compileListening,
  compileSettle,
  compileSettling,
  compileWriters,
} from '../sql/events/change-log.ts';
import { pause } from './throttle.ts';

/** Milliseconds that changes are kept, and how many at most. */
export const KEPT_FOR = 3_600_000;
export const MOST_KEPT = 100_000;
/** Milliseconds after which the rest is left to the next time. */
const LONGEST_TIDYING = 4000;
/** Milliseconds between two looks whether all processes know that somebody listens. */
const SETTLING_LOOK = 50;
/** Milliseconds for which the one that says so is waited for longer than it should take. */
const SETTLING_PATIENCE = 2000;

/** A change as the log has it. `pause`: changes before it were not written down. */
export interface LoggedChange extends Pick<Change, 'uid' | 'documentId' | 'locale' | 'status' | 'at'> {
  readonly id: number;
  readonly kind: Change['kind'] | 'pause';
}

interface Context {
  readonly isListenedTo: () => boolean;
  /** Whether changes of a type are told to anybody. */
  readonly isTold: (uid: string) => boolean;
  /** Called when changes were committed that were written down. */
  readonly written: () => void;
}

export class ChangeLog implements ChangeListener {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  isConcerned(): boolean {
    return this.#context.isListenedTo();
  }

  async beforeCommit(tx: Transaction, changes: readonly Change[]): Promise<void> {
    if (!this.#context.isListenedTo()) return;
    const told = changes.filter(({ uid }) => this.#context.isTold(uid));
    if (told.length === 0) return;
    await add(tx, told);
    tx.afterCommit(this.#context.written);
  }
}

async function add(tx: Transaction, changes: readonly (Omit<LoggedChange, 'id'> | Change)[]): Promise<void> {
  const rows = changes.map(({ uid, documentId, locale, status, kind, at }) => [
    uid,
    documentId,
    locale,
    status,
    kind,
    at,
  ]);
  await execute(tx, compileAddEvents(tx.dialect), [JSON.stringify(rows)]);
}

/**
 * Has changes written down until a time at least. Gives whether none were until now, which the log says as well: whoever
 * comes back to it has missed something.
 *
 * @param known milliseconds after which all processes know of it: nobody begins to listen before (`untilSettled`).
 */
export async function listenUntil(tx: Transaction, time: number, known: number): Promise<boolean> {
  // of several processes at once, one finds that none were
  await tx.lock(() => [{ key: 'galley event listening', shared: false }]);
  const [row] = await execute(tx, compileListening());
  const hasLapsed = row === undefined || Number(row[0]) < Date.now();
  await execute(tx, compileListen(), [time]);
  if (!hasLapsed) return false;
  await execute(tx, compileSettle(), [Date.now() + known + SETTLING_PATIENCE]);
  await addPause(tx);
  return true;
}

/** Says that all processes know: what was written before they did is missing. */
export async function settle(tx: Transaction): Promise<void> {
  await execute(tx, compileSettle(), [0]);
  await addPause(tx);
}

/**
 * Waits until all processes know that changes are written down, as the one says that has begun it, or until it is long
 * enough where that one is gone.
 *
 * @param known as of `listenUntil`: clocks of several machines differ.
 */
export async function untilSettled(db: Queryable, known: number): Promise<void> {
  const end = Date.now() + known + SETTLING_PATIENCE;
  for (;;) {
    const [row] = await query(db, compileSettling());
    const left = Math.min(end, Number(row?.[0] ?? 0)) - Date.now();
    if (left <= 0) return;
    await pause(Math.min(left, SETTLING_LOOK));
  }
}

/** Writes down that changes may be missing before. */
export async function addPause(tx: Transaction): Promise<void> {
  await add(tx, [{ uid: '', documentId: '', locale: null, status: 'published', kind: 'pause', at: Date.now() }]);
}

/**
 * The changes behind a number, in their order.
 *
 * @param last the number of the last one; all, when left out.
 */
export async function changesAfter(
  db: Queryable,
  number: number,
  most: number,
  last?: number,
): Promise<LoggedChange[]> {
  const values = last === undefined ? [number, most] : [number, most, last];
  return (await query(db, compileEventsAfter(last !== undefined), values)).map(changeOf);
}

/** Those of the changes with these numbers that are there. */
export async function changesNumbered(db: Queryable, numbers: readonly number[]): Promise<LoggedChange[]> {
  const list = JSON.stringify(numbers.map((number) => [number]));
  return (await query(db, compileEventsNumbered(db.dialect), [list])).map(changeOf);
}

/** The first and the last number; undefined for a log without changes. */
export async function rangeOfLog(db: Queryable): Promise<{ first: number; last: number } | undefined> {
  const [row] = await query(db, compileEventRange());
  return row === undefined || row[0] === null ? undefined : { first: Number(row[0]), last: Number(row[1]) };
}

/** Numbers of transactions, where one with a smaller number may commit later (`Dialect.writers`); undefined elsewhere. */
export async function writersOf(db: Queryable, which: 'begun' | 'over'): Promise<number | undefined> {
  const asked = compileWriters(db.dialect, which);
  if (asked === undefined) return undefined;
  const [row] = await query(db, asked);
  return Number(row![0]);
}

/** Forgets what is old, a piece in each transaction, however much there is. Gives how many changes were forgotten. */
export function tidyLog(database: Written): Promise<number> {
  const now = Date.now();
  return executeInPieces(database, compileForgetEvents(), [now - KEPT_FOR, MOST_KEPT], now + LONGEST_TIDYING);
}

function changeOf([id, uid, documentId, locale, status, kind, at]: Row): LoggedChange {
  return {
    id: Number(id),
    uid: String(uid),
    documentId: String(documentId),
    locale: locale === null ? null : String(locale),
    status: status === 'draft' ? 'draft' : 'published',
    kind: kind as LoggedChange['kind'],
    at: Number(at),
  };
}
