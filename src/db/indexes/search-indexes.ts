/** Search indexes: what is asked of an engine to make, drop and list them (docs/reference/search.md). */
import type { SearchIndex } from '../../plan/search.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { Database } from '../interface/database.ts';
import type { Queryable } from '../interface/queryable.ts';

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

/**
 * Makes the search index of some columns of a table, on a connection of its own.
 *
 * @throws UsageError in one line where the database cannot have one.
 */
export function createSearchIndex(database: Database, engine: SearchEngine, columns: SearchedColumns): Promise<void> {
  return apart(database, (db) => engine.create(db, columns));
}

/** Drops what is kept for the search of some columns of a table: indexes of these columns and no others. */
export function dropSearchIndex(
  database: Database,
  engine: SearchEngine,
  { table, columns }: SearchedColumns,
): Promise<void> {
  return apart(database, async (db) => {
    for (const index of await engine.list(db)) {
      if (index.table === table && index.columns.every((name) => columns.includes(name))) await engine.drop(db, index);
    }
  });
}

async function apart(database: Database, work: (db: Queryable) => Promise<void>): Promise<void> {
  const { dialect } = database;
  await database.apart!((executor) => work({ dialect, rows: (text, values) => executor.rows(text, values) }));
  await database.search?.refresh();
}
