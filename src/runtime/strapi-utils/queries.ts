/** Functions of `@strapi/utils` for queries and their schemas. */
import { CONTENT_PARAMS } from '../../access/known-params.ts';
import { isPlain } from '../documents/plain-params.ts';
import { errors } from '../requests/strapi-errors.ts';

const COMPARED = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'];
const LISTS = ['$in', '$notIn', '$between'];
const OF_TEXTS = ['startsWith', 'endsWith', 'contains', 'notContains'].flatMap((name) => [`$${name}`, `$${name}i`]);

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  where: ['$not', '$null', '$notNull', '$eqi', '$nei', '$jsonSupersetOf', ...COMPARED, ...LISTS, ...OF_TEXTS],
  cast: ['$not', ...COMPARED, ...LISTS],
  group: ['$and', '$or'],
  array: LISTS,
};

function isOperatorOfType(type: string, key: string, ignoreCase = false): boolean {
  const operators = Object.hasOwn(OPERATORS, type) ? OPERATORS[type]! : [];
  return ignoreCase ? operators.some((one) => one.toLowerCase() === key.toLowerCase()) : operators.includes(key);
}

const SHARED_QUERY_PARAM_KEYS = CONTENT_PARAMS.filter((name) => !['pagination', 'count', 'ordering'].includes(name));

const COHORTS = [
  ...['never-published', 'has-published-version', 'modified', 'unmodified', 'never-published-document'],
  ...['has-published-version-document', 'published-without-draft', 'published-with-draft'],
];

function parsePublicationFilter(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && COHORTS.includes(value)) return value;
  throw new errors.ValidationError(`Invalid value for 'publicationFilter'. Expected one of: ${COHORTS.join(', ')}.`);
}

function parseHasPublishedVersionQueryParam(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new errors.ValidationError(
    "Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.",
  );
}

/** A schema of zod, as far as it is changed here. */
type Zod = Readonly<Record<'optional' | 'nonoptional' | 'readonly', () => Zod>> & {
  default(value: unknown): Zod;
  min(value: number): Zod;
  max(value: number): Zod;
};
type Change = (schema: Zod) => Zod;

type Middleware = string | { readonly name?: string; readonly [key: string]: unknown };

/** Merges two values: lists contain the entries of both. */
function merged(value: unknown, more: unknown): unknown {
  if (Array.isArray(value)) return [...new Set([...value, ...[more].flat()])];
  if (!isPlain(value) || !isPlain(more)) return more === undefined ? value : more;
  const both = Object.entries(more).map(([key, one]) => [key, key in value ? merged(value[key], one) : one]);
  return { ...value, ...Object.fromEntries(both) };
}

export const queries = {
  isOperatorOfType,
  isOperator: (key: string, ignoreCase = false): boolean =>
    Object.keys(OPERATORS).some((type) => isOperatorOfType(type, key, ignoreCase)),
  SHARED_QUERY_PARAM_KEYS,
  ALLOWED_QUERY_PARAM_KEYS: [...CONTENT_PARAMS],
  RESERVED_INPUT_PARAM_KEYS: ['id', 'documentId'],
  parsePublicationFilter,
  parseHasPublishedVersionQueryParam,
  validatePublicationFilterQueryParam: (value: unknown): void => void parsePublicationFilter(value),
  hasPublishedVersionBooleanToPublicationFilterMode: (value: boolean): string =>
    value ? 'has-published-version-document' : 'never-published-document',
  /** Caches the results of a function by name. */
  createModelCache: (getModel: (uid: string) => unknown) => {
    const known = new Map<string, unknown>();
    return {
      getModel: (uid: string): unknown => {
        if (!known.get(uid)) known.set(uid, getModel(uid));
        return known.get(uid);
      },
      clear: () => known.clear(),
    };
  },
};

/** The expressions that find `<%= name %>` in a text. */
export const template = {
  createStrictInterpolationRegExp: (names: readonly string[], flags?: string) =>
    new RegExp(`<%=\\s*(${names.join('|')})\\s*%>`, flags),
  createLooseInterpolationRegExp: (flags?: string) => new RegExp(/<%=([\s\S]+?)%>/, flags),
};

/** Functions that change zod schemas, and a project's list of middlewares. */
export const schemas = {
  maybeRequired: (required?: boolean): Change =>
    required === true ? (one) => one.nonoptional() : (one) => one.optional(),
  maybeReadonly: (writable?: boolean): Change => (writable === false ? (one) => one.readonly() : (one) => one),
  maybeWithDefault:
    (value: unknown): Change =>
    (one) => {
      if (value === undefined) return one;
      return one.default(typeof value === 'function' ? (value as () => unknown)() : value);
    },
  maybeWithMinMax:
    (min?: number, max?: number): Change =>
    (one) =>
      min === undefined || max === undefined ? one : one.min(min).max(max),
  augmentSchema: (schema: Zod, changes: readonly Change[]): Zod => changes.reduce((one, change) => change(one), schema),
  CSP_DEFAULTS: {
    'connect-src': ["'self'", 'https:'],
    'img-src': ["'self'", 'data:', 'blob:', 'https://market-assets.strapi.io'],
    'media-src': ["'self'", 'data:', 'blob:'],
  },
  extendMiddlewareConfiguration: (middlewares: readonly Middleware[], more: Middleware & object): Middleware[] =>
    middlewares.map((one) => {
      if (one === more.name) return more;
      return typeof one === 'object' && one.name === more.name ? (merged(one, more) as Middleware) : one;
    }),
};
