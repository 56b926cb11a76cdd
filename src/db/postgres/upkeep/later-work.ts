/** What takes as long as a table has rows, besides indexes. */
import { reasonOf } from '../../../errors.ts';
import type { Database } from '../../database.ts';
import type { UnnotedTable } from '../../introspect.ts';
import type { Executor } from '../../queryable.ts';
import { TABLE_PATIENCE } from '../patience.ts';
import { hasModified, lockRows, MODIFIED, noteFromNowOn } from './modified.ts';
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
export function keepTotals(database: Database, table: string): Promise<string | undefined> {
  return attempt(`the totals of table ${table} cannot be kept`, database, async (executor) => {
    for (const statement of lockTotals(table)) await executor.rows(statement, []);
    const kept = `select ${KEPT} from pg_class c where c.oid = to_regclass(quote_ident($1))`;
    const [found] = await executor.rows(kept, [table]);
    // another process may have been faster
    if (found?.[0] === true) return;
    for (const statement of countFromNowOn(table)) await executor.rows(statement, []);
  });
}

/** Compares the drafts of a table with what is published, while writers wait, and has them noted from then on. */
export function keepModified(database: Database, { table, pairing }: UnnotedTable): Promise<string | undefined> {
  return attempt(`the modified drafts of table ${table} cannot be noted`, database, async (executor) => {
    await executor.rows(lockRows(table), []);
    // another process may have been faster
    if (hasModified(await executor.rows(MODIFIED, []), table, pairing)) return;
    for (const statement of noteFromNowOn(table, pairing)) await executor.rows(statement, []);
  });
}

/** Does some work in one transaction. A sentence beginning with `failure` says why it was not done. */
async function attempt(
  failure: string,
  database: Database,
  work: (executor: Executor) => Promise<void>,
): Promise<string | undefined> {
  try {
    await database.apart!(async (executor) => {
      await executor.rows('begin', []);
      // whoever comes later waits behind this
      await executor.rows(`set local lock_timeout = '${TABLE_PATIENCE}'`, []);
      await work(executor);
      await executor.rows('commit', []);
    });
  } catch (error) {
    return `${failure}: ${reasonOf(error)}`;
  }
}
