/** Checks bodies of requests for roles of administrators, and reports all mistakes at once. */
import { CONDITIONS, OPERATIONS, operationOf, SETTINGS } from '../../access/administrators/administrator-rights.ts';
import type { HeldPermission, Permittable } from '../../content/roles/role-permissions.ts';
import { validation } from '../../errors.ts';
import { at, below, Failures, type Place, REQUIRED } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import type { NewRole, PermissionEdit, RoleEdit } from '../../users/administrators/edited-roles.ts';
import { takesConditions } from './shown-roles.ts';

type Body = Readonly<Record<string, unknown>>;

/** @throws ContentError 400 with the paths of all mistakes. */
export function newRoleBody(raw: unknown): NewRole {
  const body = objectOf(raw);
  const failures = new Failures();
  const name = textOf(failures, body, 'name') ?? '';
  if (body['name'] === undefined) failures.add(at('name'), REQUIRED);
  const description = textOf(failures, body, 'description') ?? '';
  const from = body['from'] ?? undefined;
  if (from !== undefined && !Number.isSafeInteger(from)) failures.addWrongType(at('from'), 'number', from);
  failures.throwAny();
  return { name, description, from: from as number | undefined };
}

/**
 * Checks an edit of a role.
 *
 * @throws ContentError 400 with the paths of all mistakes.
 */
export function roleBody(raw: unknown, permittable: Permittable): RoleEdit {
  const body = objectOf(raw);
  const failures = new Failures();
  const { secondFactor, permissions } = body;
  if (secondFactor !== undefined && typeof secondFactor !== 'boolean') {
    failures.addWrongType(at('secondFactor'), 'boolean', secondFactor);
  }
  const edit = {
    name: textOf(failures, body, 'name'),
    description: textOf(failures, body, 'description'),
    requiresSecondFactor: secondFactor === true || secondFactor === false ? secondFactor : undefined,
    permissions: permissions === undefined ? undefined : new Edits(failures, permittable).read(permissions),
  };
  failures.throwAny();
  return edit;
}

function textOf(failures: Failures, body: Body, key: string): string | undefined {
  const value = body[key];
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value.trim();
  failures.addWrongType(at(key), 'string', value);
  return undefined;
}

/** Reads edits of permissions: at most one for each action and subject. */
class Edits {
  readonly #failures: Failures;
  readonly #permittable: Permittable;

  constructor(failures: Failures, permittable: Permittable) {
    this.#failures = failures;
    this.#permittable = permittable;
  }

  read(list: unknown): readonly PermissionEdit[] {
    const { types } = this.#permittable;
    const most = types.length * OPERATIONS.length + SETTINGS.length;
    if (!Array.isArray(list) || list.length > most) {
      this.#failures.add(at('permissions'), `permissions must be a list of at most ${most} edits`);
      return [];
    }
    const seen = new Set<string>();
    return list.flatMap((one: unknown, index) => {
      const place = at('permissions', index);
      const edit = this.#edit(place, one, types);
      if (!edit) return [];
      const key = `${edit.action} ${edit.subject}`;
      if (seen.has(key)) this.#failures.add(place, 'there is another edit of the same action and subject');
      seen.add(key);
      return [edit];
    });
  }

  #edit(place: Place, one: unknown, types: readonly string[]): PermissionEdit | undefined {
    const { action, subject = null, permission } = isObject(one) ? (one as Body) : {};
    const isKnown =
      typeof action === 'string' &&
      (subject === null
        ? SETTINGS.includes(action)
        : types.includes(subject as string) && operationOf(action) !== undefined);
    if (!isKnown) {
      this.#failures.add(below(place, 'action'), 'this action does not exist on this subject');
      return undefined;
    }
    const of = { action: action as string, subject: subject as string | null };
    if (permission === null) return { ...of, permission };
    if (!isObject(permission)) {
      this.#failures.addWrongType(below(place, 'permission'), 'object', permission);
      return undefined;
    }
    return { ...of, permission: this.#permission(below(place, 'permission'), of, permission as Body) };
  }

  #permission(place: Place, { action, subject }: Omit<PermissionEdit, 'permission'>, body: Body): HeldPermission {
    const permittable = this.#permittable;
    const whole = { fields: permittable.fieldsOf(action, subject), locales: permittable.localesOf(subject) };
    const conditions = subject !== null || takesConditions(action) ? CONDITIONS : [];
    const named = {
      fields: this.#names(below(place, 'fields'), body['fields'] ?? null, whole.fields),
      locales: this.#names(below(place, 'locales'), body['locales'] ?? null, whole.locales),
    };
    return {
      action,
      subject,
      fields: named.fields ?? whole.fields,
      locales: named.locales ?? whole.locales,
      conditions: this.#known(below(place, 'conditions'), body['conditions'] ?? [], conditions),
      restricted: { fields: named.fields !== null, locales: named.locales !== null },
    };
  }

  /** A list of names; null for all, also later ones. @param all null if there are none. */
  #names(place: Place, value: unknown, all: readonly string[] | null): readonly string[] | null {
    if (value === null) return null;
    if (all === null) {
      this.#failures.add(place, 'this permission has no such list');
      return null;
    }
    return this.#known(place, value, all);
  }

  /** The known names of a list, in their own order. */
  #known(place: Place, value: unknown, all: readonly string[]): readonly string[] {
    if (!Array.isArray(value) || value.length > all.length) {
      this.#failures.add(place, `this must be a list of at most ${all.length} names`);
      return [];
    }
    const known = new Set(all);
    value.forEach((name: unknown, index) => {
      if (!known.has(name as string)) this.#failures.add(below(place, index), 'this does not exist', name);
    });
    const wanted = new Set(value);
    return all.filter((name) => wanted.has(name));
  }
}

function objectOf(raw: unknown): Body {
  if (isObject(raw)) return raw as Body;
  throw validation('The request needs a JSON object as its body');
}
