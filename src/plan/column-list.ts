/** Columns of a table that are written or copied together. */
export interface ColumnList {
  /** Tells it from all other lists of the project. */
  readonly key: string;
  readonly table: string;
  readonly names: readonly string[];
}
