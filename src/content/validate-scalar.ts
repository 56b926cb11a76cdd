/**
 * Values of scalar attributes: what is accepted, what it becomes, and what is told of the rest
 * (behaviour-writes.md, "Attribute values").
 */

import type { ScalarAttribute } from '../schema/catalog.ts';
import { castDate, castDatetime, castTime } from '../sql/values.ts';
import { isTooLong, PASSWORD_BYTES } from './password-hashing.ts';
import { blocksFailures } from './validate-blocks.ts';

/** What checking a value gives: the value to store, or what is wrong with it. */
export type Checked =
  | { readonly value: string | number | boolean | bigint | null }
  | { readonly messages: readonly string[] }
  /** Failures inside a structured value, their paths below the attribute. */
  | { readonly nested: readonly { readonly path: readonly string[]; readonly message: string }[] };

/** The longest string that a varchar(255) column holds, where the schema gives no other limit. */
const STRING_LENGTH = 255;
/** Types that one varchar column holds. */
const SHORT_TEXT: ReadonlySet<string> = new Set(['string', 'email', 'uid', 'password']);
/** The form of an e-mail address. */
export const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@.]+(\.[^\s@.]+)+$/;
const UID = /^[A-Za-z0-9-_.~]*$/;

/**
 * Checks one value that is neither absent nor null. Dates and times pass as they are: they are parsed in a stage of
 * their own, when they are stored (`storedTime`).
 *
 * @param label the attribute's name in messages: `slots[1].label`.
 * @param strict whether the rules that drafts are spared apply.
 */
export function checkScalar(attribute: ScalarAttribute, raw: unknown, label: string, strict: boolean): Checked {
  const { type } = attribute;
  switch (type) {
    case 'string':
    case 'text':
    case 'richtext':
    case 'email':
    case 'uid':
    case 'password':
      return checkText(attribute, raw, label, strict);
    case 'enumeration':
      return typeof raw === 'string' && attribute.enum.includes(raw)
        ? { value: raw }
        : wrong(`${label} must be one of the following values: ${attribute.enum.join(', ')}`);
    case 'integer':
    case 'float':
    case 'decimal':
      return checkNumber(attribute, raw, label, strict);
    case 'biginteger':
      return checkBigInteger(attribute, raw, label, strict);
    case 'boolean':
      return checkBoolean(label, raw);
    case 'date':
    case 'time':
    case 'datetime':
    case 'timestamp':
      return { value: typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? raw : '' };
    case 'json':
      return checkJson(label, raw);
    case 'blocks': {
      const nested = blocksFailures(raw, []);
      return nested.length > 0 ? { nested } : checkJson(label, raw);
    }
  }
}

/**
 * The stored form of a date or time that `checkScalar` passed; other types as they are.
 *
 * @throws ContentError 400 without a path, as the reference does at this stage.
 */
export function storedTime(attribute: ScalarAttribute, value: Stored): Stored {
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

/** Values as they are handed to the dialect. */
export type Stored = string | number | boolean | bigint | null;

const wrong = (...messages: string[]): Checked => ({ messages });

/** Characters that no text column of any engine keeps. */
function unstorable(label: string, text: string): string | undefined {
  if (text.includes('\0')) return `${label} cannot hold U+0000`;
  return text.isWellFormed() ? undefined : `${label} cannot hold lone surrogates`;
}

function checkText(attribute: ScalarAttribute, raw: unknown, label: string, strict: boolean): Checked {
  const { type } = attribute;
  if (typeof raw !== 'string') return wrong(wrongType(label, 'string', raw));
  const problem = unstorable(label, raw);
  if (problem) return wrong(problem);
  const messages: string[] = [];
  const { minLength, regex } = attribute;
  const maxLength = attribute.maxLength ?? (SHORT_TEXT.has(type) ? STRING_LENGTH : undefined);
  if (type === 'email' && raw === '' && strict) messages.push(`${label} cannot be empty`);
  else if (type === 'email' && strict && !EMAIL.test(raw)) messages.push(`${label} must be a valid email`);
  if (strict && minLength !== undefined && raw.length < minLength) {
    messages.push(`${label} must be at least ${minLength} characters`);
  }
  if (maxLength !== undefined && raw.length > maxLength)
    messages.push(`${label} must be at most ${maxLength} characters`);
  if (strict && regex !== undefined && !(raw === '' && !attribute.required)) {
    const pattern = patternOf(attribute, regex);
    if (!pattern.test(raw)) messages.push(`${label} must match the following: "${pattern}"`);
  }
  if (type === 'uid' && strict && !UID.test(raw)) messages.push(`${label} must match the following: "${UID}"`);
  if (type === 'password' && isTooLong(raw)) {
    messages.push(`${label} must be at most ${PASSWORD_BYTES} bytes`);
  }
  return messages.length > 0 ? { messages } : { value: raw };
}

/** An attribute's `regex`, compiled once. */
function patternOf(attribute: ScalarAttribute, regex: string): RegExp {
  const known = patterns.get(attribute);
  if (known) return known;
  const pattern = new RegExp(regex);
  patterns.set(attribute, pattern);
  return pattern;
}

const patterns = new WeakMap<ScalarAttribute, RegExp>();

/** The refusal of a value of another type, in the reference's words. */
export function wrongType(label: string, type: string, value: unknown): string {
  return `${label} must be a \`${type}\` type, but the final value was: \`${show(value)}\`.`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item));
  return (text ?? String(value)).slice(0, 100);
}

