/** Queries for stored rows, and lists of columns, that the write path needs. They follow from the schema. */
import type { ForeignKey } from './foreign-key.ts';

/** A column; a column of large integers, returned as text; or a constant instead of a column. */
export type Selected = string | { readonly wide: string } | { readonly constant: 0 | '' };

/** A query for rows of one table. */
export interface RowQuery {
  /** Unique among all queries of the project. */
  readonly key: string;
  readonly table: string;
  readonly columns: readonly Selected[];
  /** The columns that are compared with given values, each with one value or with several of which one must match. */
  readonly by: readonly string[];
  /** Applied by `TableReader.find` only: `findAll` returns rows in any order. */
  readonly order: readonly string[];
  /** Rows whose foreign key points to a missing row are left out: other programs leave such rows. */
  readonly foreignKey: ForeignKey | undefined;
}

/** Columns of a table that are written or copied together. */
export interface ColumnList {
  /** Unique among all lists of the project. */
  readonly key: string;
  readonly table: string;
  readonly names: readonly string[];
}
