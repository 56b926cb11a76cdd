/** Rows in values that are the same for every engine, for transfers between databases. */
import type { ColumnType, TableDefinition } from '../../schema/layout/table.ts';
import type { Sql } from '../../sql/fragment.ts';
import type { Executor } from './queryable.ts';

/**
 * A value of a column: text; a number; a whole number of a `biginteger` as a bigint; a boolean; null. Decimals are text
 * (`1234.50`), dates `2024-05-06`, times `23:59:58.700`, moments epoch milliseconds, and JSON its text. A value that has
 * no such form, such as a word in a column of numbers, is the text that the engine stores.
 */
export type CanonicalValue = null | string | number | bigint | boolean;

/** A value that an engine cannot store as it is. */
export interface Misfit {
  /** The completion of "the value …": `has more than 255 characters`. */
  readonly reason: string;
  /** The nearest value that the engine can store. */
  readonly instead: CanonicalValue;
  /** Whether the column only lacks room, which `widen` gives it. */
  readonly isOfSize?: true;
}

/** A column with its type. */
export interface CanonicalColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** How an engine gives and takes rows in canonical values. */
export interface CanonicalRows {
  /** A column in the form that `canonical` takes. */
  read(column: Sql, type: ColumnType): Sql;
  /** Text in the order of code points; undefined where that is the order of every text. */
  byCodePoint?(text: Sql): Sql;
  /** The canonical form of a value that was read; undefined if it has none, such as that of bytes. */
  canonical(value: unknown, type: ColumnType): CanonicalValue | undefined;
  /** Whether the engine stores a value otherwise. Undefined if the value fits. */
  misfit(value: CanonicalValue, type: ColumnType): Misfit | undefined;
  /**
   * Removes the limit of the length or digits of an empty column, which the reference does not compare. Undefined on
   * engines without such limits.
   */
  widen?(tx: Executor, table: string, column: CanonicalColumn): Promise<void>;
  /**
   * Inserts rows, with their ids.
   *
   * @param tx a transaction in which `suspend` was called.
   */
  insert(
    tx: Executor,
    table: string,
    columns: readonly CanonicalColumn[],
    rows: readonly (readonly CanonicalValue[])[],
  ): Promise<void>;
  /**
   * Suspends the foreign keys of tables until the returned function is called, in the same transaction. That function
   * enforces them, and numbers new rows after the inserted ones, and after `lastIds` by table.
   *
   * @throws the engine's error from the returned function if a row refers to a missing row.
   */
  suspend(
    tx: Executor,
    tables: readonly TableDefinition[],
  ): Promise<(lastIds: ReadonlyMap<string, number>) => Promise<void>>;
  /** The last ids that were given to rows, also to deleted ones, by table. Tables without such a memory are absent. */
  lastIds(executor: Executor): Promise<ReadonlyMap<string, number>>;
}
