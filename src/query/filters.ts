/** `filters` → Filter (docs/reference/query-parameters.md, "Filters"). */
import { validation } from '../errors.ts';
import type { Filter, Operator } from './content-query.ts';
import { isRawObject, type RawObject, type RawValue } from './params.ts';

/** Operators that take one value; a list means any of them. */
const SINGLE: ReadonlySet<string> = new Set([
  '$eq',
  '$eqi',
  '$ne',
  '$nei',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$contains',
  '$notContains',
  '$containsi',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
]);

/** Comparisons of whole values, without those that only texts have. */
export const COMPARISONS: ReadonlySet<Operator> = new Set<Operator>([
  '$eq',
  '$ne',
  '$in',
  '$notIn',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$between',
]);

/** Every operator word, for hints. */
export const OPERATOR_WORDS: readonly string[] = [
  ...SINGLE,
  '$in',
  '$notIn',
  '$null',
  '$notNull',
  '$between',
  '$and',
  '$or',
  '$not',
];

/**
 * Reads the `filters` parameter. Undefined when it is absent, without value, or empty.
 *
 * @param values receives the operands; the tree contains their indexes.
 * @throws ContentError 400 when it is a text, or an operator has operands of the wrong shape.
 */
export function parseFilters(raw: RawValue, values: unknown[]): Filter | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (!isRawObject(raw)) {
    if (Array.isArray(raw) && raw.every(isRawObject))
      throw validation('The filters parameter must be an object of names');
    throw validation('The filters parameter must be an object or an array');
  }
  return parseObject(raw, values);
}

/** An object of names and operators side by side: all must hold. */
function parseObject(raw: RawObject, values: unknown[]): Filter | undefined {
  const items: Filter[] = [];
  for (const [key, value] of Object.entries(raw)) {
    const item = parseEntry(key, value, values);
    if (item) items.push(item);
  }
  return items.length === 1 ? items[0] : items.length === 0 ? undefined : { kind: 'and', items };
}

function parseEntry(key: string, value: RawValue, values: unknown[]): Filter | undefined {
  switch (key) {
    case '$and':
    case '$or':
      return parseGroup(key, value, values);
    case '$not': {
      const item = isRawObject(value) ? parseObject(value, values) : parseTests('$eq', value, key, values);
      return item && { kind: 'not', item };
    }
    case '$null':
    case '$notNull': {
      if (typeof value === 'object' && value !== null) throw validation(`The operator ${key} takes one value`);
      const operator = isTruthy(value) === (key === '$null') ? 'isNull' : 'notNull';
      return { kind: 'test', operator, slots: [], key };
    }
    case '$in':
    case '$notIn': {
      const operands = listOf(key, value);
      return { kind: 'test', operator: key, slots: operands.map((v) => push(values, v)), key };
    }
    case '$between': {
      const operands = listOf(key, value);
      if (operands.length !== 2) throw validation('The operator $between takes exactly two values');
      return { kind: 'test', operator: key, slots: operands.map((v) => push(values, v)), key };
    }
  }
  if (SINGLE.has(key)) return parseTests(key as Operator, value, key, values);
  const bare = !isRawObject(value);
  const item = bare ? parseTests('$eq', value, '$eq', values) : parseObject(value, values);
  // an empty object cannot come out of a query string; one from code asks for nothing
  return item && { kind: 'field', name: key, item, bare };
}

/** A group of filters; one of none asks for nothing, as in the reference, where code makes lists of what somebody typed. */
function parseGroup(key: '$and' | '$or', value: RawValue, values: unknown[]): Filter | undefined {
  if (!Array.isArray(value) || !value.every(isRawObject))
    throw validation(`The operator ${key} takes a list of filters`);
  const items = value.map((entry) => parseObject(entry, values)).filter((item) => item !== undefined);
  return items.length === 0 ? undefined : { kind: key === '$and' ? 'and' : 'or', items, key };
}

/** A single-value operator: one test, or any of several. */
function parseTests(operator: Operator, value: RawValue, key: string, values: unknown[]): Filter {
  const tests = listOf(key, value).map((operand): Filter => {
    if (operand === null) {
      if (operator === '$eq' || operator === '$eqi') return { kind: 'test', operator: 'isNull', slots: [], key };
      if (operator === '$ne' || operator === '$nei') return { kind: 'test', operator: 'notNull', slots: [], key };
    }
    return { kind: 'test', operator, slots: [push(values, operand)], key };
  });
  return tests.length === 1 ? tests[0]! : { kind: 'or', items: tests };
}

function listOf(key: string, value: RawValue): RawValue[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.some((item) => typeof item === 'object' && item !== null)) {
    throw validation(`The operator ${key} takes a value or a list of values`);
  }
  return list;
}

function push(values: unknown[], value: RawValue): number {
  return values.push(value ?? null) - 1;
}

/** `true,t,1` and other texts are true; `false,f,0`, empty and missing are false. */
function isTruthy(value: RawValue): boolean {
  return !(
    value === undefined ||
    value === null ||
    value === '' ||
    value === 'false' ||
    value === 'f' ||
    value === '0' ||
    value === false
  );
}
