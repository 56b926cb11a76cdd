/** Inserts, updates, deletes and look-ups of single tables as SQL. Slots are numbered in the order of the text. */
import type { ForeignKey } from '../plan/foreign-key.ts';
import type { Selected } from '../plan/row-query.ts';
import type { Dialect, UnfoldedColumn } from './dialect.ts';
import { id, join, literal, raw, type Sql, slot, slots, sql } from './fragment.ts';

/** A column that numbers the rows which share another one. */
export interface LastOfGroup {
  readonly column: string;
  readonly group: string;
}

/** A column and how many values it is compared with; 0: it must be null. */
export interface Where {
  readonly column: string;
  readonly count: number;
  /** Where the values come as the JSON of a list of lists of one. */
  readonly unfolded?: UnfoldedColumn['kind'];
}

/** `insert … returning "id"` of some rows: the values of one after those of the other, in the order of the columns. */
export function compileInsert(table: string, columns: readonly string[], count = 1): Sql {
  return sql`${compileInsertOf(table, columns, count)} returning "id"`;
}

/** The same, for rows whose ids are known or not needed. */
export function compileInsertOf(table: string, columns: readonly string[], count = 1): Sql {
  const rows = Array.from({ length: count }, (_, n) => sql`(${slots(n * columns.length, columns.length)})`);
  return sql`insert into ${id(table)} (${names(columns)}) values ${join(rows, ', ')}`;
}

/**
 * Updates rows that are there: as an insert, which knows of which type each value is, of rows whose ids are taken. The
 * first column is the id.
 */
export function compileUpdateRows(table: string, columns: readonly string[], count: number): Sql {
  const rows = Array.from({ length: count }, (_, n) => sql`(${slots(n * columns.length, columns.length)})`);
  const sets = columns.slice(1).map((column) => sql`${id(column)} = excluded.${id(column)}`);
  return sql`insert into ${id(table)} (${names(columns)}) values ${join(rows, ', ')} on conflict ("id") do update set ${join(sets, ', ')}`;
}

/** Inserts rows from the JSON of a list of lists. */
export function compileInsertMany(dialect: Dialect, table: string, columns: readonly UnfoldedColumn[]): Sql {
  const list = names(columns.map(({ name }) => name));
  return sql`insert into ${id(table)} (${list}) select ${list} from ${dialect.unfold(slot(0), columns)} given`;
}

/** The same, each row with the number in a column that `compileInsertLast` gives. */
export function compileInsertManyLast(
  dialect: Dialect,
  table: string,
  columns: readonly UnfoldedColumn[],
  { column: last, group }: LastOfGroup,
): Sql {
  const list = names(columns.map(({ name }) => name));
  const next = sql`(select coalesce(max(there.${id(last)}), 0) + 1 from ${id(table)} there where there.${id(group)} = given.${id(group)})`;
  return sql`insert into ${id(table)} (${list}, ${id(last)}) select ${list}, ${next} from ${dialect.unfold(slot(0), columns)} given`;
}

/** Gives a column of rows a value each: slot 0 is the JSON of a list of ids and values. */
export function compileSetEach(dialect: Dialect, table: string, column: UnfoldedColumn): Sql {
  const list = dialect.unfold(slot(0), [{ name: 'row', kind: 'integer' }, column]);
  const name = id(column.name);
  return sql`update ${id(table)} set ${name} = given.${name} from ${list} given where ${id(table)}."id" = given."row"`;
}

/** Deletes the rows that have the values of one of the lists in all columns; those of `nullable` may be null. */
export function compileDeleteEach(
  dialect: Dialect,
  table: string,
  columns: readonly UnfoldedColumn[],
  nullable: ReadonlySet<string>,
): Sql {
  const equal = columns.map(({ name }) => {
    const [own, other] = [sql`own.${id(name)}`, sql`given.${id(name)}`];
    return nullable.has(name) ? dialect.same(own, other) : sql`${own} = ${other}`;
  });
  const rows = sql`select own."id" from ${dialect.unfold(slot(0), columns)} given join ${id(table)} own on ${join(equal, ' and ')}`;
  return sql`delete from ${id(table)} where "id" in (${rows})`;
}

/** Inserts a row of defaults; `returning "id"`. */
export function compileInsertEmpty(table: string): Sql {
  return sql`insert into ${id(table)} default values returning "id"`;
}

/**
 * Inserts rows, each with the number in column `last` that is behind the greatest among those that share its `group`: no
 * two of them do. Behind the values of each row stands that of its group.
 */
export function compileInsertLast(
  table: string,
  columns: readonly string[],
  { column: last, group }: LastOfGroup,
  count: number,
): Sql {
  const width = columns.length + 1;
  const rows = Array.from({ length: count }, (_, n) => {
    const first = n * width;
    const next = sql`(select coalesce(max(${id(last)}), 0) + 1 from ${id(table)} where ${id(group)} = ${slot(first + columns.length)})`;
    return sql`(${slots(first, columns.length)}, ${next})`;
  });
  return sql`insert into ${id(table)} (${names([...columns, last])}) values ${join(rows, ', ')}`;
}

