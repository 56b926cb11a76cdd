/** The days of a month in a calendar, as `2026-12-04`. They are days, not times, and have no zone. */

const DAY = 86_400_000;
const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** A day that is so many days away. */
export const addDays = (day: string, count: number): string => dayOf(timeOf(day) + count * DAY);

/** The same day of another month, or its last one. */
export function addMonths(day: string, count: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 + count, Math.min(date, last)));
}

/** `2026-12`. */
export const monthOf = (day: string): string => day.slice(0, 7);

/** The number of the day in its week, from 0. @param first the first day of the week: 1 is Monday, 7 Sunday. */
export const placeInWeek = (day: string, first: number): number => (new Date(timeOf(day)).getUTCDay() - first + 7) % 7;

/** The weeks that show a month, with the days of others around it. */
export function weeksOf(month: string, first: number): readonly (readonly string[])[] {
  const start = addDays(`${month}-01`, -placeInWeek(`${month}-01`, first));
  const weeks: string[][] = [];
  for (let day = start; weeks.length === 0 || monthOf(day) === month; day = addDays(day, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(day, index)));
  }
  return weeks;
}

/** The first day of the week where the reader lives. */
export function firstWeekday(locale: string): number {
  const own = new Intl.Locale(locale) as Intl.Locale & {
    readonly weekInfo?: { readonly firstDay: number };
    getWeekInfo?: () => { readonly firstDay: number };
  };
  return (own.getWeekInfo?.() ?? own.weekInfo)?.firstDay ?? 1;
}
