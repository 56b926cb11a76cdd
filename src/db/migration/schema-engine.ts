/** What migrations and reports ask of an engine: the existing tables, changes of them, and how it runs a read. */
import type { SearchIndex } from '../../plan/read-plan.ts';
import type { IndexDefinition, TableDefinition } from '../../schema/layout/table.ts';
import type { DdlDialect } from '../../sql/ddl.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { Database, Read } from '../interface/database.ts';
import type { Executor, Queryable, Row } from '../interface/queryable.ts';
import type { LaneTimes } from '../scheduling/lanes.ts';

export interface ExistingColumn {
  readonly name: string;
  /** In the engine's notation, lower case. */
  readonly type: string;
  readonly nullable: boolean;
  /** The default's expression in the engine's notation. */
  readonly defaultTo: string | null;
}

export interface ExistingIndex {
  readonly name: string;
  /** An empty string stands for an expression, and for a column in an order that no read uses. */
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** Columns of text that are ordered by code point, if that is not the order of the column itself. */
  readonly ordered?: readonly string[];
  /** Set if the index does not contain all rows. */
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
  /** Without the index of the primary key. */
  readonly indexes: readonly ExistingIndex[];
  /** Whether Galley's triggers maintain its totals. */
  readonly keepsTotals: boolean;
}

/** An index that an existing table lacks. */
export interface MissingIndex {
  readonly table: string;
  readonly index: IndexDefinition;
}

/** Work that takes time in proportion to the rows of tables, and is left for after a migration. */
export interface LaterWork {
  readonly indexes: readonly MissingIndex[];
  /** Tables whose totals are not stored yet. */
  readonly totals: readonly string[];
  /** Indexes that others have replaced. */
  readonly retired: readonly string[];
}

/** A difference between a table and the layout that makes writes or reads fail. */
export interface TableProblem {
  readonly table: string;
  /** Undefined if the problem concerns the whole table. */
  readonly column: string | undefined;
  /** The problem, to be printed after the name of the column: `is smallint, the schema expects boolean`. */
  readonly problem: string;
  /** The statements that repair it; none if the operator has to decide. */
  readonly remedy: readonly string[];
  /** Whether `--fix` runs the statements, because they change no row. */
  readonly isRepaired: boolean;
}

/** Some columns of text of one table. */
export type SearchedColumns = Pick<SearchIndex, 'table' | 'columns'>;

/** A search index, and whether lists use it. */
export interface ListedSearchIndex extends SearchIndex {
  /** False while the index is being built, after a failed build, and after its triggers were lost. */
  readonly isComplete: boolean;
}

/**
 * An engine's operations on search indexes. `db` is a separate connection on which each statement commits by itself and
 * may take any time (`Database.separately`).
 */
export interface SearchEngine {
  /** A restriction that a search index causes for others, to be reported with it; undefined: none. */
  readonly consequence: string | undefined;
  /**
   * Creates indexes of columns while their table is in use. A complete index stays as it is, and the remains of an
   * earlier build are dropped.
   *
   * @throws UsageError in one line if the database cannot have such an index.
   */
  create(db: Queryable, columns: SearchedColumns): Promise<void>;
  /** Drops an index if it exists; lists are searched without it from then on. */
  drop(db: Queryable, index: SearchIndex): Promise<void>;
  /** The names of the indexes that `create` creates. */
  namesOf(dialect: Dialect, columns: SearchedColumns): readonly string[];
  /** The search indexes of all tables. */
  list(db: Queryable): Promise<readonly ListedSearchIndex[]>;
}

