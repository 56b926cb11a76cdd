/**
 * The log of changes that event streams read: each write adds its rows while any process has a listener or had one
 * within the last minutes. Listeners receive changes in the order of their numbers.
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

/** Milliseconds that changes are kept, and their greatest number. */
export const KEPT_FOR = 3_600_000;
const MOST_KEPT = 100_000;
/** Milliseconds after which tidying stops; the next one continues. */
const LONGEST_TIDYING = 4000;
/** Milliseconds between two checks whether all processes know of the first listener. */
const SETTLING_POLL = 50;
/** Milliseconds of grace for the process that announced it. */
const SETTLING_PATIENCE = 2000;

/** A row of the log. `pause`: changes before it may be missing. */
export interface LoggedChange extends Pick<Change, 'uid' | 'documentId' | 'locale' | 'status' | 'at'> {
  readonly id: number;
  readonly kind: Change['kind'] | 'pause';
}

interface LogContext {
  readonly hasListeners: () => boolean;
  /** Whether event streams send changes of a type. */
  readonly isPublished: (uid: string) => boolean;
  /** Called after a commit that wrote to the log. */
  readonly committed: () => void;
}

export class ChangeLog implements ChangeListener {
  readonly #context: LogContext;

  constructor(context: LogContext) {
    this.#context = context;
  }

  isConcerned(): boolean {
    return this.#context.hasListeners();
  }

  async beforeCommit(tx: Transaction, changes: readonly Change[]): Promise<void> {
    if (!this.#context.hasListeners()) return;
    const published = changes.filter(({ uid }) => this.#context.isPublished(uid));
    if (published.length === 0) return;
    await add(tx, published);
    tx.afterCommit(this.#context.committed);
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
 * Has all processes log changes until a time. If none were being logged, the log gets a pause: a listener that returns
 * to an earlier number has missed changes.
 *
 * @param delay milliseconds until all processes know of it; no listener begins before that (`untilSettled`).
 * @returns whether no changes were being logged.
 */
export async function listenUntil(tx: Transaction, time: number, delay: number): Promise<boolean> {
  // of several processes that begin at once, only one starts the log
  await tx.lock(() => [{ key: 'galley event listening', shared: false }]);
  const [row] = await execute(tx, compileListening());
  const hasLapsed = row === undefined || Number(row[0]) < Date.now();
  await execute(tx, compileListen(), [time]);
  if (!hasLapsed) return false;
  await execute(tx, compileSettle(), [Date.now() + delay + SETTLING_PATIENCE]);
  await addPause(tx);
  return true;
}

/** Declares that all processes log changes now. Earlier changes may be missing. */
export async function settle(tx: Transaction): Promise<void> {
  await execute(tx, compileSettle(), [0]);
  await addPause(tx);
}

/**
 * Waits until all processes log changes: until the process that started the log says so, or for as long as that may take
 * if it is gone.
 *
 * @param delay as for `listenUntil`; the clocks of several machines differ.
 */
export async function untilSettled(db: Queryable, delay: number): Promise<void> {
  const end = Date.now() + delay + SETTLING_PATIENCE;
  for (;;) {
    const [row] = await query(db, compileSettling());
    const remaining = Math.min(end, Number(row?.[0] ?? 0)) - Date.now();
    if (remaining <= 0) return;
    await pause(Math.min(remaining, SETTLING_POLL));
  }
}

/** Adds a pause: changes before it may be missing. */
export async function addPause(tx: Transaction): Promise<void> {
  await add(tx, [{ uid: '', documentId: '', locale: null, status: 'published', kind: 'pause', at: Date.now() }]);
}

/**
 * The changes after a number, in order.
 *
 * @param last the last number to read; undefined for no limit.
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

/** The existing changes with the given numbers. */
export async function changesNumbered(db: Queryable, numbers: readonly number[]): Promise<LoggedChange[]> {
  const list = JSON.stringify(numbers.map((number) => [number]));
  return (await query(db, compileEventsNumbered(db.dialect), [list])).map(changeOf);
}

/** The first and the last number; undefined for a log without changes. */
export async function rangeOfLog(db: Queryable): Promise<{ first: number; last: number } | undefined> {
  const [row] = await query(db, compileEventRange());
  return row === undefined || row[0] === null ? undefined : { first: Number(row[0]), last: Number(row[1]) };
}

/**
 * A bound of transaction numbers on engines where a transaction with a smaller number may commit later
 * (`Dialect.writers`); undefined on others.
 */
export async function writersOf(db: Queryable, which: 'begun' | 'over'): Promise<number | undefined> {
  const statement = compileWriters(db.dialect, which);
  if (statement === undefined) return undefined;
  const [row] = await query(db, statement);
  return Number(row![0]);
}

/** Deletes old changes, in several short transactions. Returns how many were deleted. */
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
