/** `filters` → Filter (docs/reference/query-parameters.md, "Filters"). */
import { type ContentError, validation } from '../errors.ts';
import type { Filter, Operator } from './content-query.ts';
import { isEmptyList, isRawObject, queryLimits, type RawObject, type RawValue, singleValue } from './params.ts';

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
  if (raw === undefined || raw === null || isEmptyList(raw)) return undefined;
  if (!isRawObject(raw)) {
    if (Array.isArray(raw) && raw.every(isRawObject))
      throw validation('The filters parameter must be an object of names');
    throw validation('The filters parameter must be an object or an array');
  }
  return parseObject(raw, values);
}

/** Names and operators side by side: all must hold. */
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
      if (Array.isArray(value) && value.some(isRawObject))
        throw validation('The operator $not takes one filter, not a list', {
          hint: 'put the list into a group, such as filters[$not][$or][0][title]…',
        });
      const item = isRawObject(value) ? parseObject(value, values) : parseTests('$eq', value, key, values);
      return item && { kind: 'not', item };
    }
    case '$null':
    case '$notNull': {
      const flag = singleValue(value);
      if (typeof flag === 'object' && flag !== null) throw validation(`The operator ${key} takes one value`);
      const operator = isTruthy(flag) === (key === '$null') ? 'isNull' : 'notNull';
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
  // only code can pass an empty object, which filters nothing
  return item && { kind: 'field', name: key, item, bare };
}

/**
 * Reads a group of filters. An empty one filters nothing, as in Strapi. An object is a list with labels in place of
 * numbers (`$or[a][title]=x&$or[b][title]=y`). Labels that are names of attributes are ambiguous, and refused where the
 * schema is known.
 */
function parseGroup(key: '$and' | '$or', value: RawValue, values: unknown[]): Filter | undefined {
  if (isEmptyList(value)) return undefined;
  const labels = isRawObject(value) ? Object.keys(value) : undefined;
  const list = isRawObject(value) ? Object.values(value) : value;
  if (!Array.isArray(list) || !list.every(isRawObject)) throw notAList(key);
  if (labels && labels.length > queryLimits.listEntries)
    throw validation(`The operator ${key} takes at most ${queryLimits.listEntries} filters`);
  const items = list.map((entry) => parseObject(entry, values)).filter((item) => item !== undefined);
  if (items.length === 0) return undefined;
  return { kind: key === '$and' ? 'and' : 'or', items, key, ...(labels && { labels }) };
}

/** The error for a group that is not a list. @param label a name that the group has in place of a number. */
export function notAList(key: '$and' | '$or', label?: string): ContentError {
  const example = `filters[${key}][0][${label ?? 'title'}]…`;
  return validation(`The operator ${key} takes a list of filters`, { hint: `number the filters, such as ${example}` });
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
