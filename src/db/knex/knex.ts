/**
 * What the `up` of a migration is given: as much of Knex as migrations use (https://knexjs.org/guide), on one connection
 * and in one transaction. What is not there throws.
 */
import { id, raw, type Sql, sql } from '../../sql/fragment.ts';
import { isPiece, named, PIECE, rawPiece } from './pieces.ts';
import { ask, compiled, type Guard, placed, queryOf } from './query.ts';
import type { MigrationSession } from './session.ts';
import { altering, changeOf, creating } from './table.ts';

type Describe = (this: object, table: object) => unknown;

/** @param guard wraps each of its objects, so that what is not there says so. */
export function knexOn(session: MigrationSession, guard: Guard): object {
  let points = 0;
  const query = (table?: unknown): object => queryOf(session, guard, table);
  const rawQuery = (text: string, bindings?: unknown): object => rawOf(session, guard, text, bindings);
  /** Savepoints, as the migration is a transaction already. */
  const transaction = async (work?: (trx: object) => unknown): Promise<unknown> => {
    if (typeof work !== 'function') throw new Error('knex.transaction() without a function is not supported by Galley');
    points += 1;
    const point = id(`galley_migration_${points}`);
    const run = (statement: Sql) => ask(session, () => statement);
    await run(sql`savepoint ${point}`);
    try {
      const result = await work(knex);
      await run(sql`release savepoint ${point}`);
      return result;
    } catch (error) {
      await run(sql`rollback to savepoint ${point}`);
      await run(sql`release savepoint ${point}`);
      throw error;
    }
  };
  const begun =
    (method: string) =>
    (...args: unknown[]) =>
      (query() as Record<string, (...args: unknown[]) => object>)[method]!(...args);
  const started = ['select', 'column', 'columns', 'distinct', 'from', 'into', 'table', 'insert', 'where', 'count'];
  const knex: object = guard(
    'knex',
    Object.assign((table: unknown) => query(table), {
      ...Object.fromEntries(started.map((method) => [method, begun(method)])),
      raw: rawQuery,
      fn: guard('knex.fn', { now: () => rawQuery('CURRENT_TIMESTAMP') }),
      ref: (name: string) => ({ [PIECE]: (bind: (value: unknown) => Sql) => named(name, bind) }),
      get schema() {
        return schemaOf(session, guard);
      },
      transaction,
      isTransaction: true,
      client: guard('knex.client', { config: guard('knex.client.config', { client: session.client }) }),
    }),
  );
  return knex;
}

/** `knex.raw(…)`: a statement where it is waited for, and else a part of one. */
function rawOf(session: MigrationSession, guard: Guard, text: string, bindings: unknown): object {
  const made = rawPiece(text, bindings);
  const run = placed(async () => {
    const { text, values } = compiled(session, made[PIECE]);
    if (CHANGES.test(text)) await session.loosen();
    return (await session.ask(text, values)).native;
  });
  return guard('knex.raw(…)', {
    ...made,
    toString: () => text,
    // biome-ignore lint/suspicious/noThenProperty: it is waited for, as whoever writes a migration expects
    then: (done?: (value: unknown) => unknown, failed?: (error: unknown) => unknown) => run().then(done, failed),
    catch: (failed: (error: unknown) => unknown) => run().catch(failed),
  });
}

/** A statement that may rename tables and columns, or drop them. */
const CHANGES = /\b(?:alter|drop)\s+table\b/i;

/** `knex.schema`: steps one behind the other, which run when they are waited for; the last one's answer is given. */
function schemaOf(session: MigrationSession, guard: Guard): object {
  const steps: (() => Promise<unknown>)[] = [];
  const run = placed(async () => {
    let last: unknown;
    for (const step of steps.splice(0)) last = await step();
    return last;
  });
  const step =
    <A extends unknown[]>(work: (...args: A) => Promise<unknown>) =>
    (...args: A): object => {
      steps.push(() => work(...args));
      return schema;
    };
  const all = async (statements: readonly Sql[]): Promise<void> => {
    for (const statement of statements) await ask(session, () => statement);
  };
  const has = async (table: string): Promise<boolean> => (await session.columns(table)).length > 0;
  const create = async (table: string, describe: Describe): Promise<void> =>
    all(creating(session, table, changeOf(session, guard, table, describe)));
  const alter = async (table: string, describe: Describe): Promise<void> => {
    const change = changeOf(session, guard, table, describe);
    if (change.dropped.length + change.renamed.length > 0) await session.loosen(table, change.dropped);
    await all(altering(session, table, change));
  };
  const drop = (words: string) =>
    step(async (table: string) => {
      await session.loosen(table);
      await all([sql`drop table ${raw(words)}${id(table)}`]);
    });
  const schema: object = guard('knex.schema', {
    hasTable: step(has),
    hasColumn: step(async (table: string, column: string) => (await session.columns(table)).includes(column)),
    createTable: step(create),
    createTableIfNotExists: step(async (table: string, describe: Describe) =>
      (await has(table)) ? undefined : create(table, describe),
    ),
    ...{ alterTable: step(alter), table: step(alter), dropTable: drop(''), dropTableIfExists: drop('if exists ') },
    renameTable: step(async (from: string, to: string) => {
      await session.loosen(from);
      await all([sql`alter table ${id(from)} rename to ${id(to)}`]);
    }),
    raw: step((text: unknown, bindings?: unknown) =>
      Promise.resolve(isPiece(text) ? text : rawOf(session, guard, String(text), bindings)),
    ),
    // biome-ignore lint/suspicious/noThenProperty: it is waited for, as whoever writes a migration expects
    then: (done?: (value: unknown) => unknown, failed?: (error: unknown) => unknown) => run().then(done, failed),
    catch: (failed: (error: unknown) => unknown) => run().catch(failed),
  });
  return schema;
}
