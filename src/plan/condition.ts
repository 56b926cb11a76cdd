/**
 * Condition → PlanCondition: names become columns and steps, and negations move down to the tests.
 *
 * The reference joins each related table once per filter entry and asks whether some combination of joined rows makes
 * the whole condition true, with SQL's three-valued logic (behaviour-query.md, "Filters"). In negation normal form
 * that question distributes over AND and OR, so each step becomes an EXISTS of its own: `not(tags.name = red)` asks
 * for some tag that is not red. A missing relation is a row of nulls to a left join, hence `orNone` where the
 * condition holds on nulls.
 */
import type { FieldType } from '../access/fields.ts';
import type { Condition } from '../access/permitted-query.ts';
import type { Operator, Search } from '../query/content-query.ts';
import { type Model, modelOf } from '../schema/catalog.ts';
import { columnOf, type PlanContext, targetOf } from './context.ts';
import type { PlanCondition, SlotKind } from './read-plan.ts';

/** Plans a condition on the rows of a model. */
export function planCondition(context: PlanContext, model: Model, condition: Condition): PlanCondition {
  return plan(context, model, condition, false);
}

function plan(context: PlanContext, model: Model, condition: Condition, negated: boolean): PlanCondition {
  switch (condition.kind) {
    case 'not':
      return plan(context, model, condition.item, !negated);
    case 'and':
    case 'or': {
      const kind = (condition.kind === 'and') !== negated ? 'and' : 'or';
      return { kind, items: condition.items.map((item) => plan(context, model, item, negated)) };
    }
    case 'test': {
      const { field, type, operator, slots } = condition;
      for (const slot of slots) context.kinds.set(slot, slotKind(operator, type, field));
      return { kind: 'test', column: columnOf(context, model.uid, field), type, operator, slots, negated };
    }
    case 'through': {
      const target = targetOf(context, model, condition.name);
      const item = plan(context, modelOf(context.catalog, condition.target), condition.item, negated);
      const orNone = onNulls(item) === true;
      // a test that only nulls can pass on a row id: no related row at all
      if (item.kind === 'test' && item.column === 'id' && item.type === 'id' && orNone) return { kind: 'none', target };
      return { kind: 'exists', target, item, orNone };
    }
  }
}

/** What a condition says of a row of nulls: true, false, or null for unknown. */
function onNulls(condition: PlanCondition): boolean | null {
  switch (condition.kind) {
    case 'test':
      if (condition.operator === 'isNull') return !condition.negated;
      if (condition.operator === 'notNull') return condition.negated;
      return null;
    case 'exists':
      return condition.orNone;
    case 'none':
      return true;
    case 'constant':
      return condition.value;
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

const TEXT_OPERATORS: ReadonlySet<Operator> = new Set(['$contains', '$notContains', '$startsWith', '$endsWith']);
const FOLDED_OPERATORS: ReadonlySet<Operator> = new Set(['$containsi', '$notContainsi', '$startsWithi', '$endsWithi']);

/** Text types compare without case where an operator asks for it; on others `$eqi` is `$eq`. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'email', 'uid', 'enumeration']);

function slotKind(operator: Operator, type: (Condition & { kind: 'test' })['type'], field: string): SlotKind {
  if (TEXT_OPERATORS.has(operator)) return { kind: 'text' };
  if (FOLDED_OPERATORS.has(operator)) return { kind: 'folded' };
  if ((operator === '$eqi' || operator === '$nei') && TEXT_TYPES.has(type)) return { kind: 'folded' };
  return { kind: 'value', type, field };
}

/**
 * `_q`: any text attribute holds the term, or, for a term that is a number, the digits of any number attribute do
 * (behaviour-query.md, "_q").
 */
export function planSearch(
  context: PlanContext,
  model: Model,
  fields: readonly string[],
  { slot, numeric }: Search,
): PlanCondition {
  context.kinds.set(slot, { kind: 'folded' });
  const items = fields.flatMap((field): PlanCondition[] => {
    const attribute = model.attributes.get(field);
    if (!attribute) return [];
    if (!TEXT_TYPES.has(attribute.type) && !(numeric && NUMBER_TYPES.has(attribute.type))) return [];
    const column = columnOf(context, model.uid, field);
    const type = attribute.type as FieldType;
    return [{ kind: 'test', column, type, operator: '$containsi', slots: [slot], negated: false }];
  });
  return items.length === 0 ? { kind: 'constant', value: false } : { kind: 'or', items };
}

const NUMBER_TYPES: ReadonlySet<string> = new Set(['integer', 'biginteger', 'float', 'decimal']);
