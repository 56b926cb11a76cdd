/** What takes as long as a table has rows, besides indexes. */
import { reasonOf } from '../../../errors.ts';
import type { Database } from '../../interface/database.ts';
import type { Executor } from '../../interface/queryable.ts';
import { TABLE_PATIENCE } from '../patience.ts';
import { countFromNowOn, gather, KEPT, lockTotals, SCATTERED } from './totals.ts';

/** Bytes of a table that is gone through in a few milliseconds. */
const SMALL = 16 * 2 ** 20;

/** Whether a table is small, and no request would wait for what is done to it. */
export async function isSmall(executor: Executor, table: string, isLive: boolean): Promise<boolean> {
  if (isLive) return false;
  const [row] = await executor.rows('select pg_relation_size(to_regclass(quote_ident($1))) < $2::bigint', [
    table,
    SMALL,
  ]);
  return row?.[0] === true;
}

/** Adds up the totals that writers have left in many pieces. */
export async function gatherTotals(database: Database): Promise<void> {
  const scattered = await database.rows(SCATTERED, []);
  for (const [table] of scattered) {
    await database.transaction(async (tx) => {
      await tx.rows(gather(String(table)), []);
    });
  }
}

/** Counts the rows of a table, whose writers wait for that, and has the totals kept from then on. */
export async function keepTotals(database: Database, table: string): Promise<string | undefined> {
  try {
    await database.apart!(async (executor) => {
      await executor.rows('begin', []);
      // whoever comes later waits behind this
      await executor.rows(`set local lock_timeout = '${TABLE_PATIENCE}'`, []);
      for (const statement of lockTotals(table)) await executor.rows(statement, []);
      const kept = `select ${KEPT} from pg_class c where c.oid = to_regclass(quote_ident($1))`;
      const [found] = await executor.rows(kept, [table]);
      // another process may have been faster
      if (found?.[0] === true) return;
      for (const statement of countFromNowOn(table)) await executor.rows(statement, []);
      await executor.rows('commit', []);
    });
  } catch (error) {
    return `the totals of table ${table} cannot be kept: ${reasonOf(error)}`;
  }
}
