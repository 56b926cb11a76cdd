/** Types of a layout: tables by meaning, before an engine has put them into its words. */

/** Column types by meaning; a dialect names them in its own words. */
export type ColumnType =
  | 'increments'
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
}

export interface IndexDefinition {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** A column: rows in which it is null are left out of the index. */
  readonly whereNotNull?: string;
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
  /** The model, and for link tables the attribute, that asks for the table. */
  readonly owner?: { readonly uid: string; readonly attribute?: string };
}
