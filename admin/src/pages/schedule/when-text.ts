/** Times of scheduled actions in words. */
import { currentZone } from '../../data/zone.ts';
import { timesOf, toLocal } from '../../form/values/moments.ts';
import type { Text } from '../../language/messages.ts';
import { relativeText } from '../../language/relative-time.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Creating a format takes long. */
function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, known);
  return known;
}

/** `Friday, 4 December`, with the year if it is another one. */
export function dayText(at: string, locale: string, zone = currentZone(), now = Date.now()): string {
  const yearOf = (time: number): string => formatOf('en', { year: 'numeric', timeZone: zone }).format(time);
  const isOther = yearOf(Date.parse(at)) !== yearOf(now);
  return formatOf(locale, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', timeZone: zone },
    ...(isOther ? { year: 'numeric' } : {}),
  }).format(new Date(at));
}

/** `09:00`. */
export const timeText = (at: string, locale: string, zone = currentZone()): string =>
  formatOf(locale, { timeStyle: 'short', timeZone: zone }).format(new Date(at));

/** A time that clocks show, such as `09:00`, as the reader writes it. */
export const wallText = (time: string, locale: string): string => timeText(`2000-01-01T${time}Z`, locale, 'UTC');

/** `GMT+2`. */
export const offsetText = (at: string, locale: string, zone = currentZone()): string =>
  formatOf(locale, { timeZoneName: 'shortOffset', timeZone: zone })
    .formatToParts(new Date(at))
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** The place that a zone is named after: `Europe/Berlin` → `Berlin`. */
export const placeOf = (zone = currentZone()): string => zone.split('/').at(-1)!.replaceAll('_', ' ');

/** ` (GMT+2)` in an hour that comes twice, else empty. */
function whichText(at: string, locale: string, zone = currentZone()): string {
  return timesOf(toLocal(at, zone), zone).length > 1 ? ` (${offsetText(at, locale, zone)})` : '';
}

/** `Friday, 4 December, 09:00`. */
export const momentText = (t: Text, at: string, locale: string): string =>
  t('schedule.moment', { day: dayText(at, locale), time: timeText(at, locale) }) + whichText(at, locale);

/** `Friday, 4 December, 09:00 in Berlin, in 5 days`. */
export function whenSummary(t: Text, at: string, locale: string, zone = currentZone(), now = Date.now()): string {
  const [day, time] = [dayText(at, locale, zone, now), timeText(at, locale, zone)];
  const place = placeOf(zone) + whichText(at, locale, zone);
  const distance = relativeText(Date.parse(at), now, locale) ?? t('time.soon');
  return t('schedule.summary', { day, time, place, distance });
}
