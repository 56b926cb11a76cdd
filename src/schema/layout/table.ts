/** Types of a layout: tables by meaning, before an engine has put them into its words. */

/** Column types by meaning; a dialect names them in its own words. */
export type ColumnType =
  | 'increments'
  /** For rows that come and go for years. */
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
  /** Where the column is added to a table that has rows: both rows of a published version take the time of that. */
  readonly fromPublication?: true;
}

export interface IndexDefinition {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** Those of the columns that are kept in descending order. */
  readonly descending?: readonly string[];
  /**
   * Those of the columns that are texts whose order is asked for, and not only whether they are equal: reads order text
   * by code point, which is not the order of every engine's indexes.
   */
  readonly ordered?: readonly string[];
  /** A column: rows in which it is null are left out of the index. */
  readonly whereNotNull?: string;
  /** A column: rows in which it is not null are left out of the index. */
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
  /** Indexes that the reference does not make; their names start with `galley_`. */
  readonly ownIndexes?: readonly IndexDefinition[];
  readonly foreignKeys: readonly ForeignKeyDefinition[];
  /** Names of indexes that earlier versions of ours made, and that others have replaced. */
  readonly retiredIndexes?: readonly string[];
  /** Whether the numbers of its rows are kept, by locale and status (`sql/totals.ts`). */
  readonly keepsTotals?: boolean;
  /** The model, and for link tables the attribute, that asks for the table. */
  readonly owner?: { readonly uid: string; readonly attribute?: string };
}

/** Links that wait for their target's publication: the layout cannot hold a link to a row that is not there. */
export const PENDING_TABLE = 'galley_pending_links';
/** Which draft has changed a link of a two-sided relation. */
export const DRAFT_LINKS_TABLE = 'galley_draft_links';
