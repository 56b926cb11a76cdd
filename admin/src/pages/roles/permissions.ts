/** The permissions of a role while they are edited. */
import type { Permittable, Role } from '../../../contract/people.ts';

export type PermittableType = Permittable['types'][number];

/** Operations on documents, in the order of the columns. */
export const VERBS = ['create', 'read', 'update', 'delete', 'publish'] as const;
export type Verb = (typeof VERBS)[number];

const EXPLORER = 'plugin::content-manager.explorer.';
export const actionOf = (verb: Verb): string => EXPLORER + verb;
export const verbOf = (action: string): Verb | undefined => VERBS.find((verb) => actionOf(verb) === action);

/** A permission. Null stands for all fields or locales, also those that are added later. */
export interface Permission {
  readonly fields: readonly string[] | null;
  readonly locales: readonly string[] | null;
  /** Conditions, one of which has to hold. */
  readonly conditions: readonly string[];
}

/** Permissions by action and subject; null for one that is taken away. */
export type Edits = ReadonlyMap<string, Permission | null>;
export type Permissions = ReadonlyMap<string, Permission>;

export const EVERYTHING: Permission = { fields: null, locales: null, conditions: [] };

/** The key of a permission in `Permissions` and `Edits`. */
export const keyOf = (action: string, subject: string | null): string => `${action} ${subject ?? ''}`;

/** The action and the subject of a key. */
export function partsOf(key: string): { readonly action: string; readonly subject: string | null } {
  const [action = '', subject = ''] = key.split(' ');
  return { action, subject: subject === '' ? null : subject };
}

/** The permissions of a role. Several for the same action are shown as their union. */
export function permissionsOf({ permissions }: Pick<Role, 'permissions'>): Permissions {
  const all = new Map<string, Permission>();
  for (const { action, subject, fields, locales, conditions } of permissions) {
    const key = keyOf(action, subject);
    const other = all.get(key);
    const permission = { fields, locales, conditions };
    all.set(key, other ? together(other, permission) : permission);
  }
  return all;
}

function together(one: Permission, other: Permission): Permission {
  const union = (a: readonly string[] | null, b: readonly string[] | null) => a && b && [...new Set([...a, ...b])];
  const isFree = one.conditions.length === 0 || other.conditions.length === 0;
  return {
    fields: union(one.fields, other.fields),
    locales: union(one.locales, other.locales),
    conditions: isFree ? [] : [...new Set([...one.conditions, ...other.conditions])],
  };
}

/** Whether an action on a type names fields. The others are about whole documents. */
export const hasFields = (verb: Verb): boolean => verb !== 'delete' && verb !== 'publish';

/** Whether an operation exists on a type. */
export const isApplicable = ({ draftAndPublish }: PermittableType, verb: Verb): boolean =>
  verb !== 'publish' || draftAndPublish;

/** How much of an action a permission covers. */
export function extentOf(permission: Permission | undefined): boolean | 'mixed' {
  if (!permission) return false;
  const { fields, locales, conditions } = permission;
  return fields === null && locales === null && conditions.length === 0 ? true : 'mixed';
}

type Lists = 'fields' | 'locales';

/** How many of some names a permission covers. */
export function coverage(permission: Permission | undefined, key: Lists, names: readonly string[]): boolean | 'mixed' {
  if (!permission) return false;
  const list = permission[key];
  const count = list === null ? names.length : names.filter((name) => list.includes(name)).length;
  return count === names.length ? true : count > 0 && 'mixed';
}

/**
 * A permission after some names were added or removed; null for nothing. Without a permission, it gets everything but
 * the other names.
 *
 * @param all all names.
 */
export function withNames(
  permission: Permission | undefined,
  { key, all, names, isOn }: { key: Lists; all: readonly string[]; names: readonly string[]; isOn: boolean },
): Permission | null {
  const has = permission ? (permission[key] ?? all) : [];
  if (isOn && permission?.[key] === null) return permission;
  const next = all.filter((name) => (names.includes(name) ? isOn : has.includes(name)));
  return next.length === 0 ? null : { ...(permission ?? EVERYTHING), [key]: next };
}

