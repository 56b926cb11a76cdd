/** Timestamps in the format of the server, and in that of a control, in the current time zone. */
import { currentZone } from '../../data/zone.ts';

const DAY = 86_400_000;

const two = (number: number): string => String(number).padStart(2, '0');

/** `2026-11-22T18:30:00.000Z` → the local `2026-11-22T19:30`, with seconds and milliseconds if there are any. */
export function toLocal(moment: string, zone = currentZone()): string {
  const date = new Date(moment);
  if (moment === '' || Number.isNaN(date.getTime())) return '';
  const wall = new Date(wallTime(date.getTime(), zone));
  const year = String(wall.getUTCFullYear()).padStart(4, '0');
  const day = `${year}-${two(wall.getUTCMonth() + 1)}-${two(wall.getUTCDate())}`;
  const parts = date.getMilliseconds();
  const seconds = wall.getUTCSeconds() || parts ? `:${two(wall.getUTCSeconds())}` : '';
  const rest = parts ? `.${String(parts).padStart(3, '0')}` : '';
  return `${day}T${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}${seconds}${rest}`;
}

/**
 * A local `2026-11-22T19:30` → `2026-11-22T18:30:00.000Z`. An invalid text is returned unchanged, and an hour that a
 * change of clocks skips becomes another one.
 */
export function fromLocal(text: string, zone = currentZone()): string {
  const wall = new Date(`${text}Z`).getTime();
  if (Number.isNaN(wall)) return text;
  const guess = wall - offsetAt(wall, zone);
  return new Date(wall - offsetAt(guess, zone)).toISOString();
}

/**
 * The times at which clocks in a zone show a local `2026-10-25T02:30`: usually one, none if a change of clocks skips it,
 * two if it comes again.
 */
export function timesOf(text: string, zone = currentZone()): readonly string[] {
  const wall = new Date(`${text}Z`).getTime();
  if (Number.isNaN(wall)) return [];
  const offsets = new Set([-DAY, DAY].map((distance) => offsetAt(wall + distance, zone)));
  const times = [...offsets].map((offset) => wall - offset).filter((time) => wallTime(time, zone) === wall);
  return times.sort((a, b) => a - b).map((time) => new Date(time).toISOString());
}

/** The milliseconds by which clocks in a zone are ahead of UTC. */
const offsetAt = (time: number, zone: string): number => wallTime(time, zone) - time;

/** The time that clocks in a zone show, as if it were UTC. */
function wallTime(time: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  );
  const numberOf = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  // Years before 1 are counted backwards.
  const year = parts.get('era') === 'BC' ? 1 - numberOf('year') : numberOf('year');
  const wall = new Date(0);
  wall.setUTCFullYear(year, numberOf('month') - 1, numberOf('day'));
  wall.setUTCHours(numberOf('hour'), numberOf('minute'), numberOf('second'));
  return wall.getTime() + (((time % 1000) + 1000) % 1000);
}

/** Creating a format takes long. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const numeric = 'numeric' as const;
  const date = { era: 'short', year: numeric, month: numeric, day: numeric } as const;
  const time = { hour: numeric, minute: numeric, second: numeric, hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-US', { calendar: 'gregory', timeZone: zone, ...date, ...time });
  formats.set(zone, format);
  return format;
}
