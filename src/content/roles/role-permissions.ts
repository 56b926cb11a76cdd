/** The permissions of administrators' roles, as operators name and change them. */
import {
  isEdited,
  listOf,
  namesFields,
  OPERATIONS,
  type Operation,
  operationOf,
  SETTINGS,
  SUPER_ADMIN,
  treeOf,
} from '../../access/administrators/administrator-rights.ts';
import type { Restriction, RolePermission } from '../../access/administrators/role-alignment.ts';
import { fieldNames, fieldTree, hasField } from '../../access/field-tree.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { alignRolesIn, readRestrictions } from './align-roles.ts';
import {
  deletePermission,
  insertPermission,
  listRolePermissions,
  lockRoles,
  roleSubject,
  type StoredRole,
} from './role-rows.ts';

/** A permission of a role. */
export interface HeldPermission {
  readonly action: string;
  readonly subject: string | null;
  /** Null for actions without fields. */
  readonly fields: readonly string[] | null;
  /** Null for subjects without locales. */
  readonly locales: readonly string[] | null;
  readonly conditions: readonly string[];
  /** Whether the lists of fields and locales stay as they are when a field or a locale is added. */
  readonly restricted: Restriction;
  /** The properties of the row that it comes from: names of fields that the schema lacks stay where they are. */
  readonly stored?: Readonly<Record<string, unknown>>;
}

/** A permission to be granted. Undefined parts stay unchanged, and stand for everything if all three are undefined. */
export interface WantedPermission {
  readonly action: string;
  readonly subject: string | null;
  readonly fields: readonly string[] | undefined;
  readonly locales: readonly string[] | undefined;
  readonly conditions: readonly string[] | undefined;
}

/** Everything that can be permitted: the types with their fields, and the locales. */
export class Permittable {
  readonly catalog: Catalog;
  readonly locales: readonly string[];

  constructor(catalog: Catalog, locales: readonly string[]) {
    this.catalog = catalog;
    this.locales = locales;
  }

  static async read(catalog: Catalog, db: Queryable): Promise<Permittable> {
    return new Permittable(
      catalog,
      (await selectRows(db, 'i18n_locale', ['code'], {}, ['id'])).map(([code]) => String(code)),
    );
  }

  /** Uids of the types that permissions are about. */
  get types(): string[] {
    return [...this.catalog.contentTypes.values()].filter(isEdited).map(({ uid }) => uid);
  }

  /** All fields of an action on a type; null if it has none. */
  fieldsOf(action: string, subject: string | null): readonly string[] | null {
    const operation = operationOf(action);
    const type = subject === null ? undefined : this.catalog.contentTypes.get(subject);
    return type && operation && namesFields(operation) ? fieldNames(this.catalog, type) : null;
  }

  /** All locales of a type; null if it has none. */
  localesOf(subject: string | null): readonly string[] | null {
    return subject !== null && this.catalog.contentTypes.get(subject)?.localized === true ? this.locales : null;
  }

  /** A stored permission; undefined for an unknown one, which is left unchanged. */
  held(
    { id, action, subject, properties, conditions }: RolePermission,
    restrictions: ReadonlyMap<number, Restriction>,
  ): HeldPermission | undefined {
    const stored = treeOf(properties);
    const required = listOf(conditions);
    const isKnown =
      subject === null ? SETTINGS.includes(action) : this.types.includes(subject) && operationOf(action) !== undefined;
    if (!isKnown || required === undefined) return undefined;
    const fields = this.fieldsOf(action, subject);
    const listed = stored['fields'] === undefined || stored['fields'] === null ? undefined : listOf(stored['fields']);
    const tree = listed === undefined ? true : fieldTree(listed);
    const locales = this.localesOf(subject);
    const codes = stored['locales'] === null ? locales : listOf(stored['locales']);
    const has = {
      fields: fields?.filter((name) => hasField(tree, name)) ?? null,
      locales: locales?.filter((code) => codes?.includes(code)) ?? null,
    };
    const recorded = restrictions.get(id);
    const isRestricted = (key: keyof Restriction, all: readonly string[] | null): boolean =>
      all !== null && (recorded?.[key] === true || has[key]!.length < all.length);
    const restricted = { fields: isRestricted('fields', fields), locales: isRestricted('locales', locales) };
    return { action, subject, ...has, conditions: required, restricted, stored };
  }

