/** What a list shows, as its address says it: anything may stand there, and what means nothing is left out. */
import type { Cohort } from '../../contract/lists.ts';

/** Documents by their states, in the order in which they are offered. */
export const COHORTS: readonly Cohort[] = ['all', 'draft', 'modified', 'published'];

/** One narrowing: a field, an operator of the API, and what it compares with. */
export interface Condition {
  readonly field: string;
  readonly operator: string;
  /** Empty for operators that take none. */
  readonly value: string;
  /** How the value is called, where it is an id. */
  readonly label?: string;
}

export interface ListSearch {
  readonly q?: string | undefined;
  readonly cohort?: Cohort | undefined;
  readonly locale?: string | undefined;
  /** `title:asc`. */
  readonly sort?: string | undefined;
  readonly where?: readonly Condition[] | undefined;
  /** From 2 on; left out for the first one, and where the list scrolls on. */
  readonly page?: number | undefined;
}

/** Conditions that a list may have. */
const MOST = 12;

/** Reads it from the address. Every key is said, since the router keeps what is not spoken of. */
export function listSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  const { q, cohort, locale, sort, where, page } = search;
  const conditions = (Array.isArray(where) ? where : []).map(conditionOf).filter((one) => one !== undefined);
  return {
    q: wordsOf(q),
    cohort: COHORTS.find((one) => one === cohort && one !== 'all'),
    locale: wordsOf(locale),
    sort: typeof sort === 'string' && /^[\w.]+:(?:asc|desc)$/.test(sort) ? sort : undefined,
    where: conditions.length > 0 ? conditions.slice(0, MOST) : undefined,
    page: Number.isSafeInteger(page) && Number(page) > 1 ? Number(page) : undefined,
  };
}

/** A number in an address is read as one. */
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
    value: wordsOf(value) ?? '',
    ...(typeof label === 'string' ? { label } : {}),
  };
}

/** The conditions in the content API's query language. */
export function addFilters(query: URLSearchParams, conditions: readonly Condition[]): void {
  for (const [index, { field, operator, value }] of conditions.entries()) {
    const path = field
      .split('.')
      .map((name) => `[${name}]`)
      .join('');
    query.append(`filters[$and][${index}]${path}[${operator}]`, NEEDS_NO_VALUE.has(operator) ? 'true' : value);
  }
}

/** Operators that say everything by themselves. */
export const NEEDS_NO_VALUE: ReadonlySet<string> = new Set(['$null', '$notNull']);
