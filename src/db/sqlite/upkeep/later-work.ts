/**
 * What takes as long as a table has rows. It is done in a process of its own, since the thread that serves must not take
 * long; other writers wait for it all the same, as a file has one writer at a time.
 */
import { reasonOf } from '../../../errors.ts';
import { compileIndex } from '../../../sql/ddl.ts';
import { id, render, sql } from '../../../sql/fragment.ts';
import type { Database } from '../../interface/database.ts';
import type { Executor } from '../../interface/queryable.ts';
import type { MissingIndex } from '../../migration/schema-engine.ts';
import { sqliteDdl } from '../ddl.ts';
import { highestRowId } from '../table-sizes.ts';
import { hasTotals, TRIGGERS } from './totals.ts';

/** Rows of a table whose indexes are built at once: an index takes about 30 ms. */
const FEW_ROWS = 50_000;

/** Whether a table has few rows. What is not known counts as many. */
export async function isSmall(executor: Executor, table: string): Promise<boolean> {
  try {
    const [row] = await executor.rows(highestRowId(table), []);
    return Number(row?.[0] ?? 0) <= FEW_ROWS;
  } catch {
    return false;
  }
}

export function addIndex(database: Database, { table, index }: MissingIndex): Promise<string | undefined> {
  return attempt(`index ${index.name} of table ${table} could not be added`, database, async (executor) => {
    const there = `select 1 from sqlite_schema where type = 'index' and name = ?`;
    // another process may have been faster
    if ((await executor.rows(there, [index.name])).length > 0) return;
    await executor.rows(compileIndex(table, index, sqliteDdl), []);
  });
}

export function keepTotals(database: Database, table: string): Promise<string | undefined> {
  return attempt(`the totals of table ${table} cannot be kept`, database, async (executor) => {
    const triggers = new Set((await executor.rows(TRIGGERS, [])).map(([trigger]) => trigger));
    // another process may have been faster
    if (hasTotals(triggers, table)) return;
    for (const statement of sqliteDdl.keepTotals(table)) await executor.rows(statement, []);
  });
}

export function dropIndex(database: Database, name: string): Promise<string | undefined> {
  return attempt(`index ${name} could not be dropped`, database, async (executor) => {
    await executor.rows(render(sql`drop index if exists ${id(name)}`, String).text, []);
  });
}

/** Does some work in one transaction. A sentence beginning with `failure` says why it was not done. */
async function attempt(
  failure: string,
  database: Database,
  work: (executor: Executor) => Promise<void>,
): Promise<string | undefined> {
  const inTransaction = async (executor: Executor) => {
    await executor.rows('begin immediate', []);
    await work(executor);
    await executor.rows('commit', []);
  };
  try {
    await (database.apart ? database.apart(inTransaction) : database.transaction(work));
  } catch (error) {
    return `${failure}: ${reasonOf(error)}`;
  }
}
