/** Bodies of `POST` and `PUT /users-permissions/roles`. */
import { type FieldFailure, validation, validationFailure } from '../errors.ts';
import { type Body, bodyOf } from './account-bodies.ts';

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
  const failures: FieldFailure[] = [];
  const name = textAt(body, 'name', failures);
  const type = textAt(body, 'type', failures);
  const isCleared = body['description'] === null || body['description'] === '';
  const description = isCleared ? null : textAt(body, 'description', failures);
  const { permissions } = body;
  const actions = permissions === undefined ? undefined : enabledActions(permissions, known, failures);
  if (failures.length > 0) throw validationFailure(failures);
  return { name, type, description, actions };
}

function textAt(body: Body, key: string, failures: FieldFailure[]): string | undefined {
  const value = body[key];
  if (value === undefined) return undefined;
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST;
  if (isText && !value.includes('\0') && value.isWellFormed()) return value;
  failures.push({ path: [key], message: `${key} must be a text of 1 to ${LONGEST} characters`, value });
  return undefined;
}

/** The enabled leaves of `{owner: {controllers: {controller: {action: {enabled}}}}}`. */
function enabledActions(permissions: unknown, known: ReadonlySet<string>, failures: FieldFailure[]): Set<string> {
  const actions = new Set<string>();
  for (const [owner, ownerPath, { controllers }] of entriesOf(permissions, ['permissions'], failures)) {
    for (const [controller, path, names] of entriesOf(controllers ?? {}, [...ownerPath, 'controllers'], failures)) {
      for (const [name, here, state] of entriesOf(names, path, failures)) {
        if (state['enabled'] === undefined || state['enabled'] === false) continue;
        const action = `${owner}.${controller}.${name}`;
        if (state['enabled'] !== true) {
          failures.push({
            path: [...here, 'enabled'],
            message: 'enabled must be true or false',
            value: state['enabled'],
          });
        } else if (!known.has(action)) failures.push({ path: here, message: `There is no action ${action}` });
        else actions.add(action);
      }
    }
  }
  return actions;
}

/** The entries of an object of objects, each with its path. */
function entriesOf(value: unknown, path: readonly string[], failures: FieldFailure[]): [string, string[], Body][] {
  const isObject = (item: unknown): item is Body => typeof item === 'object' && item !== null && !Array.isArray(item);
  if (!isObject(value)) {
    failures.push({ path, message: `${path.join('.')} must be an object` });
    return [];
  }
  return Object.entries(value).flatMap(([key, item]): [string, string[], Body][] => {
    const here = [...path, key];
    if (isObject(item)) return [[key, here, item]];
    failures.push({ path: here, message: `${here.join('.')} must be an object` });
    return [];
  });
}
