/** Values in tables of attributes that a schema no longer has. */
import { id, literal, raw, type Sql, sql } from '../fragment.ts';

/** A number of rows at one end of a table. */
export interface Sample {
  readonly table: string;
  readonly rows: number;
  readonly order: 'asc' | 'desc';
}

const sampled = (what: Sql, { table, rows, order }: Sample): Sql =>
  sql`select ${what} from ${id(table)} order by ${id('id')} ${raw(order)} limit ${raw(String(rows))}`;

/** A row if a sample has a value in a column. */
export function compileAnyValue(column: string, sample: Sample): Sql {
  return sql`select 1 from (${sampled(id(column), sample)}) s where ${id(column)} is not null limit 1`;
}

/** A row if a table has one. */
export function compileAnyRow(table: string): Sql {
  return sql`select 1 from ${id(table)} limit 1`;
}

/** The different values of columns in a sample. */
export function compileDifferent(columns: readonly [string, ...string[]], sample: Sample): Sql {
  const named = columns.map(id).reduce((one, other) => sql`${one}, ${other}`);
  return sql`select distinct ${named} from (${sampled(named, sample)}) s`;
}

/** The statement for the operator to run that fills a column with the values of another. */
export function compileMoveColumn(table: string, from: string, to: string): Sql {
  return sql`update ${id(table)} set ${id(to)} = ${id(from)} where ${id(to)} is null`;
}

/** The statement for the operator that moves the links of one table into another with the same columns. */
export function compileMoveLinks(from: string, to: string, columns: readonly string[]): Sql {
  const named = columns.map(id).reduce((one, other) => sql`${one}, ${other}`);
  return sql`insert into ${id(to)} (${named}) select ${named} from ${id(from)}`;
}

/**
 * The statement for the operator that moves rows from one attribute to another.
 *
 * @param type the column and the value that identify the model.
 */
export function compileMoveRows(table: string, from: string, to: string, type?: readonly [string, string]): Sql {
  const move = sql`update ${id(table)} set ${id('field')} = ${literal(to)} where ${id('field')} = ${literal(from)}`;
  return type === undefined ? move : sql`${move} and ${id(type[0])} = ${literal(type[1])}`;
}
