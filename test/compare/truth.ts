/**
 * A second statement of what filters mean (docs/reference/query-parameters.md): three-valued logic over rows in memory.
 * Where the reference fails, or means something else on purpose, Galley's answer is held against it.
 */
import { fieldsOf } from '../../src/access/fields.ts';
import { type Catalog, type Model, modelOf } from '../../src/schema/catalog.ts';
import { targetOf } from './samples.ts';

export type Row = Readonly<Record<string, unknown>>;
type Filter = Readonly<Record<string, unknown>>;
type Truth = boolean | null;

/** The rows behind a name of a row, and whether it leads to one at most. */
export type Behind = (model: Model, row: Row, name: string) => readonly Row[];

/** What is no part of the statement. */
export class Unjudged extends Error {}

const not = (value: Truth): Truth => (value === null ? null : !value);
const and = (values: readonly Truth[]): Truth => (values.includes(false) ? false : values.includes(null) ? null : true);
const or = (values: readonly Truth[]): Truth => not(and(values.map(not)));

/** What a filter says of a row; `undefined` is the row that stands for a missing one. */
export function truthOf(catalog: Catalog, behind: Behind, model: Model, filter: Filter, row: Row | undefined): Truth {
  const inside = (next: Model, item: Filter, at: Row | undefined) => truthOf(catalog, behind, next, item, at);
  return and(
    Object.entries(filter).map(([key, value]): Truth => {
      if (key === '$not') return not(inside(model, value as Filter, row));
      if (key === '$and') return and(listed(value).map((item) => inside(model, item, row)));
      if (key === '$or') return or(listed(value).map((item) => inside(model, item, row)));
      const next = modelBehind(catalog, model, key);
      if (!next) return tested(kindOf(model, key), value, row?.[key]);
      const item = onRow(value);
      const missing = inside(next, item, undefined);
      const related = row && behind(model, row, key);
      if (!related || (related.length === 0 && isSingle(model, key))) return missing;
      return related.length === 0 ? missing === true : or(related.map((one) => inside(next, item, one)));
    }),
  );
}

/** Where a name leads; undefined for fields. */
export function modelBehind(catalog: Catalog, model: Model, name: string): Model | undefined {
  const named = fieldsOf(model, false).named(name);
  if (named.kind === 'localizations') return model;
  if (named.kind === 'field') return undefined;
  const target = targetOf(model.attributes.get(name));
  if (target === undefined) throw new Unjudged(`${model.uid} ${name}`);
  return modelOf(catalog, target);
}

function isSingle(model: Model, name: string): boolean {
  const attribute = model.attributes.get(name);
  if (attribute?.type === 'component') return !attribute.repeatable;
  if (attribute?.type === 'media') return !attribute.multiple;
  return attribute?.type === 'relation' && /ToOne$/.test(attribute.relation);
}

/** Operators right at a relation test the row id. */
function onRow(value: unknown): Filter {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { id: value };
  const operators = Object.keys(value).filter((key) => /^\$(?!and$|or$|not$)/.test(key));
  if (operators.length === 0) return value as Filter;
  if (operators.length < Object.keys(value).length) throw new Unjudged('operators beside fields');
  return { id: value };
}

const listed = (value: unknown): Filter[] => {
  if (typeof value !== 'object' || value === null) throw new Unjudged('a group that is no list');
  return Object.values(value);
};

type Kind = 'text' | 'number' | 'time' | 'boolean' | 'plain';

function kindOf(model: Model, name: string): Kind {
  const named = fieldsOf(model, false).named(name);
  if (named.kind !== 'field') throw new Unjudged(`${model.uid} ${name}`);
  switch (named.type) {
    case 'id':
    case 'integer':
    case 'biginteger':
    case 'float':
    case 'decimal':
      return 'number';
    case 'datetime':
    case 'timestamp':
      return 'time';
    case 'boolean':
      return 'boolean';
    case 'date':
    case 'time':
    case 'json':
    case 'blocks':
      return 'plain';
    default:
      return 'text';
  }
}

function tested(kind: Kind, tests: unknown, value: unknown): Truth {
  if (typeof tests !== 'object' || tests === null) return operated(kind, '$eq', tests, value);
  return and(
    Object.entries(tests).map(([operator, operand]): Truth => {
      if (operator === '$not') return not(tested(kind, operand, value));
      if (operator === '$and') return and(listed(operand).map((item) => tested(kind, item, value)));
      if (operator === '$or') return or(listed(operand).map((item) => tested(kind, item, value)));
      return operated(kind, operator, operand, value);
    }),
  );
}

function operated(kind: Kind, operator: string, operand: unknown, value: unknown): Truth {
  const isNull = value === undefined || value === null;
  if (operator === '$null' || operator === '$notNull') {
    return (operator === '$null') === (operand === 'true') ? isNull : !isNull;
  }
  if (isNull) return null;
  const own = comparable(kind, value);
  const others = [operand].flat().map((one) => comparable(kind, one));
  const folded = operator.endsWith('i') && operator !== '$i';
  const [left, right] = folded ? [fold(own), others.map(fold)] : [own, others];
  const text = String(left);
  const piece = String(right[0]);
  switch (folded ? operator.slice(0, -1) : operator) {
    case '$eq':
      return right.includes(left);
    case '$in':
      return right.includes(left);
    case '$ne':
    case '$notIn':
      return !right.includes(left);
    case '$lt':
      return order(left, right[0]!) < 0;
    case '$lte':
      return order(left, right[0]!) <= 0;
    case '$gt':
      return order(left, right[0]!) > 0;
    case '$gte':
      return order(left, right[0]!) >= 0;
    case '$between':
      return order(left, right[0]!) >= 0 && order(left, right[1]!) <= 0;
    case '$contains':
      return text.includes(piece);
    case '$notContains':
      return !text.includes(piece);
    case '$startsWith':
      return text.startsWith(piece);
    case '$endsWith':
      return text.endsWith(piece);
    default:
      throw new Unjudged(operator);
  }
}

type Value = string | number | boolean;

function comparable(kind: Kind, value: unknown): Value {
  if (kind === 'number') return Number(value);
  if (kind === 'time') return /^\d+$/.test(String(value)) ? Number(value) : Date.parse(String(value));
  if (kind === 'boolean') return String(value) === 'true';
  return String(value);
}

const fold = (value: Value): Value => (typeof value === 'string' ? value.toLowerCase() : value);

/** Texts by code point. */
function order(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}
