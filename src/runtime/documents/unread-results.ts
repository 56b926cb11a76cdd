/**
 * Results of reads that are parsed at the first access. A result that code never accesses is sent as the bytes of the
 * database.
 *
 * A result is an ordinary list or object whose elements or members are accessors until the first of them is used. A
 * proxy is not possible: `structuredClone` refuses proxies.
 */
import { inspect } from 'node:util';
import { enclose, type JsonBody } from '../../content/reading/answers.ts';
import { hiddenField } from '../../hidden-field.ts';
import type { Page } from '../../query/page.ts';

interface Unread {
  readonly json: JsonBody;
  readonly keys: readonly string[];
  readonly parse: () => object;
  /** The parsed value; undefined before code looks at the result. */
  value: Members | undefined;
}
type Members = Record<string, unknown>;

const unread = hiddenField<object, Unread>();
const accessors = new Map<string, PropertyDescriptor>();
/** The number of cached accessors: keys of documents and indexes of lists. */
const MAX_ACCESSORS = 10_000;

/**
 * A list in the form of its JSON text.
 *
 * @param parse returns the list that code receives.
 * @param length of the list; counted in the text when left out.
 */
export function unreadList(json: JsonBody, parse: () => unknown[], length = lengthOfList(json)): unknown[] {
  const list: unknown[] = [];
  return unreadAs(list, { json, keys: Array.from({ length }, (_one, index) => String(index)), parse });
}

/** The length of the list of a page. */
export const lengthOfPage = ({ offset, limit }: Page, total: number): number =>
  Math.max(0, Math.min(limit, total - offset));

/** A document in the form of its JSON text. @param keys the keys of the document that `parse` gives. */
export function unreadDocument(json: JsonBody, parse: () => object, keys: readonly string[]): object {
  return unreadAs({}, { json, keys, parse });
}

/** The JSON text of a result that code has not accessed; undefined for any other value. */
export function unreadJson(value: unknown): JsonBody | undefined {
  const result = typeof value === 'object' && value !== null ? unread.get(value) : undefined;
  return result && isUntouched(value as object, result) ? result.json : undefined;
}

/**
 * The JSON text of an object with a member that is a result without an access; undefined for any other value.
 *
 * @throws the errors of `JSON.stringify` for the other members.
 */
export function answerWithUnread(answer: unknown): JsonBody | undefined {
  if (typeof answer !== 'object' || answer === null || Object.getPrototypeOf(answer) !== Object.prototype)
    return undefined;
  const { data, ...others } = answer as { data?: unknown };
  const [first] = Object.keys(answer);
  const json = first === 'data' ? unreadJson(data) : undefined;
  if (json === undefined || 'toJSON' in answer) return undefined;
  const rest = JSON.stringify(others);
  return enclose('{"data":', json, rest === '{}' ? '}' : `,${rest.slice(1)}`);
}

function unreadAs<T extends object>(result: T, { json, keys, parse }: Omit<Unread, 'value'>): T {
  for (const key of keys) Object.defineProperty(result, key, accessorOf(key));
  Object.defineProperty(result, inspect.custom, SHOWN);
  unread.set(result, { json, keys, parse, value: undefined });
  return result;
}

/** The accessors of a key; `this` may inherit from the result. */
function accessorOf(key: string): PropertyDescriptor {
  let accessor = accessors.get(key);
  if (accessor) return accessor;
  accessor = {
    configurable: true,
    enumerable: true,
    get(this: object) {
      if (this === examined) {
        examinedKey = key;
        return EXAMINED;
      }
      return parsedValue(unread.holder(this)!)[key];
    },
    set(this: object, value: unknown) {
      parsedValue(unread.holder(this)!);
      Object.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true });
    },
  };
  if (accessors.size < MAX_ACCESSORS) accessors.set(key, accessor);
  return accessor;
}

/** Has `util.inspect`, and so `console.log`, show values where it would show accessors. */
const SHOWN: PropertyDescriptor = {
  configurable: true,
  value(this: object) {
    parsedValue(unread.holder(this)!);
    return this;
  },
};

/** The parsed value of a result, whose members become those of the value. */
function parsedValue(result: object): Members {
  const own = unread.get(result)!;
  if (own.value) return own.value;
  const value = own.parse() as Members;
  own.value = value;
  Reflect.deleteProperty(result, inspect.custom);
  for (const key of own.keys) {
    // code may have removed or frozen it by now
    const { get, enumerable = false } = Reflect.getOwnPropertyDescriptor(result, key) ?? {};
    if (get !== accessorOf(key).get) continue;
    Reflect.defineProperty(result, key, { value: value[key], writable: true, enumerable, configurable: true });
  }
  if (Array.isArray(result) && result.length === own.keys.length) {
    const list = value as unknown as unknown[];
    if (list.length < result.length) result.length = list.length;
    else result.push(...list.slice(result.length));
  }
  return value;
}

/** A result whose accessors name themselves instead of giving values. */
let examined: object | undefined;
let examinedKey: string | undefined;
const EXAMINED = Symbol('examined');

/** Whether all members of a result are the accessors that it was created with. Descriptors of all of them would cost more. */
function hasAccessors(result: Members, { keys }: Unread): boolean {
  examined = result;
  try {
    return keys.every((key) => result[key] === EXAMINED && examinedKey === key);
  } catch {
    // an accessor of the code's own
    return false;
  } finally {
    examined = undefined;
  }
}

/** Whether code has neither looked at a result nor added, removed or replaced anything in it. */
function isUntouched(result: object, own: Unread): boolean {
  if (own.value !== undefined) return false;
  const { length } = own.keys;
  // JSON shows the elements of a list, and the enumerable members of an object
  const isComplete = Array.isArray(result)
    ? result.length === length && Object.getPrototypeOf(result) === Array.prototype
    : Object.keys(result).length === length && Object.getPrototypeOf(result) === Object.prototype;
  return isComplete && !('toJSON' in result) && hasAccessors(result as Members, own);
}

/** The number of elements of a JSON list. */
function lengthOfList(json: JsonBody): number {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  let [commas, depth, isEmpty] = [0, 0, true];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (depth > 0 && isEmpty && byte > SPACE && byte !== CLOSING_BRACKET) isEmpty = false;
    if (byte === QUOTE) {
      while (bytes[++at] !== QUOTE) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) depth++;
    else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--;
    else if (byte === COMMA && depth === 1) commas++;
  }
  return isEmpty ? 0 : commas + 1;
}

const [SPACE, QUOTE, COMMA, BACKSLASH] = [0x20, 0x22, 0x2c, 0x5c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
