/**
 * Builds and drops indexes of tables in use without blocking writes
 * (https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY).
 */
import { reasonOf } from '../../errors.ts';
import { compileLiveIndex } from '../../sql/ddl.ts';
import { id, render, sql } from '../../sql/fragment.ts';
import type { Database } from '../interface/database.ts';
import type { Executor } from '../interface/queryable.ts';
import { contradiction } from '../migration/migration-plan.ts';
import type { MissingIndex } from '../migration/schema-engine.ts';
import { postgresDdl } from './ddl.ts';
import { TABLE_PATIENCE } from './patience.ts';

const DUPLICATES = '23505';

/**
 * Which rows of `pg_index i` and `pg_class x` are of use: an index that a build left behind when it failed, or its
 * process was killed, is not. One that is being built is also invalid.
 */
export const USABLE = `(i.indisvalid or x.relkind <> 'i'
  or exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid))`;

const STATE = `select ${USABLE} from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  where t.relname = $1 and x.relname = $2 and t.relnamespace = current_schema()::regnamespace`;

/**
 * Builds an index on a separate connection.
 *
 * @returns a sentence about the reason if it could not be built.
 */
export async function addIndex(database: Database, one: MissingIndex): Promise<string | undefined> {
  try {
    await database.separately!((executor) => build(executor, one));
  } catch (error) {
    // another process may have been faster
    const isThere = await database.separately!((executor) => cleared(executor, one, 'concurrently')).catch(() => false);
    if (!isThere) return warningOf(one, error);
  }
}

/** Drops an index without blocking requests. */
export async function dropIndex(database: Database, name: string): Promise<string | undefined> {
  try {
    await database.separately!(async (executor) => {
      await executor.rows(render(sql`drop index concurrently if exists ${id(name)}`, String).text, []);
    });
  } catch (error) {
    return `index ${name} could not be dropped: ${reasonOf(error)}`;
  }
}

async function build(executor: Executor, one: MissingIndex): Promise<void> {
  if (await cleared(executor, one, 'concurrently')) return;
  const { create, adopt } = compileLiveIndex(one.table, one.index, postgresDdl);
  await executor.rows(create, []);
  if (adopt === undefined) return;
  // the index alone serves reads as well, so a table in use is not waited for
  const patiently = `set local lock_timeout = '${TABLE_PATIENCE}'; ${adopt}`;
  await Promise.resolve(executor.rows(patiently, [])).catch(() => undefined);
}

/** Drops the remains of failed builds of these indexes, in a transaction that is about to build them. */
export async function clearIndexes(tx: Executor, missing: readonly MissingIndex[]): Promise<void> {
  for (const one of missing) await cleared(tx, one, 'in transaction');
}

/** Whether an index exists or is being built. The remains of a failed build are dropped. */
async function cleared(
  executor: Executor,
  { table, index }: MissingIndex,
  how: 'concurrently' | 'in transaction',
): Promise<boolean> {
  const [state] = await executor.rows(STATE, [table, index.name]);
  if (state?.[0] !== false) return state !== undefined;
  const isLive = how === 'concurrently';
  const drop = isLive ? sql`drop index concurrently ${id(index.name)}` : sql`drop index ${id(index.name)}`;
  await executor.rows(render(drop, String).text, []);
  return false;
}

function warningOf(one: MissingIndex, error: unknown): string {
  if ((error as { code?: string }).code === DUPLICATES) return contradiction(one);
  return `index ${one.index.name} of table ${one.table} could not be added: ${reasonOf(error)}`;
}
