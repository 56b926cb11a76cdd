/** Helpers for plain values, as JSON, configuration and rows of the database hold them. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object that is neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or one without keys in place of any other value. */
export const objectOrEmpty = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The text, or undefined for an empty one and for any other value. */
export const filledText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The number in a column that may be null. */
export const numberOrNull = (column: unknown): number | null => (column === null ? null : Number(column));

/** The text in a column that may be null. */
export const textOrNull = (column: unknown): string | null => (column === null ? null : String(column));

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](\d{2}):(\d{2}))$/;

/** The epoch milliseconds of a time in ISO 8601 with its offset; undefined for any other value. */
export function momentOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? MOMENT.exec(value) : null;
  if (!parts) return undefined;
  const [year, month, day, hours, minutes, seconds, offsetHours, offsetMinutes] = parts
    .slice(1)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number, number];
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= days;
  const isTime = hours <= 23 && minutes <= 59 && seconds <= 59 && offsetHours <= 14 && offsetMinutes <= 59;
  return isDate && isTime ? Date.parse(value as string) : undefined;
}

/** The same of a parameter, which may be a day as well: its beginning in UTC. */
export const momentOrDayOf = (value: unknown): number | undefined =>
  momentOf(typeof value === 'string' && DAY.test(value) ? `${value}T00:00Z` : value);

const [QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = [...'"\\[]{}'].map((c) => c.charCodeAt(0));

/** True for a JSON text with more levels of lists and objects. Scanning the text is quicker than walking its value. */
export function isDeeper(text: string, levels: number): boolean {
  let level = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === BRACKET || code === BRACE) {
      if (++level > levels) return true;
    } else if (code === BRACKET_END || code === BRACE_END) level--;
  }
  return false;
}

/** Levels of lists and objects in JSON that is written: fewer than the JSON functions of every engine accept. */
export const JSON_DEPTH = 500;

/** Whether a JSON text has more levels than `JSON_DEPTH`. Most texts are too short: a level takes a character at both ends. */
export const isTooDeep = (text: string): boolean => text.length > 2 * JSON_DEPTH && isDeeper(text, JSON_DEPTH);

/** Whether a value has more levels of lists and objects. */
export const isValueDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isValueDeeper(inner, levels - 1)));