/** The operations of an engine for migrations, upkeep and explaining reads. */
export interface SchemaEngine {
  readonly ddl: DdlDialect;
  readonly search: SearchEngine;
  /**
   * The tables of the current schema by name. Only reads.
   *
   * @param tables the names of those to read; undefined: all.
   */
  introspect(executor: Executor, tables?: readonly string[]): Promise<ReadonlyMap<string, ExistingTable>>;
  /** The differences from a layout that make writes or reads fail. Only reads. */
  tableProblems(
    executor: Executor,
    wanted: readonly TableDefinition[],
    existing: ReadonlyMap<string, ExistingTable>,
  ): Promise<readonly TableProblem[]>;
  /**
   * A table of the layout that cannot be written to, for which the start is refused. Undefined on engines without such
   * tables.
   */
  unnumberedTable?(
    executor: Executor,
    wanted: readonly TableDefinition[],
    existing: ReadonlyMap<string, ExistingTable>,
  ): Promise<string | undefined>;
  /** Sequences of ids. Undefined on engines without sequences. */
  readonly sequences?: {
    /** Moves sequences beyond the ids of their tables; returns the tables whose sequences were behind. */
    advance(tx: Executor): Promise<readonly string[]>;
    /** Whether an error means that the database accepts no writes. */
    isReadOnly(error: unknown): boolean;
    /** Sentences about sequences that were behind and that a server has moved forward. Only reads. */
    notes(executor: Executor): Promise<readonly string[]>;
    clearNotes(tx: Executor): Promise<void>;
  };
  /** The foreign keys of one table, for tests and reports. Only reads. */
  foreignKeys(executor: Executor, table: string): Promise<readonly ExistingForeignKey[]>;
  /**
   * The first statement of a migration's transaction: waits until no other process changes tables.
   *
   * @param isLive whether requests are being served: then locked tables are not waited for, since later requests would
   * wait behind this transaction.
   */
  lock(tx: Executor, isLive?: boolean): Promise<void>;
  /** Excludes writes of others to a table until the transaction ends. Undefined on engines with one writer. */
  stopWriters?(tx: Executor, table: string): Promise<void>;
  /** Copies the database into a file while it is in use. Undefined on engines whose copy is made by another program. */
  backUp?(database: Database, file: string): Promise<void>;
  /** Drops the remains of failed builds of indexes that a transaction is about to build. */
  clearIndexes(tx: Executor, missing: readonly MissingIndex[]): Promise<void>;
  /**
   * Whether an existing table is so small that work in proportion to its rows may be done in the transaction of a
   * migration.
   */
  isSmall(executor: Executor, table: string, isLive: boolean): Promise<boolean>;
  /**
   * Does one piece of the remaining work, with as little delay for requests as the engine allows.
   *
   * @returns a sentence about the reason if it could not be done.
   */
  addIndex(database: Database, missing: MissingIndex): Promise<string | undefined>;
  keepTotals(database: Database, table: string): Promise<string | undefined>;
  dropIndex(database: Database, name: string): Promise<string | undefined>;
  /** The most rows of a table for which an index is created automatically. */
  readonly unaskedRows: number;
  /** Adds up totals that writers have left in many pieces. Undefined on engines that store one number. */
  readonly gatherTotals?: (database: Database) => Promise<void>;
  /**
   * Explains how the engine runs a read.
   *
   * @param limit milliseconds for which the engine may run it, if running it tells more; undefined: it is not run.
   * @throws ContentError 503 if it takes longer.
   */
  explain(database: Database, read: Read, limit: number | undefined): Promise<EnginePlan>;
}

/**
 * Groups rows of columns (table, name, type, nullable, default) and of indexes (table, name, column, unique, partial,
 * by code point) into tables.
 *
 * @param keepsTotals whether the totals of a table are maintained.
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

export interface Handled {
  readonly table: string;
  /** Undefined if the engine does not report the number. */
  readonly rows: number | undefined;
  /** Whether a sort is of the rows that the filter of the list has found: no index replaces it. */
  readonly isOfFound?: boolean;
}

export interface EnginePlan {
  /** The plan in the engine's notation, one step per line, indented by nesting. */
  readonly lines: readonly string[];
  /** Tables whose rows are read one by one, in the table or in an index. */
  readonly scans: readonly Handled[];
  readonly sorts: readonly Handled[];
  /** The collation that an index needs for orders and ranges; undefined: any. */
  readonly collation: string | undefined;
  /** The approximate numbers of rows of tables, as far as known. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The thresholds for quick reads. */
  readonly laneTimes: LaneTimes;
}
