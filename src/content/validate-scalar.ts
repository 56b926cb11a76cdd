/**
 * Values of scalar attributes: what is accepted, what it becomes, and what is told of the rest
 * (behaviour-writes.md, "Attribute values").
 */

import type { ScalarAttribute } from '../schema/catalog.ts';
import { castDate, castDatetime, castTime } from '../sql/values.ts';
import { blocksFailures } from './validate-blocks.ts';

/** A value in the form of its column kind, or what is wrong with it. */
export type Checked =
  | { readonly value: string | number | boolean | bigint | null }
  | { readonly messages: readonly string[] }
  /** Failures inside a structured value. */
  | { readonly nested: readonly { readonly path: readonly string[]; readonly message: string }[] };

/** Rules that only a published document must meet: those of drafts are `false`. */
export interface Strictness {
  readonly strict: boolean;
}

/** The longest string that a varchar(255) column holds, where the schema gives no other limit. */
const STRING_LENGTH = 255;
/** Types that one varchar column holds. */
const SHORT_TEXT: ReadonlySet<string> = new Set(['string', 'email', 'uid', 'password']);
const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@.]+(\.[^\s@.]+)+$/;
const UID = /^[A-Za-z0-9-_.~]*$/;
/** Longer passwords would be cut silently by the hash. */
const PASSWORD_BYTES = 72;

type Value = string | number | boolean | bigint | null;
const wrong = (...messages: string[]): Checked => ({ messages });

/** Checks one value that is neither absent nor null. */
export function checkScalar(attribute: ScalarAttribute, raw: unknown, { strict }: Strictness): Checked {
  const { type } = attribute;
  switch (type) {
    case 'string':
    case 'text':
    case 'richtext':
    case 'email':
    case 'uid':
    case 'password':
      return checkText(attribute, raw, strict);
    case 'enumeration':
      return typeof raw === 'string' && attribute.enum.includes(raw)
        ? { value: raw }
        : wrong(`${attribute.name} must be one of the following values: ${attribute.enum.join(', ')}`);
    case 'integer':
    case 'float':
    case 'decimal':
      return checkNumber(attribute, raw, strict);
    case 'biginteger':
      return checkBigInteger(attribute, raw, strict);
    case 'boolean':
      return checkBoolean(attribute.name, raw);
    case 'date':
    case 'time':
    case 'datetime':
    case 'timestamp':
      return checkTime(type, attribute.name, raw);
    case 'json':
      return checkJson(attribute.name, raw);
    case 'blocks': {
      const nested = blocksFailures(raw, [attribute.name]);
      return nested.length > 0 ? { nested } : checkJson(attribute.name, raw);
    }
  }
}

/** Characters that no text column of any engine keeps. */
function unstorable(name: string, text: string): string | undefined {
  if (text.includes('\0')) return `${name} cannot hold U+0000`;
  return text.isWellFormed() ? undefined : `${name} cannot hold lone surrogates`;
}

function checkText(attribute: ScalarAttribute, raw: unknown, strict: boolean): Checked {
  const { name, type } = attribute;
  if (typeof raw !== 'string')
    return wrong(`${name} must be a \`string\` type, but the final value was: \`${show(raw)}\`.`);
  const problem = unstorable(name, raw);
  if (problem) return wrong(problem);
  const messages: string[] = [];
  const { minLength, regex } = attribute;
  const maxLength = attribute.maxLength ?? (SHORT_TEXT.has(type) ? STRING_LENGTH : undefined);
  if (type === 'email' && strict && !EMAIL.test(raw)) messages.push(`${name} must be a valid email`);
  if (strict && minLength !== undefined && raw.length < minLength) {
    messages.push(`${name} must be at least ${minLength} characters`);
  }
  if (maxLength !== undefined && raw.length > maxLength)
    messages.push(`${name} must be at most ${maxLength} characters`);
  if (strict && regex !== undefined && !(raw === '' && !attribute.required) && !new RegExp(regex).test(raw)) {
    messages.push(`${name} must match the following: "${new RegExp(regex)}"`);
  }
  if (type === 'uid' && strict && !UID.test(raw)) messages.push(`${name} must match the following: "${UID}"`);
  if (type === 'password' && Buffer.byteLength(raw) > PASSWORD_BYTES) {
    messages.push(`${name} must be at most ${PASSWORD_BYTES} bytes`);
  }
  return messages.length > 0 ? { messages } : { value: raw };
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 100);
}

