/** Reads the log of actions, and removes its old entries. */
import type { NewAction } from '../db/interface/action.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { execute, executeInPieces, query, type Written } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import {
  type AuditFilter,
  type AuditOrder,
  compileAuditRange,
  compileEntries,
  compileExamined,
  compileFirstSince,
  compileForgetEntries,
  compileForwarded,
  compileLastBeyond,
  compileNoteForwarded,
  compileValuesOf,
  FILTERS,
} from '../sql/audit.ts';
import { type Entry, entryOf } from './entry.ts';

/** Entries of one batch of all entries. */
const BATCH = 1000;
/** Entries that are examined for a page. */
const EXAMINED = 2000;
/** Milliseconds by which the times of entries may differ from the order of their ids: transactions take time. */
const DISORDER = 60_000;
/** Values of a filter. */
const VALUES = 500;
/** Milliseconds after which the removal of old entries stops; the next one continues. */
const LONGEST = 4000;
const DAY = 86_400_000;
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** Which entries are read; undefined values filter nothing. */
export interface EntryQuery {
  /** As `actorKey` returns it. */
  readonly actor?: string | undefined;
  /** The type of the subject. */
  readonly type?: string | undefined;
  readonly action?: string | undefined;
  /** Epoch milliseconds, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Entries in their order. A page may have few entries, or none, although more follow. */
export interface EntryPage {
  readonly entries: readonly Entry[];
  /** The id after which the next page begins, in the direction of the page; undefined after the last page. */
  readonly next: number | undefined;
}

export interface PageRequest {
  readonly order: AuditOrder;
  /** The id after which the page begins; undefined for the first page. */
  readonly after: number | undefined;
  readonly most: number;
}

/** A page of the entries that meet a query. A page takes a bounded time in a log of any length. */
export async function entriesOf(
  db: Queryable,
  wanted: EntryQuery,
  { order, after, most }: PageRequest,
): Promise<EntryPage> {
  const whole = await rangeOf(db, wanted);
  const isNewestFirst = order === 'newest first';
  const first = isNewestFirst || after === undefined ? whole.first : Math.max(whole.first, after + 1);
  const end = isNewestFirst && after !== undefined ? Math.min(whole.end, after) : whole.end;
  const examined = async (filter: Filter | undefined) => {
    const values = [first, end, ...(filter ? [filter[1]] : [])];
    const [row] = await query(db, compileExamined(filter?.[0], order, EXAMINED), values);
    return { filter, count: Number(row![0]), last: Number(row![1]) };
  };
  const all = filtersOf(wanted);
  // the rarest value leads to the fewest other entries
  const counted = all.length > 1 ? await Promise.all(all.map(examined)) : [];
  const filters = all.length > 1 ? counted.sort((a, b) => a.count - b.count).map(({ filter }) => filter!) : all;
  const names = filters.map(([name]) => name);
  const values = [first, end, ...filters.map(([, value]) => value), ...whole.times, most + 1];
  const found = (await query(db, compileEntries(names, order, EXAMINED), values)).map(entryOf);
  const entries = found.slice(0, most);
  if (found.length > most) return { entries, next: entries.at(-1)!.id };
  const { count, last } = counted[0] ?? (await examined(filters[0]));
  return { entries, next: count === EXAMINED ? last : undefined };
}

type Filter = readonly [AuditFilter, string];

function filtersOf({ actor, type, action }: EntryQuery): Filter[] {
  const values = { actor, subject_type: type, action };
  return FILTERS.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

/** The first id that a query can have, the id after the last one, and the times. */
async function rangeOf(db: Queryable, { from, to }: EntryQuery) {
  const first = from === undefined ? 0 : await firstSince(db, from - DISORDER);
  const end = to === undefined ? LAST_ID : await firstSince(db, to + DISORDER + 1);
  return { first, end, times: [from ?? 0, to ?? LAST_ID] };
}

async function firstSince(db: Queryable, time: number): Promise<number> {
  const [row] = await query(db, compileFirstSince(), [time]);
  return Number(row![0]);
}

/** All entries that meet a query, the oldest first, in batches. */
export async function* allEntries(db: Queryable, wanted: EntryQuery): AsyncGenerator<readonly Entry[]> {
  let after: number | undefined;
  do {
    const { entries, next } = await entriesOf(db, wanted, { order: 'oldest first', after, most: BATCH });
    if (entries.length > 0) yield entries;
    after = next;
  } while (after !== undefined);
}

/** The action of exporting the entries of a query, which is recorded ahead of it. */
export function exportAction({ actor, type, action, from, to }: EntryQuery): NewAction {
  const times = { from: from && new Date(from).toISOString(), to: to && new Date(to).toISOString() };
  return { action: 'audit-log.export', type: null, id: null, more: { actor, type, ofAction: action, ...times } };
}

/** A value of a filter; of actors with the latest name. */
export interface FilterValue {
  readonly value: string;
  readonly name: string | null;
}

/** The values in the log by which it can be filtered, of each at most `VALUES`. */
export async function filterValues(db: Queryable): Promise<Readonly<Record<AuditFilter, readonly FilterValue[]>>> {
  const found = [];
  for (const name of FILTERS) {
    const rows = await query(db, compileValuesOf(name, VALUES));
    found.push([name, rows.map(([value, of]) => ({ value: String(value), name: of === null ? null : String(of) }))]);
  }
  return Object.fromEntries(found) as Record<AuditFilter, readonly FilterValue[]>;
}

/** The last id; 0 for an empty log. */
export async function lastEntry(db: Queryable): Promise<number> {
  const [row] = await query(db, compileAuditRange());
  return Number(row![1] ?? 0);
}

/** Removes entries older than some days, and the oldest ones beyond a number. Returns how many were removed. */
export async function forgetEntries(
  database: Written,
  { days, entries }: { readonly days: number; readonly entries: number },
): Promise<number> {
  const now = Date.now();
  const last = await lastBeyond(database, entries);
  return executeInPieces(database, compileForgetEntries(), [now - days * DAY, last], now + LONGEST);
}

/** The id of the last entry beyond a number; 0 if there are not so many. */
async function lastBeyond(db: Queryable, entries: number): Promise<number> {
  const [range] = await query(db, compileAuditRange());
  // databases leave ids out, so that there may be fewer entries, but never more
  if (Number(range![1] ?? 0) - Number(range![0] ?? 0) < entries) return 0;
  const [row] = await query(db, compileLastBeyond(), [entries]);
  return Number(row?.[0] ?? 0);
}

/** Up to which entry a target has received the log; undefined for a new target. */
export async function forwardedTo(db: Queryable, target: string): Promise<number | undefined> {
  const [row] = await query(db, compileForwarded(), [target]);
  return row && Number(row[0]);
}

export async function noteForwarded(tx: Transaction, target: string, position: number): Promise<void> {
  await execute(tx, compileNoteForwarded(), [target, position]);
}
