/** Making, dropping and listing the search indexes of a PostgreSQL database. */
import { reasonOf, UsageError } from '../../../errors.ts';
import type { SearchIndex } from '../../../plan/search.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import type { ListedSearchIndex, SearchEngine, SearchedColumns } from '../../indexes/search-indexes.ts';
import type { Executor, Queryable, Row } from '../../interface/queryable.ts';
import { CREATE_EXTENSION, create, drop, EXTENSION_SCHEMA, LIST, nameOf } from './words.ts';

/** Understands the rows of `LIST`. An index that no statement would use is not complete. */
export function indexesOf(dialect: Dialect, rows: readonly Row[]): ListedSearchIndex[] {
  return (rows as readonly (readonly [string, string, string, boolean])[]).map(([name, table, column, isValid]) => {
    const isComplete = isValid && name === nameOf(dialect, table, column);
    return { name, table, columns: [column], isComplete };
  });
}

async function list(db: Queryable): Promise<readonly ListedSearchIndex[]> {
  return indexesOf(db.dialect, await db.rows(LIST, []));
}

async function createIndexes(db: Queryable, { table, columns }: SearchedColumns): Promise<void> {
  const extension = await extensionSchema(db);
  for (const column of columns) {
    const name = nameOf(db.dialect, table, column);
    const known = (await list(db)).find((index) => index.name === name);
    if (known?.isComplete) continue;
    if (await isBeingBuilt(db, name)) throw new UsageError(`${name} is being made by another process`, 1);
    // what a failed build leaves behind takes the name, and is of no use
    if (known) await dropIndex(db, known);
    await Promise.resolve(db.rows(create(db.dialect, table, column, extension), [])).catch(async (error: unknown) => {
      await dropIndex(db, { name });
      throw error;
    });
  }
}

async function dropIndex(executor: Executor, { name }: Pick<SearchIndex, 'name'>): Promise<void> {
  await executor.rows(drop(name), []);
}

async function isBeingBuilt(db: Queryable, name: string): Promise<boolean> {
  return (await db.rows(LIST, [])).some((row) => row[0] === name && row[4] === true);
}

async function extensionSchema(executor: Executor): Promise<string> {
  const find = async () => (await executor.rows(EXTENSION_SCHEMA, []))[0]?.[0] as string | undefined;
  const known = await find();
  if (known !== undefined) return known;
  try {
    await executor.rows(CREATE_EXTENSION, []);
  } catch (error) {
    throw new UsageError(`search indexes need the extension pg_trgm, which could not be added: ${reasonOf(error)}`, 1);
  }
  return (await find())!;
}

export const postgresSearchEngine: SearchEngine = {
  consequence: undefined,
  create: createIndexes,
  drop: dropIndex,
  namesOf: (dialect, { table, columns }) => columns.map((column) => nameOf(dialect, table, column)),
  list,
};
