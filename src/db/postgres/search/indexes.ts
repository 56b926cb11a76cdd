/**
 * Creates, drops and lists the search indexes of a PostgreSQL database: trigrams of pg_trgm
 * (https://www.postgresql.org/docs/current/pgtrgm.html).
 */
import { createHash } from 'node:crypto';
import { reasonOf, UsageError } from '../../../errors.ts';
import type { SearchIndex, SearchIndexes } from '../../../plan/read-plan.ts';
import { short } from '../../../schema/layout/naming.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import { id, render, type Sql, sql } from '../../../sql/fragment.ts';
import type { Executor, Queryable, Row } from '../../interface/queryable.ts';
import type { ListedSearchIndex, SearchEngine, SearchedColumns } from '../../migration/schema-engine.ts';

/** The prefix of the names of search indexes. */
export const PREFIX = 'galley_search';

const text = (statement: Sql): string => render(statement, String).text;

/**
 * The name of the index of a column. It also depends on how text is folded: another server, or its next version, may
 * have another collation, and no statement would use an index made with the earlier one.
 */
export function nameOf(dialect: Dialect, table: string, column: string): string {
  const hash = createHash('sha256')
    .update(text(dialect.fold(id(column))))
    .digest('hex')
    .slice(0, 5);
  return short([PREFIX], table, column, [hash]);
}

/** Selects the schema that contains the extension. */
const EXTENSION_SCHEMA = `select n.nspname::text from pg_extension e join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'pg_trgm'`;

const CREATE_EXTENSION = 'create extension if not exists pg_trgm';

/** The statement that creates the index of a column, on exactly the expression that is searched. */
export function create(dialect: Dialect, table: string, column: string, extension: string): string {
  const name = nameOf(dialect, table, column);
  // of a text column this is the column itself
  const expression = dialect.fold(sql`${id(column)}::text`);
  return text(
    sql`create index concurrently if not exists ${id(name)} on ${id(table)} using gin ((${expression}) ${id(extension)}.gin_trgm_ops)`,
  );
}

/** The statement that drops an index. */
export const drop = (name: string): string => text(sql`drop index concurrently if exists ${id(name)}`);

/** Selects the search indexes: name, table, column, whether it is complete, and whether it is being built. */
export const LIST = `
  select x.relname::text, t.relname::text, a.attname::text, i.indisvalid,
    exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid)
  from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
    and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid and d.refobjsubid > 0
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
  where starts_with(x.relname::text, '${PREFIX}_') and t.relnamespace = current_schema()::regnamespace
  order by x.relname`;

/** Reads the rows of `LIST`. An index that no statement would use counts as incomplete. */
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
    if (await isBeingBuilt(db, name)) throw new UsageError(`${name} is being built by another process`, 1);
    // the remains of a failed build occupy the name
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

/** Milliseconds for which the list counts as current. A statement for a dropped index is only slower. */
const FRESH = 10_000;

export class KnownSearchIndexes implements SearchIndexes {
  readonly #dialect: Dialect;
  readonly #ask: (text: string) => Promise<Row[]>;
  #nextCheck = 0;
  #version = 0;
  #text = '[]';
  #indexes: readonly SearchIndex[] = [];

  constructor(dialect: Dialect, ask: (text: string) => Promise<Row[]>) {
    this.#dialect = dialect;
    this.#ask = ask;
  }

  get version(): number {
    if (performance.now() >= this.#nextCheck) void this.refresh();
    return this.#version;
  }

  of(table: string): readonly SearchIndex[] {
    return this.#indexes.filter((index) => index.table === table);
  }

  async refresh(): Promise<void> {
    this.#nextCheck = performance.now() + FRESH;
    try {
      const indexes = indexesOf(this.#dialect, await this.#ask(LIST)).filter(({ isComplete }) => isComplete);
      const text = JSON.stringify(indexes);
      if (text === this.#text) return;
      this.#text = text;
      this.#indexes = indexes;
      this.#version++;
    } catch {
      // the server cannot be reached; other statements report that
    }
  }
}
