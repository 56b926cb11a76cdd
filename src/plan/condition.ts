/**
 * Condition → PlanCondition: names become columns and steps, and negations move down to the tests.
 *
 * A condition is true, false or unknown for a row, as in SQL: a test of a missing value is unknown, and AND, OR and NOT
 * follow Kleene's tables. A filter selects a row for which it is true, so `$not F` selects a row for which F is false
 * (docs/reference/query-parameters.md, "Filters").
 *
 * Through a relation, a condition is true if it is true for some related row. The other cases are:
 *
 * - A to-one relation without a row counts as a row whose values are all missing, as in the reference's left join:
 * `author.name $null` is true without an author; `author.name = Ann` and its negation are unknown.
 * - Through a to-many relation, a condition is false if it is false for every related row. Without any row it is true
 * if it is true for missing values (`tags.name $null`), and otherwise false: `not(tags.name = red)` means that no tag
 * is red, and is true if there are no tags. The reference instead selects rows with some tag that is not red.
 */
import type { AccountPath, Condition } from '../access/condition.ts';
import type { SearchedField } from '../access/fields.ts';
import type { Operator } from '../query/content-query.ts';
import { isToMany, type Model, modelOf, TEXT_TYPES, USER_UID } from '../schema/catalog.ts';
import { layoutOf } from '../schema/layout/layout.ts';
import { columnOf, linkedTarget, type PlanContext } from './context.ts';
import type { AccountValue, Outcome, PlanCondition, SlotKind, Target } from './read-plan.ts';
import { wordSlot } from './search.ts';

/** Plans a condition on the rows of a model. */
export function planCondition(context: PlanContext, model: Model, condition: Condition): PlanCondition {
  return plan(context, model, condition, 'true');
}

/** The required outcome of X for a required outcome of `not X`. */
const NEGATED: Readonly<Record<Outcome, Outcome>> = {
  true: 'false',
  false: 'true',
  notFalse: 'notTrue',
  notTrue: 'notFalse',
};

/** The complement of each outcome. */
const OTHERWISE: Readonly<Record<Outcome, Outcome>> = {
  true: 'notTrue',
  notTrue: 'true',
  false: 'notFalse',
  notFalse: 'false',
};

function plan(context: PlanContext, model: Model, condition: Condition, outcome: Outcome): PlanCondition {
  switch (condition.kind) {
    case 'not':
      return plan(context, model, condition.item, NEGATED[outcome]);
    case 'and':
    case 'or': {
      const kind = (condition.kind === 'and') === affirms(outcome) ? 'and' : 'or';
      return { kind, items: condition.items.map((item) => plan(context, model, item, outcome)) };
    }
    case 'test': {
      const { field, type, operator, slots } = condition;
      const { accounts } = condition;
      for (const slot of slots) context.kinds.set(slot, accounts?.has(slot) ? ACCOUNT : slotKind(condition));
      const column = columnOf(context, model.uid, field);
      const test: PlanCondition = { kind: 'test', column, type, operator, slots, outcome };
      if (!accounts) return test;
      const planned = [...accounts].map(([slot, path]) => [slot, planAccountValue(context, path)] as const);
      return { ...test, accounts: new Map(planned) };
    }
    case 'through':
      return planThrough(context, model, condition, outcome);
  }
}

const ACCOUNT: SlotKind = { kind: 'value', type: 'id', field: 'id' };

/**
 * Accounts have no drafts, so the path goes through published rows. Its values do not depend on which rows the caller
 * may see.
 */
function planAccountValue(context: PlanContext, { steps, field, hasMany }: AccountPath): AccountValue {
  const everyRow: PlanContext = {
    ...context,
    variant: { status: 'published', cohort: undefined },
    rowsOf: () => undefined,
  };
  let model = modelOf(context.catalog, USER_UID);
  const { table } = layoutOf(context.layout, USER_UID);
  const targets: Target[] = [];
  for (const name of steps) {
    const { model: next, ...target } = linkedTarget(everyRow, model, name);
    targets.push(target);
    model = next;
  }
  return { table, targets, column: columnOf(context, model.uid, field), hasMany };
}

