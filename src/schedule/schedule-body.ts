/** The bodies of requests that schedule an action, and the times in them. */
import { because, Failures, at as place } from '../failures.ts';
import { momentOf, objectOrEmpty } from '../plain-values.ts';
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

/**
 * @param more further keys that the body may have.
 * @throws ContentError 400 with the paths of all mistakes.
 */
export function scheduleBody(raw: unknown, now: number, more: readonly string[] = []): ScheduleBody {
  const failures = new Failures();
  const body = objectOrEmpty(raw);
  const { action, at, locale } = body;
  failures.addUnknown(body, [...KEYS, ...more]);
  if (!SCHEDULED_ACTIONS.includes(action as ScheduledAction)) {
    failures.add(place('action'), `action must be ${SCHEDULED_ACTIONS.join(' or ')}`, action);
  }
  const dueAt = dueTime(at, now, failures);
  failures.throwAny();
  return { action: action as ScheduledAction, dueAt, locale: locale as RawValue };
}

/**
 * The time in the body of a request that changes when an action is due.
 *
 * @throws ContentError 400 with the paths of all mistakes.
 */
export function changedTime(raw: unknown, now: number): number {
  const failures = new Failures();
  const body = objectOrEmpty(raw);
  failures.addUnknown(body, ['at']);
  const dueAt = dueTime(body['at'], now, failures);
  failures.throwAny();
  return dueAt;
}

/** A time at which something is to be done. A wrong one is added to the failures, with the label of its key. */
export function dueTime(value: unknown, now: number, failures: Failures, key = 'at', label = key): number {
  const time = momentOf(value);
  const fail = (text: string, code: 'noMoment' | 'past' | 'farFuture') =>
    failures.add(place(key), because(`${label} must be ${text}`, code), value);
  if (time === undefined) fail('a time in ISO 8601 with its offset, such as 2026-12-04T09:00:00+01:00', 'noMoment');
  else if (time <= now) fail('later than now', 'past');
  else if (time > now + LONGEST) fail('within five years', 'farFuture');
  return time ?? Number.NaN;
}
