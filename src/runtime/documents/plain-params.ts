/** Parameters of the document service as code writes them, in the form that Galley's document service takes. */
import { CONTENT_PARAMS } from '../../access/known-params.ts';
import { ContentError, validation } from '../../errors.ts';
import type { Catalog, ContentType, Model } from '../../schema/catalog.ts';
import { conditionsOf, modelBehind } from './conditions.ts';
import type { Params } from './lifecycles.ts';

/**
 * Parameters with conditions in the form that Galley's document service takes.
 *
 * @param ofRows whether the conditions may be those of rows, which listeners receive.
 */
export function plainParams(params: Params, type: ContentType, catalog: Catalog, ofRows = false): Params {
  // the reference's document service has pages by parameters of their own, and does not know `pagination`
  const { filters, where: _where, pagination: _pagination, populate, status, ...rest } = params;
  if (rest['lookup']) throw validation("Invalid params: 'lookup'");
  if (filters !== undefined && filters !== null && typeof filters !== 'object') {
    throw validation('Invalid filters: they must be an object');
  }
  const isNone = !filters || (Array.isArray(filters) && filters.length === 0);
  return {
    ...rest,
    // any other status is a draft's, as in the reference
    ...(status === undefined ? {} : { status: status === 'published' ? status : 'draft' }),
    ...(populate === undefined ? {} : { populate: plainPopulate(populate, { catalog, model: type, ofRows }) }),
    ...(isNone ? {} : { filters: plainFilters(conditionsOf(catalog, type, filters, ofRows), type) }),
  };
}

/**
 * Parameters of a list with the page of the reference: that of `start` and `limit`, without empty values and a limit of
 * 0. `page` and `pageSize` have no effect there.
 *
 * @throws ContentError 400 for invalid numbers, and for both kinds of pagination at once.
 */
export function pagedParams({ page, pageSize, start, limit, ...rest }: Params): Params {
  if ((page ?? pageSize) != null && (start ?? limit) != null) {
    throw new ContentError('PaginationError', 'Cannot use both page & offset pagination in the same query');
  }
  for (const [name, value] of Object.entries({ page, pageSize })) {
    if (value == null || (Number.isInteger(Number(value)) && Number(value) > 0)) continue;
    throw new ContentError(
      'PaginationError',
      `Invalid '${name}' parameter. Expected an integer > 0, received: ${value}`,
    );
  }
  for (const [name, value] of Object.entries({ start, limit })) {
    const least = name === 'limit' ? -1 : 0;
    if (value != null && (!Number.isInteger(Number(value)) || Number(value) < least)) {
      throw validation(`Invalid '${name}' parameter. Expected an integer, received: ${value}`);
    }
  }
  return {
    ...rest,
    ...(start == null ? {} : { start: Number(start) }),
    ...(limit == null || Number(limit) <= 0 ? {} : { limit: Number(limit) }),
  };
}

/**
 * Whether parameters of a single read name a version at all: in no row the locale is `*`.
 *
 * @throws ContentError 400 for several locales.
 */
export function namesVersion({ localized }: ContentType, { locale }: Params): boolean {
  if (!localized || !locale) return true;
  if (typeof locale !== 'string') {
    throw validation(`Invalid locale param ${locale} provided. Document locales must be strings.`);
  }
  return locale !== '*';
}

interface Place {
  readonly catalog: Catalog;
  readonly model: Model | undefined;
  readonly ofRows: boolean;
}

/** `populate` with plain conditions at every depth. */
function plainPopulate(populate: unknown, { catalog, model, ofRows }: Place): unknown {
  if (!isPlain(populate)) return populate;
  const fragments = (on: unknown): unknown => {
    if (!isPlain(on)) return on;
    const modelAt = (uid: string) => catalog.components.get(uid) ?? catalog.contentTypes.get(uid);
    return Object.fromEntries(Object.entries(on).map(([uid, one]) => [uid, optionsOf(one, modelAt(uid))]));
  };
  const optionsOf = (options: unknown, target: Model | undefined): unknown => {
    if (!isPlain(options)) return options;
    const { filters, populate: below, on, ...rest } = options;
    const isText = typeof filters !== 'object';
    return {
      ...rest,
      ...(filters ? { filters: isText ? filters : plainFilters(conditionsOf(catalog, target, filters, ofRows)) } : {}),
      ...(below === undefined ? {} : { populate: plainPopulate(below, { catalog, model: target, ofRows }) }),
      ...(on === undefined ? {} : { on: fragments(on) }),
    };
  };
  return Object.fromEntries(
    Object.entries(populate).map(([name, options]) => [name, optionsOf(options, modelBehind(catalog, model, name))]),
  );
}

/**
 * Conditions in which null, lists, and ids in place of relations are replaced by operators. A condition without a value is
 * not dropped, because every row would match: it compares with the text `undefined`, as in the reference.
 *
 * @throws Error for an id, a relation or a group without a value.
 */
