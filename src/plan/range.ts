/**
 * Lists of a range of one column that an index finds. Whether the rows in the range are few or nearly all of the table
 * is up to the values of a request, and decides how a page of them is found soonest (`sql/range.ts`).
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
/** Types of any length, besides texts. */
const LONG: ReadonlySet<string> = new Set(['blocks', 'json']);
const ID = 'id';

/** What is asked of a list's rows, in their order. */
type Ranged = Pick<ReadPlan, 'table' | 'tests' | 'rows' | 'where'> & {
  readonly order: readonly PlanOrder[];
  /** Whether its rows are counted. */
  readonly isCounted: boolean;
};

/**
 * The range by which a page of a list may be found; undefined where none is, or nothing would be gained: the order goes
 * through relations or is that of long values, no index of the layout has the column, or all rows have to be looked at
 * anyway for the total.
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
  // an index that has the order as well is used anyway
  if (isCounted ? !isAll : isFirst) return undefined;
  return { column, type, tests: chosen, isFirst, isInOrder: isIndexed(layout, table, first, tests) };
}

/** Tests of a row's own columns that indexes of lists begin with, or are limited to. */
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
