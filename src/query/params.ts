/**
 * Request → RawParams: bracket notation into plain values (docs/reference/query-parameters.md, "How a query string is
 * read"). Knows neither schema nor meaning of a parameter.
 */
import { type IParseOptions, parse } from 'qs';
import { validation } from '../errors.ts';
import { isObject } from '../plain-values.ts';

/** A value of a query string: text, null for a key without `=`, lists and objects of those. */
export type RawValue = string | null | boolean | undefined | RawValue[] | { [key: string]: RawValue };
export type RawObject = { [key: string]: RawValue };

/** Limits of a query string; `docs/reference/limits.md` lists them. */
export const queryLimits = {
  /** Entries of one list, as in the reference, which drops the condition of a longer list; here it is refused. */
  listEntries: 100,
  /** Bracket levels. Deeper brackets become one literal key, hence an invalid key. */
  depth: 20,
  /** Relations in a chain, in dots or brackets. Engines limit how deep an expression may be. */
  relationDepth: 15,
  /** Parameters of one query string. */
  parameters: 1000,
} as const;

const decodeSafely = decoderOf('query string');

const options: IParseOptions = {
  strictNullHandling: true,
  arrayLimit: queryLimits.listEntries,
  depth: queryLimits.depth,
  parameterLimit: queryLimits.parameters,
  throwOnLimitExceeded: true,
  // `filters[constructor]` must be an invalid key, not a condition that vanishes
  plainObjects: true,
  decoder: (text, decode, charset, kind) => {
    const decoded: unknown = decodeSafely(text, decode, charset, kind);
    if (kind === 'key') requireBracketed(String(decoded));
    return decoded;
  },
};

const EMPTY: RawObject = Object.freeze(Object.create(null));

/**
 * Reads a raw query string (without `?`).
 *
 * @throws ContentError 400 for text that is not percent-encoded UTF-8, U+0000, misplaced brackets, too many
 * parameters or list entries.
 */
export function parseParams(text: string): RawObject {
  if (text === '') return EMPTY;
  const decoded = decode(text);
  if (decoded.includes('\0')) throw validation('The query string cannot contain U+0000');
  let params: RawObject;
  try {
    params = parse(text, options) as RawObject;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // the library counts the parameters first, and then the entries of lists
    const list = text.split('&', queryLimits.parameters + 1).length <= queryLimits.parameters;
    throw validation(
      list
        ? `A list in the query string can have at most ${queryLimits.listEntries} entries`
        : `The query string can have at most ${queryLimits.parameters} parameters`,
    );
  }
  if (EMPTY_ENTRY.test(decoded)) emptyLists(params);
  return params;
}

/** An entry of a list without text: `fields[]`, `fields[]=`, `fields[0]=`. */
const EMPTY_ENTRY = /\[\d*\]=?(?:&|$)/;

/** Parameters and operators that take a list. Single-value operators compare with the empty text. */
const TAKE_LISTS: ReadonlySet<string> = new Set([
  'fields',
  'filters',
  'populate',
  'sort',
  '$and',
  '$or',
  '$in',
  '$notIn',
]);

/** Reads `fields[]=`, the empty list as `@strapi/client` writes it, as `fields[]`, at every level. */
function emptyLists(params: RawObject | RawValue[]): void {
  for (const [key, value] of Object.entries(params)) {
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) || value.length > 1 || value[0] !== '') emptyLists(value);
    else if (TAKE_LISTS.has(key)) value[0] = null;
  }
}

/** A name with brackets behind it. qs ignores characters between or behind the brackets. */
const BRACKETED = /^[^[\]]*(?:\[[^[\]]*\])*$/;

/** Refuses a key of which qs would ignore a part: `filters[title]$ne` is not `filters[title]`. */
function requireBracketed(key: string): void {
  if (!BRACKETED.test(key)) throw validation(`Misplaced brackets in the parameter ${key}`);
}

/** The signature that qs uses. A program that embeds the server need not have the types of qs. */
type Decoder = (
  text: string,
  decode: (text: string, decode?: unknown, charset?: string) => string,
  charset: string,
  kind?: 'key' | 'value',
) => unknown;

const PROTO = /(?:^|\[)__proto__(?:$|[[\]])/;

/**
 * Decodes keys and values of a query string or form for qs, which drops the key `__proto__` silently, and with it a
 * condition. As a value `__proto__` is text like any other.
 *
 * @param within names the decoded text in messages.
 * @throws ContentError 400 for that key.
 */
export function decoderOf(within: string): Decoder {
  return (text, decode, charset, kind) => {
    const decoded = decode(text, decode, charset);
    if (kind === 'key' && PROTO.test(String(decoded))) throw validation(`Invalid key __proto__ in the ${within}`);
    return decoded;
  };
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw validation('The query string is not percent-encoded UTF-8');
  }
}

/**
 * The value of a single-value parameter: a list of one value counts as that value (`status[]=draft`), an empty list as
 * null. Longer lists stay, and are refused later.
 */
export function singleValue(raw: RawValue): RawValue {
  return Array.isArray(raw) && raw.length <= 1 ? (raw[0] ?? null) : raw;
}

/** True for an empty list, which a query string writes as `fields[]` or `fields[]=`. */
export function isEmptyList(raw: RawValue): boolean {
  return Array.isArray(raw) && (raw.length === 0 || (raw.length === 1 && raw[0] === null));
}

/**
 * A single text; empty where the parameter is missing.
 *
 * @throws ContentError 400 for a list or an object.
 */
export function textParam(params: RawObject, name: string): string {
  const value = params[name] ?? '';
  if (typeof value !== 'string') throw validation(`${name} must be one value`);
  return value;
}

/** True for an object of bracket keys, which is neither a list nor a text. */
export function isRawObject(value: RawValue): value is RawObject {
  return isObject(value);
}
