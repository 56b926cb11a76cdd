/**
 * Rights of administrators: rows of `admin_permissions`, as the reference stores them, → rights without the parts that
 * mean nothing here.
 */
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { type Fields, fieldTree, isWithin, namesOf, union } from '../field-tree.ts';

/** Operations on documents, by the last word of the reference's action. */
export const OPERATIONS = ['create', 'read', 'update', 'delete', 'publish'] as const;
export type Operation = (typeof OPERATIONS)[number];

const EXPLORER = 'plugin::content-manager.explorer.';

/** The action that permits an operation on documents. */
export const actionOf = (operation: Operation): string => EXPLORER + operation;

/** The operation on documents that an action permits; undefined for an action of another kind. */
export const operationOf = (action: string): Operation | undefined =>
  OPERATIONS.find((operation) => actionOf(operation) === action);

/** Whether a permission for an operation names fields; the others are about whole documents. */
export const namesFields = (operation: Operation): boolean => operation !== 'delete' && operation !== 'publish';

/**
 * Operations on files of the library, with the actions that permit them. The right to update includes the right to
 * delete.
 */
export const FILE_ACTIONS = {
  read: 'plugin::upload.read',
  create: 'plugin::upload.assets.create',
  update: 'plugin::upload.assets.update',
} as const;
export type FileOperation = keyof typeof FILE_ACTIONS;

/** The known conditions of the reference. Any other is never met. */
export const CONDITIONS = ['admin::is-creator', 'admin::has-same-role-as-creator'] as const;
export type AdministratorCondition = (typeof CONDITIONS)[number];

/** The role that has every right, regardless of its permissions. */
export const SUPER_ADMIN = 'strapi-super-admin';

/** A stored permission; the JSON columns may contain anything. */
export interface StoredPermission {
  readonly action: string;
  readonly subject: string | null;
  readonly properties: unknown;
  readonly conditions: unknown;
}

/** One right of an administrator. */
export interface Right {
  readonly action: string;
  /** The type of the documents; null for rights about no type, such as settings. */
  readonly subject: string | null;
  readonly fields: Fields;
  /** Codes of locales; null: every locale, and everything of types without locales. */
  readonly locales: readonly string[] | null;
  /** Conditions of which one must be met; none: every document. */
  readonly conditions: readonly AdministratorCondition[];
}

/** The rights of an administrator. */
export interface AdministratorRights {
  /** Equal for equal rights. */
  readonly key: string;
  readonly isSuper: boolean;
  readonly rights: readonly Right[];
}

/** A right as clients receive it. */
export interface ToldRight {
  readonly action: string;
  readonly subject: string | null;
  readonly fields: readonly string[] | null;
  readonly locales: readonly string[] | null;
  readonly creatorOnly: boolean;
  readonly conditions: readonly string[];
}

/** Permits removing documents from the trash for good. */
export const EMPTY_TRASH = 'admin::trash.delete';

/** Whether the reference does not have an action: it would delete permissions for it from its own table. */
export const isOwnAction = (action: string): boolean => action === EMPTY_TRASH;

/** Actions about no type that super administrators have, as the reference names them, and Galley's own. */
export const SETTINGS: readonly string[] = [
  'plugin::content-manager.single-types.configure-view',
  'plugin::content-manager.collection-types.configure-view',
  'plugin::content-manager.components.configure-layout',
  'plugin::content-type-builder.read',
  'plugin::upload.read',
  'plugin::upload.assets.create',
  'plugin::upload.assets.update',
  'plugin::upload.assets.download',
  'plugin::upload.assets.copy-link',
  'plugin::upload.configure-view',
  'plugin::upload.settings.read',
  'plugin::email.settings.read',
  'plugin::users-permissions.advanced-settings.read',
  'plugin::users-permissions.advanced-settings.update',
  'plugin::users-permissions.email-templates.read',
  'plugin::users-permissions.email-templates.update',
  'admin::audit-logs.read',
  'admin::audit-logs.export',
  ...['read', 'create', 'update', 'delete', 'publish', 'create-action', 'delete-action'].map(
    (name) => `plugin::content-releases.${name}`,
  ),
  'admin::api-tokens.access',
  'admin::api-tokens.regenerate',
  EMPTY_TRASH,
  ...['create', 'read', 'update', 'delete'].flatMap((name) => [
    `plugin::i18n.locale.${name}`,
    `plugin::users-permissions.roles.${name}`,
    `admin::users.${name}`,
    `admin::roles.${name}`,
    `admin::api-tokens.${name}`,
    `admin::webhooks.${name}`,
    `admin::review-workflows.${name}`,
  ]),
];

/**
 * The rights of permissions. Those of several roles are merged. A right that another one contains is left out, and so
 * are types, locales and conditions without a meaning here.
 *
 * @param isSuper whether one of the roles is `SUPER_ADMIN`.
 */