/** Inserts a copy of one row (its id is the last slot) with some columns overridden; `returning "id"`. */
export function compileCopy(table: string, copied: readonly string[], overridden: readonly string[]): Sql {
  return sql`${compileCopyAs(table, copied, overridden)} returning "id"`;
}

/** The same, where the id is one of the columns that are overridden. */
export function compileCopyAs(table: string, copied: readonly string[], overridden: readonly string[]): Sql {
  const values = overridden.map((column, index) => sql`${slot(index)} as ${id(column)}`);
  const source = join([...values, ...copied.map(id)], ', ');
  const where = sql`"id" = ${slot(overridden.length)}`;
  return sql`insert into ${id(table)} (${names([...overridden, ...copied])}) select ${source} from ${id(table)} where ${where}`;
}

/** Inserts a copy of each row of a list, given as the JSON of a list of numbers in order and ids; `returning "id"`. */
export function compileCopyRows(dialect: Dialect, table: string, copied: readonly string[]): Sql {
  const list = dialect.unfold(slot(0), [
    { name: 'n', kind: 'integer' },
    { name: 'row', kind: 'integer' },
  ]);
  const values = copied.map((column) => sql`own.${id(column)}`);
  return sql`insert into ${id(table)} (${names(copied)}) select ${join(values, ', ')} from ${list} given join ${id(table)} own on own."id" = given."row" order by given."n" returning "id"`;
}

/** The same with the ids of the copies: a list of these and of the ids of the rows. */
export function compileCopyRowsAs(dialect: Dialect, table: string, copied: readonly string[]): Sql {
  const list = dialect.unfold(slot(0), [
    { name: 'made', kind: 'integer' },
    { name: 'row', kind: 'integer' },
  ]);
  const values = copied.map((column) => sql`own.${id(column)}`);
  return sql`insert into ${id(table)} ("id", ${names(copied)}) select given."made", ${join(values, ', ')} from ${list} given join ${id(table)} own on own."id" = given."row"`;
}

/** Copies columns from row to row, given as the JSON of a list of pairs of ids, where they differ; `returning "id"`. */
export function compileCopyOnto(dialect: Dialect, table: string, columns: readonly string[]): Sql {
  const list = dialect.unfold(slot(0), [
    { name: 'from', kind: 'integer' },
    { name: 'to', kind: 'integer' },
  ]);
  const source = sql`${list} given join ${id(table)} own on own."id" = given."from"`;
  return copyFrom(dialect, table, columns, source, sql`${id(table)}."id" = given."to"`);
}

/** The same for one pair: slots are the ids of both. */
export function compileCopyOntoOne(dialect: Dialect, table: string, columns: readonly string[]): Sql {
  const pair = sql`own."id" = ${slot(0)} and ${id(table)}."id" = ${slot(1)}`;
  return copyFrom(dialect, table, columns, sql`${id(table)} own`, pair);
}

function copyFrom(dialect: Dialect, table: string, columns: readonly string[], source: Sql, where: Sql): Sql {
  const values = columns.map((column) => sql`${id(column)} = own.${id(column)}`);
  const same = columns.map((column) => dialect.same(sql`${id(table)}.${id(column)}`, sql`own.${id(column)}`));
  return sql`update ${id(table)} set ${join(values, ', ')} from ${source} where ${where} and not (${join(same, ' and ')}) returning ${id(table)}."id"`;
}

/** Updates rows: slots of the columns come first, then those of the conditions. */
export function compileUpdate(
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  where: readonly Where[],
): Sql {
  const sets = join(
    columns.map((column, index) => sql`${id(column)} = ${slot(index)}`),
    ', ',
  );
  return sql`update ${id(table)} set ${sets} where ${compileWhere(dialect, where, columns.length)}`;
}

/** Deletes rows. */
export function compileDelete(dialect: Dialect, table: string, where: readonly Where[]): Sql {
  return sql`delete from ${id(table)} where ${compileWhere(dialect, where, 0)}`;
}

/** Deletes all rows of a table. */
export const compileDeleteAll = (table: string): Sql => sql`delete from ${id(table)}`;

/** Selects a row if the table has any. */
export const compileHasRows = (table: string): Sql => sql`select 1 from ${id(table)} limit 1`;

/** Selects columns of rows. */
export function compileSelect(
  dialect: Dialect,
  table: string,
  columns: readonly Selected[],
  where: readonly Where[],
  order: readonly string[],
  foreignKey?: ForeignKey,
): Sql {
  const by = order.length === 0 ? raw('') : sql` order by ${names(order)}`;
  return sql`${selectFrom(dialect, selected(dialect, columns), { table, where, foreignKey }, 0)}${by}`;
}

/** Ties of parts: of those of a component, the ones by which rows hold it that are named, or are held themselves. */
export interface HoldingTable {
  readonly table: string;
  readonly component: string;
  /** Undefined: the rows of these ties are of the model whose rows are named. */
  readonly within: readonly HoldingTable[] | undefined;
}

