/** Row tests, steps and conditions of a plan as SQL. */

import type { Outcome, PlanCondition, RowTest, Step, Target } from '../plan/read-plan.ts';
import { compileFolded, compileTest, repeatedFolds } from './column-tests.ts';
import { all, type Compiler, chain, col, FALSE, TRUE } from './compiler.ts';
import { id, join, literal, raw, type Sql, slot, sql } from './fragment.ts';

/**
 * What a row must be to be there: the tests of its variant, and that the caller may see it.
 *
 * @param alternative as of `compileCondition`: a step may stand in a disjunction.
 */
export function compileVisible(
  c: Compiler,
  row: Sql,
  { tests, rows }: Pick<Target, 'tests' | 'rows'>,
  alternative = true,
): Sql[] {
  const own = compileTests(c, row, tests);
  return rows ? [...own, compileRows(c, row, rows, alternative)] : own;
}

/** A condition that decides which rows there are. It stands in a statement as often as rows of its type are reached. */
function compileRows(c: Compiler, row: Sql, rows: PlanCondition, alternative = true): Sql {
  c.budget.charge('rowTests', testsOf(rows));
  return compileCondition(c, row, rows, alternative);
}

function testsOf(condition: PlanCondition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.items.reduce((sum, item) => sum + testsOf(item), 0);
    case 'exists':
    case 'none':
      return condition.item ? 1 + testsOf(condition.item) : 1;
    case 'test':
      return Math.max(1, condition.slots.length);
    case 'constant':
      return 1;
  }
}

/** Tests of one row. */
function compileTests(c: Compiler, row: Sql, tests: readonly RowTest[]): Sql[] {
  return tests.map((test) => compileRowTest(c, row, test));
}

function compileRowTest(c: Compiler, row: Sql, test: RowTest): Sql {
  switch (test.kind) {
    case 'published':
      return sql`${col(row, 'published_at')} is ${raw(test.is ? 'not null' : 'null')}`;
    case 'documentId':
      return sql`${col(row, 'document_id')} = ${c.dialect.value(slot(test.slot), 'text')}`;
    case 'rowId':
      return sql`${col(row, 'id')} = ${c.dialect.value(slot(test.slot), 'id')}`;
    case 'locale':
      return c.dialect.planner.likely(isOneOf(c, col(row, 'locale'), test.slots));
    case 'sibling':
      return compileSibling(c, row, test);
  }
}

function isOneOf(c: Compiler, column: Sql, slots: readonly number[]): Sql {
  const values = slots.map((index) => c.dialect.value(slot(index), 'text'));
  return values.length === 1 ? sql`${column} = ${values[0]!}` : sql`${column} in (${join(values, ', ')})`;
}

function compileSibling(c: Compiler, row: Sql, test: Extract<RowTest, { kind: 'sibling' }>): Sql {
  const other = c.aliases.next();
  const conditions = [
    // an index that begins with the locale has many rows for it, and a time beside it leaves half of them
    c.dialect.planner.unlikely(sql`${col(other, 'document_id')} = ${col(row, 'document_id')}`),
    sql`${col(other, 'published_at')} is ${raw(test.published ? 'not null' : 'null')}`,
  ];
  if (test.rows) conditions.push(compileRows(c, other, test.rows));
  if (test.sameLocale) {
    conditions.push(c.dialect.planner.likely(sql`${col(other, 'locale')} = ${col(row, 'locale')}`));
  }
  if (test.modified !== undefined) {
    const [draft, published] = test.published ? [row, other] : [other, row];
    const operator = raw(test.modified ? '>' : '<=');
    conditions.push(sql`${col(draft, 'updated_at')} ${operator} ${col(published, 'updated_at')}`);
  }
  return sql`${raw(test.exists ? 'exists' : 'not exists')} (select 1 from ${id(test.table)} ${other} where ${all(conditions)})`;
}

/** The rows that a step reaches: what to select from, the conditions, and the order of connection. */
export interface Reach {
  readonly row: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly order: readonly Sql[];
  /** The same for all rows at once; left out where a row leads to one other by its id. */
  readonly pairs?: Pairs;
  /** The step from all rows at once, where the rows that it comes from need not be examined. */
  readonly every?: Links;
}

/** Ids of rows and of their related rows, whichever tests those pass. */
export interface Links {
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly source: Sql;
  readonly target: Sql;
}

