/** Timestamps in the format of the server, and in that of a control. */

/** The time zone of the device. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const two = (number: number): string => String(number).padStart(2, '0');

/** `2026-11-22T18:30:00.000Z` → the local `2026-11-22T19:30`, with seconds and milliseconds if there are any. */
export function toLocal(moment: string): string {
  const date = new Date(moment);
  if (moment === '' || Number.isNaN(date.getTime())) return '';
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const parts = date.getMilliseconds();
  const seconds = date.getSeconds() || parts ? `:${two(date.getSeconds())}` : '';
  const rest = parts ? `.${String(parts).padStart(3, '0')}` : '';
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}${rest}`;
}

/** A local `2026-11-22T19:30` → `2026-11-22T18:30:00.000Z`. An invalid text is returned unchanged. */
export function fromLocal(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
