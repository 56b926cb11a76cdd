/** Checks bodies of requests of administrators for API tokens, and reports all mistakes at once. */
import { at, Failures, plainText, REQUIRED } from '../../failures.ts';
import { type JsonObject, objectOrEmpty } from '../../plain-values.ts';
import { MOST_DAYS, type NewToken, TOKEN_TYPES, type TokenChange, type TokenType } from './tokens.ts';

const LONGEST = 255;
const DAY = 24 * 60 * 60 * 1000;

/**
 * Checks a new token.
 *
 * @param known the actions that can be granted.
 * @throws ContentError 400 with the paths of all mistakes.
 */
export function newTokenBody(raw: unknown, known: ReadonlySet<string>): NewToken {
  const body = { name: null, type: null, ...objectOrEmpty(raw) };
  const failures = new Failures();
  const { name, description, type, permissions } = changeOf(body, { known, stored: undefined }, failures);
  const lifespan = lifespanOf(body, failures) ?? null;
  failures.throwAny();
  return { name: name!, description, type: type!, permissions: permissions ?? [], lifespan };
}

/**
 * Checks changes of a token; missing values stay.
 *
 * @param known the actions that can be granted, and those that the token has.
 * @throws ContentError 400 with the paths of all mistakes.
 */
export function tokenChangeBody(
  raw: unknown,
  known: ReadonlySet<string>,
  stored: { readonly type: string; readonly permissions: readonly string[] },
): TokenChange {
  const failures = new Failures();
  const change = changeOf(objectOrEmpty(raw), { known, stored }, failures);
  failures.throwAny();
  return change;
}

/** The milliseconds of `days` in a body; null: forever; undefined without it. @throws ContentError 400. */
export function lifespanBody(raw: unknown): number | null | undefined {
  const failures = new Failures();
  const lifespan = lifespanOf(objectOrEmpty(raw), failures);
  failures.throwAny();
  return lifespan;
}

interface Checked {
  readonly known: ReadonlySet<string>;
  /** Undefined for a new token. */
  readonly stored: { readonly type: string; readonly permissions: readonly string[] } | undefined;
}

function changeOf(body: JsonObject, { known, stored }: Checked, failures: Failures): TokenChange {
  const { name, description, type, permissions } = body;
  const change = {
    name: name === undefined ? undefined : nameOf(name, failures),
    description: description === undefined ? undefined : descriptionOf(description, failures),
    type: type === undefined ? undefined : typeOf(type, failures),
    permissions: permissions === undefined ? undefined : permissionsOf(permissions, known, failures),
  };
  const isCustom = (change.type ?? stored?.type) === 'custom';
  const storedPermissions = stored?.type === 'custom' ? stored.permissions : [];
  const granted = change.permissions ?? (isCustom ? storedPermissions : []);
  if (isCustom && granted.length === 0) failures.add(at('permissions'), 'permissions must name at least one action');
  if (!isCustom && granted.length > 0) failures.add(at('permissions'), 'permissions are only for custom tokens');
  return change;
}

function nameOf(value: unknown, failures: Failures): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') failures.add(at('name'), REQUIRED);
  else if (isPlainText(value)) return value.trim();
  else failures.add(at('name'), plainText(value, LONGEST));
  return undefined;
}

function descriptionOf(value: unknown, failures: Failures): string | undefined {
  if (value === null) return '';
  if (typeof value === 'string' && isPlainText(value)) return value.trim();
  failures.add(at('description'), `description must be at most ${LONGEST} characters, without control characters`);
  return undefined;
}

const isPlainText = (value: string): boolean =>
  value.length <= LONGEST && !/\p{Cc}/u.test(value) && value.isWellFormed();

function typeOf(value: unknown, failures: Failures): TokenType | undefined {
  const type = TOKEN_TYPES.find((one) => one === value);
  if (!type) failures.add(at('type'), `type must be one of ${TOKEN_TYPES.join(', ')}`);
  return type;
}

/** @param known the actions that can be granted. */
function permissionsOf(value: unknown, known: ReadonlySet<string>, failures: Failures): readonly string[] {
  if (!Array.isArray(value) || value.length > known.size) {
    failures.add(at('permissions'), 'permissions must be a list of actions');
    return [];
  }
  for (const [index, action] of value.entries()) {
    if (typeof action !== 'string') failures.addWrongType(at('permissions', index), 'string', action);
    else if (!known.has(action)) failures.add(at('permissions', index), `There is no action ${action}`, action);
  }
  return [...new Set(value.filter((action) => typeof action === 'string'))];
}

function lifespanOf({ days }: JsonObject, failures: Failures): number | null | undefined {
  if (days === undefined || days === null) return days;
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= MOST_DAYS) return days * DAY;
  failures.add(at('days'), `days must be a whole number from 1 to ${MOST_DAYS}, or null`, days);
  return undefined;
}
