/** The direction in which content is written, which can differ from that of the app. */

export type Direction = 'ltr' | 'rtl';

/** Scripts that run from right to left, by their ISO 15924 codes. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set([
  'Adlm',
  'Arab',
  'Aran',
  'Hebr',
  'Mand',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
]);

/** Cached, because every field of a form needs it. */
const known = new Map<string, Direction | undefined>();

/** The direction of a locale by its usual script; undefined for a code that is not a language. */
export function directionOf(locale: string): Direction | undefined {
  if (!known.has(locale)) known.set(locale, directionByScript(locale));
  return known.get(locale);
}

function directionByScript(locale: string): Direction | undefined {
  try {
    const { script } = new Intl.Locale(locale).maximize();
    return script !== undefined && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr';
  } catch {
    return undefined;
  }
}

/** Letters of scripts that run from right to left. */
const LETTERS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Isolates a text with such letters within a sentence of another language (U+2068 to U+2069). */
export function isolated(text: string): string {
  return LETTERS.test(text) ? `\u2068${text}\u2069` : text;
}
