/** Indexes of tables that requests use. They are built on the thread that serves, which must not take long. */
import type { MissingIndex } from '../introspect.ts';
import type { Executor } from '../queryable.ts';
import { highestRowId } from './table-sizes.ts';

/** Rows of a table whose indexes are built while requests are answered: an index takes about 30 ms. */
const LIVE_ROWS = 50_000;

/** Whether a table is small enough. What is not known counts as large. */
export async function indexesLive(executor: Executor, table: string): Promise<boolean> {
  try {
    const [row] = await executor.rows(highestRowId(table), []);
    return Number(row?.[0] ?? 0) <= LIVE_ROWS;
  } catch {
    return false;
  }
}

/** Says of each of the other indexes that the next start builds it. */
export async function leaveIndexes(_database: unknown, missing: readonly MissingIndex[]): Promise<string[]> {
  const why = `has more than ${LIVE_ROWS.toLocaleString('en')} rows`;
  return missing.map(({ table, index }) => `index ${index.name} is left for the next start: table ${table} ${why}`);
}
