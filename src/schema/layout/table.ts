/** Types of table definitions, independent of an engine. */

/** Column types, which a dialect translates. */
export type ColumnType =
  | 'increments'
  /** For rows that are continually inserted and deleted. */
  | 'bigincrements'
  | 'integer'
  | 'biginteger'
  | 'string'
  | 'text'
  | 'json'
  | 'float'
  | 'double'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime';

export interface ColumnDefinition {
  readonly name: string;
  readonly type: ColumnType;
  readonly defaultTo?: unknown;
  /** When the column is added to a table with rows, both rows of a published version get its publication time. */
  readonly fromPublication?: true;
}

export interface IndexDefinition {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** The columns in descending order. */
  readonly descending?: readonly string[];
  /**
   * Text columns that are sorted, not only compared for equality: reads sort text by code point, unlike the indexes of
   * some engines.
   */
  readonly ordered?: readonly string[];
  /** A column; rows with null are not in the index. */
  readonly whereNotNull?: string;
  /** A column; only rows with null are in the index. */
  readonly whereNull?: string;
}

export interface ForeignKeyDefinition {
  readonly name: string;
  readonly column: string;
  readonly references: { readonly table: string; readonly column: string };
  readonly onDelete: 'SET NULL' | 'CASCADE';
}

export interface TableDefinition {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  readonly indexes: readonly IndexDefinition[];
  /** Galley's own indexes, whose names start with `galley_`. */
  readonly ownIndexes?: readonly IndexDefinition[];
  readonly foreignKeys: readonly ForeignKeyDefinition[];
  /** Names of obsolete indexes of earlier versions. */
  readonly retiredIndexes?: readonly string[];
  /** Whether its rows are counted by locale and status (`sql/totals.ts`). */
  readonly keepsTotals?: boolean;
  /** The model, and for link tables the attribute, of the table. */
  readonly owner?: { readonly uid: string; readonly attribute?: string };
}

/** Links that wait for their target's publication, since a link to a missing row cannot be stored. */
export const PENDING_TABLE = 'galley_pending_links';
/** Drafts that have changed a link of a two-sided relation. */
export const DRAFT_LINKS_TABLE = 'galley_draft_links';
