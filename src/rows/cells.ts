/** Values of attributes as texts of spreadsheet cells, and back (docs/reference/rows.md, "Cells"). */
import { because, type Sentence } from '../failures.ts';
import { isObject, isTooDeep } from '../plain-values.ts';
import type { ScalarAttribute, ScalarType } from '../schema/catalog.ts';

/** The order of day, month and year in dates that do not begin with the year. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

export const DECIMAL_SIGNS = ['.', ','] as const;
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];

/** How the cells of a file are written. */
export interface CellForm {
  readonly decimal: DecimalSign;
  readonly dates: DateOrder;
}

/** Stands between the values of one cell. */
export const SEPARATOR = '|';

/** A cell that does not have a value of its attribute. */
export class WrongCell extends Error {
  readonly sentence: Sentence;

  constructor(sentence: Sentence) {
    super('wrong cell');
    this.sentence = sentence;
  }
}

/** Texts that a spreadsheet would calculate as a formula, also behind quotes that were written to prevent that. */
const FORMULA = /^'*[\s\u00a0]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const PLAIN_NUMBER = /^[+-]?\d[\d.,]*(?:e[+-]?\d+)?$/i;

const isFormula = (text: string): boolean => FORMULA.test(text) && !PLAIN_NUMBER.test(text);

/** A text that no spreadsheet calculates: texts that look like formulas begin with a quote. */
export const escapeFormula = (text: string): string => (isFormula(text) ? `'${text}` : text);

/** The text without the quote of `escapeFormula`. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text;

/** A value as the text of a cell. */
export function textOfValue(value: unknown, decimal: DecimalSign): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return decimal === '.' ? String(value) : String(value).replace('.', decimal);
  if (typeof value === 'string') return escapeFormula(value);
  if (typeof value === 'object') return textOfList(value) ?? JSON.stringify(value);
  return String(value);
}

/** Several texts or ids in one cell; undefined for values that need JSON. */
function textOfList(value: object): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const isPlain = (one: unknown): boolean =>
    typeof one === 'number' || (typeof one === 'string' && one !== '' && one === one.trim() && !/^\[|\|/.test(one));
  return value.every(isPlain) ? escapeFormula(value.join(` ${SEPARATOR} `)) : undefined;
}