export function plainFilters(filters: unknown, model?: Model): unknown {
  if (Array.isArray(filters)) return filters.map((one) => plainFilters(one, model));
  if (!isPlain(filters)) return filters;
  return Object.fromEntries(
    Object.entries(filters)
      .filter(([name, value]) => value !== undefined || name !== '$not')
      .map(([name, operand]) => {
        const value = operand === undefined ? valueless(name, model) : operand;
        const { type } = model?.attributes.get(name) ?? {};
        const isLink = type === 'relation' || type === 'media' || type === 'component';
        if (isLink && (typeof value === 'number' || typeof value === 'string')) return [name, { id: ofNumbers(value) }];
        if (name === 'id' && value !== null) return [name, ofNumbers(plainFilters(value))];
        if (isLink && isPlain(value) && Object.keys(value).some((key) => OPERATORS_OF_IDS.has(key))) {
          return [name, ofIds(value)];
        }
        if (isPlain(value) && Array.isArray(value['$notIn']) && value['$notIn'].length === 0) {
          const { $notIn: _none, ...others } = value;
          // rows without a value meet it as well
          const met = { $or: [{ $null: true }, { $notNull: true }] };
          return [name, Object.keys(others).length === 0 ? met : plainFilters(others)];
        }
        if (value === null && !name.startsWith('$')) return [name, { $null: true }];
        if (value === null && (name === '$eq' || name === '$ne')) return [name === '$eq' ? '$null' : '$notNull', true];
        if (Array.isArray(value) && !name.startsWith('$')) return [name, { $in: value }];
        return [name, plainFilters(value, name.startsWith('$') ? model : undefined)];
      }),
  );
}

/** Whether a value may be the id of a row: a number, or a value of the caller in a rule of access (`$user.id`). */
const isNumber = (id: unknown): boolean =>
  typeof id === 'string'
    ? id.startsWith('$') || (id.trim() !== '' && Number.isFinite(Number(id)))
    : !Number.isNaN(id as number);

/**
 * A condition on an id, in which a text that is no number, and `NaN`, is the id of no row: code looks for a document id
 * among the ids of rows.
 */
function ofNumbers(condition: unknown): unknown {
  if (Array.isArray(condition)) return { $in: condition.filter(isNumber) };
  if (!isPlain(condition)) return isNumber(condition) ? condition : { $in: [] };
  const tests = Object.entries(condition).map(([name, value]): [string, unknown] => {
    if (name === '$eq' && !isNumber(value)) return ['$in', []];
    if (name === '$ne' && !isNumber(value)) return ['$notNull', true];
    if ((name !== '$in' && name !== '$notIn') || !Array.isArray(value)) return [name, value];
    const numbers = value.filter(isNumber);
    return name === '$notIn' && numbers.length === 0 ? ['$notNull', true] : [name, numbers];
  });
  return Object.fromEntries(tests);
}

/** The operand of a condition without a value. */
function valueless(name: string, model: Model | undefined): unknown {
  if (name === '$null' || name === '$notNull') return false;
  const { type = '' } = model?.attributes.get(name) ?? {};
  const isText = !['id', '$and', '$or'].includes(name) && !/^(?:relation|media|component|dynamiczone)$/.test(type);
  if (!isText) throw new Error(`Undefined binding(s) detected: the condition ${name} has no value`);
  return 'undefined';
}

/** Operators that stand at a relation in the place of its id. */
const OPERATORS_OF_IDS: ReadonlySet<string> = new Set(['$in', '$notIn', '$eq', '$ne']);

/** Conditions on a related document, with conditions on the id under `id`. */
function ofIds(filters: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(filters);
  const ids = entries.filter(([key]) => OPERATORS_OF_IDS.has(key));
  for (const [, value] of ids) if ([value].flat().includes(undefined)) valueless('id', undefined);
  const others = entries.filter(([key]) => !OPERATORS_OF_IDS.has(key));
  const id = 'id' in filters ? { $and: [ofId(filters['id']), Object.fromEntries(ids)] } : Object.fromEntries(ids);
  return { ...Object.fromEntries(others), id: isPlain(id) ? ofNumbers(id) : id };
}

const ofId = (value: unknown): unknown => (isPlain(value) ? value : { $eq: value });

export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/**
 * Parameters without the locale of types that are not localized. Their rows have no locale, and conditions may test
 * that.
 */
