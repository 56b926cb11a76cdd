/** `parseType` of `@strapi/utils`: a value as an attribute of some type keeps it. */

const TIME = /^(2[0-3]|[01][0-9]):([0-5][0-9]):([0-5][0-9])(?:\.([0-9]{1,3}))?$/;
/** A day, or one and a time in it, as ISO 8601 writes them: years, months, and days with or without hyphens. */
const ISO =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|(\d{2})(\d{2})?)?(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

const TRUE: readonly unknown[] = ['true', 't', '1', 1, true];
const FALSE: readonly unknown[] = ['false', 'f', '0', 0, false];

interface ParseOptions {
  readonly type: string;
  readonly value: unknown;
  /** Whether anything may stand for a truth value. */
  readonly forceCast?: boolean;
}

/** @throws Error for a value that is not valid for the type. Values of other types are returned unchanged. */
export function parseType({ type, value, forceCast = false }: ParseOptions): unknown {
  switch (type) {
    case 'boolean':
      if (TRUE.includes(value)) return true;
      if (FALSE.includes(value)) return false;
      if (forceCast) return Boolean(value);
      throw new Error('Invalid boolean input. Expected "t","1","true","false","0","f"');
    case 'integer':
    case 'biginteger':
    case 'float':
    case 'decimal':
      return Number(value);
    case 'time':
      return value instanceof Date ? timeOf(value) : parseTime(textOf(value));
    case 'date': {
      const date = value instanceof Date ? value : parseIso(textOf(value));
      if (!date) throw new Error('Invalid format, expected an ISO compatible date');
      return dayOf(date);
    }
    case 'timestamp':
    case 'datetime': {
      if (value instanceof Date) return value;
      const text = textOf(value);
      const date = parseIso(text) ?? parseTimestamp(text);
      if (!date) throw new Error('Invalid format, expected a timestamp or an ISO date');
      return date;
    }
    default:
      return value;
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`Expected a string, got a ${typeof value}`);
  return value;
}

function parseTime(text: string): string {
  const [, hours, minutes, seconds, fraction = ''] = TIME.exec(text) ?? [];
  if (hours === undefined) throw new Error('Invalid time format, expected HH:mm:ss.SSS');
  return `${hours}:${minutes}:${seconds}.${fraction.padEnd(3, '0')}`;
}

/** The time of a text, by default in the zone of the process; undefined for an invalid one. */
function parseIso(text: string): Date | undefined {
  const found = ISO.exec(text);
  if (!found) return undefined;
  const [, year, month = found[4] ?? '1', day = found[5] ?? '1'] = found;
  const [hours = '0', minutes = '0', seconds = '0', fraction = '0'] = found.slice(6, 10);
  const zone = found[10];
  const isIn = (value: string, least: number, most: number) => Number(value) >= least && Number(value) <= most;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const isWhole = Number(hours) === 24 && Number(minutes) === 0 && Number(seconds) === 0;
  const isTime = isWhole || (isIn(hours, 0, 23) && isIn(minutes, 0, 59) && isIn(seconds, 0, 59));
  if (!isIn(month, 1, 12) || !isIn(day, 1, days) || !isTime) return undefined;
  const ms = Math.trunc(Number(`0.${fraction}`) * 1000);
  const date = new Date(0);
  const isLocal = zone === undefined;
  // the constructor would take years before 100 for ones of the last century
  if (isLocal) date.setFullYear(Number(year), Number(month) - 1, Number(day));
  else date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (isLocal) date.setHours(Number(hours), Number(minutes), Number(seconds), ms);
  else date.setUTCHours(Number(hours), Number(minutes), Number(seconds), ms);
  const [, sign = '+', h = '0', m = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone ?? '') ?? [];
  const offset = (Number(h) * 60 + Number(m)) * (sign === '-' ? -1 : 1);
  return new Date(date.getTime() - offset * 60_000);
}

/** Milliseconds since 1970. */
function parseTimestamp(text: string): Date | undefined {
  const date = /^-?\d+$/.test(text) ? new Date(Number(text)) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}

const digits = (value: number, length = 2): string => String(value).padStart(length, '0');

const dayOf = (date: Date): string =>
  `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;

const timeOf = (date: Date): string =>
  `${digits(date.getHours())}:${digits(date.getMinutes())}:${digits(date.getSeconds())}.${digits(date.getMilliseconds(), 3)}`;
