/**
 * What migrations and reports ask of SQLite: existing tables (https://sqlite.org/pragma.html#pragfunc), their problems,
 * and work that takes time in proportion to their rows. That work runs in a separate process, because the serving
 * thread must not be blocked; other writers wait all the same, since a file has one writer at a time.
 */
import { counted } from '../../counted.ts';
import { reasonOf } from '../../errors.ts';
import type { ColumnType, TableDefinition } from '../../schema/layout/table.ts';
import { compileIndex } from '../../sql/ddl.ts';
import { id, render, type Sql, sql } from '../../sql/fragment.ts';
import type { Database } from '../interface/database.ts';
import type { Executor } from '../interface/queryable.ts';
import {
  assemble,
  type ExistingForeignKey,
  type ExistingTable,
  type MissingIndex,
  type SchemaEngine,
  type TableProblem,
} from '../migration/schema-engine.ts';
import { pairsOf, statementOf, unknownRequired } from '../migration/table-problems.ts';
import { sqliteDdl } from './ddl.ts';
import { explain } from './explain.ts';
import { sqliteSearchEngine } from './search/indexes.ts';
import { highestRowId } from './table-sizes.ts';
import { hasTotals, TRIGGERS } from './totals.ts';

/** Whether a table is one of those to read: the parameter is an array of their names in JSON, or null for all tables. */
const CHOSEN = `exists (select 1 from (select ? as names) where names is null or m.name in (select value from json_each(names)))`;

const COLUMNS = `
  select m.name, c.name, c.type, c."notnull" = 0, c.dflt_value
  from sqlite_schema m join pragma_table_info(m.name) c
  where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\' and ${CHOSEN}
  order by m.name, c.cid`;

const INDEXES = `
  select m.name, i.name, iif(c.coll = 'BINARY', c.name, null), i."unique", i.partial, 0
  from sqlite_schema m join pragma_index_list(m.name) i join pragma_index_xinfo(i.name) c
  where m.type = 'table' and i.origin <> 'pk' and c.key and ${CHOSEN}
  order by m.name, i.name, c.seqno`;

const FOREIGN_KEYS = `select f."from", f."table", f."to", f.on_delete from pragma_foreign_key_list(?) f order by f.id`;

async function introspect(executor: Executor, tables?: readonly string[]): Promise<ReadonlyMap<string, ExistingTable>> {
  const chosen = [tables ? JSON.stringify(tables) : null];
  const triggers = new Set((await executor.rows(TRIGGERS, [])).map(([trigger]) => trigger));
  const columns = await executor.rows(COLUMNS, chosen);
  return assemble(columns, await executor.rows(INDEXES, chosen), (table) => hasTotals(triggers, table));
}

/** SQLite does not report the names of foreign keys, so `name` is empty. */
async function foreignKeys(executor: Executor, table: string): Promise<readonly ExistingForeignKey[]> {
  const rows = (await executor.rows(FOREIGN_KEYS, [table])) as readonly (readonly (string | null)[])[];
  return rows.map(([column, target, to, onDelete]) => ({
    name: '',
    column: column!,
    references: { table: target!, column: to ?? 'id' },
    onDelete: onDelete!,
  }));
}

/** The driver's transactions already exclude other writers from their start (`begin immediate`). */
async function lock(): Promise<void> {}

/** Failed builds leave nothing behind. */
async function clearIndexes(): Promise<void> {}

/**
 * Converts a text into the type of its column; null if it cannot be converted: the engine itself converts texts of
 * numbers.
 */
const NUMBERS: Partial<Readonly<Record<ColumnType, ((column: Sql) => Sql) | null>>> = {
  integer: null,
  biginteger: null,
  float: null,
  double: null,
  decimal: null,
  boolean: (column) =>
    sql`case when lower(${column}) in ('t', 'true') then 1 when lower(${column}) in ('f', 'false') then 0 end`,
  datetime: (column) => sql`cast(round((julianday(${column}) - 2440587.5) * 86400000) as integer)`,
};

/** Tables that number their rows, because their column `id` is an alias of the rowid. */
const NUMBERED = `
  select m.name from sqlite_schema m join pragma_table_info(m.name) c
  where m.type = 'table' group by m.name having sum(c.pk > 0) = 1 and sum(c.pk = 1 and c.name = 'id' and lower(c.type) = 'integer') = 1`;