function numberOf(raw: unknown): number | undefined {
  if (typeof raw === 'number') return raw;
  return typeof raw === 'string' && raw.trim() !== '' ? Number(raw.trim()) : undefined;
}

/** What the columns hold on every engine (decisions.md, "numbers"). */
const COLUMN_BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  integer: [-2_147_483_648, 2_147_483_647],
  decimal: [-99_999_999.99, 99_999_999.99],
};

function checkNumber(attribute: ScalarAttribute, raw: unknown, label: string, strict: boolean): Checked {
  const { type } = attribute;
  const value = numberOf(raw);
  if (value === undefined || Number.isNaN(value)) return wrong(wrongType(label, 'number', raw));
  if (!Number.isFinite(value)) return wrong(`${label} must be a finite number`);
  if (type === 'integer' && !Number.isInteger(value)) return wrong(`${label} must be an integer`);
  const bounds = COLUMN_BOUNDS[type];
  if (bounds && (value < bounds[0] || value > bounds[1])) {
    return wrong(`${label} must be between ${bounds[0]} and ${bounds[1]}`);
  }
  const messages = rangeMessages(attribute, label, strict, (bound) => value - Number(bound));
  return messages.length > 0 ? { messages } : { value };
}

function rangeMessages(
  { min, max }: ScalarAttribute,
  label: string,
  strict: boolean,
  compare: (bound: number | string) => number,
): string[] {
  const messages: string[] = [];
  if (strict && min !== undefined && compare(min) < 0)
    messages.push(`${label} must be greater than or equal to ${min}`);
  if (max !== undefined && compare(max) > 0) messages.push(`${label} must be less than or equal to ${max}`);
  return messages;
}

const BIG_MAX = 2n ** 63n - 1n;

function checkBigInteger(attribute: ScalarAttribute, raw: unknown, label: string, strict: boolean): Checked {
  const text =
    typeof raw === 'number' && Number.isSafeInteger(raw)
      ? String(raw)
      : typeof raw === 'bigint'
        ? String(raw)
        : typeof raw === 'string'
          ? raw.trim()
          : '';
  if (!/^[+-]?\d{1,40}$/.test(text)) return wrong(`${label} must be an integer`);
  const value = BigInt(text.replace('+', ''));
  if (value > BIG_MAX || value < -BIG_MAX - 1n) return wrong(`${label} must be a 64-bit integer`);
  const messages = rangeMessages(attribute, label, strict, (bound) => {
    const difference = value - BigInt(bound);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  });
  return messages.length > 0 ? { messages } : { value };
}

function checkBoolean(label: string, raw: unknown): Checked {
  if (raw === true || raw === 1 || raw === '1' || raw === 'true') return { value: true };
  if (raw === false || raw === 0 || raw === '0' || raw === 'false') return { value: false };
  return wrong(wrongType(label, 'boolean', raw));
}

/** JSON escapes of what not every engine can keep inside a document. */
const NUL_ESCAPE = /(?<!\\)(?:\\\\)*\\u0000/;
const SURROGATE_ESCAPE = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/i;

function checkJson(label: string, raw: unknown): Checked {
  const text = JSON.stringify(raw);
  if (text === undefined) return wrong(`${label} must be a JSON value`);
  if (NUL_ESCAPE.test(text)) return wrong(`${label} cannot hold U+0000`);
  // well-formed pairs are written as characters, so an escape is a lone one
  if (SURROGATE_ESCAPE.test(text)) return wrong(`${label} cannot hold lone surrogates`);
  return { value: text };
}
