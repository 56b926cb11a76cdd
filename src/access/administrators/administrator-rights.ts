/**
 * What administrators may do: rows of `admin_permissions`, as the reference stores them, → rights without what means
 * nothing here.
 */
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { type Fields, fieldTree, isWithin, namesOf, union } from '../field-tree.ts';

/** What may be done to documents, by the last word of the reference's action. */
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

/** What may be done with files of the library, and the actions that permit it. Who may update may delete. */
export const FILE_ACTIONS = {
  read: 'plugin::upload.read',
  create: 'plugin::upload.assets.create',
  update: 'plugin::upload.assets.update',
} as const;
export type FileOperation = keyof typeof FILE_ACTIONS;

/** The conditions of the reference that are known here. Another one is never met. */
export const CONDITIONS = ['admin::is-creator', 'admin::has-same-role-as-creator'] as const;
export type AdministratorCondition = (typeof CONDITIONS)[number];

/** The role that may do everything there is, whatever its permissions say. */
export const SUPER_ADMIN = 'strapi-super-admin';

/** A permission as stored; the JSON columns are what they may be, that is anything. */
export interface StoredPermission {
  readonly action: string;
  readonly subject: string | null;
  readonly properties: unknown;
  readonly conditions: unknown;
}

/** One thing that an administrator may do. */
export interface Right {
  readonly action: string;
  /** The type whose documents it is about; null for what is about no type, such as settings. */
  readonly subject: string | null;
  readonly fields: Fields;
  /** Codes; null: every locale, and of types without locales everything. */
  readonly locales: readonly string[] | null;
  /** One of them has to be met; none: it holds of every document. */
  readonly conditions: readonly AdministratorCondition[];
}

/** The rights of an administrator. */
export interface AdministratorRights {
  /** Equal for equal rights. */
  readonly key: string;
  readonly isSuper: boolean;
  readonly rights: readonly Right[];
}

/** A right as clients are told of it. */
export interface ToldRight {
  readonly action: string;
  readonly subject: string | null;
  readonly fields: readonly string[] | null;
  readonly locales: readonly string[] | null;
  readonly creatorOnly: boolean;
  readonly conditions: readonly string[];
}

/** Actions about no type that the role of all rights has, as the reference names them. */
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
  ...['create', 'read', 'update', 'delete'].flatMap((name) => [
    `plugin::i18n.locale.${name}`,
    `plugin::users-permissions.roles.${name}`,
    `admin::users.${name}`,
    `admin::roles.${name}`,
    `admin::api-tokens.${name}`,
    `admin::webhooks.${name}`,
  ]),
];

/**
 * The rights that permissions give. Those of several roles are put together; a right that another one contains is left
 * out, and so are types, locales and conditions that mean nothing here.
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

/** A right as clients are told of it. */
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

/** Undefined for a permission that gives nothing. */
function rightOf(catalog: Catalog, { action, subject, properties, conditions }: StoredPermission): Right | undefined {
  const required = listOf(conditions);
  const known = CONDITIONS.filter((name) => required?.includes(name));
  // what cannot be decided is not met
  if (required === undefined || (required.length > 0 && known.length === 0)) return undefined;
  if (subject === null) return { action, subject, fields: true, locales: null, conditions: known };
  const type = catalog.contentTypes.get(subject);
  // administrators are not shown to each other as documents
  if (!type || subject.startsWith('admin::') || operationOf(action) === undefined) return undefined;
  const { fields, locales } = treeOf(properties);
  const names = fields === undefined || fields === null ? null : listOf(fields);
  if (names === undefined || names?.length === 0) return undefined;
  const codes = localesOf(type, locales);
  if (codes?.length === 0) return undefined;
  return { action, subject, fields: names === null ? true : fieldTree(names), locales: codes, conditions: known };
}

/** The reference gives every locale where it says null, and none where it says nothing. */
function localesOf({ localized }: ContentType, locales: unknown): readonly string[] | null {
  if (!localized || locales === null) return null;
  // nothing else can be the code of a locale, and conditions on rows have words of their own
  return [...new Set(listOf(locales) ?? [])].filter((code) => /^[\w-]+$/.test(code)).sort();
}

/** Whether whoever has one right has another one of the same action with it. */
function contains(wide: Right, narrow: Right): boolean {
  const hasLocales = wide.locales === null || (narrow.locales?.every((code) => wide.locales!.includes(code)) ?? false);
  const hasRows =
    wide.conditions.length === 0 ||
    (narrow.conditions.length > 0 && narrow.conditions.every((name) => wide.conditions.includes(name)));
  return hasLocales && hasRows && isWithin(narrow.fields, wide.fields);
}

/** The strings of a list; none for nothing; undefined for what is no such list. */
export function listOf(value: unknown): string[] | undefined {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}

/** The members of an object; none of anything else. */
export const treeOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
