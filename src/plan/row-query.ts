/** Queries for stored rows that the write path needs. They follow from the schema and are made with its plans. */
import type { ForeignKey } from './foreign-key.ts';

/** A column, a column of integers that drivers would hand over as doubles, or a constant in a column's place. */
export type Selected = string | { readonly wide: string } | { readonly constant: 0 | '' };

/** A query for rows of one table. */
export interface RowQuery {
  /** Tells it from all other queries of the project. */
  readonly key: string;
  readonly table: string;
  readonly columns: readonly Selected[];
  /** The columns that must have given values, one or one of several. */
  readonly by: readonly string[];
  /** Applied by `TableReader.find` only: `findAll` gives rows in any order. */
  readonly order: readonly string[];
  /** What rows must lead to, to count: other programs leave dangling ones. */
  readonly foreignKey: ForeignKey | undefined;
}

/** Columns of a table that are written or copied together. */
export interface ColumnList {
  /** Tells it from all other lists of the project. */
  readonly key: string;
  readonly table: string;
  readonly names: readonly string[];
}
