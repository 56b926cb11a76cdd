/**
 * Condition → PlanCondition: names become columns and steps, and negations move down to the tests.
 *
 * A condition is true, false or unknown of a row, as in SQL: a test of a missing value is unknown, and AND, OR and NOT
 * follow Kleene's tables. A filter lets a row through where it is true, so `$not F` lets through where F is known to be
 * false (docs/reference/query-parameters.md, "Filters").
 *
 * Through a relation a condition asks for some related row of which it is true. What remains to be said is when it is
 * false, and what it is where no row is related:
 *
 * - A to-one relation without a row counts as a row whose values are all missing, as the reference's left join has it:
 *   `author.name $null` is true without an author, `author.name = Ann` and its negation are unknown.
 * - Through a to-many relation a condition is false if it is false of every related row. Without any row it is true
 *   where it is true of missing values (`tags.name $null`), and else false: `not(tags.name = red)` says that no tag is
 *   red, and holds where there are no tags. The reference asks for some tag that is not red instead.
 */
import type { AccountPath, Condition } from '../access/condition.ts';
import { isToMany, type SearchedField, TEXT_TYPES } from '../access/fields.ts';
import type { Operator } from '../query/content-query.ts';
import { type Model, modelOf, USER_UID } from '../schema/catalog.ts';
import { layoutOf } from '../schema/layout/layout.ts';
import { columnOf, linkedTarget, type PlanContext } from './context.ts';
import type { AccountValue, Outcome, PlanCondition, SlotKind, Target } from './read-plan.ts';
import { wordSlot } from './search.ts';

/** Plans a condition on the rows of a model. */
export function planCondition(context: PlanContext, model: Model, condition: Condition): PlanCondition {
  return plan(context, model, condition, 'true');
}

/** What `not X` must be is said of X. */
const NEGATED: Readonly<Record<Outcome, Outcome>> = {
  true: 'false',
  false: 'true',
  notFalse: 'notTrue',
  notTrue: 'notFalse',
};

/** The other cases of an outcome. */
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

/** The slot of an account's id. */
const ACCOUNT: SlotKind = { kind: 'value', type: 'id', field: 'id' };

/** An account has no drafts, and leads to what is published. Its values are the same whoever sees its rows. */
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

/** Whether some related row suffices for an outcome of a condition through a relation; else all must agree. */
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
    // asks whether any row is related
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

/** Holds of every row. */
const PRESENT: PlanCondition = {
  kind: 'test',
  column: 'id',
  type: 'id',
  operator: 'notNull',
  slots: [],
  outcome: 'true',
};

/** What a condition says of a row of which every value is missing: true, false, or null for unknown. */
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
  // on other types `$eqi` is `$eq`
  if ((operator === '$eqi' || operator === '$nei') && TEXT_TYPES.has(type)) return { kind: 'folded' };
  return { kind: 'value', type, field, row, ...(operator === '$in' && { listed: true }) };
}

/** `_q`: one of the fields that the View has searched holds the term (docs/reference/query-parameters.md, "Search"). */
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
    // a word is found faster than texts are taken out of JSON, and an index finds it
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