export function withoutLocale(catalog: Catalog, model: Model | undefined, params: Params): Params {
  const isUnlocalized = model?.modelType === 'contentType' && !model.localized && !model.attributes.has('locale');
  const entries = Object.entries(params).map(([name, value]): [string, unknown] => {
    if (name === 'filters' || name === 'where') return [name, conditionsWithoutLocale(catalog, model, value)];
    if (name === 'populate' && isPlain(value)) return [name, populatedWithoutLocale(catalog, model, value)];
    if (!isUnlocalized) return [name, value];
    if (name === 'fields' || name === 'select') return [name, namesWithoutLocale(value)];
    return [name, name === 'sort' || name === 'orderBy' ? orderWithoutLocale(value) : value];
  });
  return Object.fromEntries(entries);
}

function populatedWithoutLocale(catalog: Catalog, model: Model | undefined, populate: Params): Params {
  const of = (target: Model | undefined, value: unknown): unknown => {
    if (!isPlain(value)) return value;
    const { on, ...options } = value;
    const fragments = isPlain(on)
      ? Object.entries(on).map(([uid, one]) => [
          uid,
          of(catalog.contentTypes.get(uid) ?? catalog.components.get(uid), one),
        ])
      : undefined;
    return { ...withoutLocale(catalog, target, options), ...(fragments ? { on: Object.fromEntries(fragments) } : {}) };
  };
  return Object.fromEntries(
    Object.entries(populate).map(([name, value]) => [name, of(modelBehind(catalog, model, name), value)]),
  );
}

function namesWithoutLocale(names: unknown): unknown {
  const listed = typeof names === 'string' ? names.split(',').map((name) => name.trim()) : names;
  if (!Array.isArray(listed) || !listed.includes('locale')) return names;
  const others = listed.filter((name) => name !== 'locale');
  return others.length > 0 ? others : ['id'];
}

function orderWithoutLocale(order: unknown): unknown {
  if (Array.isArray(order)) {
    const remaining = order.map(orderWithoutLocale).filter((one) => one !== undefined);
    return remaining.length > 0 ? remaining : undefined;
  }
  if (typeof order === 'string') {
    const remaining = order.split(',').filter((one) => !/^\s*locale\s*(?:$|:)/.test(one));
    return remaining.length > 0 ? remaining.join(',') : undefined;
  }
  if (!isPlain(order)) return order;
  const { locale: _locale, ...others } = order;
  return Object.keys(others).length > 0 ? others : undefined;
}

function conditionsWithoutLocale(catalog: Catalog, model: Model | undefined, conditions: unknown): unknown {
  if (Array.isArray(conditions)) return conditions.map((one) => conditionsWithoutLocale(catalog, model, one));
  if (!isPlain(conditions) || model?.modelType !== 'contentType') return conditions;
  const isUnlocalized = !model.localized && !model.attributes.has('locale');
  const remaining = Object.entries(conditions).map(([name, value]): [string, unknown] => {
    const behind = name.startsWith('$') ? model : modelBehind(catalog, model, name);
    return [name, behind ? conditionsWithoutLocale(catalog, behind, value) : value];
  });
  const { locale, ...others } = Object.fromEntries(remaining) as Params;
  if (!isUnlocalized || locale === undefined) return Object.fromEntries(remaining);
  const met = { id: isNoLocale(locale) ? { $notNull: true } : { $null: true } };
  return { $and: [...(Object.keys(others).length > 0 ? [others] : []), met] };
}

/** Whether a condition is met by rows without a locale. */
function isNoLocale(condition: unknown): boolean {
  if (!isPlain(condition)) return condition === null;
  const { $null, $notNull, $eq } = condition;
  return $null === true || $notNull === false || $eq === null;
}

/** Parameters of requests, and further ones of operations on documents. */
const KNOWN: readonly string[] = ['documentId', 'data', ...CONTENT_PARAMS, 'withCount'];

/** The least that each number of a page may be. */
const LEAST: Readonly<Record<string, number>> = { page: 1, pageSize: 1, start: 0, limit: 1 };
/** A language with subtags. */
const LOCALE = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;
const LOCALE_LENGTH = 35;

/**
 * The known parameters that have a value.
 *
 * @throws ContentError 400 for an invalid status, locale or page.
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

/** Whether a value is empty: code passes on parameters that a request may leave empty. */
const isNone = (value: unknown): boolean => value === undefined || value === null || value === '';

function requireStatus(status: unknown): void {
  if (status === undefined || status === 'published' || status === 'draft') return;
  throw validation(`Invalid parameter at 'status'. Expected 'published' or 'draft', received: ${status}`);
}

/** One locale, or a list without empty names; undefined where the list is empty. */
function localeOf(value: unknown): string | readonly string[] | undefined {
  if (!Array.isArray(value)) {
    if (isPlain(value)) {
      const expected = 'Expected a string, array of strings, empty string, null, or undefined';
      throw validation(`Invalid parameter at 'locale'. ${expected}; received: object`, { received: value });
    }
    return codeOf(value, 'locale');
  }
  const named = value.filter((one) => typeof one === 'string' && one !== '');
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