  /** The properties of the row of a permission. */
  properties({ action, subject, fields, locales, stored = {} }: HeldPermission): Record<string, unknown> {
    const all = this.fieldsOf(action, subject);
    const isHere = (name: string): boolean => all?.some((one) => one === name || one.startsWith(`${name}.`)) ?? false;
    const elsewhere = (listOf(stored['fields']) ?? []).filter((name) => !isHere(name));
    return {
      ...stored,
      ...(fields === null ? {} : { fields: [...fields, ...elsewhere] }),
      ...(locales === null ? {} : { locales }),
    };
  }

  /** A permission in words: `read api::article.article (fields title, body; only with admin::is-creator)`. */
  describe(permission: HeldPermission): string {
    const { action, subject, fields, locales, conditions, restricted } = permission;
    const details = [
      ...(fields === null ? [] : part('field', fields, this.fieldsOf(action, subject)!, restricted.fields)),
      ...(locales === null ? [] : part('locale', locales, this.locales, restricted.locales)),
      ...(conditions.length === 0 ? [] : [`only with ${conditions.join(' or ')}`]),
    ];
    return `${what(permission)}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
  }
}

/** Nothing for all names, `all fields but secret`, `fields title, body` or `no locales`. */
function part(noun: string, names: readonly string[], all: readonly string[], isRestricted: boolean): string[] {
  if (!isRestricted) return [];
  const missing = without(all, names);
  if (names.length === 0) return [`no ${noun}s`];
  const isShorter = missing.length > 0 && missing.length < names.length;
  return [isShorter ? `all ${noun}s but ${missing.join(', ')}` : named(noun, names)];
}

/** `field title`, `fields title, body`. */
const named = (noun: string, names: readonly string[]): string =>
  `${noun}${names.length === 1 ? '' : 's'} ${names.join(', ')}`;

const what = ({ action, subject }: Pick<HeldPermission, 'action' | 'subject'>): string =>
  subject === null ? action : `${operationOf(action)} ${subject}`;

/** The permissions of a role, in the order of the operations. */
export async function heldPermissions(
  db: Queryable,
  permittable: Permittable,
  role: Pick<StoredRole, 'id'>,
): Promise<HeldPermission[]> {
  const rows = await listRolePermissions(db);
  const restrictions = await readRestrictions(db);
  const held = rows.flatMap((row) => (row.role.id === role.id ? (permittable.held(row, restrictions) ?? []) : []));
  const order = ({ subject, action }: HeldPermission): string =>
    `${subject ?? '~'} ${OPERATIONS.indexOf(operationOf(action) as Operation)} ${action}`;
  return held.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** Uids of the types that a role sees entries of. */
export async function seenTypes(
  db: Queryable,
  permittable: Permittable,
  role: Pick<StoredRole, 'id' | 'code'>,
): Promise<string[]> {
  if (role.code === SUPER_ADMIN) return permittable.types;
  const held = await heldPermissions(db, permittable, role);
  const seen = held.filter(
    ({ action, fields, locales }) => operationOf(action) === 'read' && fields?.length !== 0 && locales?.length !== 0,
  );
  return permittable.types.filter((uid) => seen.some(({ subject }) => subject === uid));
}

/** A change of a role, in words. */
export interface PermissionChange {
  readonly granted: readonly string[];
  readonly revoked: readonly string[];
}

/**
 * Changes the permissions of a role. A permission that stays the same object keeps its row; any other gets a new row,
 * which tells the next alignment that it was changed.
 *
 * @param change returns the new permissions of the role for the current ones.
 */
export async function changeRolePermissions(
  tx: Transaction,
  permittable: Permittable,
  role: Pick<StoredRole, 'id' | 'name'>,
  change: (held: readonly HeldPermission[]) => readonly HeldPermission[],
): Promise<PermissionChange> {
  await lockRoles(tx);
  const rows = (await listRolePermissions(tx)).filter((row) => row.role.id === role.id);
  const stored = await readRestrictions(tx);
  const held = rows.flatMap((row) => {
    const permission = permittable.held(row, stored);
    return permission ? [{ id: row.id, permission }] : [];
  });
  const before = held.map(({ permission }) => permission);
  const after = change(before);
  for (const { id, permission } of held) if (!after.includes(permission)) await deletePermission(tx, id);
  const restrictions = new Map<number, Restriction>();
  for (const permission of after) {
    if (before.includes(permission)) continue;
    const { action, subject, conditions, restricted } = permission;
    const properties = permittable.properties(permission);
    const id = await insertPermission(tx, { role: role.id, action, subject, properties, conditions });
    if (restricted.fields || restricted.locales) restrictions.set(id, restricted);
  }
  if (restrictions.size > 0) await alignRolesIn(tx, undefined, restrictions);
  const { granted, revoked } = difference(permittable, before, after);
  if (granted.length + revoked.length > 0)
    tx.recordAction({ action: 'permission.update', ...roleSubject(role), more: { granted, revoked } });
  return { granted, revoked };
}

/** The permissions of a role after a grant: its permissions are widened, and none is narrowed. */
export function withGrant(
  permittable: Permittable,
  held: readonly HeldPermission[],
  wanted: WantedPermission,
): readonly HeldPermission[] {
  const { action, subject } = wanted;
  const isWhole = [wanted.fields, wanted.locales, wanted.conditions].every((part) => part === undefined);
  const [fields, locales] = [permittable.fieldsOf(action, subject), permittable.localesOf(subject)];
  const same = held.filter((one) => one.action === action && one.subject === subject);
  const full = {
    action,
    subject,
    fields: fields && (wanted.fields ?? fields),
    locales: locales && (wanted.locales ?? locales),
    conditions: wanted.conditions ?? [],
    restricted: { fields: wanted.fields !== undefined, locales: wanted.locales !== undefined },
  };
  if (same.length === 0) return [...held, full];
  return held.map((one) => {
    if (!same.includes(one)) return one;
    const next = {
      ...one,
      fields: widened(fields, one.fields, isWhole ? fields : wanted.fields),
      locales: widened(locales, one.locales, isWhole ? locales : wanted.locales),
      conditions: isWhole || one.conditions.length === 0 ? [] : either(one.conditions, wanted.conditions),
      restricted: isWhole ? full.restricted : one.restricted,
    };
    return isSame(one, next) ? one : next;
  });
}

/** Names in their order, with more of them. */
function widened(
  all: readonly string[] | null,
  has: readonly string[] | null,
  more: readonly string[] | null | undefined,
): readonly string[] | null {
  if (all === null) return null;
  return all.filter((name) => has?.includes(name) || more?.includes(name));
}

/** Documents that meet one condition or another; without any, all documents. */
function either(has: readonly string[], more: readonly string[] | undefined): readonly string[] {
  if (more === undefined) return has;
  return more.length === 0 ? [] : [...new Set([...has, ...more])];
}

/**
 * The permissions of a role after something was taken from it: whole permissions, or some fields or locales of them.
 *
 * @param conditions only of permissions with one of these conditions; of all where there are none.
 */
export function withoutGrant(
  held: readonly HeldPermission[],
  { action, subject, fields, locales, conditions = [] }: WantedPermission,
): readonly HeldPermission[] {
  return held.flatMap((one) => {
    const isMeant =
      one.action === action &&
      one.subject === subject &&
      (conditions.length === 0 || conditions.some((name) => one.conditions.includes(name)));
    if (!isMeant) return [one];
    if (fields === undefined && locales === undefined) return [];
    const next = {
      ...one,
      fields: one.fields?.filter((name) => !fields?.includes(name)) ?? null,
      locales: one.locales?.filter((code) => !locales?.includes(code)) ?? null,
    };
    if (isSame(one, next)) return [one];
    const restricted = {
      fields: one.restricted.fields || fields !== undefined,
      locales: one.restricted.locales || locales !== undefined,
    };
    return next.fields?.length === 0 || next.locales?.length === 0 ? [] : [{ ...next, restricted }];
  });
}

/** The new permissions of a role. Existing ones are returned as the same objects. */
export function exactly(held: readonly HeldPermission[], wanted: readonly HeldPermission[]): HeldPermission[] {
  const unmatched = [...held];
  return wanted.map((one) => {
    const index = unmatched.findIndex(
      (other) => other.action === one.action && other.subject === one.subject && isSame(other, one),
    );
    return index === -1 ? one : unmatched.splice(index, 1)[0]!;
  });
}

function isSame(one: HeldPermission, other: HeldPermission): boolean {
  const [a, b] = [one.restricted, other.restricted];
  if (a.fields !== b.fields || a.locales !== b.locales) return false;
  return (['fields', 'locales', 'conditions'] as const).every((key) => {
    const [a, b] = [one[key] ?? [], other[key] ?? []];
    return without(a, b).length + without(b, a).length === 0;
  });
}

/** The names of a list that another one lacks. */
const without = (names: readonly string[], others: readonly string[]): string[] => [
  ...new Set(names.filter((name) => !others.includes(name))),
];

/** The permissions that were granted and revoked between two states of a role. */
function difference(
  permittable: Permittable,
  before: readonly HeldPermission[],
  after: readonly HeldPermission[],
): PermissionChange {
  const granted: string[] = [];
  const revoked: string[] = [];
  const keys = new Set([...before, ...after].map((one) => `${one.subject} ${one.action}`));
  for (const key of keys) {
    const of = (list: readonly HeldPermission[]) => list.filter((one) => `${one.subject} ${one.action}` === key);
    const [had, has] = [of(before), of(after)];
    if (had.length === 0) granted.push(...has.map((one) => permittable.describe(one)));
    else if (has.length === 0) revoked.push(...had.map((one) => permittable.describe(one)));
    else {
      const subject = what(had[0]!);
      for (const [noun, key] of [
        ['field', 'fields'],
        ['locale', 'locales'],
      ] as const) {
        const [old, now] = [had, has].map((list) => list.flatMap((one) => one[key] ?? [])) as [string[], string[]];
        const [more, less] = [without(now, old), without(old, now)];
        const [wasRestricted, isRestricted] = [had, has].map((list) => list.every((one) => one.restricted[key]));
        if (more.length + less.length === 0 && wasRestricted !== isRestricted) {
          (wasRestricted ? granted : revoked).push(`${subject} (${noun}s that are added later)`);
        }
        if (more.length > 0) granted.push(`${subject} (${named(noun, more)})`);
        if (less.length > 0) revoked.push(`${subject} (${named(noun, less)})`);
      }
      const [old, now] = [limits(had), limits(has)];
      if (old !== now) {
        const isWider = now === '' || has.every((one) => had.some((other) => isWithin(other, one)));
        (isWider ? granted : revoked).push(`${subject} (${now === '' ? 'without a condition' : `only with ${now}`})`);
      }
    }
  }
  return { granted, revoked };
}

const limits = (held: readonly HeldPermission[]): string =>
  held.some(({ conditions }) => conditions.length === 0)
    ? ''
    : [...new Set(held.flatMap(({ conditions }) => conditions))].sort().join(' or ');

/** Whether one permission covers the documents of another. */
const isWithin = (one: HeldPermission, other: HeldPermission): boolean =>
  other.conditions.length === 0 ||
  (one.conditions.length > 0 && one.conditions.every((name) => other.conditions.includes(name)));
