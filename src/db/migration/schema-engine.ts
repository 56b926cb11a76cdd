/** What a database already contains, as each engine's `introspect` reports it. */
import type { SearchIndex } from '../../plan/read-plan.ts';
import type { IndexDefinition, TableDefinition } from '../../schema/layout/table.ts';
import type { DdlDialect } from '../../sql/ddl.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { Database, Read } from '../interface/database.ts';
import type { Executor, Queryable, Row } from '../interface/queryable.ts';
import type { LaneTimes } from '../scheduling/lanes.ts';

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
  /** An expression instead of a column is an empty string, and so is a column in an order that no read asks for. */
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** Columns of text by code point, where that is not the order of the column itself. */
  readonly ordered?: readonly string[];
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
  /** Whether triggers of ours keep its totals. */
  readonly keepsTotals: boolean;
}

/** An index that a table which is there lacks. */
export interface MissingIndex {
  readonly table: string;
  readonly index: IndexDefinition;
}

/** What takes as long as tables have rows, and is left for after a migration. */
export interface LaterWork {
  readonly indexes: readonly MissingIndex[];
  /** Tables whose totals are not kept yet. */
  readonly totals: readonly string[];
  /** Indexes that others have replaced. */
  readonly retired: readonly string[];
}

/** How a table differs from the layout in a way that writes and reads fail at. */
export interface TableProblem {
  readonly table: string;
  /** Undefined for a problem of the whole table. */
  readonly column: string | undefined;
  /** What is wrong, behind the name of the column: `is smallint, the schema expects boolean`. */
  readonly problem: string;
  /** The statements that mend it; none where a person has to decide. */
  readonly remedy: readonly string[];
  /** Whether `--fix` runs them: they change no row. */
  readonly isRepaired: boolean;
}

/** Some columns of text of one table. */
export type SearchedColumns = Pick<SearchIndex, 'table' | 'columns'>;

/** A search index, and whether lists are searched by it. */
export interface ListedSearchIndex extends SearchIndex {
  /** False for one that is being built, that a build left behind, or that has not been kept since. */
  readonly isComplete: boolean;
}

/**
 * What an engine does about search indexes. `db` stands for a connection that serves no requests, on which each statement
 * takes effect by itself and may take any time (`Database.apart`).
 */
export interface SearchEngine {
  /** What others can no longer do where there is one, to be told with it; undefined: nothing. */
  readonly consequence: string | undefined;
  /**
   * Makes the indexes of columns while their table is read and written to. What is there and complete stays as it is,
   * and what an earlier build has left behind is dropped.
   *
   * @throws UsageError in one line where the database cannot have such an index.
   */
  create(db: Queryable, columns: SearchedColumns): Promise<void>;
  /** Drops an index, if it is there. Lists are searched without it from then on. */
  drop(db: Queryable, index: SearchIndex): Promise<void>;
  /** What the engine calls the indexes that `create` makes. */
  namesOf(dialect: Dialect, columns: SearchedColumns): readonly string[];
  /** The search indexes of all tables. */
  list(db: Queryable): Promise<readonly ListedSearchIndex[]>;
}

