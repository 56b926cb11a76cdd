/** Messages about cron expressions: those of the library count months and days from zero. */
import type { CronPattern } from 'croner';

/** A part of an expression, and its values. */
type Part = readonly [name: string, values: string];

const SECOND: Part = ['second', '0 to 59'];
const PARTS: readonly Part[] = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day', '1 to 31 or L (the last)'],
  ['month', '1 to 12 or JAN to DEC'],
  ['weekday', '0 to 7 or SUN to SAT'],
];
const YEAR: Part = ['year', '1 to 9999'];
/** By how many parts there are. */
const FORMS: ReadonlyMap<number, readonly Part[]> = new Map([
  [5, PARTS],
  [6, [SECOND, ...PARTS]],
  [7, [SECOND, ...PARTS, YEAR]],
]);

/**
 * The mistake in an expression; undefined for a valid one. @param Pattern the library's class, which is loaded on
 * demand.
 */
export function cronMistake(expression: string, Pattern: typeof CronPattern): string | undefined {
  const isPattern = (text: string): boolean => {
    try {
      return new Pattern(text) instanceof Pattern;
    } catch {
      return false;
    }
  };
  if (isPattern(expression)) return undefined;
  const none = `'${expression}' is not a cron expression`;
  const texts = expression.trim().split(/\s+/);
  const parts = FORMS.get(texts.length);
  if (!parts) {
    return `${none}: it has five parts, ${PARTS.map(([name]) => name).join(', ')}, as in 0 3 * * *, and seconds may precede them`;
  }
  const wrong = texts.findIndex(
    (text, index) => !isPattern(texts.map((_, at) => (at === index ? text : '*')).join(' ')),
  );
  const [name, values] = parts[wrong] ?? [];
  if (name === undefined) return none;
  return `${none}: its ${name} is ${texts[wrong]}, where ${values} is expected, or a list (1,3), a range (1-3), a step (*/2)`;
}
