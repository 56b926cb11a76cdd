/** Query strings of the content API as parts that the form edits. Other parameters stay as they are. */

export interface FilterPart {
  /** Attributes: `author`, `name`. */
  readonly path: readonly string[];
  readonly operator: string;
  readonly values: readonly string[];
}

export interface QueryModel {
  readonly filters: readonly FilterPart[];
  /** `title`, `views:desc`. */
  readonly sort: readonly string[];
  readonly fields: readonly string[];
  /** Names, or `*`. */
  readonly populate: readonly string[];
  readonly locale: string;
  readonly status: string;
  readonly page: string;
  readonly pageSize: string;
  /** False leaves the total out. */
  readonly withCount: boolean;
  /** All other parameters. */
  readonly rest: readonly (readonly [key: string, value: string])[];
}

/** Operators that take several values. */
export const SEVERAL: ReadonlySet<string> = new Set(['$in', '$notIn', '$between']);
/** Operators that take `true`. */
export const WITHOUT_VALUE: ReadonlySet<string> = new Set(['$null', '$notNull']);

/** The operators of a filter by the type of its field. */
export function operatorsOf(type: string): readonly string[] {
  const texts = ['$contains', '$containsi', '$startsWith', '$endsWith'];
  const common = ['$eq', '$ne', '$in', '$notIn'];
  const ranges = ['$lt', '$lte', '$gt', '$gte', '$between'];
  const empty = ['$null', '$notNull'];
  if (/^(?:string|text|richtext|email|uid)$/.test(type)) return [...common, '$eqi', ...texts, ...empty];
  if (/^(?:boolean|enumeration)$/.test(type)) return [...common, ...empty];
  if (/^(?:blocks|json)$/.test(type)) return [...texts, ...empty];
  return [...common, ...ranges, ...empty];
}

/** Splits `filters[author][name][$eq]` into `filters`, `author`, `name`, `$eq`. */
function segmentsOf(key: string): string[] | undefined {
  const [, head, tail = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? [];
  if (head === undefined) return undefined;
  return [head, ...[...tail.matchAll(/\[([^[\]]*)\]/g)].map(([, name]) => name!)];
}

const isPlace = (segment: string | undefined): boolean => segment === undefined || /^\d*$/.test(segment);

/** Reads a query string. */
export function parseQuery(text: string): QueryModel {
  const filters: { path: string[]; operator: string; values: string[] }[] = [];
  const lists: Record<'sort' | 'fields' | 'populate', string[]> = { sort: [], fields: [], populate: [] };
  const single = { locale: '', status: '', page: '', pageSize: '', withCount: '' };
  const rest: [string, string][] = [];
  for (const [key, value] of new URLSearchParams(text)) {
    const segments = segmentsOf(key);
    const [head, ...tail] = segments ?? [];
    const filter = head === 'filters' ? filterOf(tail) : undefined;
    if (filter) {
      const same = filters.find((one) => one.operator === filter.operator && one.path.join() === filter.path.join());
      if (same && SEVERAL.has(filter.operator)) same.values.push(value);
      else if (same) rest.push([key, value]);
      else filters.push({ ...filter, values: [value] });
    } else if ((head === 'sort' || head === 'fields' || head === 'populate') && tail.length < 2 && isPlace(tail[0])) {
      lists[head].push(
        ...value
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean),
      );
    } else if (head === 'pagination' && tail.length === 1 && /^(?:page|pageSize|withCount)$/.test(tail[0]!)) {
      single[tail[0] as 'page'] = value;
    } else if ((head === 'locale' || head === 'status') && tail.length === 0) single[head] = value;
    else rest.push([key, value]);
  }
  const { withCount, ...others } = single;
  return { filters, ...lists, ...others, withCount: withCount !== 'false' && withCount !== '0', rest };
}

