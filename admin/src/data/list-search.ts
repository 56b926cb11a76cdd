/** The state of a list in its address. Invalid values are ignored. */
import type { Cohort } from '../../contract/lists.ts';

/** The states by which documents can be filtered, in the order of the tabs. */
export const COHORTS: readonly Cohort[] = ['all', 'draft', 'modified', 'published'];

/** A filter: a field, an operator of the API, and its values. */
export interface Condition {
  readonly field: string;
  readonly operator: string;
  /** Empty for operators without a value; an array for operators with several. */
  readonly value: string | readonly string[];
  /** The names of the values, if these are ids. */
  readonly label?: string | readonly string[];
}

/** The number of values that an operator takes. */
export type OperandCount = 'nothing' | 'one' | 'two' | 'several';

export interface ListSearch {
  readonly q?: string | undefined;
  readonly cohort?: Cohort | undefined;
  readonly locale?: string | undefined;
  /** `title:asc`. */
  readonly sort?: string | undefined;
  readonly where?: readonly Condition[] | undefined;
  /** The page number from 2 on; undefined for the first page and for lists that scroll. */
  readonly page?: number | undefined;
}

/** The maximum number of filters, and of values of one filter. */
const MAX_FILTERS = 12;
export const MOST_VALUES = 50;

/**
 * Reads the state from the address. Every key is present, because the router keeps the previous value of an absent one.
 */
export function listSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  const { q, cohort, locale, sort, where, page } = search;
  const conditions = (Array.isArray(where) ? where : []).map(conditionOf).filter((one) => one !== undefined);
  return {
    q: wordsOf(q),
    cohort: COHORTS.find((one) => one === cohort && one !== 'all'),
    locale: wordsOf(locale),
    sort: typeof sort === 'string' && /^[\w.]+:(?:asc|desc)$/.test(sort) ? sort : undefined,
    where: conditions.length > 0 ? conditions.slice(0, MAX_FILTERS) : undefined,
    page: Number.isSafeInteger(page) && Number(page) > 1 ? Number(page) : undefined,
  };
}

/** The router parses a text of digits as a number. */
function wordsOf(value: unknown): string | undefined {
  const words = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof words === 'string' && words !== '' ? words : undefined;
}

function conditionOf(raw: unknown): Condition | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const { field, operator, value, label } = raw as Readonly<Record<string, unknown>>;
  if (typeof field !== 'string' || typeof operator !== 'string' || !operator.startsWith('$')) return undefined;
  return {
    field,
    operator,
    value: Array.isArray(value)
      ? value.flatMap((one) => wordsOf(one) ?? []).slice(0, MOST_VALUES)
      : (wordsOf(value) ?? ''),
    ...(isLabel(label) ? { label } : {}),
  };
}

function isLabel(label: unknown): label is string | readonly string[] {
  return typeof label === 'string' || (Array.isArray(label) && label.every((one) => typeof one === 'string'));
}

/** The values or the names of a filter, as an array. */
export function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** The versions of a document in other locales, and the operator for documents that lack one of these locales. */
export const LOCALIZATIONS = 'localizations';
export const LACKS = '$lacks';

const TAKES: Readonly<Record<string, OperandCount>> = {
  $null: 'nothing',
  $notNull: 'nothing',
  $me: 'nothing',
  $notMe: 'nothing',
  $between: 'two',
  $in: 'several',
  $notIn: 'several',
};

export const operandCountOf = (operator: string): OperandCount => TAKES[operator] ?? 'one';

/** Relations to administrators, and the fields of their names. */
const PEOPLE: readonly string[] = ['createdBy', 'updatedBy'];
const NAMES = ['firstname', 'lastname', 'username'] as const;

/**
 * Adds filters to a query of the content API.
 *
 * @param me the row id of the signed-in administrator, for whom filters store `me`.
 */
export function addFilters(query: URLSearchParams, conditions: readonly Condition[], me: number): void {
  for (const [index, { field, operator, value }] of conditions.entries()) {
    const path = field
      .split('.')
      .map((name) => `[${name}]`)
      .join('');
    const at = `filters[$and][${index}]`;
    const key = `${at}${path}[${operator}]`;
    const operandCount = operandCountOf(operator);
    if (operator === '$me') query.append(`${at}${path}[id][$eq]`, String(me));
    else if (operator === '$notMe') {
      // Documents that a program has written are not mine either.
      query.append(`${at}[$or][0]${path}[id][$ne]`, String(me));
      query.append(`${at}[$or][1]${path}[id][$null]`, 'true');
    } else if (operator === LACKS) query.append(`${at}[$not]${path}[locale][$eq]`, listOf(value)[0] ?? '');
    else if (PEOPLE.includes(field)) addName(query, at, path, operator, listOf(value)[0] ?? '');
    else addCondition(query, key, operandCount, value);
  }
}

/** Each word may be the first name, the last name or the username. */
function addName(query: URLSearchParams, at: string, path: string, operator: string, name: string): void {
  for (const [index, word] of name.trim().split(/\s+/).entries()) {
    for (const [place, key] of NAMES.entries()) {
      query.append(`${at}[$and][${index}][$or][${place}]${path}[${key}][${operator}]`, word);
    }
  }
}

function addCondition(query: URLSearchParams, key: string, takes: OperandCount, value: Condition['value']): void {
  if (takes === 'nothing') query.append(key, 'true');
  else if (takes === 'one') query.append(key, listOf(value)[0] ?? '');
  else for (const [at, one] of listOf(value).entries()) query.append(`${key}[${at}]`, one);
}
