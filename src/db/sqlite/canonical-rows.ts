/** Rows in canonical values on SQLite, which stores any value in any column. */
import type { ColumnType } from '../../schema/layout/table.ts';
import { render, sql } from '../../sql/fragment.ts';
import { compileInsertOf } from '../../sql/write.ts';
import { canonicalJson, canonicalTime, toNumber, unlikeText } from '../canonical-values.ts';
import type { CanonicalColumn, CanonicalRows, CanonicalValue, Misfit } from '../interface/canonical-rows.ts';
import type { Executor } from '../interface/queryable.ts';
import { sqliteDialect } from './dialect.ts';

/** The rows of one statement. Binding their values takes longer than anything else. */
const ROWS = 50;

const WHOLE: ReadonlySet<ColumnType> = new Set(['increments', 'bigincrements', 'integer', 'biginteger']);

function canonical(value: unknown, type: ColumnType): CanonicalValue | undefined {
  if (value === null) return null;
  if (Buffer.isBuffer(value)) return undefined;
  if (type === 'boolean') return value === 1 || value === 0 ? value === 1 : String(value);
  if (type === 'datetime' || type === 'float' || type === 'double') return value as CanonicalValue;
  if (WHOLE.has(type)) return wholeOf(String(value), type);
  if (type === 'json') return canonicalJson(String(value));
  if (type === 'time') return canonicalTime(String(value));
  return String(value);
}

/** Whole numbers are read as texts, since a number cannot hold all of them. */
function wholeOf(text: string, type: ColumnType): CanonicalValue {
  if (!/^-?\d+$/.test(text)) return text;
  return type === 'biginteger' ? BigInt(text) : toNumber(text);
}

function misfit(value: CanonicalValue, type: ColumnType): Misfit | undefined {
  if (typeof value === 'string') return unlikeText(value);
  if (typeof value !== 'number') return undefined;
  if (!Number.isFinite(value)) return { reason: 'is no finite number', instead: null };
  const isExact = type !== 'datetime' || Number.isInteger(value);
  return isExact ? undefined : { reason: 'has fractions of a millisecond', instead: Math.floor(value) };
}

function encode(value: CanonicalValue, type: ColumnType) {
  if (typeof value !== 'string') return sqliteDialect.encode(value, 'integer');
  if (type === 'decimal') return toNumber(value);
  return type === 'json' ? sqliteDialect.encode(value, 'json') : value;
}

async function insert(
  tx: Executor,
  table: string,
  columns: readonly CanonicalColumn[],
  rows: readonly (readonly CanonicalValue[])[],
): Promise<void> {
  const names = columns.map(({ name }) => name);
  const textOf = (count: number) => render(compileInsertOf(table, names, count), sqliteDialect.placeholder).text;
  const [many, one] = [rows.length >= ROWS ? textOf(ROWS) : '', textOf(1)];
  for (let from = 0; from < rows.length; ) {
    const count = rows.length - from >= ROWS ? ROWS : 1;
    const values = rows
      .slice(from, from + count)
      .flatMap((row) => row.map((value, n) => encode(value, columns[n]!.type)));
    await tx.rows(count === ROWS ? many : one, values);
    from += count;
  }
}

const KEPT = `select 1 from sqlite_schema where name = 'sqlite_sequence'`;
const LAST = 'select name, seq from sqlite_sequence';
const RAISE = 'update sqlite_sequence set seq = max(seq, ?) where name = ?';
const ADD = `insert into sqlite_sequence (seq, name) select ?, name from sqlite_schema
  where type = 'table' and name = ? and sql like '%autoincrement%' and name not in (select name from sqlite_sequence)`;
const DEFERRED = 'pragma defer_foreign_keys = on';
/** Indexes are sorted in a file, since those of large tables do not fit in memory; connections sort in memory else. */
const SORTED_IN_FILE = 'pragma temp_store = file';
const SORTED_IN_MEMORY = 'pragma temp_store = memory';

async function lastIds(executor: Executor): Promise<ReadonlyMap<string, number>> {
  if ((await executor.rows(KEPT, [])).length === 0) return new Map();
  const rows = await executor.rows(LAST, []);
  return new Map(rows.map(([table, last]) => [String(table), Number(last)]));
}

export const sqliteRows: CanonicalRows = {
  read: (column, type) => {
    if (!WHOLE.has(type)) return column;
    return sql`case typeof(${column}) when 'integer' then cast(${column} as text) else ${column} end`;
  },
  canonical,
  misfit,
  insert,
  async suspend(tx) {
    // the commit checks them
    await tx.rows(DEFERRED, []);
    await tx.rows(SORTED_IN_FILE, []);
    return async (last) => {
      await tx.rows(SORTED_IN_MEMORY, []);
      const known = await lastIds(tx);
      for (const [table, number] of last) {
        if (number > (known.get(table) ?? 0)) await tx.rows(known.has(table) ? RAISE : ADD, [number, table]);
      }
    };
  },
  lastIds,
};
