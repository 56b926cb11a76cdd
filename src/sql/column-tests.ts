/** Tests of the columns of a row as SQL. */
import type { AccountValue, PlanCondition, Target } from '../plan/read-plan.ts';
import type { Operator } from '../query/content-query.ts';
import { all, type Compiler, col } from './compiler.ts';
import { type ColumnKind, columnKind } from './dialect.ts';
import { id, join, list, raw, type Sql, slot, sql } from './fragment.ts';

/** Compiles a step from an aliased row. */
type Follow = (
  c: Compiler,
  parent: Sql,
  target: Target,
) => { readonly row: Sql; readonly from: Sql; readonly where: readonly Sql[]; readonly order: readonly Sql[] };

const COMPARISONS: Readonly<Partial<Record<Operator, string>>> = {
  $lt: '<',
  $lte: '<=',
  $gt: '>',
  $gte: '>=',
};

const MATCHES: Readonly<Partial<Record<Operator, 'contains' | 'startsWith' | 'endsWith'>>> = {
  $contains: 'contains',
  $notContains: 'contains',
  $containsi: 'contains',
  $notContainsi: 'contains',
  $startsWith: 'startsWith',
  $startsWithi: 'startsWith',
  $endsWith: 'endsWith',
  $endsWithi: 'endsWith',
};

/** The case-folded text of a test's column. */
export function compileFolded({ dialect, folded }: Compiler, row: Sql, { column, type }: Test): Sql {
  return folded?.get(column) ?? dialect.fold(dialect.asText(col(row, column), columnKind(type)));
}

/**
 * The value at the end of a path from an account. The subquery does not refer to the tested row, so it is evaluated
 * once. Without a signed-in account, or if the account is gone, the value is unknown, as is a list of values.
 */
function compileAccountValue(
  c: Compiler,
  { table, targets, column, hasMany }: AccountValue,
  index: number,
  follow: Follow,
): Sql {
  const account = c.dialect.value(slot(index), 'id');
  let row = c.aliases.next();
  const from = [sql`${id(table)} ${row}`];
  const where = [sql`${col(row, 'id')} = ${account}`];
  const order: Sql[] = [];
  for (const target of targets) {
    const reached = follow(c, row, target);
    from.push(reached.from);
    where.push(...reached.where);
    order.push(...reached.order);
    row = reached.row;
  }
  const found = sql`select ${col(row, column)} as v from ${list(from)}`;
  if (!hasMany) {
    const first = order.length === 0 ? raw('') : sql` order by ${list(order)}`;
    return sql`(${found} where ${all(where)}${first} limit 1)`;
  }
  const known = c.aliases.next();
  const noAccount = sql`select null where not exists (select 1 from ${id(table)} ${known} where ${col(known, 'id')} = ${account})`;
  return sql`${found} where ${all([...where, sql`${col(row, column)} is not null`])} union all ${noAccount}`;
}

/** Groups the values of a test into lists: a value that may stand for several is a list by itself. */
function listsOf({ slots, accounts }: Test): number[][] {
  const places = slots.map((_, index) => index);
  const many = places.filter((index) => accounts?.get(slots[index]!)?.hasMany);
  const single = places.filter((index) => !many.includes(index));
  return [...(single.length > 0 ? [single] : []), ...many.map((index) => [index])];
}

/**
 * A test of a row's column.
 *
 * @param follow compiles the steps to values that the statement looks up.
 */