function numberOf(raw: unknown): number | undefined {
  if (typeof raw === 'number') return raw;
  return typeof raw === 'string' && raw.trim() !== '' ? Number(raw.trim()) : undefined;
}

/** What the columns hold on every engine (decisions.md, "numbers"). */
const INTEGER_MAX = 2_147_483_647;
const DECIMAL_MAX = 99_999_999.99;

function checkNumber(attribute: ScalarAttribute, raw: unknown, strict: boolean): Checked {
  const { name, type } = attribute;
  const value = numberOf(raw);
  if (value === undefined || !Number.isFinite(value))
    return wrong(`${name} must be a \`number\` type, but the final value was: \`${show(raw)}\`.`);
  if (type === 'integer' && !Number.isInteger(value)) return wrong(`${name} must be an integer`);
  const limit = type === 'integer' ? INTEGER_MAX : type === 'decimal' ? DECIMAL_MAX : undefined;
  if (limit !== undefined && Math.abs(value) > limit) return wrong(`${name} must be between -${limit} and ${limit}`);
  const messages = rangeMessages(attribute, strict, (bound) => value - Number(bound));
  return messages.length > 0 ? { messages } : { value };
}

function rangeMessages(
  attribute: ScalarAttribute,
  strict: boolean,
  compare: (bound: number | string) => number,
): string[] {
  const { name, min, max } = attribute;
  const messages: string[] = [];
  if (strict && min !== undefined && compare(min) < 0) messages.push(`${name} must be greater than or equal to ${min}`);
  if (max !== undefined && compare(max) > 0) messages.push(`${name} must be less than or equal to ${max}`);
  return messages;
}

const BIG_MAX = 2n ** 63n - 1n;

function checkBigInteger(attribute: ScalarAttribute, raw: unknown, strict: boolean): Checked {
  const { name } = attribute;
  const text =
    typeof raw === 'number' && Number.isSafeInteger(raw) ? String(raw) : typeof raw === 'string' ? raw.trim() : '';
  if (!/^[+-]?\d{1,40}$/.test(text)) return wrong(`${name} must be an integer`);
  const value = BigInt(text.replace('+', ''));
  if (value > BIG_MAX || value < -BIG_MAX - 1n) return wrong(`${name} must be a 64-bit integer`);
  const messages = rangeMessages(attribute, strict, (bound) => {
    const difference = value - BigInt(bound);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  });
  return messages.length > 0 ? { messages } : { value };
}

function checkBoolean(name: string, raw: unknown): Checked {
  if (raw === true || raw === 1 || raw === '1' || raw === 'true') return { value: true };
  if (raw === false || raw === 0 || raw === '0' || raw === 'false') return { value: false };
  return wrong(`${name} must be a \`boolean\` type, but the final value was: \`${show(raw)}\`.`);
}

/** Dates and times are parsed in a stage of their own, whose errors carry no path (`castDate` and its like throw). */
function checkTime(type: 'date' | 'time' | 'datetime' | 'timestamp', name: string, raw: unknown): Checked {
  const text = typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? raw : '';
  const cast: (text: string, field: string) => Value =
    type === 'date' ? castDate : type === 'time' ? castTime : castDatetime;
  return { value: cast(text, name) };
}

function checkJson(name: string, raw: unknown): Checked {
  const text = JSON.stringify(raw);
  // a lone surrogate is written as an escape, which one engine refuses and the other keeps
  if (/\\ud[89ab][0-9a-f]{2}|\\ud[c-f][0-9a-f]{2}/i.test(text)) return wrong(`${name} cannot hold lone surrogates`);
  if (/(?<!\\)(?:\\\\)*\\u0000/.test(text)) return wrong(`${name} cannot hold U+0000`);
  return { value: text };
}
