/** Statements on the tables that every project has: tokens, roles, locales, settings. Their names are fixed. */

import type { Executor, Row } from '../../db/database.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { id, join, render, type Sql, type SqlValue, slot, sql } from '../../sql/fragment.ts';
import { createDocumentId } from './document-id.ts';

/** Where statements go: the database itself or one transaction of it, with the dialect to write them in. */
export interface Store {
  readonly executor: Executor;
  readonly dialect: Dialect;
}

/** Runs a statement whose slots are indices into `values`, and gives its rows. */
export async function runStatement(store: Store, fragment: Sql, values: readonly SqlValue[] = []): Promise<Row[]> {
  const { text, order } = render(fragment, (n) => store.dialect.placeholder(n));
  return store.executor.rows(
    text,
    order.map((index) => values[index]!),
  );
}

/** Inserts one row, its values by column, and gives its id. Column names are the caller's own words. */
export async function insertRow(
  store: Store,
  table: string,
  columns: Readonly<Record<string, SqlValue>>,
): Promise<number> {
  const names = join(Object.keys(columns).map(id), ', ');
  const values = Object.values(columns);
  const slots = join(
    values.map((_, index) => slot(index)),
    ', ',
  );
  const rows = await runStatement(
    store,
    sql`insert into ${id(table)} (${names}) values (${slots}) returning "id"`,
    values,
  );
  return Number(rows[0]![0]);
}

/** The columns that every row of a content type has: a new document id and three times, all `now` (epoch ms). */
export function documentColumns(store: Store, now: number): Record<string, SqlValue> {
  const time = store.dialect.encodeTime(now);
  return { document_id: createDocumentId(), created_at: time, updated_at: time, published_at: time };
}
