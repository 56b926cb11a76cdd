/** Where statements are asked. */
import type { Dialect } from '../sql/dialect.ts';
import type { SqlValue } from '../sql/fragment.ts';

/** A row as the driver gives it, columns in the order of the select list. */
export type Row = readonly unknown[];

/** Runs statements. Texts are prepared once and kept, with a cap. */
export interface Executor {
  /** All rows of a statement; for a write without `returning`, none. */
  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]>;
}

/** Where statements are asked: the database, which only reads, or a transaction, which sees what it has written. */
export interface Queryable extends Executor {
  readonly dialect: Dialect;
}
