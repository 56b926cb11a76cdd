/** The bodies of requests that schedule an action, and the times in them. */
import { because, Failures, at as place } from '../failures.ts';
import { objectOrEmpty } from '../plain-values.ts';
import type { RawValue } from '../query/params.ts';
import { SCHEDULED_ACTIONS, type ScheduledAction } from './performers.ts';

/** Work is due at most so many milliseconds ahead. */
const LONGEST = 5 * 366 * 24 * 60 * 60_000;

export interface ScheduleBody {
  readonly action: ScheduledAction;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly locale: RawValue;
}

const KEYS: readonly string[] = ['action', 'at', 'locale'];
const MOMENT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](\d{2}):(\d{2}))$/;

/**
 * @param more further keys that the body may have.
 * @throws ContentError 400 with the paths of all mistakes.
 */
export function scheduleBody(raw: unknown, now: number, more: readonly string[] = []): ScheduleBody {
  const failures = new Failures();
  const body = objectOrEmpty(raw);
  const { action, at, locale } = body;
  for (const key of Object.keys(body)) {
    if (!KEYS.includes(key) && !more.includes(key)) failures.add(place(key), (label) => `${label} is not a known key`);
  }
  if (!SCHEDULED_ACTIONS.includes(action as ScheduledAction)) {
    failures.add(place('action'), `action must be ${SCHEDULED_ACTIONS.join(' or ')}`, action);
  }
  const dueAt = dueTime(at, now, failures);
  failures.throwAny();
  return { action: action as ScheduledAction, dueAt, locale: locale as RawValue };
}

/** A time of a body. A wrong one is added to the failures. */
export function dueTime(at: unknown, now: number, failures: Failures): number {
  const time = momentOf(at);
  if (time === undefined) {
    const said = 'at must be a time in ISO 8601 with its offset, such as 2026-12-04T09:00:00+01:00';
    failures.add(place('at'), because(said, 'noMoment'), at);
  } else if (time <= now) failures.add(place('at'), because('at must be in the future', 'past'), at);
  else if (time > now + LONGEST) failures.add(place('at'), because('at must be within five years', 'farFuture'), at);
  return time ?? Number.NaN;
}

/** The epoch milliseconds of a time in ISO 8601 with its offset; undefined for any other value. */
function momentOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? MOMENT.exec(value) : null;
  if (!parts) return undefined;
  const [year, month, day, hours, minutes, seconds, offsetHours, offsetMinutes] = parts
    .slice(1)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number, number];
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= days;
  const isTime = hours <= 23 && minutes <= 59 && seconds <= 59 && offsetHours <= 14 && offsetMinutes <= 59;
  return isDate && isTime ? Date.parse(value as string) : undefined;
}
