/** RawParams → ContentQuery, and the parameters that select rows: status, cohort, locale. */
import { validation } from '../errors.ts';
import type { Cohort, ContentQuery, LocaleChoice, Search, Status } from './content-query.ts';
import { parseFilters } from './filters.ts';
import { type RawObject, type RawValue, singleValue } from './params.ts';
import { parseFields, parsePopulate } from './populate.ts';
import { parseSort } from './sort.ts';

export const COHORTS: readonly Cohort[] = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
];

/** A parsed query: the tree, and the values of its slots. */
export interface ParsedQuery {
  readonly query: ContentQuery;
  readonly values: readonly unknown[];
}

/**
 * Parses every parameter that shapes content, apart from pagination and locale, which do not change the plan.
 *
 * @throws ContentError 400 for a parameter of the wrong form.
 */
export function parseQuery(params: RawObject): ParsedQuery {
  const values: unknown[] = [];
  const filters = parseFilters(params['filters'], values);
  const sort = parseSort(params['sort']);
  const fields = parseFields(params['fields']);
  const populate = parsePopulate(params['populate'], values);
  const term = parseSearch(params['_q']);
  const query: ContentQuery = {
    filters,
    sort,
    fields,
    populate,
    search: term === undefined ? undefined : searchSlot(term, values),
    status: singleValue(params['status']) == null ? undefined : parseStatus(params['status']),
    cohort: parseCohort(params),
  };
  return { query, values };
}

/** The word `release` in a query string, with any of its letters percent-encoded. */
const RELEASE = /(?:r|%72)(?:e|%65)(?:l|%6c)(?:e|%65)(?:a|%61)(?:s|%73)(?:e|%65)/i;

/** Whether a query string may have a parameter `release`: found without parsing, which most requests do without. */
export const mayNameRelease = (query: string): boolean =>
  query.includes('release') || (query.includes('%') && RELEASE.test(query));

/**
 * `release`: the name of a release that is previewed; undefined without one.
 *
 * @throws ContentError 400 for another form, and beside a status or cohort, which choose among stored rows.
 */
export function parseRelease(params: RawObject): string | undefined {
  const raw = singleValue(params['release']);
  if (raw === undefined || raw === null) return undefined;
  const param = { source: 'query', param: 'release' };
  if (typeof raw !== 'string' || raw === '') throw validation('The release parameter must be a name', param);
  const status = singleValue(params['status']);
  const isOther = status !== undefined && status !== null && status !== 'published';
  if (isOther || parseCohort(params) !== undefined) {
    throw validation('A preview of a release cannot be combined with a status or a publication filter', param);
  }
  return raw;
}

/** `_q`: a text; empty or absent means no search. */
function parseSearch(value: RawValue): string | undefined {
  const raw = singleValue(value);
  if (raw === undefined || raw === null || raw === '') return undefined;
  if (typeof raw !== 'string') throw validation('The _q parameter must be a string');
  return raw;
}

/** The term is searched as text; a number also in the digits of number attributes. */
function searchSlot(term: string, values: unknown[]): Search {
  const numeric = term.trim() !== '' && Number.isFinite(Number(term));
  return { slot: values.push(term) - 1, numeric };
}

/**
 * `status`: the two words, else 400 (docs/reference/query-parameters.md, "Status and publication"). Absent or without
 * value: published.
 */
export function parseStatus(value: RawValue): Status {
  const raw = singleValue(value);
  if (raw === undefined || raw === null) return 'published';
  if (raw === 'draft' || raw === 'published') return raw;
  throw validation("Invalid value for 'status'. Expected one of: draft, published.", {
    source: 'query',
    param: 'status',
  });
}

/** `publicationFilter`, or what the deprecated `hasPublishedVersion` maps to (docs/reference/query-parameters.md). */
export function parseCohort(params: RawObject): Cohort | undefined {
  const flag = params['hasPublishedVersion'];
  if (flag !== undefined && flag !== 'true' && flag !== 'false') {
    throw validation("Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.");
  }
  const raw = params['publicationFilter'];
  if (raw !== undefined) {
    const cohort = COHORTS.find((name) => name === raw);
    if (!cohort) {
      throw validation(`Invalid value for 'publicationFilter'. Expected one of: ${COHORTS.join(', ')}.`, {
        source: 'query',
        param: 'publicationFilter',
      });
    }
    return cohort;
  }
  if (flag === undefined) return undefined;
  return flag === 'true' ? 'has-published-version-document' : 'never-published-document';
}

/**
 * `locale` of a list: one code, `*`, or several. Absent or empty: the default locale.
 *
 * @throws ContentError 400 for an object.
 */
export function parseLocales(raw: RawValue): LocaleChoice {
  if (raw === undefined || raw === null || raw === '') return { kind: 'default' };
  if (raw === '*') return { kind: 'all' };
  if (typeof raw === 'string') return { kind: 'some', codes: [raw] };
  if (Array.isArray(raw) && raw.every((code) => typeof code === 'string')) {
    return raw.includes('*') ? { kind: 'all' } : { kind: 'some', codes: raw };
  }
  throw validation('Invalid locale parameter. Expected a locale code or a list of codes');
}

/**
 * `locale` of one document: one code (docs/reference/query-parameters.md, "Locale").
 *
 * @throws ContentError 400 for a list or an object.
 */
export function parseLocale(raw: RawValue): string | undefined {
  if (raw === undefined || raw === null || raw === '') return undefined;
  if (typeof raw === 'string') return raw;
  throw validation(
    `Invalid locale param ${Array.isArray(raw) ? raw.join(',') : JSON.stringify(raw)} provided. Document locales must be strings.`,
  );
}
