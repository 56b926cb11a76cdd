/** Parameters of `strapi.documents` where the project wants none that are wrong (`documents.strictParams` of `config/api`). */
import { CONTENT_PARAMS } from '../../../access/known-params.ts';
import { validation } from '../../../errors.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

/** Those of requests, and what else operations on documents take. */
const KNOWN: readonly string[] = ['documentId', 'data', ...CONTENT_PARAMS, 'withCount'];

/** The least that each number of a page may be. */
const LEAST: Readonly<Record<string, number>> = { page: 1, pageSize: 1, start: 0, limit: 1 };
/** Language, and what narrows it. */
const LOCALE = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;
const LOCALE_LENGTH = 35;

/**
 * The parameters that are known, without those that have no value.
 *
 * @throws ContentError 400 for a status, a locale or a page that cannot be meant.
 */
export function strictParams(given: Params): Params {
  const params: Params = {};
  for (const name of KNOWN) if (name in given) params[name] = given[name];
  for (const name of ['status', 'locale', 'withCount', ...Object.keys(LEAST)]) {
    if (isNone(params[name])) delete params[name];
  }
  requireStatus(params['status']);
  if (params['locale'] !== undefined) {
    const locale = localeOf(params['locale']);
    if (locale === undefined) delete params['locale'];
    else params['locale'] = locale;
  }
  return { ...params, ...pageOf(params) };
}

/** Whether nothing is given: code hands on what a request may leave empty. */
const isNone = (value: unknown): boolean => value === undefined || value === null || value === '';

function requireStatus(status: unknown): void {
  if (status === undefined || status === 'published' || status === 'draft') return;
  throw validation(`Invalid parameter at 'status'. Expected 'published' or 'draft', received: ${status}`);
}

/** One locale, or several of which those without a name are left out; undefined where none is left. */
function localeOf(given: unknown): string | readonly string[] | undefined {
  if (!Array.isArray(given)) {
    if (isPlain(given)) {
      const expected = 'Expected a string, array of strings, empty string, null, or undefined';
      throw validation(`Invalid parameter at 'locale'. ${expected}; received: object`, { received: given });
    }
    return codeOf(given, 'locale');
  }
  const named = given.filter((one) => typeof one === 'string' && one !== '');
  return named.length === 0 ? undefined : named.map((one, index) => codeOf(one, `locale[${index}]`));
}

function codeOf(locale: unknown, path: string): string {
  const wrong = (what: string, details?: Readonly<Record<string, unknown>>) =>
    validation(`Invalid parameter at '${path}'. ${what}`, details);
  if (typeof locale !== 'string') {
    throw wrong(`Expected a string, received: ${typeof locale}`, { received: locale });
  }
  if (locale === '*') return locale;
  if (locale.length > LOCALE_LENGTH) throw wrong(`Locale exceeds maximum length of ${LOCALE_LENGTH} characters.`);
  if (!LOCALE.test(locale)) throw wrong('Locale must be a valid BCP 47 format (e.g. en, en-US, zh-Hans).');
  return locale;
}

/** The numbers of a page, which may be texts. */
function pageOf(params: Params): Params {
  const has = (...names: string[]): boolean => names.some((name) => params[name] !== undefined);
  if (has('page', 'pageSize') && has('start', 'limit')) {
    const both = 'page-based (page, pageSize) and offset-based (start, limit) pagination in the same query';
    throw validation(`Invalid pagination parameters. Cannot use both ${both}.`);
  }
  const page: Params = {};
  for (const [name, least] of Object.entries(LEAST)) {
    if (!has(name)) continue;
    const number = Number(params[name]);
    const isAll = name === 'limit' && number === -1;
    if (!isAll && !(Number.isInteger(number) && number >= least)) {
      const expected = `integer >= ${least}${name === 'limit' ? ' or -1' : ''}`;
      throw validation(`Invalid parameter at '${name}'. Expected ${expected}, received: ${params[name]}`);
    }
    page[name] = number;
  }
  const { withCount } = params;
  if (withCount === undefined) return page;
  if (typeof withCount !== 'boolean' && withCount !== 'true' && withCount !== 'false') {
    throw validation(`Invalid parameter at 'withCount'. Expected a boolean, received: ${typeof withCount}`);
  }
  return { ...page, withCount: String(withCount) === 'true' };
}
