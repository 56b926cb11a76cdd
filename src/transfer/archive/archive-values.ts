/** Values of attributes in an archive, as `strapi export` writes them, in canonical form. */
import { isValueDeeper, JSON_DEPTH } from '../../plain-values.ts';
import type { ScalarType } from '../../schema/catalog.ts';
import type { CanonicalValue } from '../rows.ts';

/** The canonical form of a value that is not null; undefined for a value of another type. */
export function canonicalOf(type: ScalarType, value: unknown): CanonicalValue | undefined {
  switch (type) {
    case 'json':
    case 'blocks':
      return isValueDeeper(value, JSON_DEPTH) ? undefined : JSON.stringify(value);
    case 'integer':
      return Number.isSafeInteger(value) ? (value as number) : undefined;
    case 'biginteger':
      return bigIntegerOf(value);
    case 'float':
      return Number.isFinite(value) ? (value as number) : undefined;
    case 'decimal':
      return typeof value === 'number' || isDecimal(value) ? String(value) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : value === 0 || value === 1 ? value === 1 : undefined;
    case 'date':
      return typeof value === 'string' && isDay(value) ? value : undefined;
    case 'time':
      return typeof value === 'string' && /^([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?$/.test(value) ? value : undefined;
    case 'datetime':
    case 'timestamp':
      return momentOf(value);
    default:
      return typeof value === 'string' ? value : undefined;
  }
}

/** What a canonical value is made of, for messages. */
export const EXPECTED: Readonly<Partial<Record<ScalarType, string>>> = {
  integer: 'a whole number',
  biginteger: 'a whole number of 64 bits',
  float: 'a number',
  decimal: 'a number',
  boolean: 'true or false',
  date: 'a date',
  time: 'a time',
  datetime: 'a time in the years 1 to 9999',
  timestamp: 'a time in the years 1 to 9999',
  json: 'JSON of a usual depth',
  blocks: 'JSON of a usual depth',
};

const LIMIT = 2n ** 63n;

function bigIntegerOf(value: unknown): bigint | undefined {
  const isWhole = Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d{1,19}$/.test(value));
  if (!isWhole) return undefined;
  const number = BigInt(value as string | number);
  return number >= -LIMIT && number < LIMIT ? number : undefined;
}

const isDecimal = (value: unknown): boolean =>
  typeof value === 'string' && value.length < 100 && /^-?\d+(\.\d+)?$/.test(value);

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
const ISO = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

/** Epoch milliseconds of a time in UTC. */
function momentOf(value: unknown): number | undefined {
  const time = typeof value === 'string' && ISO.test(value) ? Date.parse(value) : Number.NaN;
  return time >= FIRST && time <= LAST ? time : undefined;
}
