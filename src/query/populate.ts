/** `fields` and `populate` → FieldList and Populate (docs/reference/query-parameters.md, "Fields", "Populate"). */
import { validation } from '../errors.ts';
import { checkDepth } from './budget.ts';
import type { FieldList, Populate, PopulateEntry, PopulateOptions } from './content-query.ts';
import { parseFilters } from './filters.ts';
import { isEmptyList, isRawObject, type RawObject, type RawValue } from './params.ts';
import { parseSort } from './sort.ts';

/** Keys that a populate object can have; `on` for zones and polymorphic relations only. */
export const POPULATE_KEYS: readonly string[] = ['fields', 'filters', 'sort', 'populate', 'count', 'on'];

/**
 * Reads `fields`: a comma text or a list of names. Undefined means all fields, as does a star among the names. An empty
 * list leaves `id` and `documentId`, as in Strapi.
 *
 * @throws ContentError 400 for an object, a nested list, an empty list entry with a comma.
 */
export function parseFields(raw: RawValue): FieldList {
  if (raw === undefined || raw === null) return undefined;
  const bad = () => validation('Invalid fields parameter. Expected a string or an array of strings');
  let names: string[];
  if (isEmptyList(raw)) names = [];
  else if (typeof raw === 'string') names = raw.split(',').map((name) => name.trim());
  else if (Array.isArray(raw)) {
    names = raw.map((name) => {
      if (typeof name !== 'string' || name.includes(',')) throw bad();
      return name.trim();
    });
  } else throw bad();
  return names.includes('*') ? undefined : names;
}

const badPopulate = () =>
  validation('Invalid populate parameter. Expected a string, an array of strings, a populate object');

/** A list entry that is mixed with named keys: `populate[0]=author&populate[tags]=true`. */
const INDEX = /^\d+$/;

/** The named keys of an object, without list entries among them; all keys where none is a name. */
function namedEntries(raw: RawObject): [string, RawValue][] {
  const entries = Object.entries(raw);
  const named = entries.filter(([name]) => !INDEX.test(name));
  return named.length > 0 ? named : entries;
}

/**
 * Reads `populate` in any of its forms. Where a list and named keys are mixed, the named keys count and the list is
 * ignored, as in Strapi.
 *
 * @param values receives the operands of nested filters.
 * @throws ContentError 400 for a value of another form, and for forms that are mixed under one name.
 */
export function parsePopulate(raw: RawValue, values: unknown[]): Populate {
  if (raw === undefined || raw === null || raw === '' || isEmptyList(raw)) return { kind: 'none' };
  if (raw === '*') return { kind: 'all' };
  if (typeof raw === 'string') return names([raw]);
  if (Array.isArray(raw)) {
    return names(
      raw.map((name) => {
        if (typeof name !== 'string') throw badPopulate();
        return name;
      }),
    );
  }
  if (isRawObject(raw)) {
    return { kind: 'entries', entries: namedEntries(raw).map(([name, value]) => parseEntry(name, value, values)) };
  }
  throw badPopulate();
}

function names(texts: readonly string[]): Populate {
  const all = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  const unique = [...new Set(all.filter((name) => name !== ''))];
  for (const name of unique) checkDepth('populate', name.split('.').length);
  return unique.length === 0 ? { kind: 'none' } : { kind: 'names', names: unique };
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  '*': true,
  false: false,
  f: false,
  '0': false,
};

/** The value of a flag; undefined for another text. For one attribute `*` means `true`. */
function flagOf(value: RawValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && Object.hasOwn(FLAGS, value) ? FLAGS[value] : undefined;
}

function parseEntry(name: string, value: RawValue, values: unknown[]): PopulateEntry {
  if (isRawObject(value)) return { name, kind: 'options', options: parseOptions(value, values) };
  const flag = flagOf(value);
  if (flag !== undefined) return { name, kind: 'flag', value: flag };
  if (typeof value === 'string') return { name, kind: 'text', text: value };
  throw validation("Invalid nested populate. Expected '*' or an object", { hint: `at ${name}` });
}

function parseOptions(raw: RawObject, values: unknown[]): PopulateOptions {
  const on = raw['on'];
  return {
    fields: parseFields(raw['fields']),
    // `@strapi/client` writes null as an empty text
    filters: raw['filters'] === '' ? undefined : parseFilters(raw['filters'], values),
    sort: parseSort(raw['sort']),
    populate: parsePopulate(raw['populate'], values),
    count: raw['count'] === undefined ? false : raw['count'] === '*' ? 'invalid' : (flagOf(raw['count']) ?? 'invalid'),
    on:
      on === undefined
        ? undefined
        : isRawObject(on)
          ? Object.entries(on).map(([name, value]) => parseEntry(name, value, values))
          : 'invalid',
    keys: namedEntries(raw).map(([key]) => key),
  };
}
