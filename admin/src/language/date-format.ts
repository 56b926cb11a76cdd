/** Formats the dates, times of day and timestamps of content for the reader. */

import { currentZone } from '../data/zone.ts';

export type WhenKind = 'date' | 'time' | 'moment';

/**
 * A date, a time of day, or a timestamp in the zone of the site or the reader. Invalid values are returned unchanged.
 *
 * @param isExact whether timestamps show seconds.
 */
export function whenText(kind: WhenKind, value: string, locale: string, isExact = false): string {
  return formatted(kind, value, locale, 'medium', isExact) ?? value;
}

/** The same with weekday and zone; undefined for a time of day. */
export const wholeWhenText = (kind: WhenKind, value: string, locale: string): string | undefined =>
  kind === 'time' ? undefined : formatted(kind, value, locale, 'full');

function formatted(
  kind: WhenKind,
  value: string,
  locale: string,
  style: 'medium' | 'full',
  isExact = false,
): string | undefined {
  const date = kind === 'moment' ? new Date(value) : localDate(kind, value);
  if (!date || Number.isNaN(date.getTime())) return undefined;
  const hasSeconds = isExact || (kind === 'time' && date.getSeconds() + date.getMilliseconds() > 0);
  const timeStyle = hasSeconds ? 'medium' : style === 'full' ? 'long' : 'short';
  return formatOf(locale, {
    ...(kind === 'time' ? {} : { dateStyle: style }),
    ...(kind === 'date' ? {} : { timeStyle }),
    ...(kind === 'moment' ? { timeZone: currentZone() } : {}),
  }).format(date);
}

/** The day of a point in time in the zone of the site or the reader: `Monday, 4 May 2026`. */
export const dayText = (at: string, locale: string): string =>
  formatOf(locale, { dateStyle: 'full', timeZone: currentZone() }).format(new Date(at));

/** Its time of day: `14:02`, or `14:02:31`. */
export const timeText = (at: string, locale: string, isExact = false): string =>
  formatOf(locale, { timeStyle: isExact ? 'medium' : 'short', timeZone: currentZone() }).format(new Date(at));

const DAY = /^(\d{4,6})-(\d\d)-(\d\d)/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?/;

/** A date or time of day in the zone of the device, which does not shift it; undefined if it is invalid. */
function localDate(kind: 'date' | 'time', value: string): Date | undefined {
  const parts = (kind === 'date' ? DAY : TIME).exec(value);
  if (!parts) return undefined;
  const [one = 0, two = 0, three = 0, four = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const date = new Date(2000, 0, 1);
  // The constructor would read years below 100 as those of the last century.
  if (kind === 'date') date.setFullYear(one, two - 1, three);
  else date.setHours(one, two, three, four);
  const isThere = kind === 'date' ? date.getDate() === three : date.getHours() === one;
  return isThere ? date : undefined;
}

/** Creating a format takes longer than rendering the row that contains it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known;
}
