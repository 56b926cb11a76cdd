/** Rules on rows, told in the language of `filters`, → RowConditions of a View. */

import { Budget } from '../query/budget.ts';
import { COMPARISONS, parseFilters } from '../query/filters.ts';
import { isEmptyList, type RawObject, type RawValue } from '../query/params.ts';
import { NUMBER_TYPES, TEXT_TYPES } from '../schema/catalog.ts';
import type { AccountPath, Condition } from './condition.ts';
import { permitFilter } from './permit-filters.ts';
import { accountPath, requireComparable } from './rules/account-path.ts';
import type { CallerValues, Operand, RowConditions, View } from './view.ts';

/**
 * Filters by the uid of a content type: of each type the rows that there are. `$user.id` is the caller's account,
 * `$user.email` or `$user.company.id` what that has, `$administrator.id` the administrator, `$now` the present.
 */
export type RowRules = Readonly<Record<string, RawObject>>;

/** What rules call the moment at which a statement runs, and the types that it is compared with. */
const NOW = '$now';
const MOMENTS: ReadonlySet<string> = new Set(['datetime', 'timestamp', 'date']);

/** What rules call the values of a caller. */
const CALLER_VALUES: ReadonlyMap<unknown, keyof CallerValues> = new Map([
  ['$user.id', 'userId'],
  ['$administrator.id', 'administratorId'],
]);

/**
 * Resolves rules. They may name private attributes and go through any relation, whatever their caller may do.
 *
 * @param view one that sees everything.
 * @throws Error for a type that is not there, a part without a test, and a value of the caller that is unknown or that the
 * field cannot be compared with; ContentError 400 as filters.
 */
export function rowConditions(view: View, rules: RowRules): RowConditions {
  const byType = new Map<string, Condition>();
  const operands: Operand[] = [];
  for (const [uid, filters] of Object.entries(rules)) {
    const type = view.catalog.contentTypes.get(uid);
    if (!type) throw new Error(`a condition on rows names ${uid}, which is no content type`);
    const values: unknown[] = [];
    const filter = parseFilters(filters, values);
    if (!filter || asksForNothing(filters)) {
      throw new Error(`a part of the condition on rows of ${uid} asks for nothing`);
    }
    const context = { view, budget: new Budget(), plain: new Map(), level: 0, param: 'filters' } as const;
    const own = values.map((value) => written(view, value));
    byType.set(uid, withSlots(permitFilter(context, type, filter), own, operands.length));
    operands.push(...own.map(({ operand }) => operand));
  }
  return { byType, operands };
}

/** Filters leave out what is empty; of a condition on rows that would show more than it says. */
function asksForNothing(value: RawValue): boolean {
  if (isEmptyList(value)) return true;
  if (typeof value !== 'object' || value === null) return value === undefined;
  const parts: readonly RawValue[] = Object.values(value);
  return parts.length === 0 || parts.some(asksForNothing);
}

/** What a condition compares with: an operand, or what a path leads to from the account that the operand is. */
interface Written {
  readonly operand: Operand;
  readonly path?: AccountPath;
}

function written(view: View, value: unknown): Written {
  const name = CALLER_VALUES.get(value);
  if (name !== undefined) return { operand: { kind: 'caller', name } };
  if (typeof value === 'string' && value.startsWith('$user.')) {
    return { operand: { kind: 'caller', name: 'userId' }, path: accountPath(view, value) };
  }
  if (typeof value === 'string' && /^\$(?:user|administrator)(?![\w-])/.test(value)) {
    throw new Error(`a caller has no value ${value}: there is $user.id, and $user. before attributes of the account`);
  }
  if (value === NOW) return { operand: { kind: 'now' } };
  if (typeof value === 'string' && /^\$now(?![\w-])/.test(value)) {
    throw new Error(`${NOW} stands by itself: nothing is added to it, as in ${value}`);
  }
  return { operand: { kind: 'constant', value } };
}

/** A condition whose slots are those of a View. `operands` are its own, `before` is how many the View has before them. */
function withSlots(condition: Condition, operands: readonly Written[], before: number): Condition {
  switch (condition.kind) {
    case 'test': {
      const { field, type } = condition;
      const paths = condition.slots.flatMap((slot) => {
        const path = operands[slot]?.path;
        return path ? [[-1 - before - slot, path] as const] : [];
      });
      for (const [, path] of paths) requireComparable(condition, path);
      if (condition.slots.some((slot) => operands[slot]!.operand.kind === 'now')) requireMoment(condition);
      const namesCaller = condition.slots.some((slot) => {
        const { operand, path } = operands[slot]!;
        return operand.kind === 'caller' && path === undefined;
      });
      if (namesCaller && type !== 'id' && !NUMBER_TYPES.has(type) && !TEXT_TYPES.has(type)) {
        throw new Error(`a value of the caller cannot be compared with ${field}, which is of type ${type}`);
      }
      return {
        ...condition,
        slots: condition.slots.map((slot) => -1 - before - slot),
        ...(paths.length > 0 ? { accounts: new Map(paths) } : {}),
      };
    }
    case 'not':
    case 'through':
      return { ...condition, item: withSlots(condition.item, operands, before) };
    case 'and':
    case 'or':
      return { ...condition, items: condition.items.map((item) => withSlots(item, operands, before)) };
  }
}

/** @throws Error for a test that the present cannot be part of. */
function requireMoment({ field, type, operator }: Extract<Condition, { kind: 'test' }>): void {
  if (!MOMENTS.has(type)) throw new Error(`${NOW} cannot be compared with ${field}, which is of type ${type}`);
  if (!COMPARISONS.has(operator)) {
    throw new Error(`${NOW} cannot be compared by ${operator}: there are ${[...COMPARISONS].join(', ')}`);
  }
}
