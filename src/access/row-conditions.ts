/** Rules on rows, written as `filters` → RowConditions of a View. */
import { Budget } from '../query/budget.ts';
import { COMPARISONS, parseFilters } from '../query/filters.ts';
import { isEmptyList, type RawObject, type RawValue } from '../query/params.ts';
import { NUMBER_TYPES, TEXT_TYPES } from '../schema/catalog.ts';
import type { AccountPath, Condition } from './condition.ts';
import { permitFilter } from './permit-filters.ts';
import { accountPath, requireComparable } from './rules/account-path.ts';
import type { CallerValues, Operand, RowConditions, View } from './view.ts';

/**
 * Filters by uid that select the existing rows of each type. `$user.id` is the caller's account, `$user.email` or
 * `$user.company.id` a value of the account, `$administrator.id` the administrator, `$now` the current time.
 */
export type RowRules = Readonly<Record<string, RawObject>>;

/** The name of the current time in rules, and the types that it can be compared with. */
const NOW = '$now';
const MOMENTS: ReadonlySet<string> = new Set(['datetime', 'timestamp', 'date']);

/** The names of a caller's values in rules. */
const CALLER_VALUES: ReadonlyMap<unknown, keyof CallerValues> = new Map([
  ['$user.id', 'userId'],
  ['$administrator.id', 'administratorId'],
]);

/**
 * Resolves rules. They may use private attributes and any relation, regardless of the caller's rights.
 *
 * @param view a View that sees everything.
 * @throws Error for an unknown type, an empty part, an unknown value of the caller, and a value that cannot be compared
 * with the field; ContentError 400 as for filters.
 */
export function rowConditions(view: View, rules: RowRules): RowConditions {
  const byType = new Map<string, Condition>();
  const operands: Operand[] = [];
  for (const [uid, filters] of Object.entries(rules)) {
    const type = view.catalog.contentTypes.get(uid);
    if (!type) throw new Error(`a condition on rows names ${uid}, which is no content type`);
    const values: unknown[] = [];
    const filter = parseFilters(filters, values);
    if (!filter || isEmptyCondition(filters)) {
      throw new Error(`a part of the condition on rows of ${uid} is empty`);
    }
    const context = { view, budget: new Budget(), plain: new Map(), level: 0, param: 'filters' } as const;
    const own = values.map((value) => written(view, value));
    byType.set(uid, withSlots(permitFilter(context, type, filter), own, operands.length));
    operands.push(...own.map(({ operand }) => operand));
  }
  return { byType, operands };
}

/** Filters ignore empty parts; an empty part of a row condition would show more rows than intended. */
function isEmptyCondition(value: RawValue): boolean {
  if (isEmptyList(value)) return true;
  if (typeof value !== 'object' || value === null) return value === undefined;
  const parts: readonly RawValue[] = Object.values(value);
  return parts.length === 0 || parts.some(isEmptyCondition);
}

/** An operand of a condition, or the end of a path from the account that the operand is. */
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

/**
 * A condition with slots of a View. `operands` are its own; `before` is the number of operands that the View has
 * already.
 */
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

/** @throws Error for a test that `$now` cannot be part of. */
function requireMoment({ field, type, operator }: Extract<Condition, { kind: 'test' }>): void {
  if (!MOMENTS.has(type)) throw new Error(`${NOW} cannot be compared with ${field}, which is of type ${type}`);
  if (!COMPARISONS.has(operator)) {
    throw new Error(`${NOW} cannot be compared by ${operator}: there are ${[...COMPARISONS].join(', ')}`);
  }
}
