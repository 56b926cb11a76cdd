/** Statements on the tables that every project has: tokens, roles, locales, settings. Their names are fixed. */

import type { Queryable, Row } from '../../db/queryable.ts';
import type { Transaction } from '../../db/transaction.ts';
import { id, join, render, type Sql, type SqlValue, slot, sql } from '../../sql/fragment.ts';
import { createDocumentId } from './document-id.ts';

/**
 * Runs a statement that reads, whose slots are indices into `values`, and gives its rows.
 *
 * @param db the database, or a transaction that sees what it has written.
 */
export async function query(db: Queryable, fragment: Sql, values: readonly SqlValue[] = []): Promise<Row[]> {
  const { text, order } = render(fragment, (n) => db.dialect.placeholder(n));
  return db.rows(
    text,
    order.map((index) => values[index]!),
  );
}

/** Runs a statement that writes; otherwise as `query`. */
export function execute(tx: Transaction, fragment: Sql, values: readonly SqlValue[] = []): Promise<Row[]> {
  return query(tx, fragment, values);
}

/** Inserts one row, its values by column, and gives its id. Column names are the caller's own words. */
export async function insertRow(
  tx: Transaction,
  table: string,
  columns: Readonly<Record<string, SqlValue>>,
): Promise<number> {
  const names = join(Object.keys(columns).map(id), ', ');
  const values = Object.values(columns);
  const slots = join(
    values.map((_, index) => slot(index)),
    ', ',
  );
  const rows = await execute(tx, sql`insert into ${id(table)} (${names}) values (${slots}) returning "id"`, values);
  return Number(rows[0]![0]);
}

/** The columns that every row of a content type has: a new document id and three times, all `now` (epoch ms). */
export function documentColumns({ dialect }: Queryable, now: number): Record<string, SqlValue> {
  const time = dialect.encodeTime(now);
  return { document_id: createDocumentId(), created_at: time, updated_at: time, published_at: time };
}