/** The problems of a layout's tables. Only reads. */
export async function tableProblems(
  executor: Executor,
  wanted: readonly TableDefinition[],
  existing: ReadonlyMap<string, ExistingTable>,
): Promise<TableProblem[]> {
  const problems = unknownRequired(wanted, existing, () => []);
  for (const { table, wanted: column } of pairsOf(wanted, existing)) {
    const converted = NUMBERS[column.type];
    if (converted === undefined) continue;
    const name = id(column.name);
    const isText = sql`typeof(${name}) = 'text'`;
    const count = sql`select count(*) from ${id(table)} where ${isText}`;
    const [[texts]] = (await executor.rows(render(count, String).text, [])) as [[number]];
    if (texts === 0) continue;
    const expected = column.type === 'datetime' ? 'milliseconds' : column.type;
    const change = converted?.(name);
    const set = change && sql`update ${id(table)} set ${name} = ${change} where ${isText} and ${change} is not null`;
    problems.push({
      table,
      column: column.name,
      problem: `has texts in ${counted(texts, 'row')}, the schema expects ${expected}`,
      remedy: set ? [statementOf(set)] : [],
      isRepaired: false,
    });
  }
  return problems;
}

/** A table of the layout whose new rows would have no id. */
export async function unnumberedTable(
  executor: Executor,
  wanted: readonly TableDefinition[],
  existing: ReadonlyMap<string, ExistingTable>,
): Promise<string | undefined> {
  const numbered = new Set((await executor.rows(NUMBERED, [])).map(([table]) => table));
  const isNumbered = ({ columns }: TableDefinition) => columns.some(({ type }) => type.endsWith('increments'));
  return wanted.find((table) => existing.has(table.name) && isNumbered(table) && !numbered.has(table.name))?.name;
}

/** The most rows of a table whose indexes are built at once: an index takes about 30 ms. */
const FEW_ROWS = 50_000;

/** Whether a table has few rows; false if the number is unknown. */
export async function isSmall(executor: Executor, table: string): Promise<boolean> {
  try {
    const [row] = await executor.rows(highestRowId(table), []);
    return Number(row?.[0] ?? 0) <= FEW_ROWS;
  } catch {
    return false;
  }
}

export function addIndex(database: Database, { table, index }: MissingIndex): Promise<string | undefined> {
  return attempt(`index ${index.name} of table ${table} could not be added`, database, async (executor) => {
    const there = `select 1 from sqlite_schema where type = 'index' and name = ?`;
    // another process may have been faster
    if ((await executor.rows(there, [index.name])).length > 0) return;
    await executor.rows(compileIndex(table, index, sqliteDdl), []);
  });
}

export function keepTotals(database: Database, table: string): Promise<string | undefined> {
  return attempt(`the totals of table ${table} cannot be kept`, database, async (executor) => {
    const triggers = new Set((await executor.rows(TRIGGERS, [])).map(([trigger]) => trigger));
    // another process may have been faster
    if (hasTotals(triggers, table)) return;
    for (const statement of sqliteDdl.keepTotals(table)) await executor.rows(statement, []);
  });
}

export function dropIndex(database: Database, name: string): Promise<string | undefined> {
  return attempt(`index ${name} could not be dropped`, database, async (executor) => {
    await executor.rows(render(sql`drop index if exists ${id(name)}`, String).text, []);
  });
}

/** Does some work in one transaction. Returns a sentence that begins with `failure` if it fails. */
async function attempt(
  failure: string,
  database: Database,
  work: (executor: Executor) => Promise<void>,
): Promise<string | undefined> {
  const inTransaction = async (executor: Executor) => {
    await executor.rows('begin immediate', []);
    await work(executor);
    await executor.rows('commit', []);
  };
  try {
    await (database.separately ? database.separately(inTransaction) : database.transaction(work));
  } catch (error) {
    return `${failure}: ${reasonOf(error)}`;
  }
}

/** What migrations and reports ask of the engine. */
export const sqliteSchema: SchemaEngine = {
  ddl: sqliteDdl,
  search: sqliteSearchEngine,
  introspect,
  tableProblems,
  unnumberedTable,
  foreignKeys,
  lock,
  backUp: (database, file) =>
    database.separately!(async (executor) => {
      await executor.rows('vacuum into ?', [file]);
    }),
  clearIndexes,
  explain,
  isSmall,
  addIndex,
  keepTotals,
  dropIndex,
  // others wait while an index is built, at most 5 seconds
  unaskedRows: 1_500_000,
};
