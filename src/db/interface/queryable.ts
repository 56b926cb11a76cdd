/** The interfaces through which statements run. */
import type { Dialect } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';

/** A row as the driver returns it, columns in the order of the select list. */
export type Row = readonly unknown[];

/** Runs statements. Prepared statements are cached by text, with a limit. */
export interface Executor {
  /** All rows of a statement; for a write without `returning`, none. */
  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]>;
}

/**
 * The result of a statement whose rows are not needed: undefined once it is done, or a promise that the sender awaits
 * before the next statement.
 */
export type Sent = Promise<unknown> | undefined;

export interface WritingExecutor extends Executor {
  /**
   * Runs a statement whose rows are not needed. Over a network it is not awaited: a later statement, or the commit,
   * throws its error.
   */
  send(text: string, values: readonly SqlValue[]): Sent;
  /**
   * Inserts rows whose ids the engine assigns, in ascending order without gaps, and returns the last id. Undefined if
   * ids are drawn (`Dialect.drawIds`).
   */
  insert?(text: string, values: readonly SqlValue[]): number | Promise<number>;
  /** Whether `insert` may be used for a table. Undefined if `insert` is. */
  returnsIds?(table: string): boolean;
  /**
   * Sends the commit right after the statements so far, unless listeners must be notified before it; returns whether it
   * was sent. A statement may still fail, and the transaction with it. Undefined if a commit needs no round trip.
   */
  commitBehind?(): boolean;
  /**
   * Runs a statement of a project's code.
   *
   * @returns the result in the form that the engine's Knex client expects (`code-knex.ts`).
   */
  raw(text: string, values: readonly unknown[]): unknown;
  /**
   * Runs work that only reads and may fail, after which the transaction goes on. Undefined if a failed statement does
   * not affect its transaction.
   */
  attempt?<T>(work: () => Promise<T>): Promise<T>;
}

/** Runs statements: the database, which only reads, or a transaction, which sees its own writes. */
export interface Queryable extends Executor {
  readonly dialect: Dialect;
}

export type StatementLog = (text: string, milliseconds: number) => void;