/** What is to be known of an engine besides its statements: by `migrate`, and by whoever explains a read. */
export interface SchemaEngine {
  readonly ddl: DdlDialect;
  /** Makes and drops search indexes. */
  readonly search: SearchEngine;
  /** The tables of the current schema by name. Reads only. */
  introspect(executor: Executor): Promise<ReadonlyMap<string, ExistingTable>>;
  /** How tables differ from a layout in ways that writes and reads fail at. Reads only. */
  tableProblems(
    executor: Executor,
    wanted: readonly TableDefinition[],
    existing: ReadonlyMap<string, ExistingTable>,
  ): Promise<readonly TableProblem[]>;
  /** A table of a layout that cannot be written to, and for which the start is refused. Left out where none is. */
  unnumberedTable?(
    executor: Executor,
    wanted: readonly TableDefinition[],
    existing: ReadonlyMap<string, ExistingTable>,
  ): Promise<string | undefined>;
  /** Has sequences of ids that are behind the rows of their tables go on behind these. Left out where there are none. */
  readonly sequences?: {
    /** Gives the tables whose sequences were behind. */
    advance(tx: Executor): Promise<readonly string[]>;
    /** Whether an error says that the database takes no writes. */
    isReadOnly(error: unknown): boolean;
    /** Sentences about sequences that were behind and that a server has moved forward. Reads only. */
    notes(executor: Executor): Promise<readonly string[]>;
    clearNotes(tx: Executor): Promise<void>;
  };
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
  /**
   * Whether an existing table is so small that what takes as long as it has rows may be done at once, in the transaction
   * of a migration.
   */
  isSmall(executor: Executor, table: string, isLive: boolean): Promise<boolean>;
  /**
   * Does one piece of the other work, making requests wait as little as the engine can.
   *
   * @returns a sentence about what could not be done.
   */
  addIndex(database: Database, missing: MissingIndex): Promise<string | undefined>;
  keepTotals(database: Database, table: string): Promise<string | undefined>;
  dropIndex(database: Database, name: string): Promise<string | undefined>;
  /** Rows of a table up to which an index is made that nobody has asked for. */
  readonly unaskedRows: number;
  /** Adds up totals that writers have left in many pieces, where they do. */
  readonly gatherTotals?: (database: Database) => Promise<void>;
  /**
   * Says how the engine runs a read.
   *
   * @param limit milliseconds that the engine may run it for, where it tells more for having run it; undefined: it is
   * not run.
   * @throws ContentError 503 when it takes longer.
   */
  explain(database: Database, read: Read, limit: number | undefined): Promise<EnginePlan>;
}

/**
 * Puts rows together: of columns (table, name, type, nullable, default), of indexes (table, name, column, unique,
 * partial, by code point); `keepsTotals` tells it of a table.
 */
export function assemble(
  columns: readonly Row[],
  indexes: readonly Row[],
  keepsTotals: (table: string) => boolean,
): Map<string, ExistingTable> {
  const tables = new Map<string, ExistingTable & { columns: ExistingColumn[]; indexes: ExistingIndex[] }>();
  for (const [table, name, type, nullable, defaultTo] of columns as readonly (readonly [
    string,
    string,
    string,
    unknown,
    string | null,
  ])[]) {
    if (!tables.has(table)) {
      tables.set(table, { name: table, columns: [], indexes: [], keepsTotals: keepsTotals(table) });
    }
    tables.get(table)!.columns.push({ name, type: type.toLowerCase(), nullable: Boolean(nullable), defaultTo });
  }
  const byName = new Map<string, ExistingIndex & { columns: string[]; ordered?: string[] }>();
  for (const [table, name, column, unique, partial, byCodePoint] of indexes as readonly (readonly [
    string,
    string,
    string | null,
    unknown,
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
    if (byCodePoint && column !== null) index.ordered = [...(index.ordered ?? []), column];
  }
  return tables;
}

/** Rows that are examined or sorted. */
export interface Handled {
  readonly table: string;
  /** How many; undefined where the engine does not say. */
  readonly rows: number | undefined;
}

export interface EnginePlan {
  /** What the engine says, a step a line, indented by what it is a part of. */
  readonly lines: readonly string[];
  /** Tables of which rows are read one after the other, in the table or in an index, to find some of them. */
  readonly scans: readonly Handled[];
  /** What is sorted. */
  readonly sorts: readonly Handled[];
  /** How an index must collate text for orders and ranges to use it; undefined where any does. */
  readonly collation: string | undefined;
  /** About how many rows tables have, as far as that is known. */
  readonly sizes: ReadonlyMap<string, number>;
  /** What counts as quick. */
  readonly laneTimes: LaneTimes;
}
