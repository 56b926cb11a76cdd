/** Where statements are asked. */
import type { Dialect } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';

/** A row as the driver gives it, columns in the order of the select list. */
export type Row = readonly unknown[];

/** Runs statements. Texts are prepared once and kept, with a cap. */
export interface Executor {
  /** All rows of a statement; for a write without `returning`, none. */
  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]>;
}

/** A statement whose rows nobody needs: done, or a promise that asks whoever has sent it to wait with the next. */
export type Sent = Promise<unknown> | undefined;

/** Runs the statements of a transaction. */
export interface WritingExecutor extends Executor {
  /**
   * Runs a statement whose rows nobody needs. Where statements travel it is not waited for: what it fails with is thrown
   * by a later statement, or by the commit.
   */
  send(text: string, values: readonly SqlValue[]): Sent;
  /**
   * Inserts rows whose ids are made here, each by one greater than that of the row before it, and gives the last one. Left
   * out where ids are drawn (`Dialect.drawIds`).
   */
  insert?(text: string, values: readonly SqlValue[]): number | Promise<number>;
  /** Whether `insert` may be used for a table; left out as `insert` is. */
  tellsIds?(table: string): boolean;
  /**
   * Has the transaction committed behind what was asked so far, unless somebody is to be asked before; gives whether it will
   * be. What was asked may still fail, and the transaction with it. Left out where a commit does not travel.
   */
  commitBehind?(): boolean;
  /**
   * Runs a statement that a project's code has written.
   *
   * @returns what the engine's client of Knex makes its answer of (`code-knex.ts`).
   */
  raw(text: string, values: readonly unknown[]): unknown;
  /**
   * Runs work that only reads and may fail, which the transaction goes on after. Left out where a statement that fails leaves
   * a transaction as it is.
   */
  attempt?<T>(work: () => Promise<T>): Promise<T>;
}

/** Where statements are asked: the database, which only reads, or a transaction, which sees what it has written. */
export interface Queryable extends Executor {
  readonly dialect: Dialect;
}

export type StatementLog = (text: string, milliseconds: number) => void;
