/** Parses lifespans of tokens such as `jwt.expiresIn`. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly (readonly [pattern: RegExp, milliseconds: number])[] = [
  [/^(?:ms|msecs?|milliseconds?)?$/, 1],
  [/^(?:s|secs?|seconds?)$/, SECOND],
  [/^(?:m|mins?|minutes?)$/, MINUTE],
  [/^(?:h|hrs?|hours?)$/, HOUR],
  [/^(?:d|days?)$/, DAY],
  [/^(?:w|weeks?)$/, 7 * DAY],
  [/^(?:y|yrs?|years?)$/, 365.25 * DAY],
];

/**
 * Whole seconds of a number, or of a text such as `7d`. A text without a unit means milliseconds. Undefined for other
 * values.
 */
export function secondsOf(value: unknown): number | undefined {
  let seconds = typeof value === 'number' ? value : Number.NaN;
  if (typeof value === 'string') {
    const [, amount, word = ''] = /^(\d+(?:\.\d+)?) *([a-z]*)$/i.exec(value.trim()) ?? [];
    const unit = UNITS.find(([pattern]) => pattern.test(word.toLowerCase()));
    if (amount !== undefined && unit) seconds = (Number(amount) * unit[1]) / 1000;
  }
  const whole = Math.floor(seconds);
  return Number.isSafeInteger(whole) ? whole : undefined;
}