/** Which rows are related to which, by a key of each: nothing in it names the row that a step starts from. */
interface Pairs {
  /** The key of the row that a step starts from. */
  readonly outer: Sql;
  /** The same key, as a column of `from`. */
  readonly inner: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
  /** Where `from` is a table of links: the column of the related rows' ids, those rows, and the conditions on one. */
  readonly behind?: { readonly target: Sql; readonly related: Sql; readonly own: readonly Sql[] };
}

/** The rows behind a target, seen from an aliased row. */
export function reach(c: Compiler, parent: Sql, target: Target): Reach {
  const row = c.aliases.next();
  const { step } = target;
  const own = compileVisible(c, row, target);
  const table = sql`${id(target.table)} ${row}`;
  switch (step.kind) {
    case 'ownColumn':
      return { row, from: table, where: [sql`${col(row, 'id')} = ${col(parent, step.column)}`, ...own], order: [] };
    case 'theirColumn':
      return {
        ...byKey(row, table, col(parent, 'id'), col(row, step.column), own),
        every: linksOfColumn(row, table, step.column, []),
      };
    case 'localizations': {
      const others = sql`${col(row, 'locale')} <> ${col(parent, 'locale')}`;
      const { from, where } = byKey(row, table, col(parent, 'document_id'), col(row, 'document_id'), own);
      return { row, from, where: [...where, others], order: [col(row, 'locale')] };
    }
    case 'versions':
      return byKey(row, table, col(parent, 'document_id'), col(row, 'document_id'), own);
    case 'morphColumns': {
      const which = sql`${col(row, step.type)} = ${literal(step.uid)}`;
      const reached = byKey(row, table, col(parent, 'id'), col(row, step.id), [which, ...own]);
      return { ...reached, every: linksOfColumn(row, table, step.id, [which]) };
    }
    default:
      return throughTable(c, parent, row, step, table, own);
  }
}

/** Related rows that contain a key of the row that a step starts from. */
function byKey(row: Sql, from: Sql, outer: Sql, inner: Sql, own: readonly Sql[]): Reach {
  const pairs = { outer, inner, from, where: own };
  return { row, from, where: [sql`${inner} = ${outer}`, ...own], order: [col(row, 'id')], pairs };
}

/** The links that a column of the related rows makes. */
function linksOfColumn(row: Sql, from: Sql, column: string, where: readonly Sql[]): Links {
  return { from, where, source: col(row, column), target: col(row, 'id') };
}

function throughTable(
  c: Compiler,
  parent: Sql,
  row: Sql,
  step: Extract<Step, { kind: 'link' | 'component' | 'media' | 'morphTable' }>,
  table: Sql,
  own: readonly Sql[],
): Reach {
  const link = c.aliases.next();
  const hop = (linkTable: string, source: string, target: string, order: string | null, which: Sql[] = []): Reach => {
    const from = sql`${id(linkTable)} ${link}`;
    const behind = { target: col(link, target), related: table, own };
    const pairs = { outer: col(parent, 'id'), inner: col(link, source), from, where: which, behind };
    return {
      row,
      from: sql`${from} join ${table} on ${col(row, 'id')} = ${behind.target}`,
      where: [sql`${pairs.inner} = ${pairs.outer}`, ...which, ...own],
      order: order === null ? [col(link, 'id')] : [col(link, order), col(link, 'id')],
      pairs,
      every: { from, where: which, source: pairs.inner, target: behind.target },
    };
  };
  switch (step.kind) {
    case 'link':
      return hop(step.table, step.source, step.target, step.order);
    case 'component': {
      const which = [
        sql`${col(link, 'field')} = ${literal(step.field)}`,
        sql`${col(link, 'component_type')} = ${literal(step.uid)}`,
      ];
      return hop(step.table, 'entity_id', 'cmp_id', 'order', which);
    }
    case 'media': {
      const which = [
        sql`${col(link, 'related_type')} = ${literal(step.uid)}`,
        sql`${col(link, 'field')} = ${literal(step.field)}`,
      ];
      return hop(step.table, 'related_id', 'file_id', 'order', which);
    }
    case 'morphTable': {
      const which = [
        sql`${col(link, step.type)} = ${literal(step.uid)}`,
        sql`${col(link, step.field)} = ${literal(step.name)}`,
      ];
      return hop(step.table, step.id, step.source, step.order, which);
    }
  }
}