/** Whether one related row suffices for an outcome of a condition through a relation; otherwise all must agree. */
function affirms(outcome: Outcome): boolean {
  return outcome === 'true' || outcome === 'notFalse';
}

function planThrough(
  context: PlanContext,
  model: Model,
  { name, item }: Extract<Condition, { kind: 'through' }>,
  outcome: Outcome,
): PlanCondition {
  const { model: next, ...target } = linkedTarget(context, model, name);
  const some: PlanCondition = { kind: 'exists', target, item: PRESENT, orNone: false };
  if (item.kind === 'test' && item.type === 'id' && (item.operator === 'isNull' || item.operator === 'notNull')) {
    // the condition asks whether any row is related
    return (item.operator === 'isNull') === affirms(outcome) ? { kind: 'none', target, item: undefined } : some;
  }
  const missing = onNulls(item);
  if (affirms(outcome) || !isToMany(model, name)) {
    const orNone = isOutcome(isToMany(model, name) && missing === null ? false : missing, outcome);
    return { kind: 'exists', target, item: plan(context, next, item, outcome), orNone };
  }
  const none: PlanCondition = { kind: 'none', target, item: plan(context, next, item, OTHERWISE[outcome]) };
  return missing === true ? { kind: 'and', items: [some, none] } : none;
}

/** True of every row. */
const PRESENT: PlanCondition = {
  kind: 'test',
  column: 'id',
  type: 'id',
  operator: 'notNull',
  slots: [],
  outcome: 'true',
};

/** The value of a condition for a row whose values are all missing; null: unknown. */
function onNulls(condition: Condition): boolean | null {
  switch (condition.kind) {
    case 'test':
      return condition.operator === 'isNull' ? true : condition.operator === 'notNull' ? false : null;
    case 'through':
      return onNulls(condition.item);
    case 'not': {
      const value = onNulls(condition.item);
      return value === null ? null : !value;
    }
    case 'and': {
      const values = condition.items.map(onNulls);
      return values.includes(false) ? false : values.includes(null) ? null : true;
    }
    case 'or': {
      const values = condition.items.map(onNulls);
      return values.includes(true) ? true : values.includes(null) ? null : false;
    }
  }
}

function isOutcome(value: boolean | null, outcome: Outcome): boolean {
  switch (outcome) {
    case 'true':
      return value === true;
    case 'false':
      return value === false;
    case 'notFalse':
      return value !== false;
    case 'notTrue':
      return value !== true;
  }
}

const TEXT_OPERATORS: ReadonlySet<Operator> = new Set(['$contains', '$notContains', '$startsWith', '$endsWith']);
const FOLDED_OPERATORS: ReadonlySet<Operator> = new Set(['$containsi', '$notContainsi', '$startsWithi', '$endsWithi']);

function slotKind({ operator, type, field, row }: Condition & { kind: 'test' }): SlotKind {
  if (TEXT_OPERATORS.has(operator)) return { kind: 'text' };
  if (FOLDED_OPERATORS.has(operator)) return { kind: 'folded' };
  // on other types `$eqi` means `$eq`
  if ((operator === '$eqi' || operator === '$nei') && TEXT_TYPES.has(type)) return { kind: 'folded' };
  return { kind: 'value', type, field, row, ...(operator === '$in' && { listed: true }) };
}

/** `_q`: one of the fields that the View searches contains the term (docs/reference/query-parameters.md, "Search"). */
export function planSearch(
  context: PlanContext,
  model: Model,
  fields: readonly SearchedField[],
  slot: number,
): PlanCondition {
  context.kinds.set(slot, { kind: 'folded' });
  const items = fields.map(({ field, type }): PlanCondition => {
    const column = columnOf(context, model.uid, field);
    const test = { kind: 'test', column, type, operator: '$containsi', outcome: 'true' } as const;
    if (type !== 'blocks' && type !== 'json') return { ...test, slots: [slot] };
    // an index finds the word, and testing for it is faster than extracting texts from JSON
    const word = wordSlot(slot);
    context.kinds.set(word, { kind: 'word' });
    return {
      kind: 'and',
      items: [
        { ...test, slots: [word] },
        { ...test, slots: [slot], inside: true },
      ],
    };
  });
  return items.length === 0 ? { kind: 'constant', value: false } : { kind: 'or', items };
}
