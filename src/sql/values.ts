/** Values of a request → values of a statement: cast to the column's type, then to the driver's form. */
import { type ContentError, cut, validation } from '../errors.ts';
import type { SlotKind } from '../plan/read-plan.ts';
import { invalidCursor } from '../query/cursor.ts';
import type { ReasonCode } from '../reasons.ts';
import { type ColumnKind, columnKind, type Dialect } from './dialect.ts';
import type { SqlValue } from './fragment.ts';

/** The most digits a number in a query may have: enough for 64 bits, small enough to stay cheap. */
const MAX_DIGITS = 40;

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
};

/**
 * Casts an operand to the kind of its slot and encodes it for the driver. Null stays null, and matches nothing.
 *
 * @throws ContentError 400 for a value that is not of the column's type (docs/reference/query-parameters.md,
 * "Filters").
 */
export function bindValue(dialect: Dialect, kind: SlotKind, value: unknown): SqlValue {
  if (kind.kind === 'count') return value as number;
  if (value === null || value === undefined) return null;
  if (kind.kind === 'exact') {
    const encoded = dialect.encodeExact(value as string | number, columnKind(kind.type));
    if (encoded === undefined) throw invalidCursor();
    return encoded;
  }
  const text = String(value);
  if (kind.kind === 'text') return text;
  if (kind.kind === 'folded') return dialect.foldValue(text);
  if (kind.kind === 'word') return dialect.foldValue(longestWord(text));
  if (kind.kind === 'search') {
    const piece = kind.isWord ? longestWord(text) : text;
    return dialect.search.ask(kind.folded ? dialect.foldValue(piece) : piece, kind.folded) ?? null;
  }
  const column = columnKind(kind.type);
  if (text === '' && kind.listed && column !== 'text') return null;
  if (kind.row && !isRowId(text)) throw notARow(kind.row, text);
  return dialect.encode(castOperand(text, column, kind.field), column);
}

/** Characters that JSON escapes, and separators between two texts of a paragraph. */
const NO_WORD = /[\s"\\/\p{Cc}]+/u;

/** The longest piece of a text that JSON contains as it is, should it contain the text. */
function longestWord(text: string): string {
  return text.split(NO_WORD).reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

function castOperand(text: string, kind: ColumnKind, field: string): string | number | boolean | bigint {
  switch (kind) {
    case 'integer':
    case 'float':
    case 'decimal':
      return castNumber(text, field);
    case 'biginteger':
      return castBigInteger(text, field);
    case 'id':
      return castId(text, field);
    case 'boolean': {
      const parsed = Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined;
      if (parsed === undefined) throw bad('Invalid boolean, expected "t","1","true","false","0","f"', field);
      return parsed;
    }
    case 'date':
      return castDate(text, field);
    case 'time':
      return castTime(text, field);
    case 'datetime':
      return castDatetime(text, field);
    default:
      return text;
  }
}

const bad = (message: string, field: string, code?: ReasonCode): ContentError =>
  validation(message, { hint: `at ${field}` }, code && { code, path: field });

function castNumber(text: string, field: string): number {
  const number = text.trim() === '' || text.length > MAX_DIGITS ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) throw bad('Invalid number', field, 'noNumber');
  return number;
}

function castBigInteger(text: string, field: string): bigint | number {
  const trimmed = text.trim();
  if (/^[+-]?\d+$/.test(trimmed) && trimmed.length <= MAX_DIGITS) return BigInt(trimmed.replace('+', ''));
  return castNumber(text, field);
}

/** A row id. Numbers larger than any id stay comparable with all of them. */
function castId(text: string, field: string): number {
  const number = castNumber(text, field);
  if (!Number.isInteger(number)) throw bad('Invalid id, expected a whole number', field);
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number));
}

const isRowId = (text: string): boolean =>
  text.trim() !== '' && text.length <= MAX_DIGITS && Number.isInteger(Number(text));

/** Characters of a value that an error repeats. */
const REPEATED = 60;

type TestedRow = NonNullable<Extract<SlotKind, { kind: 'value' }>['row']>;

/** The refusal of a value of a relation by itself: it is compared with row ids, and few callers know those. */
function notARow({ path, kind, text, operator }: TestedRow, value: string): ContentError {
  const written = (name: string, compared: string) => `filters[${[...path, name].join('][')}][${operator}]=${compared}`;
  const others = [
    ...(text === undefined ? [] : [`an attribute of it (${written(text, cut(value, REPEATED))})`]),
    ...(kind === 'component' ? [] : [`its document (${written('documentId', '…')})`]),
    'its row id',
  ];
  const name = path.join('.');
  return validation(`Invalid value for ${name}: it is a ${kind}, which is compared by its row id`, {
    hint: `compare ${others.length === 1 ? others[0] : `${others.slice(0, -1).join(', ')} or ${others.at(-1)}`}`,
  });
}

const DATE = /^(\d{4}-\d{2}-\d{2})(T.*)?$/;

/** `yyyy-MM-dd`, or a full ISO date and time, which is cut. */
export function castDate(text: string, field: string): string {
  const match = DATE.exec(text);
  const day = match?.[1];
  if (!day) throw bad('Invalid format, expected yyyy-MM-dd', field, 'noMoment');
  if (!isRealDay(day) || (match[2] && Number.isNaN(Date.parse(text)))) throw bad('Invalid date', field, 'noMoment');
  return day;
}

function isRealDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00.000Z`);
  // a year 0 is not in the calendar that engines and ISO 8601 share
  return time >= EARLIEST && new Date(time).getUTCDate() === Number(day.slice(8));
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?$/;

/** `HH:mm:ss` with up to three decimals; stored with three. */
export function castTime(text: string, field: string): string {
  const match = TIME.exec(text);
  if (!match) throw bad('Invalid time format, expected HH:mm:ss.SSS', field, 'noMoment');
  const [whole, decimals = ''] = text.split('.');
  return `${whole}.${decimals.padEnd(3, '0')}`;
}

const DATETIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** The years that both engines write in four digits. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** An ISO date (UTC where it names no zone) or epoch milliseconds, as epoch milliseconds. */
export function castDatetime(text: string, field: string): number {
  const trimmed = text.trim();
  let time = Number.NaN;
  if (/^-?\d+$/.test(trimmed) && trimmed.length < 17) time = Number(trimmed);
  else if (DATETIME.test(trimmed) && isRealDay(trimmed.slice(0, 10))) time = Date.parse(inUtc(trimmed));
  if (!(time >= EARLIEST && time <= LATEST)) {
    throw bad('Invalid format, expected a timestamp or an ISO date', field, 'noMoment');
  }
  return time;
}

/** A date and time without a zone is meant in UTC, whatever zone the process runs in. */
function inUtc(text: string): string {
  const iso = text.replace(' ', 'T').replace(/\s/g, '').toUpperCase();
  if (!iso.includes('T')) return iso;
  if (/Z$/.test(iso)) return iso;
  const zone = /([+-]\d{2}):?(\d{2})?$/.exec(iso.slice(11));
  if (!zone) return `${iso}Z`;
  const clock = iso.slice(0, iso.length - zone[0].length);
  return `${clock}${zone[1]}:${zone[2] ?? '00'}`;
}
