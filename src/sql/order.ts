/**
 * The order of rows. Through relations a row is sorted by its first value in the direction of sorting among all rows
 * that the path reaches, and by null if it reaches none (docs/reference/query-parameters.md, "Sort").
 */
import type { PlanOrder, Target } from '../plan/read-plan.ts';
import { cursorLimits } from '../query/cursor.ts';
import { all, type Compiler, col, tableOf } from './compiler.ts';
import { type ColumnKind, columnKind } from './dialect.ts';
import { join, type Sql, sql } from './fragment.ts';
import { compileVisible, type Links, reach } from './rows.ts';

/** A value by which rows are sorted. */
export interface OrderKey {
  readonly value: Sql;
  readonly kind: ColumnKind;
  readonly descending: boolean;
}

export interface Ordering {
  readonly keys: readonly OrderKey[];
  /** Joins that the keys need in the FROM clause. Each adds exactly one row. */
  readonly joins: Sql;
}

export interface Ordered {
  readonly row: Sql;
  readonly table: string;
  /** A common table of the only relevant ids, if they are known. */
  readonly among?: Sql | undefined;
  /** Whether the rows are those of a subquery that runs for each of many others. */
  readonly nested?: boolean;
  /**
   * Whether each key is the value itself, truncated for long texts; elsewhere ranks stand for values, but ranks change
   * with every write.
   */
  readonly valued?: boolean;
}

/**
 * Whether the keys of an order should not be stored for rows beyond the page: those through lists can be computed for
 * the relevant rows only, and long texts take much space.
 */
export function isCostly(orders: readonly PlanOrder[]): boolean {
  return orders.some(({ toMany, type }) => toMany || LONG.has(type));
}

const LONG: ReadonlySet<string> = new Set(['text', 'richtext', 'blocks', 'json']);

/** Compiles the keys of an order, without the tie-breaker. */
export function compileOrdering(c: Compiler, rows: Ordered, orders: readonly PlanOrder[]): Ordering {
  const joins: Sql[] = [];
  const keys = orders.map((order): OrderKey => {
    const { targets, toMany, column, type, descending } = order;
    const kind = columnKind(type);
    const whole = (value: Sql) => (rows.valued ? cut(order, value) : value);
    if (targets.length === 0) return { value: whole(col(rows.row, column)), kind, descending };
    if (!toMany) return { value: whole(onlyValue(c, rows.row, order)), kind, descending };
    const value = rankOf(c, rows, firstRanks(c, rows, order), joins);
    return { value, kind: rows.valued ? kind : 'integer', descending };
  });
  return { keys, joins: join(joins, '') };
}

/** The part of a value that a cursor can contain. */
function cut({ long }: PlanOrder, value: Sql): Sql {
  return long ? sql`substr(${value}, 1, ${cursorLimits.textLength})` : value;
}

/** The keys of `order by`; `values` replaces their expressions if columns contain them. */
export function directed(c: Compiler, keys: readonly OrderKey[], values = keys.map(({ value }) => value)): Sql[] {
  return keys.map(({ kind, descending }, index) => c.dialect.orderBy(values[index]!, kind, descending));
}

/**
 * The value at the end of to-one relations, looked up for each row. If a broken database contains several, the first
 * one counts; each row of a step is then listed once, however many links lead to it.
 */
function onlyValue(c: Compiler, row: Sql, { targets, column, type, descending }: PlanOrder): Sql {
  let reached = reach(c, row, targets[0]!, targets.length === 1);
  let { table } = targets[0]!;
  for (const target of targets.slice(1)) {
    const ids = sql`select ${col(reached.row, 'id')} from ${reached.from} where ${all(reached.where)}`;
    const parent = c.aliases.next();
    const next = reach(c, parent, target);
    reached = {
      ...next,
      from: sql`${tableOf(c, table)} ${parent} cross join ${next.from}`,
      where: [sql`${col(parent, 'id')} in (${ids})`, ...next.where],
    };
    table = target.table;
  }
  const value = col(reached.row, column);
  const first = c.dialect.orderBy(value, columnKind(type), descending);
  return sql`(select ${value} from ${reached.from} where ${all(reached.where)} order by ${first} limit 1)`;
}

/**
 * The first values of rows through lists, as a common table of ids (`id`) and ranks (`v`); rows whose path ends early
 * may be absent. A rank, or a truncated value, replaces each value, so that tables stay small however long texts are.
 * Steps are evaluated from the far end, each in one pass over its links, so the cost grows with rows and links, not
 * with the number of paths.
 */
function firstRanks(c: Compiler, { table, among, valued }: Ordered, order: PlanOrder): Sql {
  const { targets, column, type, descending } = order;
  const kind = columnKind(type);
  const far = targets.at(-1)!;
  const row = c.aliases.next();
  const value = col(row, column);
  const rank = valued ? cut(order, value) : sql`case when ${value} is not null then ${c.dialect.rank(value, kind)} end`;
  let ranks = c.common.add(
    sql`select ${col(row, 'id')} as "id", ${rank} as "v" from ${tableOf(c, far.table)} ${row} where ${all(compileVisible(c, row, far))}`,
  );
  for (let index = targets.length - 1; ; index--) {
    const before = targets[index - 1];
    const { from, where, source, target } = linksFrom(c, before?.table ?? table, targets[index]!);
    const below = c.aliases.next();
    const which = before || !among ? where : [...where, sql`${source} in (select "id" from ${among})`];
    const first = c.dialect.first(col(below, 'v'), valued ? kind : 'integer', descending);
    const firsts = c.common.add(
      sql`select ${source} as "id", ${first} as "v" from ${from} join ${ranks} ${below} on ${col(below, 'id')} = ${target} where ${all(which)} group by ${source}`,
    );
    if (!before) return firsts;
    ranks = rowsWith(c, before, firsts);
  }
}

/** The rows of a target with their ranks: null for rows whose path ends early. */
function rowsWith(c: Compiler, target: Target, firsts: Sql): Sql {
  const [row, joined] = [c.aliases.next(), c.aliases.next()];
  return c.common.add(
    sql`select ${col(row, 'id')} as "id", ${col(joined, 'v')} as "v" from ${tableOf(c, target.table)} ${row} left join ${firsts} ${joined} on ${col(joined, 'id')} = ${col(row, 'id')} where ${all(compileVisible(c, row, target))}`,
  );
}

/** A step from all rows of a table at once: ids of rows and of their related rows. */
function linksFrom(c: Compiler, table: string, target: Target): Links {
  const parent = c.aliases.next();
  const { row, from, where, every } = reach(c, parent, target);
  if (every) return every;
  return {
    from: sql`${tableOf(c, table)} ${parent} cross join ${from}`,
    where,
    source: col(parent, 'id'),
    target: col(row, 'id'),
  };
}

/** The rank of a row. A subquery must not read all ranks in each of its runs. */
function rankOf(c: Compiler, { row, nested = false }: Ordered, ranks: Sql, joins: Sql[]): Sql {
  const { lookUp } = c.dialect.planner;
  if (nested && lookUp) return lookUp.find(c.common.add(lookUp.gather(ranks)), col(row, 'id'));
  const joined = c.aliases.next();
  joins.push(sql` left join ${ranks} ${joined} on ${col(joined, 'id')} = ${col(row, 'id')}`);
  return col(joined, 'v');
}