/** The texts in a cell with several values: a JSON list, or texts between `|`. @throws WrongCell for a list of others. */
export function textsOfCell(cell: unknown): readonly string[] {
  const listed = typeof cell === 'string' && cell.startsWith('[') ? parsed(cell) : cell;
  if (listed === null || listed === undefined || listed === '') return [];
  if (Array.isArray(listed)) return listed.map(textOfOne);
  if (typeof listed !== 'string') return [textOfOne(listed)];
  return listed
    .split(SEPARATOR)
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

/** A text or a number as a text, or the id in an object. @throws WrongCell for another value. */
export function textOfOne(value: unknown): string {
  const named = isObject(value) ? (value['documentId'] ?? value['id']) : value;
  if (typeof named === 'string' || typeof named === 'number') return String(named);
  throw new WrongCell((label) => `${label} must have texts or ids`);
}

const parsed = (text: string): unknown => {
  const value = jsonOf(text);
  if (value === undefined) throw new WrongCell(because((label) => `${label} must be JSON`, 'noJson'));
  return value;
};

/** The value of a JSON text; undefined for a text that is not JSON, or that has too many levels. */
export function jsonOf(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const TRUE: ReadonlySet<string> = new Set(['true', '1', 'yes', 'y', 'ja', 'j', 'wahr', 'on', 'x']);
const FALSE: ReadonlySet<string> = new Set(['false', '0', 'no', 'n', 'nein', 'falsch', 'off']);

/**
 * The value of an attribute in the text of a cell; null for an empty one.
 *
 * @throws WrongCell for a text that has no value of the attribute.
 */
export function valueOfText(attribute: Pick<ScalarAttribute, 'type'>, cell: string, form: CellForm): unknown {
  const text = cell.trim();
  if (text === '') return null;
  return PARSERS[attribute.type]?.(text, form) ?? unescapeFormula(cell);
}

/** The text of a value by which documents are found. @throws WrongCell as `valueOfText`. */
export function keyOfText({ type }: Pick<ScalarAttribute, 'type'>, text: string, form: CellForm): string {
  const parse = PARSERS[type];
  return parse ? String(parse(text.trim(), form)) : text;
}

type Parse = (text: string, form: CellForm) => unknown;

const number: Parse = (text, { decimal }) => {
  const plain = plainNumber(text, decimal);
  if (plain === undefined) throw new WrongCell(because((label) => `${label} must be a number`, 'noNumber'));
  return plain;
};

const PARSERS: Readonly<Partial<Record<ScalarType, Parse>>> = {
  integer: (text, form) => Number(number(text, form)),
  float: (text, form) => Number(number(text, form)),
  decimal: (text, form) => Number(number(text, form)),
  biginteger: number,
  boolean: (text) => {
    const word = text.toLowerCase();
    if (TRUE.has(word) || FALSE.has(word)) return TRUE.has(word);
    throw new WrongCell(because((label) => `${label} must be true or false`, 'noBoolean'));
  },
  date: (text, form) => dayOf(text, form.dates) ?? dayOf(dayPart(text), form.dates) ?? noMoment(),
  datetime: momentIn,
  timestamp: momentIn,
  time: (text) => timeIn(text) ?? noMoment(),
  json: parsed,
  blocks: parsed,
};

function noMoment(): never {
  throw new WrongCell(because((label) => `${label} must be a date or a time`, 'noMoment'));
}

/** Digits, between them the signs of thousands in groups of three. */
const GROUPED: Readonly<Record<DecimalSign, RegExp>> = {
  '.': /^([+-]?)(\d+|\d{1,3}(?:([,' \u00a0\u202f\u2019])\d{3})(?:\3\d{3})*)(?:\.(\d+))?(e[+-]?\d+)?$/i,
  ',': /^([+-]?)(\d+|\d{1,3}(?:([.' \u00a0\u202f\u2019])\d{3})(?:\3\d{3})*)(?:,(\d+))?(e[+-]?\d+)?$/i,
};

/** The text of a number in the form of programs; undefined for another text. */
function plainNumber(text: string, decimal: DecimalSign): string | undefined {
  const match = GROUPED[decimal].exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', , fraction, power = ''] = match;
  const digits = whole.replace(/\D/g, '');
  return `${sign === '-' ? '-' : ''}${digits}${fraction === undefined ? '' : `.${fraction}`}${power}`;
}

const YEAR_FIRST = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])\s?(\d{1,2})\2\s?(\d{4}|\d{2})$/;

/** The day in a text, as `2026-11-30`; undefined for another text. Dates with points begin with the day. */
export function dayOf(text: string, order: DateOrder): string | undefined {
  const first = YEAR_FIRST.exec(text);
  if (first) return day(first[1]!, first[2]!, first[3]!);
  const last = YEAR_LAST.exec(text);
  if (!last) return undefined;
  const [, one, sign, other, year] = last as unknown as [string, string, string, string, string];
  const whole = year.length === 4 ? year : `${Number(year) < 70 ? 20 : 19}${year}`;
  return order === 'dmy' || sign === '.' ? day(whole, other, one) : day(whole, one, other);
}

function day(year: string, month: string, date: string): string | undefined {
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12 || Number(date) < 1 || Number(date) > days) return undefined;
  return [year, month.padStart(2, '0'), date.padStart(2, '0')].join('-');
}

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?m\.?)?$/i;

function timeIn(text: string): string | undefined {
  const match = CLOCK.exec(text);
  if (!match) return undefined;
  const [, hours = '', minutes = '', seconds = '00', fraction = '', half] = match;
  const isHalf = half !== undefined;
  const hour = isHalf ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours);
  if (hour > 23 || (isHalf && (Number(hours) < 1 || Number(hours) > 12))) return undefined;
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  return `${String(hour).padStart(2, '0')}:${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}`;
}

/** The most characters of a date or a time: the patterns below need quadratic time for longer texts. */
const LONGEST_MOMENT = 64;
const ZONE = /\s*(Z|UTC|[+-]\d{2}:?\d{2})$/i;

/** The part of a text before its time; empty without a time. */
const dayPart = (text: string): string =>
  text.length > LONGEST_MOMENT ? '' : (/^(.*?)[T\s]+\d{1,2}:\d{2}/.exec(text)?.[1] ?? '');

/** A moment: without a time the beginning of the day, without a zone in UTC. */
function momentIn(text: string, { dates }: CellForm): string {
  if (text.length > LONGEST_MOMENT) noMoment();
  const whole = dayOf(text, dates);
  if (whole !== undefined) return `${whole}T00:00:00.000Z`;
  const date = dayOf(dayPart(text), dates);
  const rest = text.slice(dayPart(text).length).replace(/^[T\s,]+/i, '');
  const [zone = '', name = 'Z'] = ZONE.exec(rest) ?? [];
  const time = timeIn(zone === '' ? rest : rest.slice(0, -zone.length));
  if (date === undefined || time === undefined) noMoment();
  const offset = /^[+-]/.test(name) ? `${name.slice(0, 3)}:${name.slice(-2)}` : 'Z';
  const at = Date.parse(`${date}T${time}${offset}`);
  if (Number.isNaN(at)) noMoment();
  return new Date(at).toISOString();
}

/** Signs in the texts of a column by which the form of numbers and dates is guessed. */
export function guessForm(samples: Iterable<string>, isSemicolon: boolean): CellForm {
  let [points, commas, days, months] = [0, 0, 0, 0];
  for (const sample of samples) {
    const text = sample.trim();
    if (text.length > LONGEST_MOMENT) continue;
    if (/^[+-]?\d*\.\d+$/.test(text) && !/^[+-]?\d{1,3}\.\d{3}$/.test(text)) points += 1;
    if (/^[+-]?[\d.]*,\d+$/.test(text) && !/^[+-]?\d{1,3},\d{3}$/.test(text)) commas += 1;
    const [, one, , other] = YEAR_LAST.exec(dayPart(text) || text) ?? [];
    if (Number(one) > 12) days += 1;
    if (Number(other) > 12) months += 1;
  }
  const decimal = commas > points || (commas === points && commas === 0 && isSemicolon) ? ',' : '.';
  return { decimal, dates: months > days ? 'mdy' : 'dmy' };
}
