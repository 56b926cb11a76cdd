/** Runs compiled statements outside of the write path, which caches their texts (table-reader.ts). */
import type { Dialect } from '../../sql/dialect.ts';
import { render, type Sql, type SqlValue } from '../../sql/fragment.ts';
import { compileDelete, compileInsert, compileSelect, compileUpdate, type Where } from '../../sql/write.ts';
import type { Database } from './database.ts';
import type { Executor, Queryable, Row } from './queryable.ts';
import type { Transaction } from './transaction.ts';

/** Values by column. Column names are constants of the code. */
export type RowValues = Readonly<Record<string, SqlValue>>;

/**
 * Runs a statement that reads and returns its rows. Its slots are indexes into `values`.
 *
 * @param db the database, or a transaction that sees its own writes.
 */
export function query(db: Queryable, fragment: Sql, values: readonly SqlValue[] = []): Promise<Row[]> {
  return queryBy(
    { rows: (text, all) => db.rows(text, all), placeholder: (n) => db.dialect.placeholder(n) },
    fragment,
    values,
  );
}

/** The same of what has no dialect, such as a snapshot. */
export async function queryBy(
  place: Executor & { placeholder(n: number): string },
  fragment: Sql,
  values: readonly SqlValue[],
): Promise<Row[]> {
  const { text, order } = render(fragment, (n) => place.placeholder(n));
  return place.rows(
    text,
    order.map((index) => values[index]!),
  );
}

/** Runs a statement that writes; otherwise as `query`. */
export function execute(tx: Transaction, fragment: Sql, values: readonly SqlValue[] = []): Promise<Row[]> {
  return query(tx, fragment, values);
}

/** Sends a statement with values, as `Transaction.send`. */
export type Sending = (tx: Transaction, values: readonly SqlValue[]) => ReturnType<Transaction['send']>;

/** A statement that is rendered once. Its slots are indexes into the values that it is sent with. */
export function sending(dialect: Dialect, fragment: Sql): Sending {
  const { text, order } = render(fragment, (n) => dialect.placeholder(n));
  return (tx, values) =>
    tx.send(
      text,
      order.map((index) => values[index]!),
    );
}

/** Runs a statement that writes and whose rows are not needed (`Transaction.send`); otherwise as `query`. */
export async function send(tx: Transaction, fragment: Sql, values: readonly SqlValue[]): Promise<void> {
  await sending(tx.dialect, fragment)(tx, values);
}

/** The number of rows that `executeInPieces` changes in one transaction. */
const PIECE = 1000;

/** A database for code that reads and runs transactions. */
export type Written = Queryable & Pick<Database, 'transaction'>;

/**
 * Repeats a statement that writes, each time for a limited number of rows in a transaction of its own, so that others
 * can write in between. Returns the total number of rows.
 *
 * @param statement returns the changed rows, at most as many as the last of its values.
 * @param end epoch milliseconds after which the rest is left for the next time.
 */
export async function executeInPieces(
  database: Written,
  statement: Sql,
  values: readonly SqlValue[],
  end: number,
): Promise<number> {
  for (let count = 0; ; ) {
    const { length } = await database.transaction((tx) => execute(tx, statement, [...values, PIECE]));
    count += length;
    if (length < PIECE || Date.now() > end) return count;
  }
}

export async function ping(db: Queryable): Promise<void> {
  await db.rows('select 1', []);
}

/** Columns of the rows that have the values of `match`, ordered by columns. */
export function selectRows(
  db: Queryable,
  table: string,
  columns: readonly string[],
  match: RowValues,
  order: readonly string[] = [],
): Promise<Row[]> {
  return query(db, compileSelect(db.dialect, table, columns, equalTo(match), order), Object.values(match));
}

/** Inserts one row and returns its id. */
export async function insertRow(tx: Transaction, table: string, columns: RowValues): Promise<number> {
  const rows = await execute(tx, compileInsert(table, Object.keys(columns)), Object.values(columns));
  return Number(rows[0]![0]);
}

/** Updates columns of the rows that have the values of `match`. */
export async function updateRows(tx: Transaction, table: string, columns: RowValues, match: RowValues): Promise<void> {
  const update = compileUpdate(tx.dialect, table, Object.keys(columns), equalTo(match));
  await execute(tx, update, [...Object.values(columns), ...Object.values(match)]);
}

/** Deletes the rows that have these values. */
export async function deleteRows(tx: Transaction, table: string, match: RowValues): Promise<void> {
  await execute(tx, compileDelete(tx.dialect, table, equalTo(match)), Object.values(match));
}

/** One value for each column; null equals nothing. */
const equalTo = (match: RowValues): Where[] => Object.keys(match).map((column) => ({ column, count: 1 }));

/**
 * The value of a JSON column, which SQLite returns as text and PostgreSQL as a value. Any other text is returned
 * unchanged.
 */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