/** The path and the operator of a filter; undefined for groups, which the form does not edit. */
function filterOf(tail: readonly string[]): { path: string[]; operator: string } | undefined {
  const at = tail.findIndex((segment) => segment.startsWith('$'));
  const path = at < 0 ? [...tail] : tail.slice(0, at);
  const operator = at < 0 ? '$eq' : tail[at]!;
  const after = at < 0 ? [] : tail.slice(at + 1);
  const isKnown = /^\$(?!and$|or$|not$)/.test(operator) && path.length > 0 && !path.some((name) => isPlace(name));
  const isWhole = after.length === 0 || (after.length === 1 && isPlace(after[0]) && SEVERAL.has(operator));
  return isKnown && isWhole ? { path, operator } : undefined;
}

/** Writes a query string, with readable brackets. */
export function writeQuery(model: QueryModel): string {
  const { filters, sort, fields, populate, locale, status, page, pageSize, withCount, rest } = model;
  const pairs: (readonly [string, string])[] = [];
  for (const { path, operator, values } of filters) {
    const key = `filters${path.map((name) => `[${name}]`).join('')}[${operator}]`;
    if (SEVERAL.has(operator)) pairs.push(...values.map((value, n) => [`${key}[${n}]`, value] as const));
    else pairs.push([key, values[0] ?? '']);
  }
  const list = (name: string, values: readonly string[]): void => {
    if (values.length === 1) pairs.push([name, values[0]!]);
    else pairs.push(...values.map((value, n) => [`${name}[${n}]`, value] as const));
  };
  list('sort', sort);
  list('fields', fields);
  list('populate', populate);
  if (locale !== '') pairs.push(['locale', locale]);
  if (status !== '') pairs.push(['status', status]);
  if (page !== '') pairs.push(['pagination[page]', page]);
  if (pageSize !== '') pairs.push(['pagination[pageSize]', pageSize]);
  if (!withCount) pairs.push(['pagination[withCount]', 'false']);
  return queryText([...pairs, ...rest]);
}

/** Pairs as a query string. Brackets, dollars, colons, commas and stars of the query language stay readable. */
function queryText(pairs: readonly (readonly [string, string])[]): string {
  const escaped = (text: string): string =>
    encodeURIComponent(text)
      .replace(/'/g, '%27')
      .replace(/%(?:5B|5D|24|3A|2C|2A)/g, (code) => decodeURIComponent(code));
  return pairs.map(([key, value]) => `${escaped(key)}=${escaped(value)}`).join('&');
}

/** A value in a nested object of parameters. */
export type Nested = string | boolean | number | readonly Nested[] | { readonly [key: string]: Nested };

/** The parameters of a query string as the nested object that the official client takes. */
export function nestedQuery(text: string): { readonly [key: string]: Nested } {
  // without a prototype, which a key could name
  const root = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of new URLSearchParams(text)) {
    const segments = segmentsOf(key) ?? [key];
    let at = root;
    for (const [n, segment] of segments.slice(0, -1).entries()) {
      const name = segment === '' ? String(Object.keys(at).length) : segment;
      const next = at[name];
      if (typeof next !== 'object' || next === null) at[name] = Object.create(null);
      at = at[name] as Record<string, unknown>;
      if (n > 20) break;
    }
    const last = segments.at(-1)!;
    at[last === '' ? String(Object.keys(at).length) : last] = parameterValue(key, value);
  }
  return withLists(root) as { readonly [key: string]: Nested };
}

/** Numbers of pages, and booleans of parameters that are none in a filter. */
function parameterValue(key: string, value: string): Nested {
  if (/^pagination\[(?:page|pageSize|start|limit)\]$/.test(key) && /^\d{1,9}$/.test(value)) return Number(value);
  if (/^(?:pagination|populate)\[/.test(key) && /^(?:true|false)$/.test(value)) return value === 'true';
  return value;
}

/** Objects with the keys 0, 1, 2 … as arrays. */
function withLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, withLists(one)] as const);
  const isList = entries.length > 0 && entries.every(([key], n) => key === String(n));
  return isList ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}
