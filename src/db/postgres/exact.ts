/** Values of any precision in cursors (`Dialect.exact`). */
import type { ColumnKind } from '../../sql/dialect.ts';
import { type Sql, type SqlValue, sql } from '../../sql/fragment.ts';

/**
 * A value as text, independent of the server's settings: doubles with all significant digits, times to the microsecond.
 */
export function exact(value: Sql, kind: ColumnKind): Sql {
  switch (kind) {
    case 'text':
      return value;
    case 'date':
      return sql`to_char(${value}, 'YYYY-MM-DD')`;
    case 'datetime':
      return sql`to_char(${value}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
    default:
      return sql`(${value})::text`;
  }
}

const LARGEST = 2n ** 63n - 1n;
const TIME = /^(?:(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?|24:00:00)$/;
const DECIMAL = /^(?:-?\d+(?:\.\d+)?|NaN)$/;

/** Undefined for a text that the server would refuse as a value of the type. */
export function encodeExact(value: string | number, kind: ColumnKind): SqlValue | undefined {
  if (typeof value !== 'string') return undefined;
  switch (kind) {
    case 'id':
    case 'integer':
    case 'biginteger': {
      const number = /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
      return number === undefined || number > LARGEST || number < -LARGEST - 1n ? undefined : value;
    }
    case 'float':
      return encodeDouble(value);
    case 'decimal':
      return DECIMAL.test(value) ? value : undefined;
    case 'boolean':
      return value === 'true' || value === 'false' ? value === 'true' : undefined;
    case 'date':
      return isMoment(`${value}T00:00:00.000`) ? value : undefined;
    case 'time':
      return TIME.test(value) ? value : undefined;
    case 'datetime':
      return /\.\d{6}$/.test(value) && isMoment(value.slice(0, -3)) ? value : undefined;
    default:
      return value.includes('\0') || !value.isWellFormed() ? undefined : value;
  }
}

function encodeDouble(text: string): SqlValue | undefined {
  if (/^(?:NaN|-?Infinity)$/.test(text)) return text;
  const number = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Whether a text is a valid time to the millisecond. There is no year 0. */
function isMoment(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && !text.startsWith('0000') && new Date(time).toISOString() === `${text}Z`;
}
