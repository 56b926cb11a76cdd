/** Creates, drops and finds indexes of values and of texts. */
import { reasonOf } from '../../errors.ts';
import type { Database } from '../interface/database.ts';
import type { Queryable } from '../interface/queryable.ts';
import type { ExistingTable, SchemaEngine, SearchEngine, SearchedColumns } from '../migration/schema-engine.ts';
import type { LearnedDefinition } from './index-learner.ts';

export interface NamedIndex {
  readonly table: string;
  readonly index: LearnedDefinition;
}

interface Place {
  readonly database: Database;
  readonly engine: SchemaEngine;
}

/** Creates an index; returns a sentence about the reason if that is impossible. */
export function createIndex({ database, engine }: Place, { table, index }: NamedIndex): Promise<string | undefined> {
  if (!index.search) return engine.addIndex(database, { table, index });
  const created = createSearchIndex(database, engine.search, { table, columns: index.columns });
  return failureOf(created, `the search index of ${table} (${index.columns.join(', ')}) could not be built`);
}

/** Drops an index; returns a sentence about the reason if that is impossible. */
export function dropIndexOf({ database, engine }: Place, { table, index }: NamedIndex): Promise<string | undefined> {
  if (!index.search) return engine.dropIndex(database, index.name);
  const dropped = dropSearchIndex(database, engine.search, { table, columns: index.columns });
  return failureOf(dropped, `the search index of ${table} (${index.columns.join(', ')}) could not be dropped`);
}

/** Whether an index exists. */
export function indexExists(
  database: Database,
  existing: ReadonlyMap<string, ExistingTable>,
  { table, index }: NamedIndex,
): boolean {
  if (!index.search) return existing.get(table)?.indexes.some(({ name }) => name === index.name) ?? false;
  const searched = searchedColumns(database, table);
  return index.columns.every((column) => searched.has(column));
}

/** The columns of a table that search indexes cover. */
export function searchedColumns(database: Database, table: string): ReadonlySet<string> {
  return new Set(database.search?.of(table).flatMap(({ columns }) => columns));
}

async function failureOf(work: Promise<void>, failure: string): Promise<string | undefined> {
  try {
    await work;
  } catch (error) {
    return `${failure}: ${reasonOf(error)}`;
  }
}

/**
 * Creates the search index of some columns of a table, on a separate connection.
 *
 * @throws UsageError in one line if the database cannot have one.
 */
export function createSearchIndex(database: Database, engine: SearchEngine, columns: SearchedColumns): Promise<void> {
  return onSeparateConnection(database, (db) => engine.create(db, columns));
}

/** Drops the search indexes of a table that cover only columns among these. */
export function dropSearchIndex(
  database: Database,
  engine: SearchEngine,
  { table, columns }: SearchedColumns,
): Promise<void> {
  return onSeparateConnection(database, async (db) => {
    for (const index of await engine.list(db)) {
      if (index.table === table && index.columns.every((name) => columns.includes(name))) await engine.drop(db, index);
    }
  });
}

async function onSeparateConnection(database: Database, work: (db: Queryable) => Promise<void>): Promise<void> {
  const { dialect } = database;
  await database.separately!((executor) => work({ dialect, rows: (text, values) => executor.rows(text, values) }));
  await database.search?.refresh();
}
