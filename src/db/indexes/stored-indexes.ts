/** The indexes that were learned or made by hand, and those that would help, as the database remembers them. */
import { hash } from 'node:crypto';
import { short } from '../../schema/layout/naming.ts';
import {
  compileForgetIndex,
  compileKeptIndexes,
  compileLooked,
  compileSetUsed,
  INDEXES_TABLE,
  LOOKED,
} from '../../sql/kept-indexes.ts';
import type { Database } from '../interface/database.ts';
import type { Queryable } from '../interface/queryable.ts';
import { execute, insertRow, query } from '../interface/statements.ts';
import type { Transaction } from '../interface/transaction.ts';
import { hasRoom, type LearnedDefinition, type TableIndex } from './index-learner.ts';

/** Who has asked for an index: reads, and it was made; reads, and it was not; or a person. */
export type IndexOrigin = 'learned' | 'suggested' | 'command';

/** An index and what is known of it. */
export interface KeptIndex {
  readonly table: string;
  readonly index: LearnedDefinition;
  readonly origin: IndexOrigin;
  /** The slow reads that lacked it, and how long they took. */
  readonly reads: number;
  readonly milliseconds: number;
  /** Epoch milliseconds. */
  readonly madeAt: number;
  readonly usedAt: number;
}

/** Gives an index a name, which is the same wherever reads, or wherever people, ask for the same index. */
export function named({ table, index }: TableIndex, by: 'learned' | 'made'): LearnedDefinition {
  const mark = hash('sha1', JSON.stringify([table, index]), 'hex').slice(0, 8);
  return { ...index, name: short(['galley'], table, [index.search ? 'search' : by], [mark]) };
}

/** What the database remembers, the oldest first. */
export async function keptIndexes(db: Queryable): Promise<readonly KeptIndex[]> {
  const rows = await query(db, compileKeptIndexes());
  return rows.map(([name, table, definition, origin, reads, milliseconds, madeAt, usedAt]) => ({
    table: String(table),
    index: { ...(JSON.parse(String(definition)) as LearnedDefinition), name: String(name) },
    origin: origin as IndexOrigin,
    reads: Number(reads),
    milliseconds: Number(milliseconds),
    madeAt: Number(madeAt),
    usedAt: Number(usedAt),
  }));
}

/** Those of them that are made, or are being made. */
export async function madeIndexes(db: Queryable): Promise<readonly KeptIndex[]> {
  return (await keptIndexes(db)).filter(({ origin }) => origin !== 'suggested');
}

/** When unused indexes were last looked for, by any process; undefined: never. */
export async function lookedAt(db: Queryable): Promise<number | undefined> {
  const [row] = await query(db, compileLooked());
  return row && Number(row[0]);
}

/** Remembers that unused indexes were looked for, together with when others were used, by their names. */
export function setLooked(database: Database, time: number, used: ReadonlyMap<string, number>): Promise<void> {
  const none = { name: LOOKED, columns: [], unique: false };
  const kept = {
    table: '',
    index: none,
    origin: LOOKED,
    reads: 0,
    milliseconds: 0,
    madeAt: time,
    usedAt: time,
  } as const;
  return database.transaction(async (tx) => {
    await keep(tx, kept);
    await setTimes(tx, used);
  });
}

/** Remembers an index, in place of what was remembered of it before. */
export function keepIndex(database: Database, kept: KeptIndex): Promise<void> {
  return database.transaction(async (tx) => {
    await lockPlaces(tx);
    await keep(tx, kept);
  });
}

/** Remembers an index that would help, unless somebody has made it meanwhile. */
export function suggestIndex(database: Database, kept: KeptIndex): Promise<void> {
  return database.transaction(async (tx) => {
    await lockPlaces(tx);
    const made = await madeIndexes(tx);
    if (!made.some(({ index }) => index.name === kept.index.name)) await keep(tx, kept);
  });
}

/** What became of asking for a place: it was taken; the index has one already; there is none left. */
export type Taking = 'taken' | 'there' | 'full';

/**
 * Remembers an index that is about to be made, where there is a place for it: several processes may find one free in the
 * same moment, or want the same index.
 *
 * @param isSame whether another index does the same for reads.
 * @param leaving names of those that make room for it, or are being dropped.
 */
export function takePlace(
  database: Database,
  kept: KeptIndex,
  { isSame, leaving }: { readonly isSame: (one: TableIndex) => boolean; readonly leaving: ReadonlySet<string> },
): Promise<Taking> {
  return database.transaction(async (tx) => {
    await lockPlaces(tx);
    const others = (await madeIndexes(tx)).filter(({ index }) => !leaving.has(index.name));
    if (others.some(isSame)) return 'there';
    const tables = others.map(({ table }) => table);
    if (!hasRoom(tables, kept.table)) return 'full';
    await keep(tx, kept);
    return 'taken';
  });
}

/** One process at a time changes who has a place. */
async function lockPlaces(tx: Transaction): Promise<void> {
  await tx.lock(() => [{ key: 'galley learned indexes', shared: false }]);
}

async function keep(
  tx: Transaction,
  kept: Omit<KeptIndex, 'origin'> & { readonly origin: IndexOrigin | typeof LOOKED },
): Promise<void> {
  const { name, ...definition } = kept.index;
  await execute(tx, compileForgetIndex(), [name]);
  await insertRow(tx, INDEXES_TABLE, {
    name,
    on_table: kept.table,
    definition: JSON.stringify(definition),
    origin: kept.origin,
    reads: kept.reads,
    milliseconds: kept.milliseconds,
    made_at: tx.dialect.encodeTime(kept.madeAt),
    used_at: tx.dialect.encodeTime(kept.usedAt),
  });
}

/** Forgets an index. */
export async function forgetIndex(database: Database, name: string): Promise<void> {
  await database.transaction((tx) => execute(tx, compileForgetIndex(), [name]));
}

/** Remembers when indexes were last used, by their names. */
export async function setUsed(database: Database, times: ReadonlyMap<string, number>): Promise<void> {
  await database.transaction((tx) => setTimes(tx, times));
}

async function setTimes(tx: Transaction, times: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, time] of times) await execute(tx, compileSetUsed(), [tx.dialect.encodeTime(time), name]);
}
