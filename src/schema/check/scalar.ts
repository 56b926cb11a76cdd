/** Checks the options of a scalar attribute: limits, pattern, enumeration, default, column. */
import { isSlip } from '../../nearest.ts';
import { isObject } from '../../plain-values.ts';
import { boundOf } from '../build.ts';
import type { RawSchema } from '../built-in.ts';
import type { ScalarType } from '../catalog.ts';
import { COLUMN_TYPE_OPTIONS, columnTypeOf, isIndexable } from '../layout/column-types.ts';
import { compilePattern } from './pattern.ts';
import type { Findings } from './problem.ts';

export const SCALAR_OPTIONS = [
  'unique',
  'index',
  'default',
  'min',
  'max',
  'minLength',
  'maxLength',
  'regex',
  'enum',
  'enumName',
  'targetField',
  'columnName',
  'column',
  'columnType',
];
const COLUMN_OPTIONS = ['unique', 'defaultTo'];
const NUMERIC: readonly ScalarType[] = ['integer', 'biginteger', 'float', 'decimal'];

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;
const WHOLE = /^-?\d+$/;

/** Reports the mistakes in the options of a scalar. `siblings` are the attribute names of the same file. */
export function checkScalar(
  file: string,
  at: readonly string[],
  type: ScalarType,
  raw: RawSchema,
  siblings: readonly string[],
  findings: Findings,
): void {
  checkLengths(file, at, raw, findings);
  checkBounds(file, at, type, raw, findings);
  checkRegex(file, at, raw, findings);
  if (type === 'enumeration') checkEnum(file, at, raw, findings);
  checkDefault(file, at, type, raw, findings);
  checkColumn(file, at, raw, findings);
  checkIndex(file, at, type, raw, findings);
  const { targetField } = raw;
  if (type === 'uid' && targetField != null && !siblings.includes(targetField as string)) {
    const message = `there is no attribute ${JSON.stringify(targetField)}`;
    findings.warning(file, [...at, 'targetField'], message, String(targetField), siblings);
  }
}

function checkLengths(
  file: string,
  at: readonly string[],
  { minLength, maxLength }: RawSchema,
  findings: Findings,
): void {
  for (const [key, value] of Object.entries({ minLength, maxLength })) {
    if (value != null && !(Number.isInteger(value) && (value as number) >= 0)) {
      findings.warning(file, [...at, key], 'should be a whole number, 0 or more');
    }
  }
  if (typeof minLength === 'number' && typeof maxLength === 'number' && minLength > maxLength) {
    findings.problem(file, [...at, 'minLength'], `minLength ${minLength} is greater than maxLength ${maxLength}`);
  }
}

function checkBounds(file: string, at: readonly string[], type: ScalarType, raw: RawSchema, findings: Findings): void {
  const { min, max } = raw;
  if (!NUMERIC.includes(type)) return;
  let comparable = min != null && max != null;
  for (const [key, value] of Object.entries({ min, max })) {
    if (value == null) continue;
    if (boundOf(type, value) === undefined) {
      findings.warning(
        file,
        [...at, key],
        `should be ${type === 'biginteger' ? 'a whole number' : 'a number'}: it is ignored`,
      );
      comparable = false;
    } else if (typeof value === 'string' && type !== 'biginteger') {
      findings.warning(file, [...at, key], 'should be a number, not a string');
    }
  }
  if (comparable && isGreater(min, max)) {
    findings.warning(file, [...at, 'min'], `min ${min} is greater than max ${max}: no value fits`);
  }
}

/** Exact for whole numbers in strings, which may exceed the range of numbers. */
function isGreater(a: unknown, b: unknown): boolean {
  if (WHOLE.test(String(a)) && WHOLE.test(String(b))) return BigInt(String(a)) > BigInt(String(b));
  return Number(a) > Number(b);
}

function checkRegex(file: string, at: readonly string[], { regex }: RawSchema, findings: Findings): void {
  if (regex == null) return;
  const path = [...at, 'regex'];
  if (typeof regex !== 'string') {
    findings.problem(file, path, 'must be a string');
    return;
  }
  try {
    if (compilePattern(regex).kind !== 'backtracking') return;
    const message =
      'may take very long for some texts, which are refused: it cannot be tested in linear time, because of lookaround, ' +
      'a back reference or more than 1,000 repetitions';
    findings.warning(file, path, message);
  } catch (error) {
    findings.problem(file, path, error instanceof Error ? error.message : String(error));
  }
}

