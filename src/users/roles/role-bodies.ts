/** Bodies of `POST` and `PUT /users-permissions/roles`. */
import { validation } from '../../errors.ts';
import { at, below, Failures, type Place } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import { type Body, bodyOf } from '../accounts/account-bodies.ts';

/** What is wanted of a role; what is undefined stays as it is. */
export interface WantedRole {
  readonly name: string | undefined;
  readonly description: string | null | undefined;
  readonly type: string | undefined;
  /** The actions that it is to be granted, all of them. */
  readonly actions: ReadonlySet<string> | undefined;
}

const LONGEST = 255;

/** Throws ContentError 400 for a body that says nothing. */
export function requireBody(raw: unknown): void {
  if (raw === undefined || raw === null || Object.keys(raw as object).length === 0) {
    throw validation('Request body cannot be empty');
  }
}

/**
 * Reads a body; keys that mean nothing are ignored, as the reference does.
 *
 * @param known the actions that can be granted.
 * @throws ContentError 400 for an empty body, and with the path of each value that is wrong.
 */
export function wantedRole(raw: unknown, known: ReadonlySet<string>): WantedRole {
  requireBody(raw);
  const body = bodyOf(raw);
  const failures = new Failures();
  const name = textAt(body, 'name', failures);
  const type = textAt(body, 'type', failures);
  const isCleared = body['description'] === null || body['description'] === '';
  const description = isCleared ? null : textAt(body, 'description', failures);
  const { permissions } = body;
  const actions = permissions === undefined ? undefined : enabledActions(permissions, known, failures);
  failures.throwAny();
  return { name, type, description, actions };
}

function textAt(body: Body, key: string, failures: Failures): string | undefined {
  const value = body[key];
  if (value === undefined) return undefined;
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST;
  if (isText && !value.includes('\0') && value.isWellFormed()) return value;
  failures.add(at(key), `${key} must be a string of 1 to ${LONGEST} characters`, value);
  return undefined;
}

/** The enabled leaves of `{owner: {controllers: {controller: {action: {enabled}}}}}`. */
function enabledActions(permissions: unknown, known: ReadonlySet<string>, failures: Failures): Set<string> {
  const actions = new Set<string>();
  for (const [owner, ownerPlace, { controllers }] of entriesOf(permissions, at('permissions'), failures)) {
    for (const [controller, place, names] of entriesOf(controllers ?? {}, below(ownerPlace, 'controllers'), failures)) {
      for (const [name, here, state] of entriesOf(names, place, failures)) {
        if (state['enabled'] === undefined || state['enabled'] === false) continue;
        const action = `${owner}.${controller}.${name}`;
        if (state['enabled'] !== true) {
          failures.add(below(here, 'enabled'), 'enabled must be true or false', state['enabled']);
        } else if (!known.has(action)) failures.add(here, `There is no action ${action}`);
        else actions.add(action);
      }
    }
  }
  return actions;
}

const mustBeObject = (label: string): string => `${label} must be an object`;

/** The entries of an object of objects, each with its place. */
function entriesOf(value: unknown, place: Place, failures: Failures): [string, Place, Body][] {
  if (!isObject(value)) {
    failures.add(place, mustBeObject);
    return [];
  }
  return Object.entries(value).flatMap(([key, item]): [string, Place, Body][] => {
    const here = below(place, key);
    if (isObject(item)) return [[key, here, item]];
    failures.add(here, mustBeObject);
    return [];
  });
}
