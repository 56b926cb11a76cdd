/** Relative times: "in 5 days", "2 hours ago". */

/** The units by their seconds. */
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const formats = new Map<string, Intl.RelativeTimeFormat>();

/** A time in milliseconds, seen from another; undefined for less than a minute. */
export function relativeText(at: number, now: number, locale: string): string | undefined {
  const seconds = (at - now) / 1000;
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return undefined;
  const format = formats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  formats.set(locale, format);
  return format.format(Math.round(seconds / unit[1]), unit[0]);
}
