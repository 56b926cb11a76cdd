/**
 * Values of scalar attributes: which are accepted, how they are stored, and how failures are reported
 * (docs/reference/writing.md, "Values").
 */
import { atMost, because, type Failures, NO_EMAIL, type Place } from '../../failures.ts';
import type { ReasonCode, ReasonValues } from '../../reasons.ts';
import type { ScalarAttribute } from '../../schema/catalog.ts';
import { castDate, castDatetime, castTime } from '../../sql/values.ts';
import type { StoredValue } from '../rows/write-context.ts';
import { isTooLong, PASSWORD_BYTES } from './password-hashing.ts';
import type { PatternTime } from './pattern-time.ts';
import { checkBlocks } from './validate-blocks.ts';

/** Values as they are handed to the dialect. */

/** How a value is checked, and where failures are reported. */
export interface Checking {
  /** Whether the rules that drafts are spared apply. */
  readonly strict: boolean;
  /** The place of the value. */
  readonly place: Place;
  readonly failures: Failures;
  readonly patterns: PatternTime;
}

/** The longest string that a varchar(255) column holds, unless the schema sets another limit. */
const STRING_LENGTH = 255;
/** Types that one varchar column holds. */
const SHORT_TEXT: ReadonlySet<string> = new Set(['string', 'email', 'uid', 'password']);
/** The form of an e-mail address. */
export const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@.]+(\.[^\s@.]+)+$/;
/** The form of a uid without a pattern of its own. */
export const UID = /^[A-Za-z0-9-_.~]*$/;

/**
 * Checks one value that is neither absent nor null, and returns the value to be stored; undefined for a wrong value,
 * whose failures are reported. Dates and times are returned as they are and parsed when they are stored (`storedTime`).
 *
 * @throws ContentError 400 if the patterns of a request take too long.
 */
export function checkScalar(attribute: ScalarAttribute, raw: unknown, checking: Checking): StoredValue | undefined {
  const { type } = attribute;
  switch (type) {
    case 'string':
    case 'text':
    case 'richtext':
    case 'email':
    case 'uid':
    case 'password':
      return checkText(attribute, raw, checking);
    case 'enumeration':
      if (typeof raw === 'string' && attribute.enum.includes(raw)) return raw;
      return fail(checking, raw, 'noChoice', () => `must be one of the following values: ${attribute.enum.join(', ')}`);
    case 'integer':
    case 'float':
    case 'decimal':
      return checkNumber(attribute, raw, checking);
    case 'biginteger':
      return checkBigInteger(attribute, raw, checking);
    case 'boolean':
      return checkBoolean(raw, checking);
    case 'date':
    case 'time':
    case 'datetime':
    case 'timestamp':
      return typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? raw : '';
    case 'json':
      return checkJson(raw, checking);
    case 'blocks': {
      const { failures, place } = checking;
      const before = failures.count;
      checkBlocks(raw, place, failures);
      return failures.count > before ? undefined : checkJson(raw, checking);
    }
  }
}

/**
 * An attribute without the limits of its schema, for stored values that are not validated. The limits of its column
 * remain.
 */
export function withoutLimits(attribute: ScalarAttribute): ScalarAttribute {
  const { type, maxLength } = attribute;
  const limits = { min: undefined, max: undefined, minLength: undefined, regex: undefined };
  // a longer text than usual is possible where the schema says so
  const isLong = maxLength !== undefined && maxLength > STRING_LENGTH;
  const plain = type === 'enumeration' ? 'string' : type === 'blocks' ? 'json' : type;
  return { ...attribute, ...limits, type: plain, maxLength: isLong ? maxLength : undefined };
}

/** Reports that a value breaks a rule. */
function fail<C extends ReasonCode>(
  { failures, place }: Checking,
  value: unknown,
  code: C,
  rule: () => string,
  ...values: ReasonValues<C>
): undefined {
  failures.add(
    place,
    because((label) => `${label} ${rule()}`, code, ...values),
    value,
  );
}

function failType({ failures, place }: Checking, type: string, value: unknown): undefined {
  failures.addWrongType(place, type, value);
}

/**
 * The stored form of a date or time that `checkScalar` passed; other types as they are.
 *
 * @throws ContentError 400 without a path, as the reference does at this stage.
 */
export function storedTime(attribute: ScalarAttribute, value: StoredValue): StoredValue {
  if (typeof value !== 'string') return value;
  switch (attribute.type) {
    case 'date':
      return castDate(value, attribute.name);
    case 'time':
      return castTime(value, attribute.name);
    case 'datetime':
    case 'timestamp':
      return castDatetime(value, attribute.name);
    default:
      return value;
  }
}

/** The rule that a text breaks if not every engine can store it. */
function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'cannot contain U+0000';
  return text.isWellFormed() ? undefined : 'cannot contain lone surrogates';
}

