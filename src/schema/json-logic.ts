/**
 * JSON Logic (https://jsonlogic.com/operations.html), the language of `conditions.visible`. The server and the
 * administration app share this module, so it imports only plain helpers. Values of callers are data: their members are
 * never called, and prototypes are never read.
 */
import { isObject } from '../plain-values.ts';

/** The greatest depth of nested operators. */
export const MOST_LEVELS = 20;

type Operator = (values: readonly unknown[], data: unknown) => unknown;
type Operate = (...values: readonly unknown[]) => unknown;

/** The operator and operands of a part of a condition; undefined for a plain value. */
export function operationOf(logic: unknown): readonly [name: string, operands: readonly unknown[]] | undefined {
  if (!isObject(logic)) return undefined;
  const [entry, ...others] = Object.entries(logic);
  if (!entry || others.length > 0) return undefined;
  const [name, operands] = entry;
  return [name, Array.isArray(operands) ? operands : [operands]];
}

/** Whether a value is true: as in JavaScript, except that empty lists are false. */
const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/**
 * Evaluates a condition.
 *
 * @param data an object or list of JSON values.
 * @throws Error for an unknown operator, which `checkCondition` refuses before.
 */
export function evaluate(logic: unknown, data: unknown): unknown {
  if (Array.isArray(logic)) return logic.map((part) => evaluate(part, data));
  const operation = operationOf(logic);
  if (!operation) return logic;
  const operator = OPERATORS.get(operation[0]);
  if (!operator) throw new Error(`JSON Logic has no operator ${operation[0]}`);
  return operator(operation[1], data);
}

/** Operators whose second operand is evaluated for each item of a list, with variables that are members of the item. */
export const OF_ITEMS: ReadonlySet<string> = new Set(['some', 'none', 'all', 'filter', 'map']);

/** The paths that an operation reads from the data, without its operands: those of `var`, `missing`, `missing_some`. */
export function pathsOf(name: string, operands: readonly unknown[]): readonly unknown[] {
  if (name === 'var') return operands.slice(0, 1);
  if (name === 'missing') return Array.isArray(operands[0]) ? operands[0] : operands;
  return name === 'missing_some' ? asList(operands[1]) : [];
}

/** The members of the data that a condition reads. */
export function membersOf(logic: unknown): ReadonlySet<string> {
  const operation = operationOf(logic);
  const parts = Array.isArray(logic) ? logic : (operation?.[1] ?? []);
  const members = new Set<string>();
  for (const path of operation ? pathsOf(...operation) : []) members.add(String(path).split('.')[0]!);
  for (const part of operation && OF_ITEMS.has(operation[0]) ? parts.slice(0, 1) : parts) {
    for (const member of membersOf(part)) members.add(member);
  }
  return members;
}

/** Whether a condition is met by some data. Parameters and errors as `evaluate`. */
export const holds = (logic: unknown, data: unknown): boolean => isTruthy(evaluate(logic, data));

/** The value at a path of own members; undefined if there is none. */
function valueAt(data: unknown, path: unknown): unknown {
  if (path === undefined || path === null || path === '') return data;
  let value = data;
  for (const step of String(path).split('.')) {
    if (typeof value === 'string' && step === 'length') value = value.length;
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, step)) {
      value = (value as Readonly<Record<string, unknown>>)[step];
    } else return undefined;
  }
  return value;
}

/** The primitive that JavaScript would convert an object to for a comparison or sum, without calling its members. */
function primitive(value: unknown): string | number | boolean | null | undefined | bigint {
  if (Array.isArray(value)) {
    return value.map((item) => (typeof item === 'object' && item !== null ? 'object' : (item ?? ''))).join(',');
  }
  if (typeof value === 'object' && value !== null) return '[object Object]';
  return value as string | number | boolean | null | undefined | bigint;
}

function isEqual(a: unknown, b: unknown): boolean {
  const isObjects = typeof a === 'object' && a !== null && typeof b === 'object' && b !== null;
  // biome-ignore lint/suspicious/noDoubleEquals: the operator is the one of JavaScript
  return isObjects ? a === b : primitive(a) == primitive(b);
}

const number = (value: unknown): number => Number.parseFloat(String(primitive(value)));
const numeric = (value: unknown): number => Number(primitive(value));

function isLess(a: unknown, b: unknown): boolean {
  return primitive(a)! < primitive(b)!;
}
const isAtMost = (a: unknown, b: unknown): boolean => primitive(a)! <= primitive(b)!;

