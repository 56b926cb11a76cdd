/** Reads all rows of tables for transfers between databases. */
import { all } from './compiler.ts';
import { id, list, raw, render, type Sql, slot, sql } from './fragment.ts';

/** A column whose rows may refer to missing rows. */
export interface Reference {
  readonly table: string;
  readonly column: string;
  readonly referenced: { readonly table: string; readonly column: string };
}

/** The alias of the table whose rows are read. A selected column may have another type and the same name. */
const OWN = id('own');

/** A column of the rows that are read. */
export const ownColumn = (column: string): Sql => sql`${OWN}.${id(column)}`;

/** Whether a row refers to an existing row. */
export function refersToRow({ column, referenced }: Omit<Reference, 'table'>): Sql {
  const other = id('other');
  return sql`exists (select 1 from ${id(referenced.table)} ${other} where ${other}.${id(referenced.column)} = ${ownColumn(column)})`;
}

/** The number of rows that refer to a missing row. */
export function compileDangling(reference: Reference): Sql {
  const isMissing = sql`${ownColumn(reference.column)} is not null and not ${refersToRow(reference)}`;
  return sql`select count(*) from ${id(reference.table)} ${OWN} where ${isMissing}`;
}

/** A column, or null where a test fails. */
export const compileOwnIf = (test: Sql, column: string): Sql => sql`case when ${test} then ${ownColumn(column)} end`;

/** The number of rows of a table; with a column, of those that have a value. */
export function compileCount(table: string, column?: string): Sql {
  return sql`select count(${column === undefined ? raw('*') : id(column)}) from ${id(table)}`;
}

export interface RowPage {
  readonly table: string;
  /** The id, in the order of the rows. */
  readonly order: Sql;
  /** What is selected, after the id. */
  readonly columns: readonly Sql[];
  readonly where: readonly Sql[];
  /** Whether slot 0 is the id after which the page begins. */
  readonly follows: boolean;
  readonly limit: number;
}

/** A page of rows in the order of their ids. */
export function compileRowPage({ table, order, columns, where, follows, limit }: RowPage): Sql {
  const after = follows ? [sql`${order} > ${slot(0)}`] : [];
  const tests = [...after, ...where];
  const condition = tests.length > 0 ? sql` where ${all(tests)}` : raw('');
  return sql`select ${list([ownColumn('id'), ...columns])} from ${id(table)} ${OWN}${condition} order by ${order} limit ${raw(String(limit))}`;
}

/** The text of a statement for an engine whose numbered placeholders are given. */
export const textOf = (statement: Sql, placeholder: (n: number) => string): string =>
  render(statement, placeholder).text;
