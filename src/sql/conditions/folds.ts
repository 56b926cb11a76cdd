/**
 * Tests that compare case-folded text. Folding takes longer than any comparison, so that a column that several tests of
 * one row fold is folded once, in a table of its own, and the tests look there.
 */
import type { PlanCondition } from '../../plan/read-plan.ts';
import { type ColumnKind, columnKind } from '../dialect.ts';

export type Test = Extract<PlanCondition, { kind: 'test' }>;

const FOLDING: ReadonlySet<string> = new Set(['$containsi', '$notContainsi', '$startsWithi', '$endsWithi']);

/** Kinds whose text has no capitals: the `e` of a number is small on every engine. */
const CASELESS: ReadonlySet<ColumnKind> = new Set([
  ...(['id', 'integer', 'biginteger', 'float', 'decimal', 'date', 'time'] as const),
]);

/** Whether a test folds its column. */
export function isFolding({ operator, type, inside }: Test): boolean {
  if (inside) return false;
  const kind = columnKind(type);
  if (operator === '$eqi' || operator === '$nei') return kind === 'text';
  return FOLDING.has(operator) && !CASELESS.has(kind);
}

/** A condition in two: the part without the tests of columns that are folded repeatedly, and the part with them. */
export interface Folds {
  readonly beside: readonly PlanCondition[];
  readonly within: readonly PlanCondition[];
  /** One of the tests of each such column. */
  readonly tests: readonly Test[];
}

/** Finds the columns of a row that a condition folds more than once; undefined where there are none. */
export function repeatedFolds(condition: PlanCondition): Folds | undefined {
  const [once, repeated] = [new Set<string>(), new Map<string, Test>()];
  for (const test of foldingTests(condition)) {
    if (once.has(test.column)) repeated.set(test.column, test);
    else once.add(test.column);
  }
  if (repeated.size === 0) return undefined;
  const [beside, within]: [PlanCondition[], PlanCondition[]] = [[], []];
  // the other part can still use an index
  for (const item of conjuncts(condition)) {
    const folds = foldingTests(item).some(({ column }) => repeated.has(column));
    (folds ? within : beside).push(item);
  }
  return { beside, within, tests: [...repeated.values()] };
}

/** The tests of the row itself that fold: those of related rows are of other columns. */
function foldingTests(condition: PlanCondition): Test[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.items.flatMap(foldingTests);
  return condition.kind === 'test' && isFolding(condition) ? [condition] : [];
}

function conjuncts(condition: PlanCondition): readonly PlanCondition[] {
  return condition.kind === 'and' ? condition.items.flatMap(conjuncts) : [condition];
}
