/** Days, times of day and points in time that are content: as they are, in the reader's way of writing them. */

export type WhenKind = 'date' | 'time' | 'moment';

/** A day, a time of day, or a point in time in the reader's own zone; what is none of these as it stands. */
export function whenText(kind: WhenKind, value: string, locale: string): string {
  return formatted(kind, value, locale, 'medium') ?? value;
}

/** The same with the weekday and the zone; undefined for a time of day, of which there is no more to say. */
export const wholeWhenText = (kind: WhenKind, value: string, locale: string): string | undefined =>
  kind === 'time' ? undefined : formatted(kind, value, locale, 'full');

function formatted(kind: WhenKind, value: string, locale: string, style: 'medium' | 'full'): string | undefined {
  const date = kind === 'moment' ? new Date(value) : localDate(kind, value);
  if (!date || Number.isNaN(date.getTime())) return undefined;
  const hasSeconds = kind === 'time' && date.getSeconds() + date.getMilliseconds() > 0;
  const timeStyle = hasSeconds ? 'medium' : style === 'full' ? 'long' : 'short';
  return formatOf(locale, {
    ...(kind === 'time' ? {} : { dateStyle: style }),
    ...(kind === 'date' ? {} : { timeStyle }),
  }).format(date);
}

const DAY = /^(\d{4,6})-(\d\d)-(\d\d)/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?/;

/** The day or the time of day on this device, whose zone changes neither; undefined for what is none. */
function localDate(kind: 'date' | 'time', value: string): Date | undefined {
  const parts = (kind === 'date' ? DAY : TIME).exec(value);
  if (!parts) return undefined;
  const [one = 0, two = 0, three = 0, four = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const date = new Date(2000, 0, 1);
  // not by the constructor, which takes the first hundred years for those of the last century
  if (kind === 'date') date.setFullYear(one, two - 1, three);
  else date.setHours(one, two, three, four);
  const isThere = kind === 'date' ? date.getDate() === three : date.getHours() === one;
  return isThere ? date : undefined;
}

/** Making one takes longer than drawing the row that it stands in. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known;
}