/** A condition on an aliased row. @param alternative it stands in a disjunction (`compileTree`). */
export function compileCondition(c: Compiler, row: Sql, condition: PlanCondition, alternative = false): Sql {
  const folds = repeatedFolds(condition);
  if (!folds) return compileTree({ ...c, folded: undefined }, row, condition, alternative);
  const table = c.aliases.next();
  const named = folds.tests.map((test, index) => ({ test, name: raw(`f${index}`) }));
  const folded = new Map(named.map(({ test, name }) => [test.column, sql`${table}.${name}`]));
  const columns = named.map(({ test, name }) => sql`${compileFolded(c, row, test)} as ${name}`);
  const beside = folds.beside.map((item) => compileTree({ ...c, folded: undefined }, row, item, alternative));
  const within = folds.within.map((item) => compileTree({ ...c, folded }, row, item, true));
  // without the limit planners would put the folding back into the tests
  const found = sql`(select ${all(within)} from (select ${join(columns, ', ')} limit 1) ${table})`;
  return beside.length === 0 ? found : sql`(${all([...beside, found])})`;
}

/**
 * A condition whose repeated folds are known. `alternative`: it stands in a disjunction. A planner that cannot make a join of an
 * EXISTS there may plan it twice, hashed and not, and what is nested in it four times, and so on: a limit forbids it.
 */
function compileTree(c: Compiler, row: Sql, condition: PlanCondition, alternative: boolean): Sql {
  switch (condition.kind) {
    case 'constant':
      return condition.value ? TRUE : FALSE;
    case 'and':
    case 'or': {
      const inOr = alternative || (condition.kind === 'or' && condition.items.length > 1);
      const items = condition.items.map((item) => compileTree(c, row, item, inOr));
      if (items.length === 0) return condition.kind === 'and' ? TRUE : FALSE;
      return items.length === 1 ? items[0]! : sql`(${chain(items, condition.kind === 'and' ? ' and ' : ' or ')})`;
    }
    case 'test':
      return sql`${raw(OUTCOMES[condition.outcome][0])}${compileTest(c, row, condition, reach)}${raw(OUTCOMES[condition.outcome][1])}`;
    case 'none':
      return compileNone(c, row, condition, alternative);
    case 'exists': {
      const reached = reach(c, row, condition.target);
      const inOr = alternative || condition.orNone;
      const item = compileCondition(c, reached.row, condition.item, inOr);
      const { pairs } = reached;
      const some = pairs
        ? // An engine may begin with the related rows, which are mostly fewer than their links; in a join it would begin
          // with the links where it knows nothing of either.
          sql`${pairs.outer} in (${selectPairs(pairs, reached.row, [item])})`
        : sql`exists (${selectReach({ ...reached, where: [...reached.where, item] }, inOr)})`;
      if (!condition.orNone) return some;
      return sql`(${some} or not exists (${selectReach(reach(c, row, condition.target), true)}))`;
    }
  }
}

/** What surrounds a test, by the outcome that it must have. */
const OUTCOMES: Readonly<Record<Outcome, readonly [string, string]>> = {
  true: ['', ''],
  false: ['not (', ')'],
  notFalse: ['(', ') is not false'],
  notTrue: ['(', ') is not true'],
};

/**
 * That no related row meets a condition. The outermost is an anti-join. Those within others are not correlated, so
 * that each is evaluated once and not for each row of the step before.
 */
function compileNone(
  c: Compiler,
  row: Sql,
  { target, item }: Extract<PlanCondition, { kind: 'none' }>,
  alternative: boolean,
): Sql {
  const reached = reach(c, row, target);
  if (!item) return sql`not exists (${selectReach(reached, alternative)})`;
  const met = compileCondition(c, reached.row, item, true);
  const { pairs } = reached;
  if (!pairs) {
    return sql`not exists (${selectReach({ ...reached, where: [...reached.where, met] }, alternative)})`;
  }
  // `in` is unknown where a key is null, on either side
  if (alternative) return sql`(${pairs.outer} in (${selectPairs(pairs, reached.row, [met])})) is not true`;
  const here = sql`${pairs.inner} = ${pairs.outer}`;
  return sql`not exists (${selectPairs({ ...pairs, where: [here, ...pairs.where] }, reached.row, [met])})`;
}

/** The keys of the rows that have a related row which meets conditions. */
function selectPairs({ inner, from, where, behind }: Pairs, row: Sql, conditions: readonly Sql[]): Sql {
  if (!behind) return sql`select ${inner} from ${from} where ${all([...where, ...conditions])}`;
  const ids = sql`select ${col(row, 'id')} from ${behind.related} where ${all([...behind.own, ...conditions])}`;
  return sql`select ${inner} from ${from} where ${all([...where, sql`${behind.target} in (${ids})`])}`;
}

function selectReach(reached: Reach, alternative: boolean): Sql {
  return sql`select 1 from ${reached.from} where ${all(reached.where)}${raw(alternative ? ' limit 1 offset 0' : '')}`;
}
