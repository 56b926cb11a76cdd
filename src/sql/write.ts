/** Inserts, updates, deletes and look-ups of single tables as SQL. Slots are numbered in the order of the text. */
import { id, join, literal, raw, type Sql, slot, sql } from './fragment.ts';

/** A column and how many values it is compared with; 0: it must be null. */
export interface Where {
  readonly column: string;
  readonly count: number;
}

/**
 * A column whose value must be the id of a row: of one table, or of the table that another column of the row names by a
 * uid. Uids that are not listed name no table.
 */
export type Leads =
  | { readonly column: string; readonly table: string }
  | { readonly column: string; readonly type: string; readonly tables: ReadonlyMap<string, string> };

/** `insert … returning "id"`; the value of the i-th column is slot i. */
export function compileInsert(table: string, columns: readonly string[]): Sql {
  return sql`insert into ${id(table)} (${names(columns)}) values (${slots(0, columns.length)}) returning "id"`;
}

/** Inserts a row of defaults; `returning "id"`. */
export function compileInsertEmpty(table: string): Sql {
  return sql`insert into ${id(table)} default values returning "id"`;
}

/** An insert whose column `last` gets the number behind the greatest among rows of equal `group` (the last slot). */
export function compileInsertLast(table: string, columns: readonly string[], last: string, group: string): Sql {
  const next = sql`(select coalesce(max(${id(last)}), 0) + 1 from ${id(table)} where ${id(group)} = ${slot(columns.length)})`;
  return sql`insert into ${id(table)} (${names([...columns, last])}) values (${slots(0, columns.length)}, ${next})`;
}

/** Inserts a copy of one row (its id is the last slot) with some columns overridden; `returning "id"`. */
export function compileCopy(table: string, copied: readonly string[], overridden: readonly string[]): Sql {
  const values = overridden.map((column, index) => sql`${slot(index)} as ${id(column)}`);
  const source = join([...values, ...copied.map(id)], ', ');
  const where = sql`"id" = ${slot(overridden.length)}`;
  return sql`insert into ${id(table)} (${names([...overridden, ...copied])}) select ${source} from ${id(table)} where ${where} returning "id"`;
}

/** Updates rows: slots of the columns come first, then those of the conditions. */
export function compileUpdate(table: string, columns: readonly string[], where: readonly Where[]): Sql {
  const sets = join(
    columns.map((column, index) => sql`${id(column)} = ${slot(index)}`),
    ', ',
  );
  return sql`update ${id(table)} set ${sets} where ${compileWhere(where, columns.length)}`;
}

/** Deletes rows. */
export function compileDelete(table: string, where: readonly Where[]): Sql {
  return sql`delete from ${id(table)} where ${compileWhere(where, 0)}`;
}

/** Selects columns of rows. */
export function compileSelect(
  table: string,
  columns: readonly string[],
  where: readonly Where[],
  order: readonly string[],
  leads?: Leads,
): Sql {
  const by = order.length === 0 ? raw('') : sql` order by ${names(order)}`;
  const there = leads ? sql` and ${compileLeads(table, leads)}` : raw('');
  return sql`select ${names(columns)} from ${id(table)} where ${compileWhere(where, 0)}${there}${by}`;
}

/** Whether the row that a column of `table` leads to is there. */
function compileLeads(table: string, leads: Leads): Sql {
  const exists = (target: string): Sql =>
    sql`exists (select 1 from ${id(target)} led where led."id" = ${id(table)}.${id(leads.column)})`;
  if ('table' in leads) return exists(leads.table);
  if (leads.tables.size === 0) return raw('1 = 0');
  const cases = [...leads.tables].map(([uid, target]) => sql` when ${literal(uid)} then ${exists(target)}`);
  // a chain of `or` would be as deep as it is long
  return sql`case ${id(leads.type)}${join(cases, '')} else 1 = 0 end`;
}

/** All of the conditions, their slots numbered from `first`. */
export function compileWhere(where: readonly Where[], first: number): Sql {
  if (where.length === 0) return raw('1 = 1');
  let next = first;
  const conditions = where.map(({ column, count }) => {
    const start = next;
    next += count;
    if (count === 0) return sql`${id(column)} is null`;
    return count === 1 ? sql`${id(column)} = ${slot(start)}` : sql`${id(column)} in (${slots(start, count)})`;
  });
  return join(conditions, ' and ');
}

function names(columns: readonly string[]): Sql {
  return join(columns.map(id), ', ');
}

function slots(first: number, count: number): Sql {
  const all = Array.from({ length: count }, (_, index) => slot(first + index));
  return join(all, ', ');
}
