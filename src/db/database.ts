/** The database interface: what content, media and users see of an engine. */
import type { Dialect } from '../sql/dialect.ts';
import type { SqlValue } from '../sql/fragment.ts';

/** A row as the driver gives it, columns in the order of the select list. */
export type Row = readonly unknown[];

/** Runs statements. Texts are prepared once and kept, with a cap. */
export interface Executor {
  /** All rows of a statement; for a write without `returning`, none. */
  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]>;
}

export interface Database extends Executor {
  readonly dialect: Dialect;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. Writers take turns. */
  transaction<T>(work: (tx: Executor) => Promise<T>): Promise<T>;
  /**
   * A number that grows when another process may have changed the database, for caches of tokens and roles: exact on
   * engines that can tell, else once a second.
   */
  generation(): number;
  close(): Promise<void>;
}