/** `index` is Galley's own (docs/reference/extensions.md); a Strapi project may use it for something else. */
function checkIndex(file: string, at: readonly string[], type: ScalarType, raw: RawSchema, findings: Findings): void {
  const { index, columnType } = raw;
  if (index == null || index === false) return;
  const path = [...at, 'index'];
  const column = columnTypeOf({ type, ...(isObject(columnType) ? { columnType: String(columnType['type']) } : {}) });
  if (index !== true) findings.warning(file, path, 'should be true or false: it is ignored');
  else if (!isIndexable(column)) {
    findings.warning(file, path, `has no effect: values of the type ${type} are too long for an index`);
  }
}

function checkEnum(file: string, at: readonly string[], raw: RawSchema, findings: Findings): void {
  const path = [...at, 'enum'];
  const values = raw['enum'];
  if (!Array.isArray(values)) {
    findings.problem(file, path, 'an enumeration needs a list of values');
    return;
  }
  if (values.length === 0) findings.warning(file, path, 'is empty: no value fits');
  values.forEach((value, i) => {
    if (typeof value !== 'string') findings.problem(file, [...path, i], 'must be a string');
    else if (values.indexOf(value) < i) findings.problem(file, [...path, i], `the value ${value} appears twice`);
  });
}

function checkDefault(file: string, at: readonly string[], type: ScalarType, raw: RawSchema, findings: Findings): void {
  const value = raw['default'];
  if (value == null) return;
  const path = [...at, 'default'];
  if (type === 'enumeration') {
    const values = Array.isArray(raw['enum']) ? raw['enum'].map(String) : [];
    if (values.length > 0 && !values.includes(value as string)) {
      findings.warning(file, path, `${JSON.stringify(value)} is not one of the values`, String(value), values);
    }
    return;
  }
  const expected = expectedDefault(type, value);
  if (expected !== undefined) findings.warning(file, path, `should be ${expected}`);
}

/** The expected kind of default if it is wrong; undefined if it is right. */
function expectedDefault(type: ScalarType, value: unknown): string | undefined {
  const unless = (holds: boolean, expected: string): string | undefined => (holds ? undefined : expected);
  const isText = typeof value === 'string';
  switch (type) {
    case 'integer':
      return unless(Number.isInteger(value), 'a whole number');
    case 'biginteger':
      return unless(Number.isInteger(value) || (isText && WHOLE.test(value)), 'a whole number');
    case 'float':
    case 'decimal':
      return unless(Number.isFinite(value), 'a number');
    case 'boolean':
      return unless(typeof value === 'boolean', 'true or false');
    case 'date':
      return unless(isText && DATE.test(value) && !Number.isNaN(Date.parse(value)), 'a date such as 2024-05-06');
    case 'time':
      return unless(isText && TIME.test(value), 'a time such as 10:00:00.000');
    case 'datetime':
    case 'timestamp':
      return unless(isText && !Number.isNaN(Date.parse(value)), 'a time such as 2024-05-06T07:08:09.000Z');
    case 'json':
      return undefined;
    case 'blocks':
      return unless(Array.isArray(value), 'a list of blocks');
    default:
      return unless(isText, 'text');
  }
}

function checkColumn(file: string, at: readonly string[], raw: RawSchema, findings: Findings): void {
  const { column, columnName, columnType } = raw;
  if (columnName != null && (typeof columnName !== 'string' || columnName === '')) {
    findings.problem(file, [...at, 'columnName'], 'must be a name');
  }
  if (column != null && !isObject(column)) findings.problem(file, [...at, 'column'], 'must be an object');
  for (const key of Object.keys(isObject(column) ? column : {})) {
    if (COLUMN_OPTIONS.includes(key)) continue;
    const place = [...at, 'column', key];
    if (isSlip(key, COLUMN_OPTIONS)) findings.unknownOption(file, place, key, COLUMN_OPTIONS);
    else findings.warning(file, place, `unknown option ${key}`, key, COLUMN_OPTIONS);
  }
  if (columnType == null) return;
  const type = isObject(columnType) ? columnType['type'] : undefined;
  if (typeof type !== 'string' || !COLUMN_TYPE_OPTIONS.has(type)) {
    const place = [...at, 'columnType', 'type'];
    const message = `unknown column type ${JSON.stringify(type)}`;
    if (typeof type !== 'string') findings.problem(file, place, message);
    else findings.warning(file, place, `${message}: the attribute's own is taken`, type, COLUMN_TYPE_OPTIONS.keys());
  } else if (isObject(columnType) && columnType['args'] !== undefined && type !== 'text') {
    findings.warning(file, [...at, 'columnType', 'args'], 'has no effect: the column is created without arguments');
  }
}
