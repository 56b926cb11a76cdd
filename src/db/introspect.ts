/** What a database already contains, as each engine's `introspect` reports it. */
import type { IndexDefinition } from '../schema/layout/table.ts';
import type { DdlDialect } from '../sql/ddl.ts';
import type { Database } from './database.ts';
import type { Executor, Row } from './queryable.ts';
import type { SearchEngine } from './search-indexes.ts';

export interface ExistingColumn {
  readonly name: string;
  /** In the engine's own words, lower case. */
  readonly type: string;
  readonly nullable: boolean;
  /** The default's expression as the engine writes it. */
  readonly defaultTo: string | null;
}

export interface ExistingIndex {
  readonly name: string;
  /** An expression instead of a column is an empty string. */
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** Set when the index leaves rows out. */
  readonly partial?: true;
}

export interface ExistingForeignKey {
  readonly name: string;
  readonly column: string;
  readonly references: { readonly table: string; readonly column: string };
  readonly onDelete: string;
}

export interface ExistingTable {
  readonly name: string;
  /** In the table's own order. */
  readonly columns: readonly ExistingColumn[];
  /** Without the primary key's. */
  readonly indexes: readonly ExistingIndex[];
}

/** An index that a table which is there lacks. */
export interface MissingIndex {
  readonly table: string;
  readonly index: IndexDefinition;
}

/** What `migrate` needs to know about an engine besides its statements. */
export interface SchemaEngine {
  readonly ddl: DdlDialect;
  /** Makes and drops search indexes. */
  readonly search: SearchEngine;
  /** The tables of the current schema by name. Reads only. */
  introspect(executor: Executor): Promise<ReadonlyMap<string, ExistingTable>>;
  /** Foreign keys of one table, for tests and reports. Reads only. */
  foreignKeys(executor: Executor, table: string): Promise<readonly ExistingForeignKey[]>;
  /**
   * First statement of the transaction: waits until no other process is changing tables.
   *
   * @param isLive whether requests are being answered: then no table is waited for that somebody else holds, since all
   * who come later would wait behind.
   */
  lock(tx: Executor, isLive?: boolean): Promise<void>;
  /** Drops what failed builds have left behind of indexes that a transaction is about to build. */
  clearIndexes(tx: Executor, missing: readonly MissingIndex[]): Promise<void>;
  /** Whether indexes of an existing table may be built in a transaction while requests are answered. */
  indexesLive(executor: Executor, table: string): Promise<boolean>;
  /**
   * Builds the other indexes outside of transactions without making requests wait, as far as the engine can.
   *
   * @returns a sentence for each that is not there afterwards.
   */
  addIndexesLive(database: Database, missing: readonly MissingIndex[]): Promise<string[]>;
}

/**
 * Puts rows together: of columns (table, name, type, nullable, default), of indexes (table, name, column, unique,
 * partial).
 */
export function assemble(columns: readonly Row[], indexes: readonly Row[]): Map<string, ExistingTable> {
  const tables = new Map<string, { name: string; columns: ExistingColumn[]; indexes: ExistingIndex[] }>();
  for (const [table, name, type, nullable, defaultTo] of columns as readonly (readonly [
    string,
    string,
    string,
    unknown,
    string | null,
  ])[]) {
    if (!tables.has(table)) tables.set(table, { name: table, columns: [], indexes: [] });
    tables.get(table)!.columns.push({ name, type: type.toLowerCase(), nullable: Boolean(nullable), defaultTo });
  }
  const byName = new Map<string, ExistingIndex & { columns: string[] }>();
  for (const [table, name, column, unique, partial] of indexes as readonly (readonly [
    string,
    string,
    string | null,
    unknown,
    unknown,
  ])[]) {
    let index = byName.get(name);
    if (!index) {
      index = { name, columns: [], unique: Boolean(unique), ...(partial ? { partial: true } : {}) };
      byName.set(name, index);
      tables.get(table)?.indexes.push(index);
    }
    index.columns.push(column ?? '');
  }
  return tables;
}