function checkText(attribute: ScalarAttribute, raw: unknown, checking: Checking): string | undefined {
  const { type } = attribute;
  if (typeof raw !== 'string') return failType(checking, 'string', raw);
  const problem = unstorable(raw);
  if (problem) return fail(checking, raw, 'characters', () => problem);
  const { strict, failures, place, patterns } = checking;
  const before = failures.count;
  const { minLength, regex } = attribute;
  const maxLength = attribute.maxLength ?? (SHORT_TEXT.has(type) ? STRING_LENGTH : undefined);
  if (type === 'email' && raw === '' && strict) fail(checking, raw, 'required', () => 'cannot be empty');
  else if (type === 'email' && strict && !EMAIL.test(raw)) failures.add(place, NO_EMAIL, raw);
  if (strict && minLength !== undefined && raw.length < minLength) {
    fail(checking, raw, 'tooShort', () => `must be at least ${minLength} characters`, { limit: minLength });
  }
  if (maxLength !== undefined && raw.length > maxLength) {
    failures.add(place, atMost(maxLength), raw);
  }
  // the pattern of a uid takes the place of the built-in one, which tests empty texts as well
  const isTested = raw !== '' || attribute.required || type === 'uid';
  if (strict && regex !== undefined && isTested && !patterns.matches(regex, raw, place)) {
    fail(checking, raw, 'noMatch', () => `must match the following: "${new RegExp(regex)}"`);
  }
  if (strict && regex === undefined && type === 'uid' && !UID.test(raw)) {
    fail(checking, raw, 'noUid', () => `must match the following: "${UID}"`);
  }
  if (type === 'password' && isTooLong(raw)) {
    fail(checking, raw, 'bytes', () => `must be at most ${PASSWORD_BYTES} bytes`, { limit: PASSWORD_BYTES });
  }
  return failures.count > before ? undefined : raw;
}

function numberOf(raw: unknown): number | undefined {
  if (typeof raw === 'number') return raw;
  return typeof raw === 'string' && raw.trim() !== '' ? Number(raw.trim()) : undefined;
}

/** The limits of columns that all engines share (docs/reference/writing.md, "Values"). */
const COLUMN_BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  integer: [-2_147_483_648, 2_147_483_647],
  decimal: [-99_999_999.99, 99_999_999.99],
};

function checkNumber(attribute: ScalarAttribute, raw: unknown, checking: Checking): number | undefined {
  const { type } = attribute;
  const value = numberOf(raw);
  if (value === undefined || Number.isNaN(value)) return failType(checking, 'number', raw);
  if (!Number.isFinite(value)) return fail(checking, raw, 'noNumber', () => 'must be a finite number');
  if (type === 'integer' && !Number.isInteger(value))
    return fail(checking, raw, 'noInteger', () => 'must be an integer');
  const bounds = COLUMN_BOUNDS[type];
  if (bounds && (value < bounds[0] || value > bounds[1])) {
    const [from, to] = bounds;
    return fail(checking, raw, 'between', () => `must be between ${from} and ${to}`, { from, to });
  }
  return isInRange(attribute, raw, checking, (bound) => value - Number(bound)) ? value : undefined;
}

/** Whether a number keeps to `min` and `max`; `compare` compares it with a bound. */
function isInRange(
  { min, max }: ScalarAttribute,
  raw: unknown,
  checking: Checking,
  compare: (bound: number | string) => number,
): boolean {
  const isLess = checking.strict && min !== undefined && compare(min) < 0;
  const isMore = max !== undefined && compare(max) > 0;
  if (isLess) fail(checking, raw, 'tooSmall', () => `must be greater than or equal to ${min}`, { limit: min });
  if (isMore) fail(checking, raw, 'tooLarge', () => `must be less than or equal to ${max}`, { limit: max });
  return !isLess && !isMore;
}

const BIG_MAX = 2n ** 63n - 1n;

function checkBigInteger(attribute: ScalarAttribute, raw: unknown, checking: Checking): bigint | undefined {
  const text =
    typeof raw === 'number' && Number.isSafeInteger(raw)
      ? String(raw)
      : typeof raw === 'bigint'
        ? String(raw)
        : typeof raw === 'string'
          ? raw.trim()
          : '';
  if (!/^[+-]?\d{1,40}$/.test(text)) return fail(checking, raw, 'noInteger', () => 'must be an integer');
  const value = BigInt(text.replace('+', ''));
  if (value > BIG_MAX || value < -BIG_MAX - 1n) return fail(checking, raw, 'tooBig', () => 'must be a 64-bit integer');
  const isKept = isInRange(attribute, raw, checking, (bound) => {
    const difference = value - BigInt(bound);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  });
  return isKept ? value : undefined;
}

function checkBoolean(raw: unknown, checking: Checking): boolean | undefined {
  if (raw === true || raw === 1 || raw === '1' || raw === 'true') return true;
  if (raw === false || raw === 0 || raw === '0' || raw === 'false') return false;
  return failType(checking, 'boolean', raw);
}

/** JSON escapes that not every engine can store in a document. */
const NUL_ESCAPE = /(?<!\\)(?:\\\\)*\\u0000/;
const SURROGATE_ESCAPE = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/i;

function checkJson(raw: unknown, checking: Checking): string | undefined {
  const text = JSON.stringify(raw);
  if (text === undefined) return fail(checking, raw, 'noJson', () => 'must be a JSON value');
  if (NUL_ESCAPE.test(text)) return fail(checking, raw, 'characters', () => 'cannot contain U+0000');
  // well-formed pairs are written as characters, so an escape is a lone one
  if (SURROGATE_ESCAPE.test(text)) return fail(checking, raw, 'characters', () => 'cannot contain lone surrogates');
  return text;
}
