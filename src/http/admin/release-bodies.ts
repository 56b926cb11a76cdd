/** Checks bodies of requests for releases, and reports all mistakes at once. */
import { at, atMost, because, Failures, type Place, plainText, REQUIRED, validationFailure } from '../../failures.ts';
import { isObject, type JsonObject, momentOf } from '../../plain-values.ts';
import {
  ACTION_TYPES,
  type ActionType,
  MOST_ACTIONS,
  type NewAction,
  type ReleasePlan,
} from '../../releases/releases.ts';
import { dueTime } from '../../schedule/schedule-body.ts';

/** Characters of a name, of a document id, and of a locale: the size of their columns. */
const LENGTH = 255;

/**
 * Checks the name and the time of a release.
 *
 * @param now a time that a new time must follow.
 * @param planned the time that the release has already.
 */
export function releaseBody(raw: unknown, now: number, planned: number | null = null): ReleasePlan {
  const failures = new Failures();
  const { name, scheduledAt = null, timezone = null } = isObject(raw) ? raw : ({} as JsonObject);
  const text = typeof name === 'string' ? name.trim() : '';
  if (text === '') failures.add(at('name'), REQUIRED, name);
  else if (!isPlain(text)) failures.add(at('name'), plainText(text, LENGTH), text);
  const isPlanned = planned !== null && momentOf(scheduledAt) === planned;
  const dueAt = () => dueTime(scheduledAt, now, failures, 'scheduledAt', 'Scheduled at');
  const time = scheduledAt === null ? null : isPlanned ? planned : dueAt();
  if (time !== null && !isZone(timezone))
    failures.add(at('timezone'), because('timezone is not known', 'noChoice'), timezone);
  failures.throwAny();
  return { name: text, scheduledAt: time, timezone: time === null ? null : (timezone as string) };
}

const isPlain = (text: string): boolean => text.length <= LENGTH && !/\p{Cc}/u.test(text) && text.isWellFormed();

function isZone(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > LENGTH) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
}

/**
 * Whether a request confirms that documents which have changed are reverted as well.
 *
 * @throws ContentError 400 for a body of another form.
 */
export function isConfirmed(raw: unknown): boolean {
  const { confirmed = false } = isObject(raw) ? raw : ({} as JsonObject);
  if (typeof confirmed === 'boolean') return confirmed;
  throw validationFailure(at('confirmed'), 'confirmed must be true or false');
}

/** Actions that are added, in the words of the reference. */
export function actionsBody(raw: unknown): readonly NewAction[] {
  const failures = new Failures();
  const list = isObject(raw) && Array.isArray(raw['actions']) ? (raw['actions'] as unknown[]) : undefined;
  if (!list || list.length === 0) failures.add(at('actions'), REQUIRED);
  else if (list.length > MOST_ACTIONS) {
    failures.add(
      at('actions'),
      because(`actions must have at most ${MOST_ACTIONS} items`, 'tooMany', { limit: MOST_ACTIONS }),
    );
  }
  failures.throwAny();
  const actions = list!.map((item, n) => newAction(item, at('actions', n), failures));
  failures.throwAny();
  return actions;
}

function newAction(raw: unknown, place: Place, failures: Failures): NewAction {
  const { type, contentType, documentId, locale = null } = isObject(raw) ? raw : ({} as JsonObject);
  const below = (key: string): Place => ({ above: place, key });
  const named = (key: string, value: unknown): string => {
    if (typeof value !== 'string' || value === '') failures.add(below(key), REQUIRED, value);
    else if (!isPlain(value)) failures.add(below(key), atMost(LENGTH), value);
    return String(value);
  };
  return {
    type: actionType(type, below('type'), failures),
    uid: named('contentType', contentType),
    documentId: named('documentId', documentId),
    locale: locale === null ? null : named('locale', locale),
  };
}

function actionType(value: unknown, place: Place, failures: Failures): ActionType {
  const type = ACTION_TYPES.find((known) => known === value);
  if (!type) failures.add(place, because(`type must be one of ${ACTION_TYPES.join(', ')}`, 'noChoice'), value);
  return type ?? 'publish';
}

/** What an action shall do. */
export function actionTypeBody(raw: unknown): ActionType {
  const failures = new Failures();
  const type = actionType(isObject(raw) ? raw['type'] : undefined, at('type'), failures);
  failures.throwAny();
  return type;
}

/** The ids of actions, and the one in front of which they come: null for the end. */
export function orderBody(raw: unknown): { readonly ids: readonly number[]; readonly before: number | null } {
  const failures = new Failures();
  const { ids, before = null } = isObject(raw) ? raw : ({} as JsonObject);
  const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
  const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= MOST_ACTIONS && ids.every(isId);
  if (!isList) failures.add(at('ids'), `ids must be a list of 1 to ${MOST_ACTIONS} ids`);
  if (before !== null && !isId(before)) failures.add(at('before'), 'before must be an id or null', before);
  failures.throwAny();
  return { ids: [...new Set(ids as number[])], before: before as number | null };
}