function substring(text: string, start: number, length: number | undefined): string {
  const from = start < 0 ? Math.max(text.length + start, 0) : start;
  const rest = text.slice(from);
  if (length === undefined) return rest;
  return length < 0 ? rest.slice(0, Math.max(rest.length + length, 0)) : rest.slice(0, length);
}

function missing(keys: readonly unknown[], data: unknown): unknown[] {
  return keys.filter((key) => {
    const value = valueAt(data, key);
    return value === undefined || value === null || value === '';
  });
}

/** An operator with evaluated operands. */
const plain =
  (operate: Operate): Operator =>
  (operands, data) =>
    operate(...operands.map((operand) => evaluate(operand, data)));

/** An operator whose second operand is a condition on each item of the first. */
const ofItems =
  (operate: (items: readonly unknown[], test: (item: unknown) => unknown) => unknown): Operator =>
  ([list, logic], data) => {
    const items = evaluate(list, data);
    return operate(Array.isArray(items) ? items : [], (item) => evaluate(logic, item));
  };

function choose(operands: readonly unknown[], data: unknown): unknown {
  for (let at = 0; at + 1 < operands.length; at += 2) {
    if (isTruthy(evaluate(operands[at], data))) return evaluate(operands[at + 1], data);
  }
  return operands.length % 2 === 1 ? evaluate(operands.at(-1), data) : null;
}

/** The first operand whose truth is `ends`, else the last one. */
const firstThat =
  (ends: boolean): Operator =>
  (operands, data) => {
    let value: unknown;
    for (const operand of operands) {
      value = evaluate(operand, data);
      if (isTruthy(value) === ends) return value;
    }
    return value;
  };

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The operators by name, without `reduce`, whose result may grow with each step, and `log`, which writes. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  [
    'var',
    (operands, data) => {
      const [path, otherwise = null] = operands.map((operand) => evaluate(operand, data));
      return valueAt(data, path) ?? otherwise;
    },
  ],
  ['==', plain(isEqual)],
  ['!=', plain((a, b) => !isEqual(a, b))],
  ['===', plain((a, b) => a === b)],
  ['!==', plain((a, b) => a !== b)],
  ['<', plain((a, b, c) => isLess(a, b) && (c === undefined || isLess(b, c)))],
  ['<=', plain((a, b, c) => isAtMost(a, b) && (c === undefined || isAtMost(b, c)))],
  ['>', plain((a, b) => isLess(b, a))],
  ['>=', plain((a, b) => isAtMost(b, a))],
  ['!', plain((value) => !isTruthy(value))],
  ['!!', plain(isTruthy)],
  ['and', firstThat(false)],
  ['or', firstThat(true)],
  ['if', choose],
  ['?:', choose],
  [
    'in',
    plain((part, whole) => {
      if (typeof whole === 'string') return whole !== '' && whole.includes(String(primitive(part)));
      return asList(whole).includes(part);
    }),
  ],
  ['cat', plain((...parts) => parts.map((part) => primitive(part) ?? '').join(''))],
  [
    'substr',
    plain((text, start, length) =>
      substring(String(primitive(text)), numeric(start) || 0, length === undefined ? undefined : numeric(length)),
    ),
  ],
  ['+', plain((...values) => values.reduce<number>((sum, value) => sum + number(value), 0))],
  ['*', plain((...values) => values.reduce<number>((product, value) => product * number(value), 1))],
  ['-', plain((a, b) => (b === undefined ? -numeric(a) : numeric(a) - numeric(b)))],
  ['/', plain((a, b) => numeric(a) / numeric(b))],
  ['%', plain((a, b) => numeric(a) % numeric(b))],
  ['min', plain((...values) => Math.min(...values.map(numeric)))],
  ['max', plain((...values) => Math.max(...values.map(numeric)))],
  ['merge', plain((...values) => values.flat())],
  [
    'missing',
    (operands, data) => {
      const keys = operands.map((operand) => evaluate(operand, data));
      return missing(Array.isArray(keys[0]) ? keys[0] : keys, data);
    },
  ],
  [
    'missing_some',
    (operands, data) => {
      const [least, keys] = operands.map((operand) => evaluate(operand, data));
      const absent = missing(asList(keys), data);
      return asList(keys).length - absent.length >= numeric(least) ? [] : absent;
    },
  ],
  ['some', ofItems((items, test) => items.some((item) => isTruthy(test(item))))],
  ['none', ofItems((items, test) => !items.some((item) => isTruthy(test(item))))],
  ['all', ofItems((items, test) => items.length > 0 && items.every((item) => isTruthy(test(item))))],
  ['filter', ofItems((items, test) => items.filter((item) => isTruthy(test(item))))],
  ['map', ofItems((items, result) => items.map(result))],
]);