/**
 * The first rows that are found, in any order, without those that belong to named ones. Values: the ids of these, as the
 * JSON of a list of lists of one, those of `where`, the number of rows.
 *
 * @param column with the row that is one of the named ones or, where tables are given, is held by one of them.
 */
export function compileSome(
  dialect: Dialect,
  columns: readonly Selected[],
  from: Omit<Branch, 'columns'>,
  values: number,
  { column, held }: { readonly column: string; readonly held: readonly HoldingTable[] | undefined },
): Sql {
  const named = sql`select given."v" from ${dialect.unfold(slot(0), [{ name: 'v', kind: 'integer' }])} given`;
  const some = selectFrom(dialect, selected(dialect, columns), from, 1);
  const belongs = belongsToNamed(dialect, sql`${id(from.table)}.${id(column)}`, held);
  return sql`with "named" as (${named}) ${some} and not (${belongs}) limit ${slot(values + 1)}`;
}

function belongsToNamed(dialect: Dialect, row: Sql, held: readonly HoldingTable[] | undefined, depth = 0): Sql {
  if (held === undefined) return sql`${row} in (select "v" from "named")`;
  const tie = id(`held${depth}`);
  const each = held.map(({ table, component, within }) => {
    const holder = belongsToNamed(dialect, sql`${tie}."entity_id"`, within, depth + 1);
    const ties = sql`${tie}."cmp_id" = ${row} and ${tie}."component_type" = ${literal(component)}`;
    return dialect.planner.withoutJoin(sql`exists (select 1 from ${id(table)} ${tie} where ${ties} and (${holder}))`);
  });
  return each.length === 0 ? raw('1 = 0') : join(each, ' or ');
}

/** One of several combined selects: all have the same number and kinds of columns. */
export interface Branch {
  readonly table: string;
  readonly columns: readonly Selected[];
  readonly where: readonly Where[];
  readonly foreignKey: ForeignKey | undefined;
}

/** Selects of several tables as one; their numbers stand behind their rows. */
export function compileUnion(dialect: Dialect, branches: readonly Branch[]): Sql {
  let first = 0;
  const selects = branches.map((branch, n) => {
    const select = selectFrom(dialect, sql`${selected(dialect, branch.columns)}, ${n}`, branch, first);
    first += branch.where.reduce((sum, { count, unfolded }) => sum + (unfolded ? 1 : count), 0);
    return select;
  });
  return join(selects, ' union all ');
}

function selectFrom(
  dialect: Dialect,
  columns: Sql,
  { table, where, foreignKey }: Omit<Branch, 'columns'>,
  first: number,
): Sql {
  const there = foreignKey ? sql` and ${compileForeignKey(dialect, table, foreignKey)}` : raw('');
  return sql`select ${columns} from ${id(table)} where ${compileWhere(dialect, where, first)}${there}`;
}

/** Whether the row that a column of `table` leads to is there. */
function compileForeignKey(dialect: Dialect, table: string, foreignKey: ForeignKey): Sql {
  const exists = (target: string): Sql =>
    sql`exists (select 1 from ${id(target)} led where led."id" = ${id(table)}.${id(foreignKey.column)})`;
  if ('table' in foreignKey) return dialect.planner.withoutJoin(exists(foreignKey.table));
  if (foreignKey.tables.size === 0) return raw('1 = 0');
  const cases = [...foreignKey.tables].map(([uid, target]) => sql` when ${literal(uid)} then ${exists(target)}`);
  // a chain of `or` would be as deep as it is long
  return sql`case ${id(foreignKey.type)}${join(cases, '')} else 1 = 0 end`;
}

/** All of the conditions, their slots numbered from `first`. */
function compileWhere(dialect: Dialect, where: readonly Where[], first: number): Sql {
  if (where.length === 0) return raw('1 = 1');
  let next = first;
  const conditions = where.map(({ column, count, unfolded }) => {
    const start = next;
    next += unfolded ? 1 : count;
    if (unfolded) return isOneOf(dialect, id(column), slot(start), unfolded);
    if (count === 0) return sql`${id(column)} is null`;
    return count === 1 ? sql`${id(column)} = ${slot(start)}` : sql`${id(column)} in (${slots(start, count)})`;
  });
  return join(conditions, ' and ');
}

/** Whether a value is in a list, given as the JSON of a list of lists of one. */
export function isOneOf(dialect: Dialect, value: Sql, json: Sql, kind: UnfoldedColumn['kind']): Sql {
  return sql`${value} in (select given."v" from ${dialect.unfold(json, [{ name: 'v', kind }])} given)`;
}

function names(columns: readonly string[]): Sql {
  return join(columns.map(id), ', ');
}

function selected(dialect: Dialect, columns: readonly Selected[]): Sql {
  const list = columns.map((column) => {
    if (typeof column === 'string') return id(column);
    if ('wide' in column) return dialect.exact(id(column.wide), 'biginteger');
    return raw(column.constant === 0 ? '0' : "''");
  });
  return join(list, ', ');
}
