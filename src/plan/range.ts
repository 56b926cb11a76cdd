/**
 * Lists of a range of one column that an index finds. The values of a request decide whether the range contains few
 * rows or nearly all of the table, and so how a page is found fastest (`sql/range.ts`).
 */
import type { Layout } from '../schema/layout/layout.ts';
import type { IndexDefinition } from '../schema/layout/table.ts';
import {
  conjuncts,
  type PlanCondition,
  type PlanOrder,
  type PlanRange,
  type ReadPlan,
  type RowTest,
} from './read-plan.ts';

type RangeTest = PlanRange['tests'][number];

const RANGES: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte', '$between']);
const LONG: ReadonlySet<string> = new Set(['blocks', 'json']);
const ID = 'id';

/** The parts of a plan that a range depends on. */
type Ranged = Pick<ReadPlan, 'table' | 'tests' | 'rows' | 'where'> & {
  readonly order: readonly PlanOrder[];
  readonly isCounted: boolean;
};

/**
 * The range by which a page of a list may be found; undefined if there is none or it gains nothing: the order follows
 * relations or compares long values, no index of the layout has the column, or the total requires all rows anyway.
 */
export function planRange(
  layout: Layout,
  { table, tests, rows, where, order, isCounted }: Ranged,
): PlanRange | undefined {
  if (!where || order.some((key) => key.targets.length > 0 || key.long || LONG.has(key.type))) return undefined;
  const conditions = conjuncts(where);
  const ranges = conditions.filter(isRange);
  const first = order[0]?.column ?? ID;
  const indexed = ranges.filter(({ column }) => isIndexed(layout, table, column, tests));
  const { column, type } = indexed.find((test) => test.column === first) ?? indexed[0] ?? {};
  if (column === undefined || type === undefined) return undefined;
  const chosen = ranges.filter((test) => test.column === column);
  const isAll = !rows && tests.every(({ kind }) => KEYS.has(kind)) && chosen.length === conditions.length;
  const isFirst = column === first;
  // an index that also has the order is used anyway
  if (isCounted ? !isAll : isFirst) return undefined;
  return { column, type, tests: chosen, isFirst, isInOrder: isIndexed(layout, table, first, tests) };
}

/** Tests of a row's own columns with which indexes of lists begin, or to which they are limited. */
export const KEYS: ReadonlySet<RowTest['kind']> = new Set(['published', 'locale'] as const);

function isRange(condition: PlanCondition): condition is RangeTest {
  return condition.kind === 'test' && condition.outcome === 'true' && RANGES.has(condition.operator);
}

/** Whether an index has the rows of a list in the order of a column. */
function isIndexed({ tables }: Layout, table: string, column: string, tests: readonly RowTest[]): boolean {
  const locale = tests.find((test) => test.kind === 'locale');
  if (locale && locale.slots.length > 1) return false;
  const status = tests.find((test) => test.kind === 'published');
  const columns = [...(locale ? ['locale'] : []), column, ...(column === ID ? [] : [ID])].join();
  const has = (index: IndexDefinition): boolean =>
    index.columns.join() === columns &&
    (index.whereNull === undefined || status?.is === false) &&
    (index.whereNotNull === undefined || status?.is === true);
  return tables.find(({ name }) => name === table)?.ownIndexes?.some(has) ?? false;
}
