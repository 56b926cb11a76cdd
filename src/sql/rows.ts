/** Row tests, steps and conditions of a plan as SQL. */
import type { Outcome, PlanCondition, RowTest, Step, Target } from '../plan/read-plan.ts';
import { compileFolded, compileTest, repeatedFolds } from './column-tests.ts';
import { all, type Compiler, chain, col, FALSE, TRUE, tableOf } from './compiler.ts';
import { list, literal, raw, type Sql, slot, sql } from './fragment.ts';

/**
 * The conditions on a visible row: the tests of its variant, and those of the caller.
 *
 * @param alternative as of `compileCondition`: a step may be part of a disjunction.
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

/** The caller's condition on rows of a type. A statement repeats it wherever it reaches such rows. */
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

/** Whether a condition reads other rows. */
export function readsOthers(condition: PlanCondition | undefined): boolean {
  switch (condition?.kind) {
    case 'and':
    case 'or':
      return condition.items.some(readsOthers);
    case 'exists':
    case 'none':
      return true;
    default:
      return false;
  }
}

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
  return values.length === 1 ? sql`${column} = ${values[0]!}` : sql`${column} in (${list(values)})`;
}

function compileSibling(c: Compiler, row: Sql, test: Extract<RowTest, { kind: 'sibling' }>): Sql {
  const other = c.aliases.next();
  const conditions = [
    // an index that begins with the locale has many rows for it, and a time beside it still leaves half of them
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
  return sql`${raw(test.exists ? 'exists' : 'not exists')} (select 1 from ${tableOf(c, test.table, !test.rows)} ${other} where ${all(conditions)})`;
}

/** The rows that a step reaches: their FROM clause, conditions and order. */
export interface Reach {
  readonly row: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly order: readonly Sql[];
  /** The same for all rows at once; undefined if each row refers to one other by its id. */
  readonly pairs?: Pairs;
  /** The step from all rows at once, if the starting rows need not be examined. */
  readonly every?: Links;
}

/** Ids of rows and of their related rows, whatever tests those pass. */
export interface Links {
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly source: Sql;
  readonly target: Sql;
}

/** Pairs of related rows by a key of each, without a reference to the row from which the step starts. */
interface Pairs {
  /** The key of the row from which the step starts. */
  readonly outer: Sql;
  /** The same key, as a column of `from`. */
  readonly inner: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
  /** If `from` is a link table: the column of the related rows' ids, those rows, and the conditions on them. */
  readonly behind?: { readonly target: Sql; readonly related: Sql; readonly own: readonly Sql[] };
}

/** The rows that a target reaches from an aliased row. @param isInner as of `tableOf`. */
export function reach(c: Compiler, parent: Sql, target: Target, isInner = false): Reach {
  const row = c.aliases.next();
  const { step } = target;
  const own = compileVisible(c, row, target);
  const isLast = isInner && !target.rows;
  const table = sql`${tableOf(c, target.table, isLast)} ${row}`;
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
      return throughTable(c, parent, row, step, { table, own, isLast });
  }
}

/** Related rows that store a key of the row from which the step starts. */
function byKey(row: Sql, from: Sql, outer: Sql, inner: Sql, own: readonly Sql[]): Reach {
  const pairs = { outer, inner, from, where: own };
  return { row, from, where: [sql`${inner} = ${outer}`, ...own], order: [col(row, 'id')], pairs };
}

/** The links that a column of the related rows stores. */
function linksOfColumn(row: Sql, from: Sql, column: string, where: readonly Sql[]): Links {
  return { from, where, source: col(row, column), target: col(row, 'id') };
}

function throughTable(
  c: Compiler,
  parent: Sql,
  row: Sql,
  step: Extract<Step, { kind: 'link' | 'component' | 'media' | 'morphTable' }>,
  { table, own, isLast }: { readonly table: Sql; readonly own: readonly Sql[]; readonly isLast: boolean },
): Reach {
  const link = c.aliases.next();
  const hop = (linkTable: string, source: string, target: string, order: string | null, which: Sql[] = []): Reach => {
    const from = sql`${tableOf(c, linkTable, isLast)} ${link}`;
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

/**
 * A condition on an aliased row.
 *
 * @param alternative whether it is part of a disjunction (`compileTree`).
 */
export function compileCondition(c: Compiler, row: Sql, condition: PlanCondition, alternative = false): Sql {
  const folds = repeatedFolds(condition);
  if (!folds) return compileTree({ ...c, folded: undefined }, row, condition, alternative);
  const table = c.aliases.next();
  const named = folds.tests.map((test, index) => ({ test, name: raw(`f${index}`) }));
  const folded = new Map(named.map(({ test, name }) => [test.column, sql`${table}.${name}`]));
  const columns = named.map(({ test, name }) => sql`${compileFolded(c, row, test)} as ${name}`);
  const beside = folds.beside.map((item) => compileTree({ ...c, folded: undefined }, row, item, alternative));
  const within = folds.within.map((item) => compileTree({ ...c, folded }, row, item, true));
  // without the limit planners would move the folding back into the tests
  const found = sql`(select ${all(within)} from (select ${list(columns)} limit 1) ${table})`;
  return beside.length === 0 ? found : sql`(${all([...beside, found])})`;
}

/**
 * A condition without its repeated folds.
 *
 * @param alternative whether it is part of a disjunction. A planner that cannot turn an EXISTS there into a join may
 * plan it twice, hashed and not, a nested one four times, and so on: a limit prevents that.
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
        ? // an engine may begin with the related rows, which are mostly fewer than their links; in a join it would begin
          // with the links if it has no statistics of either.
          sql`${pairs.outer} in (${selectPairs(pairs, reached.row, [item])})`
        : sql`exists (${selectReach({ ...reached, where: [...reached.where, item] }, inOr)})`;
      if (!condition.orNone) return some;
      return sql`(${some} or not exists (${selectReach(reach(c, row, condition.target), true)}))`;
    }
  }
}

/** The text around a test, by its required outcome. */
const OUTCOMES: Readonly<Record<Outcome, readonly [string, string]>> = {
  true: ['', ''],
  false: ['not (', ')'],
  notFalse: ['(', ') is not false'],
  notTrue: ['(', ') is not true'],
};

/**
 * That no related row meets a condition. The outermost is an anti-join. Nested ones are not correlated, so that each is
 * evaluated once and not for each row of the step before.
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
  // `in` is unknown if a key is null, on either side
  if (alternative) return sql`(${pairs.outer} in (${selectPairs(pairs, reached.row, [met])})) is not true`;
  const here = sql`${pairs.inner} = ${pairs.outer}`;
  return sql`not exists (${selectPairs({ ...pairs, where: [here, ...pairs.where] }, reached.row, [met])})`;
}

/** The keys of the rows that have a related row which meets the conditions. */
function selectPairs({ inner, from, where, behind }: Pairs, row: Sql, conditions: readonly Sql[]): Sql {
  if (!behind) return sql`select ${inner} from ${from} where ${all([...where, ...conditions])}`;
  const ids = sql`select ${col(row, 'id')} from ${behind.related} where ${all([...behind.own, ...conditions])}`;
  return sql`select ${inner} from ${from} where ${all([...where, sql`${behind.target} in (${ids})`])}`;
}

function selectReach(reached: Reach, alternative: boolean): Sql {
  return sql`select 1 from ${reached.from} where ${all(reached.where)}${raw(alternative ? ' limit 1 offset 0' : '')}`;
}
