/**
 * Pages of a range of a column that an index finds. If the range has few rows, they are found at once; if it has many,
 * a page is found faster by examining rows in the order of the list. No planner knows which is the case: one has no
 * statistics, the other plans without the values. So the statement first looks for a limited number of rows of the
 * range.
 */
import { KEYS } from '../plan/range.ts';
import { conjuncts, type PlanCondition, type PlanRange, type ReadPlan } from '../plan/read-plan.ts';
import { Budget } from '../query/budget.ts';
import { all, type Compiler, col } from './compiler.ts';
import { columnKind } from './dialect.ts';
import { id, join, raw, type Sql, slot, sql } from './fragment.ts';
import { compileOrdering, directed, type OrderKey } from './order.ts';
import { compileCondition, compileVisible } from './rows.ts';

/** The most rows of a range that are looked up one by one. */
const FEW = 1000;

export interface RangePage {
  /** A query of the rows, in order. */
  readonly page: Sql;
  /** The number of rows of the list, if only the range selects them. */
  readonly total: Sql;
}

/** The rows of a list: their FROM clause, and the conditions on them. */
interface Rows {
  readonly row: Sql;
  readonly from: Sql;
  /** The filter comes last. */
  readonly where: readonly Sql[];
}

/**
 * Compiles a page of a list that has a range.
 *
 * @param columns the required columns of the rows.
 */
export function compileRangePage(c: Compiler, plan: ReadPlan, range: PlanRange, rows: Rows, columns: Sql): RangePage {
  const { dialect, common } = c;
  const { row, from, where } = rows;
  const { order, limit, offset } = plan.list!;
  const { keys } = compileOrdering(c, { row, table: plan.table }, order);
  const rest = compileRest(c, plan, range, row);
  // without further conditions, only the rows of the page are looked up
  const isFound = rest.length === 0 && keys.length === 0;
  const most = isFound ? dialect.planner.smallRange : FEW;
  const few = common.add(compileFirst(c, plan, range, most + 1));
  const isMany = sql`(select "v" from ${common.add(sql`select count(*) > ${raw(String(most))} as "v" from ${few}`)})`;
  const size = dialect.value(slot(limit), 'integer');
  // of two ways to find the page, one has the limit 0, which takes no time
  const ifFew = dialect.limit(sql`(case when ${isMany} then 0 else ${size} end)`, slot(offset));
  const ifMany = dialect.limit(sql`(case when ${isMany} then ${size} else 0 end)`, slot(offset));
  const listed = sql`${from} where ${all(where)}`;

  const [one, match, chosen] = [c.aliases.next(), c.aliases.next(), c.aliases.next()];
  const isOne = (of: Sql): Sql => sql`${col(row, 'id')} = ${col(of, 'id')}`;
  const matched = sql`select ${withKeys(sql`${col(row, 'id')} as "id"`, keys)} from ${few} ${one} cross join ${from} where ${all([isOne(one), ...rest])}`;
  const matches = isFound ? few : common.add(matched);
  const first = sql`select * from ${matches} ${match} order by ${heldOrder(c, match, keys)} ${ifFew}`;
  const byRange = sql`select ${withKeys(columns, keys)} from (${first}) ${chosen} cross join ${from} where ${isOne(chosen)}`;

  const inOrder = sql`select ${withKeys(columns, keys)} from ${from} where ${all(range.isInOrder ? lookedAt(c, plan, where) : where)} order by ${join([...directed(c, keys), col(row, 'id')], ', ')} ${ifMany}`;
  const page = common.add(sql`${byRange} union all select * from (${inOrder}) ${c.aliases.next()}`);
  const found = c.aliases.next();
  return {
    page: sql`select * from ${page} ${found} order by ${heldOrder(c, found, keys)}`,
    total: sql`case when ${isMany} then (select count(*) from ${listed}) else (select count(*) from ${few}) end`,
  };
}

/** The conditions on rows examined in the order of the list, without the help of other indexes. */
function lookedAt({ dialect }: Compiler, plan: ReadPlan, where: readonly Sql[]): readonly Sql[] {
  const isOfColumns = conjuncts(plan.where!).every(({ kind }) => kind === 'test');
  return isOfColumns ? [...where.slice(0, -1), dialect.planner.withoutIndex(where.at(-1)!)] : where;
}

/** Contains a space, as no column of a content table does. */
const keyName = (index: number): Sql => id(`key ${index}`);

function withKeys(columns: Sql, keys: readonly OrderKey[]): Sql {
  return join([columns, ...keys.map(({ value }, n) => sql`${value} as ${keyName(n)}`)], ', ');
}

/** The order of rows that have their keys as columns. */
function heldOrder(c: Compiler, of: Sql, keys: readonly OrderKey[]): Sql {
  const held = keys.map((_, n) => sql`${of}.${keyName(n)}`);
  return join([...directed(c, keys, held), col(of, 'id')], ', ');
}

/** The other conditions on a row of the range. */
function compileRest(c: Compiler, { tests, rows, where }: ReadPlan, range: PlanRange, row: Sql): Sql[] {
  // already charged where all of the conditions appear together
  const again = { ...c, budget: new Budget() };
  const others = tests.filter(({ kind }) => !KEYS.has(kind));
  const chosen: ReadonlySet<PlanCondition> = new Set(range.tests);
  const items = where ? conjuncts(where).filter((condition) => !chosen.has(condition)) : [];
  return [
    ...compileVisible(again, row, { tests: others, rows }, false),
    ...items.map((item) => compileCondition(again, row, item)),
  ];
}

/** The first rows of a range, in the order of the index, so that no planner scans the table. */
function compileFirst(c: Compiler, { table, tests }: ReadPlan, range: PlanRange, most: number): Sql {
  const row = c.aliases.next();
  const there = compileVisible(c, row, { tests: tests.filter(({ kind }) => KEYS.has(kind)), rows: undefined }, false);
  const where = [...there, ...range.tests.map((test) => compileCondition(c, row, test))];
  const order = c.dialect.orderBy(col(row, range.column), columnKind(range.type), false);
  return sql`select ${col(row, 'id')} as "id" from ${id(table)} ${row} where ${all(where)} order by ${order} ${c.dialect.limit(raw(String(most)), raw('0'))}`;
}