export function compileTest(c: Compiler, row: Sql, test: Test, follow: Follow): Sql {
  const { dialect } = c;
  const column = col(row, test.column);
  const kind = columnKind(test.type);
  const { operator, slots } = test;
  const value = (index: number): Sql => {
    const account = test.accounts?.get(slots[index]!);
    return account ? compileAccountValue(c, account, slots[index]!, follow) : dialect.value(slot(slots[index]!), kind);
  };
  const comparable = () => dialect.comparable(column, kind);
  switch (operator) {
    case 'isNull':
      return dialect.planner.unlikely(sql`${column} is null`);
    case 'notNull':
      return sql`${column} is not null`;
    case '$between':
      return sql`${comparable()} between ${value(0)} and ${value(1)}`;
    case '$in':
    case '$notIn': {
      // `in ()` is not valid SQL; for a missing value it is unknown, like any other list
      if (slots.length === 0) return sql`${column} ${raw(operator === '$in' ? '<>' : '=')} ${column}`;
      const lists = listsOf(test).map(
        (values) => sql`${column} ${raw(operator === '$in' ? 'in' : 'not in')} (${list(values.map(value))})`,
      );
      if (operator === '$notIn') return lists.length === 1 ? lists[0]! : sql`(${all(lists)})`;
      return dialect.planner.unlikely(lists.length === 1 ? lists[0]! : sql`(${join(lists, ' or ')})`);
    }
    case '$eqi':
    case '$nei': {
      const comparison = raw(operator === '$eqi' ? '=' : '<>');
      if (kind !== 'text') return sql`${column} ${comparison} ${value(0)}`;
      return sql`${compileFolded(c, row, test)} ${comparison} ${value(0)}`;
    }
  }
  if (operator === '$eq') return dialect.planner.unlikely(sql`${column} = ${value(0)}`);
  if (operator === '$ne') return sql`${column} <> ${value(0)}`;
  const comparison = COMPARISONS[operator];
  if (comparison) return sql`${comparable()} ${raw(comparison)} ${value(0)}`;
  if (test.inside) return dialect.textsContain(column, test.type === 'blocks', dialect.value(slot(slots[0]!), 'text'));
  const text = isFolding(test) ? compileFolded(c, row, test) : dialect.asText(column, kind);
  const needle = dialect.value(slot(slots[0]!), 'text');
  const found = dialect.matches(text, needle, MATCHES[operator]!);
  return operator.startsWith('$not') ? sql`not (${found})` : found;
}

export type Test = Extract<PlanCondition, { kind: 'test' }>;

const FOLDING: ReadonlySet<string> = new Set(['$containsi', '$notContainsi', '$startsWithi', '$endsWithi']);

/** Kinds whose text has no capitals: the `e` of a number is lower case on every engine. */
const CASELESS: ReadonlySet<ColumnKind> = new Set([
  ...(['id', 'integer', 'biginteger', 'float', 'decimal', 'date', 'time'] as const),
]);

/**
 * Whether a test folds case. Folding takes longer than any comparison, so a column that several tests of one row fold
 * is folded once, in a table of its own, and the tests use that.
 */
function isFolding({ operator, type, inside }: Test): boolean {
  if (inside) return false;
  const kind = columnKind(type);
  if (operator === '$eqi' || operator === '$nei') return kind === 'text';
  return FOLDING.has(operator) && !CASELESS.has(kind);
}

/** A condition in two parts: without and with the tests of columns that are folded repeatedly. */
export interface Folds {
  readonly beside: readonly PlanCondition[];
  readonly within: readonly PlanCondition[];
  readonly tests: readonly Test[];
}

/** Finds the columns of a row that a condition folds more than once; undefined if there are none. */
export function repeatedFolds(condition: PlanCondition): Folds | undefined {
  const [once, repeated] = [new Set<string>(), new Map<string, Test>()];
  for (const test of foldingTests(condition)) {
    if (once.has(test.column)) repeated.set(test.column, test);
    else once.add(test.column);
  }
  if (repeated.size === 0) return undefined;
  const [beside, within]: [PlanCondition[], PlanCondition[]] = [[], []];
  // the first part can still use an index
  for (const item of conjuncts(condition)) {
    const folds = foldingTests(item).some(({ column }) => repeated.has(column));
    (folds ? within : beside).push(item);
  }
  return { beside, within, tests: [...repeated.values()] };
}

/** The folding tests of the row itself; those of related rows concern other columns. */
function foldingTests(condition: PlanCondition): Test[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.items.flatMap(foldingTests);
  return condition.kind === 'test' && isFolding(condition) ? [condition] : [];
}

function conjuncts(condition: PlanCondition): readonly PlanCondition[] {
  return condition.kind === 'and' ? condition.items.flatMap(conjuncts) : [condition];
}
