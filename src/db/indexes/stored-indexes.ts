/** Learned, created and suggested indexes, as recorded in the database. */
import { hash } from 'node:crypto';
import { short } from '../../schema/layout/naming.ts';
import {
  compileForgetIndex,
  compileLastCheck,
  compileSetLastUse,
  compileStoredIndexes,
  INDEXES_TABLE,
  LOOKED,
} from '../../sql/stored-indexes.ts';
import type { Database } from '../interface/database.ts';
import type { Queryable } from '../interface/queryable.ts';
import { execute, insertRow, query } from '../interface/statements.ts';
import type { Transaction } from '../interface/transaction.ts';
import { hasRoom, type LearnedDefinition, type TableIndex } from './index-learner.ts';

/** The origin of an index: learned from reads; suggested by reads but not built; created by command. */
export type IndexOrigin = 'learned' | 'suggested' | 'command';

export interface StoredIndex {
  readonly table: string;
  readonly index: LearnedDefinition;
  readonly origin: IndexOrigin;
  /** The slow reads that lacked it, and their total milliseconds. */
  readonly reads: number;
  readonly milliseconds: number;
  /** Epoch milliseconds. */
  readonly madeAt: number;
  readonly usedAt: number;
}

/** Names an index. Equal indexes get equal names wherever they are requested. */
export function named({ table, index }: TableIndex, by: 'learned' | 'made'): LearnedDefinition {
  const mark = hash('sha1', JSON.stringify([table, index]), 'hex').slice(0, 8);
  return { ...index, name: short(['galley'], table, [index.search ? 'search' : by], [mark]) };
}

/** All recorded indexes, the oldest first. */
export async function storedIndexes(db: Queryable): Promise<readonly StoredIndex[]> {
  const rows = await query(db, compileStoredIndexes());
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

/** The recorded indexes that exist or are being built. */
export async function existingIndexes(db: Queryable): Promise<readonly StoredIndex[]> {
  return (await storedIndexes(db)).filter(({ origin }) => origin !== 'suggested');
}

/** When any process last checked for unused indexes; undefined: never. */
export async function lastCheck(db: Queryable): Promise<number | undefined> {
  const [row] = await query(db, compileLastCheck());
  return row && Number(row[0]);
}

/** Records a check for unused indexes, together with the last uses of others, by name. */
export function recordCheck(database: Database, time: number, used: ReadonlyMap<string, number>): Promise<void> {
  const none = { name: LOOKED, columns: [], unique: false };
  const value = {
    table: '',
    index: none,
    origin: LOOKED,
    reads: 0,
    milliseconds: 0,
    madeAt: time,
    usedAt: time,
  } as const;
  return database.transaction(async (tx) => {
    await keep(tx, value);
    await setTimes(tx, used);
  });
}

/** Records an index, replacing an earlier record. */
export function storeIndex(database: Database, index: StoredIndex): Promise<void> {
  return database.transaction(async (tx) => {
    await lockPlaces(tx);
    await keep(tx, index);
  });
}

/** Records that an index would help, unless another process has built it meanwhile. */
export function suggestIndex(database: Database, suggestion: StoredIndex): Promise<void> {
  return database.transaction(async (tx) => {
    await lockPlaces(tx);
    const existing = await existingIndexes(tx);
    if (!existing.some(({ index }) => index.name === suggestion.index.name)) await keep(tx, suggestion);
  });
}

/** The outcome of taking a place: taken; the index already has one; there is none left. */
export type Taking = 'taken' | 'there' | 'full';

/**
 * Records an index that is about to be built, if there is a place for it: several processes may find a free place at
 * the same moment, or want the same index.
 *
 * @param isSame whether another index serves the same reads.
 * @param leaving names of indexes that it replaces, or are being dropped.
 */
export function takePlace(
  database: Database,
  wanted: StoredIndex,
  { isSame, leaving }: { readonly isSame: (one: TableIndex) => boolean; readonly leaving: ReadonlySet<string> },
): Promise<Taking> {
  return database.transaction(async (tx) => {
    await lockPlaces(tx);
    const others = (await existingIndexes(tx)).filter(({ index }) => !leaving.has(index.name));
    if (others.some(isSame)) return 'there';
    const tables = others.map(({ table }) => table);
    if (!hasRoom(tables, wanted.table)) return 'full';
    await keep(tx, wanted);
    return 'taken';
  });
}

/** Lets one process at a time change the places. */
async function lockPlaces(tx: Transaction): Promise<void> {
  await tx.lock(() => [{ key: 'galley learned indexes', shared: false }]);
}

async function keep(
  tx: Transaction,
  index: Omit<StoredIndex, 'origin'> & { readonly origin: IndexOrigin | typeof LOOKED },
): Promise<void> {
  const { name, ...definition } = index.index;
  await execute(tx, compileForgetIndex(), [name]);
  await insertRow(tx, INDEXES_TABLE, {
    name,
    on_table: index.table,
    definition: JSON.stringify(definition),
    origin: index.origin,
    reads: index.reads,
    milliseconds: index.milliseconds,
    made_at: tx.dialect.encodeTime(index.madeAt),
    used_at: tx.dialect.encodeTime(index.usedAt),
  });
}

export async function forgetIndex(database: Database, name: string): Promise<void> {
  await database.transaction((tx) => execute(tx, compileForgetIndex(), [name]));
}

/** Records when indexes were last used, by name. */
export async function recordUses(database: Database, times: ReadonlyMap<string, number>): Promise<void> {
  await database.transaction((tx) => setTimes(tx, times));
}

async function setTimes(tx: Transaction, times: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, time] of times) await execute(tx, compileSetLastUse(), [tx.dialect.encodeTime(time), name]);
}
