/** What `galley doctor` tells of the tables of an SQLite database, and the statements that mend it. */
import { counted } from '../../counted.ts';
import type { ColumnType, TableDefinition } from '../../schema/layout/table.ts';
import { id, render, type Sql, sql } from '../../sql/fragment.ts';
import type { Executor } from '../interface/queryable.ts';
import type { ExistingTable, TableProblem } from '../migration/schema-engine.ts';
import { pairsOf, statementOf, unknownRequired } from '../migration/table-problems.ts';

/** How a text becomes what a column holds; null where it cannot be told: the engine has converted texts of numbers itself. */
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

/** Tables whose column `id` is another name of the row's number, and which therefore number their rows. */
const NUMBERED = `
  select m.name from sqlite_schema m join pragma_table_info(m.name) c
  where m.type = 'table' group by m.name having sum(c.pk > 0) = 1 and sum(c.pk = 1 and c.name = 'id' and lower(c.type) = 'integer') = 1`;

/** Looks the tables of a layout over. Reads only. */
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

/** A table of the layout whose rows get no ids by themselves: a row that is added would have none. */
export async function unnumberedTable(
  executor: Executor,
  wanted: readonly TableDefinition[],
  existing: ReadonlyMap<string, ExistingTable>,
): Promise<string | undefined> {
  const numbered = new Set((await executor.rows(NUMBERED, [])).map(([table]) => table));
  const isNumbered = ({ columns }: TableDefinition) => columns.some(({ type }) => type.endsWith('increments'));
  return wanted.find((table) => existing.has(table.name) && isNumbered(table) && !numbered.has(table.name))?.name;
}
