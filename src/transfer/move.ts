/** Moves everything in a database to an empty one, on any engine, and compares all rows before the commit. */
import { isDeepStrictEqual } from 'node:util';
import type { CanonicalColumn, CanonicalRows, CanonicalValue } from '../db/interface/canonical-rows.ts';
import type { Database } from '../db/interface/database.ts';
import type { Executor } from '../db/interface/queryable.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { SchemaEngine } from '../db/migration/schema-engine.ts';
import { UsageError } from '../errors.ts';
import type { TableDefinition } from '../schema/layout/table.ts';
import type { DatabaseSource } from './database/database-source.ts';
import { readPages } from './database/row-pages.ts';
import { beginInsertion } from './insertion.ts';
import type { OnProgress, Survey } from './loader.ts';
import { createTables } from './new-tables.ts';
import type { RowBatch } from './rows.ts';

export interface MoveTarget {
  readonly database: Database;
  readonly engine: SchemaEngine;
  readonly form: CanonicalRows;
}

/** @throws UsageError for a database that has any table. */
export async function refuseFilled(executor: Executor, engine: SchemaEngine): Promise<void> {
  const [first] = (await engine.introspect(executor)).keys();
  if (first !== undefined) throw new UsageError(`the target is not empty: it has the table ${first}`, 1);
}

/**
 * Creates the tables of a source in an empty database, inserts its rows and compares them with those of the source, all
 * in one transaction.
 *
 * @param surveyed what `survey` has returned for the source.
 * @returns the number of rows.
 * @throws UsageError if a row is not the same afterwards: the target is then empty, as after any other error.
 */
export async function move(
  source: DatabaseSource,
  surveyed: Survey,
  target: MoveTarget,
  { writing, comparing }: { readonly writing: OnProgress; readonly comparing: OnProgress },
): Promise<number> {
  const definitions = source.tables.map(({ definition }) => definition);
  return target.database.transaction(
    async (tx) => {
      await target.engine.lock(tx);
      await refuseFilled(tx, target.engine);
      const finish = await createTables(tx, definitions, target.engine, new Map());
      await widenColumns(tx, definitions, surveyed.wider, target.form);
      const insertion = await beginInsertion(tx, target.form, definitions);
      for await (const batch of taken(source, surveyed, writing)) await insertion.insert(batch);
      await finish();
      await insertion.end(await source.lastIds());
      const read = source.tables.filter(({ columns }) => columns.length > 0).map(({ definition }) => definition);
      return compare(tx, taken(source, surveyed, comparing), read, target);
    },
    { once: true },
  );
}

/** The rows of a source that a target takes, with the values that it takes. What does not fit is reported already. */
async function* taken(source: DatabaseSource, { acceptance }: Survey, onProgress: OnProgress) {
  const reading = acceptance.read(() => undefined);
  for await (const batch of source.rows(() => undefined)) {
    yield reading.take(batch);
    onProgress(source.progress());
  }
}

async function widenColumns(
  tx: Transaction,
  definitions: readonly TableDefinition[],
  wider: ReadonlySet<string>,
  { widen }: CanonicalRows,
): Promise<void> {
  for (const { name, columns } of definitions) {
    for (const column of columns) if (wider.has(`${name}.${column.name}`)) await widen?.(tx, name, column);
  }
}

/**
 * Compares the rows of a source with those of a target. Returns their number.
 *
 * @throws UsageError for the first row that differs.
 */
async function compare(
  executor: Executor,
  batches: AsyncIterable<RowBatch>,
  definitions: readonly TableDefinition[],
  { form, engine }: MoveTarget,
): Promise<number> {
  const types = new Map(definitions.map(({ name, columns }) => [name, columns]));
  let total = 0;
  let current: { readonly table: string; readonly rows: RowCursor } | undefined;
  const remaining = new Set(types.keys());
  const end = async (): Promise<void> => {
    if (current && (await current.rows.next())) throw differs(current.table, 'the target has more rows');
  };
  for await (const { table, columns, rows } of batches) {
    if (current?.table !== table) {
      await end();
      remaining.delete(table);
      const read = columns.map((name) => types.get(table)!.find((column) => column.name === name)!);
      current = { table, rows: new RowCursor(executor, table, read, { form, engine }) };
    }
    for (const row of rows) {
      const found = await current.rows.next();
      if (!found) throw differs(table, 'the target has fewer rows');
      const place = row.findIndex((value, n) => !isSame(value, found[n]!, current!.rows.columns[n]!));
      if (place >= 0) throw differs(table, `${columns[place]} of the row with ${columns[0]} ${row[0]} is not the same`);
      total += 1;
    }
  }
  await end();
  for (const table of remaining) {
    const [column] = types.get(table)!;
    if (await new RowCursor(executor, table, [column!], { form, engine }).next())
      throw differs(table, 'the target has more rows');
  }
  return total;
}

const differs = (table: string, what: string): UsageError =>
  new UsageError(`the comparison of ${table} failed: ${what}. Nothing was moved`, 1);

/** Reads the rows of a table of the target one by one. */
class RowCursor {
  readonly columns: readonly CanonicalColumn[];
  readonly #pages: AsyncGenerator<{ readonly rows: readonly (readonly CanonicalValue[])[] }>;
  #rows: readonly (readonly CanonicalValue[])[] = [];
  #next = 0;

  constructor(
    executor: Executor,
    table: string,
    columns: readonly CanonicalColumn[],
    { form, engine }: Pick<MoveTarget, 'form' | 'engine'>,
  ) {
    this.columns = columns;
    const { placeholder } = engine.ddl;
    this.#pages = readPages({ executor, form, placeholder, table, columns, onUnreadable: () => undefined });
  }

  async next(): Promise<readonly CanonicalValue[] | undefined> {
    while (this.#next >= this.#rows.length) {
      const page = await this.#pages.next();
      if (page.done) return undefined;
      this.#rows = page.value.rows;
      this.#next = 0;
    }
    const row = this.#rows[this.#next];
    this.#next += 1;
    return row;
  }
}

/** Whether values are the same, however an engine writes them. */
function isSame(one: CanonicalValue, other: CanonicalValue, { type }: CanonicalColumn): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (type === 'json') return isDeepStrictEqual(JSON.parse(String(one)), JSON.parse(String(other)));
  return type === 'decimal' && Number(one) === Number(other);
}
