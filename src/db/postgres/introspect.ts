/**
 * What the current schema of a PostgreSQL database contains (https://www.postgresql.org/docs/current/catalogs.html).
 */

import type { Executor } from '../interface/queryable.ts';
import {
  assemble,
  type ExistingForeignKey,
  type ExistingTable,
  type SchemaEngine,
} from '../migration/schema-engine.ts';
import { postgresDdl } from './ddl.ts';
import { explain } from './explain.ts';
import { isReadOnly } from './failures.ts';
import { advanceSequences, clearSequenceNotes, sequenceNotes } from './ids.ts';
import { TABLE_PATIENCE, UNLIMITED } from './patience.ts';
import { postgresSearchEngine } from './search/indexes.ts';
import { tableProblems } from './table-problems.ts';
import { gatherTotals, isSmall, keepTotals } from './upkeep/later-work.ts';
import { addIndex, clearIndexes, dropIndex, USABLE } from './upkeep/live-indexes.ts';
import { KEPT } from './upkeep/totals.ts';

const COLUMNS = `
  select t.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), not a.attnotnull,
    coalesce(pg_get_expr(d.adbin, d.adrelid), nullif(a.attidentity::text, ''))
  from pg_class t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace
  order by t.relname, a.attnum`;

/** The collation "C": that of code points. */
const BY_CODE_POINT = 950;

const INDEXES = `
  select t.relname::text, x.relname::text, a.attname::text, i.indisunique, i.indpred is not null,
    c.oid = ${BY_CODE_POINT} and a.attcollation <> ${BY_CODE_POINT}
  from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  cross join lateral unnest(i.indkey::int2[]) with ordinality k (attnum, n)
  cross join lateral (select i.indcollation[k.n::int - 1]) c (oid)
  left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum and k.attnum > 0
    and c.oid in (a.attcollation, ${BY_CODE_POINT})
  where not i.indisprimary and k.n <= i.indnkeyatts and t.relnamespace = current_schema()::regnamespace
    and ${USABLE}
  order by t.relname, x.relname, k.n`;

const TOTALS = `
  select c.relname::text from pg_class c
  where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and ${KEPT}`;

const FOREIGN_KEYS = `
  select c.conname::text, a.attname::text, r.relname::text, ra.attname::text, c.confdeltype::text
  from pg_constraint c
  join pg_class t on t.oid = c.conrelid
  join pg_class r on r.oid = c.confrelid
  join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1]
  join pg_attribute ra on ra.attrelid = r.oid and ra.attnum = c.confkey[1]
  where c.contype = 'f' and t.relname = $1 and t.relnamespace = current_schema()::regnamespace
  order by c.conname`;

const ON_DELETE: Readonly<Record<string, string>> = {
  a: 'NO ACTION',
  r: 'RESTRICT',
  c: 'CASCADE',
  n: 'SET NULL',
  d: 'SET DEFAULT',
};

/** Any number that no other program is likely to lock: the letters `gall`. */
const LOCK = 0x67616c6c;
/** Waits until no other process changes tables, and keeps others waiting until the transaction ends. */
export const ALONE = `select pg_advisory_xact_lock(${LOCK})::text`;

async function introspect(executor: Executor): Promise<ReadonlyMap<string, ExistingTable>> {
  const totals = new Set((await executor.rows(TOTALS, [])).map(([table]) => table));
  return assemble(await executor.rows(COLUMNS, []), await executor.rows(INDEXES, []), (table) => totals.has(table));
}

async function foreignKeys(executor: Executor, table: string): Promise<readonly ExistingForeignKey[]> {
  const rows = (await executor.rows(FOREIGN_KEYS, [table])) as readonly (readonly string[])[];
  return rows.map(([name, column, target, to, onDelete]) => ({
    name: name!,
    column: column!,
    references: { table: target!, column: to! },
    onDelete: ON_DELETE[onDelete!] ?? onDelete!,
  }));
}

async function lock(tx: Executor, isLive = false): Promise<void> {
  // an index of a large table takes as long as it takes, and so does another process that makes one
  await tx.rows(UNLIMITED, []);
  await tx.rows(ALONE, []);
  if (isLive) await tx.rows(`set local lock_timeout = '${TABLE_PATIENCE}'`, []);
}

export const postgresSchema: SchemaEngine = {
  ddl: postgresDdl,
  search: postgresSearchEngine,
  introspect,
  tableProblems,
  sequences: {
    advance: async (tx) => (await advanceSequences(tx)).map(({ table }) => table),
    isReadOnly: (error) => isReadOnly((error as { cause?: unknown }).cause),
    notes: sequenceNotes,
    clearNotes: clearSequenceNotes,
  },
  foreignKeys,
  lock,
  clearIndexes,
  explain,
  isSmall,
  addIndex,
  keepTotals,
  dropIndex,
  unaskedRows: 20_000_000,
  gatherTotals,
};