export function rightsOf(
  catalog: Catalog,
  permissions: readonly StoredPermission[],
  isSuper: boolean,
): AdministratorRights {
  if (isSuper) return { key: 'super', isSuper, rights: everything(catalog) };
  const together = new Map<string, Right>();
  for (const permission of permissions) {
    const right = rightOf(catalog, permission);
    if (!right) continue;
    const { action, subject, locales, conditions } = right;
    const key = JSON.stringify([action, subject, locales, conditions]);
    const known = together.get(key);
    together.set(key, known ? { ...known, fields: union(known.fields, right.fields) } : right);
  }
  const alike = Map.groupBy(together.values(), ({ action, subject }) => `${action} ${subject}`);
  const rights = [...alike.values()].flatMap((all) =>
    all.filter((right) => !all.some((other) => other !== right && contains(other, right))),
  );
  const key = JSON.stringify(rights.map(toldRight));
  return { key, isSuper, rights };
}

/** A right in answers to clients. */
export function toldRight({ action, subject, fields, locales, conditions }: Right): ToldRight {
  const creatorOnly = conditions.length > 0 && conditions.every((name) => name === 'admin::is-creator');
  return { action, subject, fields: namesOf(fields), locales, creatorOnly, conditions };
}

/** Types whose documents administrators work with, unlike those of roles, tokens and the like. */
export const isEdited = ({ routed, uid }: ContentType): boolean => routed || uid === 'plugin::users-permissions.user';

function everything(catalog: Catalog): Right[] {
  const whole = { fields: true, locales: null, conditions: [] } as const;
  const types = [...catalog.contentTypes.values()].filter(isEdited);
  return [
    ...OPERATIONS.flatMap((name) => types.map(({ uid }) => ({ action: actionOf(name), subject: uid, ...whole }))),
    ...SETTINGS.map((action) => ({ action, subject: null, ...whole })),
  ];
}

/** Undefined for a permission without effect. */
function rightOf(catalog: Catalog, { action, subject, properties, conditions }: StoredPermission): Right | undefined {
  const required = listOf(conditions);
  const known = CONDITIONS.filter((name) => required?.includes(name));
  // an unknown condition is never met
  if (required === undefined || (required.length > 0 && known.length === 0)) return undefined;
  if (subject === null) return { action, subject, fields: true, locales: null, conditions: known };
  const type = catalog.contentTypes.get(subject);
  // administrators are not visible to each other as documents
  if (!type || subject.startsWith('admin::') || operationOf(action) === undefined) return undefined;
  const { fields, locales } = treeOf(properties);
  const names = fields === undefined || fields === null ? null : listOf(fields);
  if (names === undefined || names?.length === 0) return undefined;
  const codes = localesOf(type, locales);
  if (codes?.length === 0) return undefined;
  return { action, subject, fields: names === null ? true : fieldTree(names), locales: codes, conditions: known };
}

/** In the reference null means every locale, and a missing value none. */
function localesOf({ localized }: ContentType, locales: unknown): readonly string[] | null {
  if (!localized || locales === null) return null;
  // only such texts are codes of locales, and conditions on rows have names of their own
  return [...new Set(listOf(locales) ?? [])].filter((code) => /^[\w-]+$/.test(code)).sort();
}

/** Whether rights permit nothing that other rights do not permit. */
export function isWithinRights(
  rights: readonly Right[],
  other: Pick<AdministratorRights, 'isSuper' | 'rights'>,
): boolean {
  return (
    other.isSuper ||
    rights.every((right) =>
      other.rights.some(
        (wide) => wide.action === right.action && wide.subject === right.subject && contains(wide, right),
      ),
    )
  );
}

/**
 * Whether the holder of some rights may grant others these rights. Rights on documents of people with the same role are
 * given only by those who have them on all documents: a role that another person receives would extend them.
 */
export function mayGive(rights: readonly Right[], own: Pick<AdministratorRights, 'isSuper' | 'rights'>): boolean {
  const grantable = rights.map((right) => (dependsOnRoles(right) ? { ...right, conditions: [] } : right));
  return isWithinRights(grantable, own);
}

/** Whether a right permits more documents as people get roles. */
export const dependsOnRoles = ({ conditions }: Right): boolean =>
  conditions.includes('admin::has-same-role-as-creator');

/** True where one right contains another right of the same action. */
function contains(wide: Right, narrow: Right): boolean {
  const hasLocales = wide.locales === null || (narrow.locales?.every((code) => wide.locales!.includes(code)) ?? false);
  const hasRows =
    wide.conditions.length === 0 ||
    (narrow.conditions.length > 0 && narrow.conditions.every((name) => wide.conditions.includes(name)));
  return hasLocales && hasRows && isWithin(narrow.fields, wide.fields);
}

/** The strings of a list; none for null; undefined for anything else. */
export function listOf(value: unknown): string[] | undefined {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/** The members of an object; none for anything else. */
export const treeOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
