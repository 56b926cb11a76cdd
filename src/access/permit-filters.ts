/** Filter × View → Condition (docs/reference/query-parameters.md, "Filters" and "Names that do not exist"). */
import { validation } from '../errors.ts';
import type { Filter, Operator } from '../query/content-query.ts';
import { COMPARISONS, notAList, OPERATOR_WORDS } from '../query/filters.ts';
import { type FieldType, type Model, TEXT_TYPES } from '../schema/catalog.ts';
import type { Condition, TestedRow } from './condition.ts';
import { type Context, enter, refuse, refuseUnknown } from './context.ts';
import type { Named } from './fields.ts';

/** The current position: rows of a model, or below one of their columns. */
interface Place {
  readonly context: Context;
  readonly model: Model;
  /** Dotted path of attributes from the beginning of the parameter, or of the populate that contains it. */
  readonly path: readonly string[];
}

/** Tests that search for a text in a text. */
const TEXT_OPERATORS: ReadonlySet<Operator> = new Set([
  ...(['$contains', '$notContains', '$containsi', '$notContainsi'] as const),
  ...(['$startsWith', '$startsWithi', '$endsWith', '$endsWithi'] as const),
]);

/** Tests that apply to a related row as a whole, by its id. */
const ROW_OPERATORS: ReadonlySet<Operator> = new Set(['isNull', 'notNull', ...COMPARISONS]);

/**
 * Resolves a filter on a model.
 *
 * @throws ContentError 400 for names that do not exist, are hidden, or lead to documents that the caller may not find,
 * and for a filter that exceeds the budget.
 */
export function permitFilter(context: Context, model: Model, filter: Filter): Condition {
  return onRows({ context, model, path: [] }, filter, undefined);
}

/** @param entered the name that leads to the tested rows; undefined at the top. */
function onRows(place: Place, filter: Filter, entered: TestedRow['kind'] | undefined): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or':
      refuseNames(filter, (label) => place.context.view.of(place.model).named(label).kind !== 'unknown');
      // each entry of a written group is a filter of its own
      if (entered !== undefined && filter.kind === 'and' && !filter.key) refuseMixture(filter.items);
      return { kind: filter.kind, items: filter.items.map((item) => onRows(place, item, entered)) };
    case 'not':
      return { kind: 'not', item: onRows(place, filter.item, entered) };
    case 'test':
      return onRow(place, filter, entered);
    case 'field':
      return onField(place, filter);
  }
}

/** A test of a row as a whole, by its id. */
function onRow(
  place: Place,
  { operator, slots, key }: Extract<Filter, { kind: 'test' }>,
  entered: TestedRow['kind'] | undefined,
): Condition {
  const { context, path } = place;
  if (entered === undefined) throw refuse(context, key, path);
  const text = textAttributeOf(place);
  if (!ROW_OPERATORS.has(operator)) {
    const name = [...path, text].join('][');
    throw refuse(context, key, path, [], text && `compare an attribute of it: filters[${name}][${key}]=…`);
  }
  context.budget.charge('filterTests');
  return { kind: 'test', field: 'id', type: 'id', operator, slots, row: { path, kind: entered, text, operator: key } };
}

/** A text attribute of the current model that the caller may filter by. */
function textAttributeOf({ context, model }: Place): string | undefined {
  const { filterable } = context.view.of(model);
  const isText = (name: string) => model.attributes.has(name) && TEXT_TYPES.has(filterable.get(name)!);
  return context.unseen ? undefined : [...filterable.keys()].find(isText);
}

/** A group that is written as an object counts as a list, unless its keys are names or operators here. */
function refuseNames({ key, labels }: Extract<Filter, { kind: 'and' | 'or' }>, isName: (label: string) => boolean) {
  const name = labels?.find((label) => label.startsWith('$') || isName(label));
  if (key && name !== undefined) throw notAList(key, name);
}

/** A relation contains either one test of the row, or names of its fields and groups. */
function refuseMixture(items: readonly Filter[]): void {
  // a list under one operator is an implicit disjunction
  const tests = items.filter((item) => item.kind === 'test' || (item.kind === 'or' && !item.key)).length;
  if (tests > 1 || (tests === 1 && items.some((item) => item.kind === 'field'))) {
    throw validation('A relation takes one operator, or filters on its fields, not both');
  }
}

function onField(place: Place, filter: Extract<Filter, { kind: 'field' }>): Condition {
  const { context, model, path } = place;
  const { name } = filter;
  const fields = context.view.of(model);
  if (fields.named(name).kind === 'unknown') {
    if (name.startsWith('$')) throw refuse(context, name, path, OPERATOR_WORDS);
    throw refuseUnknown(context, model, name, path);
  }
  const here = [...path, name];
  const type = fields.filterable.get(name);
  if (type !== undefined) return onColumn({ ...place, path: here }, filter.item, name, type);
  const target = enter(context, model, name);
  if (!target) throw refuse(context, name, here);
  context.budget.charge('filterSteps');
  const item = onRows({ context, model: target, path: here }, filter.item, kindOf(fields.named(name)));
  return { kind: 'through', name, target: target.uid, item };
}

const kindOf = (named: Named): TestedRow['kind'] => {
  const type = named.kind === 'attribute' ? named.attribute.type : 'relation';
  return type === 'component' ? 'component' : type === 'media' ? 'file' : 'relation';
};

function onColumn(place: Place, filter: Filter, field: string, type: FieldType): Condition {
  const { context, path } = place;
  switch (filter.kind) {
    case 'and':
    case 'or':
      refuseNames(filter, () => false);
      return { kind: filter.kind, items: filter.items.map((item) => onColumn(place, item, field, type)) };
    case 'not':
      return { kind: 'not', item: onColumn(place, filter.item, field, type) };
    case 'field':
      throw refuse(context, filter.name, path, OPERATOR_WORDS);
    case 'test': {
      const { operator, slots } = filter;
      const document = type === 'json' || type === 'blocks';
      // documents have no order and no text: callers can test only their presence, and code their JSON
      const isAsked = operator === 'isNull' || operator === 'notNull';
      if (document && !isAsked && !(context.view.searchesJson && TEXT_OPERATORS.has(operator)))
        throw refuse(context, filter.key, path);
      context.budget.charge('filterTests');
      return { kind: 'test', field, type, operator, slots };
    }
  }
}

/** True where the top level of a filter tests `locale`, which replaces the locale parameter, as in Strapi. */
export function filtersLocale(filter: Filter | undefined): boolean {
  if (!filter) return false;
  // a written group nests its conditions, even a single one
  const top = filter.kind === 'and' && !filter.key ? filter.items : [filter];
  return top.some((item) => item.kind === 'field' && item.name === 'locale');
}