/** A permission whose list grows with the schema, or stays as it is. */
export function withLater(
  permission: Permission | undefined,
  { key, all, isOn }: { key: Lists; all: readonly string[]; isOn: boolean },
): Permission {
  return { ...(permission ?? EVERYTHING), [key]: isOn ? null : all };
}

/** A permission with or without a condition. */
export const withCondition = (permission: Permission, condition: string, isOn: boolean): Permission => ({
  ...permission,
  conditions: isOn ? [...permission.conditions, condition] : permission.conditions.filter((one) => one !== condition),
});

const areSameLists = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one === null || other === null
    ? one === other
    : one.length === other.length && one.every((name) => other.includes(name));

/** Whether two permissions permit the same. */
export function areSame(one: Permission | null | undefined, other: Permission | null | undefined): boolean {
  if (!one || !other) return !one && !other;
  return (['fields', 'locales', 'conditions'] as const).every((key) => areSameLists(one[key], other[key]));
}

/** Edits with one more; an edit that restores the stored permission is left out. */
export function withEdit(edits: Edits, stored: Permissions, key: string, permission: Permission | null): Edits {
  const next = new Map(edits);
  if (areSame(stored.get(key), permission)) next.delete(key);
  else next.set(key, permission);
  return next;
}

/** A difference between two permissions. Names are those that come or go, or those that alone are permitted. */
export interface Difference {
  readonly isGrant: boolean;
  readonly about:
    | 'all'
    | 'fields'
    | 'locales'
    | 'onlyFields'
    | 'onlyLocales'
    | 'laterFields'
    | 'laterLocales'
    | 'condition'
    | 'noCondition';
  readonly names: readonly string[];
}

/** The differences that an edit makes, grants first. */
export function differencesOf(
  before: Permission | undefined,
  after: Permission | null,
  all: Readonly<Record<Lists, readonly string[]>>,
): readonly Difference[] {
  if (!after) return [{ isGrant: false, about: 'all', names: [] }];
  if (!before) return grantOf(after);
  const found: Difference[] = [];
  for (const [key, later] of [
    ['fields', 'laterFields'],
    ['locales', 'laterLocales'],
  ] as const) {
    const [had, has] = [before[key] ?? all[key], after[key] ?? all[key]];
    const [more, less] = [has.filter((name) => !had.includes(name)), had.filter((name) => !has.includes(name))];
    if (more.length > 0) found.push({ isGrant: true, about: key, names: more });
    if (less.length > 0) found.push({ isGrant: false, about: key, names: less });
    if ((before[key] === null) !== (after[key] === null)) {
      found.push({ isGrant: after[key] === null, about: later, names: [] });
    }
  }
  if (!areSameLists(before.conditions, after.conditions)) {
    const isFree = after.conditions.length === 0;
    const isWider =
      isFree || (before.conditions.length > 0 && before.conditions.every((one) => after.conditions.includes(one)));
    found.push({ isGrant: isWider, about: isFree ? 'noCondition' : 'condition', names: after.conditions });
  }
  return found.sort((one, other) => Number(other.isGrant) - Number(one.isGrant));
}

/** A new permission with its limits. */
function grantOf({ fields, locales, conditions }: Permission): readonly Difference[] {
  const limit = (about: Difference['about'], names: readonly string[] | null): Difference[] =>
    names === null ? [] : [{ isGrant: true, about, names }];
  return [
    ...limit('all', []),
    ...limit('onlyFields', fields),
    ...limit('onlyLocales', locales),
    ...limit('condition', conditions.length === 0 ? null : conditions),
  ];
}

/** A row of the fields of a type: a field, or a component with the fields below it. */
export interface FieldRow {
  /** The dotted name. */
  readonly name: string;
  readonly depth: number;
  /** The fields that it stands for. */
  readonly names: readonly string[];
}

/** The rows of dotted names, each component before its fields. */
export function fieldRows(names: readonly string[]): readonly FieldRow[] {
  const rows: FieldRow[] = [];
  const seen = new Set<string>();
  for (const name of names) {
    const parts = name.split('.');
    parts.forEach((_, depth) => {
      const own = parts.slice(0, depth + 1).join('.');
      if (seen.has(own)) return;
      seen.add(own);
      const below = names.filter((one) => one === own || one.startsWith(`${own}.`));
      rows.push({ name: own, depth, names: below });
    });
  }
  return rows;
}
