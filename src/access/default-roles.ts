/** The roles that a new database has for administrators, with the permissions that the reference gives them. */
import type { Catalog, ContentType } from '../schema/catalog.ts';
import {
  actionOf,
  namesFields,
  OPERATIONS,
  type Operation,
  SUPER_ADMIN,
} from './administrators/administrator-rights.ts';
import { fieldNames } from './field-tree.ts';

export interface DefaultPermission {
  readonly action: string;
  readonly subject: string | null;
  /** Dotted names; undefined for an action without them. */
  readonly fields: readonly string[] | undefined;
  /** Whether it names the locales of the database. */
  readonly localized: boolean;
  readonly conditions: readonly string[];
}

export interface DefaultRole {
  readonly name: string;
  readonly code: string;
  readonly description: string;
  readonly permissions: readonly DefaultPermission[];
}

/** Codes of the roles that get permissions on new types, in a database that Galley created. */
export const EDITOR = 'strapi-editor';
export const AUTHOR = 'strapi-author';

const CREATOR = ['admin::is-creator'];

/** Actions on the documents of each type, by the code of the role. */
export const FIRST_RIGHTS: Readonly<
  Record<string, { readonly operations: readonly Operation[]; readonly conditions: readonly string[] }>
> = {
  [EDITOR]: { operations: OPERATIONS, conditions: [] },
  [AUTHOR]: { operations: OPERATIONS.filter((operation) => operation !== 'publish'), conditions: CREATOR },
};

/** Actions on files, and whether an author has them for own files only. */
const UPLOAD: readonly (readonly [name: string, isOwn: boolean])[] = [
  ['read', true],
  ['configure-view', false],
  ['assets.create', false],
  ['assets.update', true],
  ['assets.download', false],
  ['assets.copy-link', false],
];

/**
 * The roles. Permissions on localized types name the locales of the database: without locales the reference gives no
 * access, and deletes some of the permissions at its next start.
 */
export function defaultRoles(catalog: Catalog): readonly DefaultRole[] {
  const types = [...catalog.contentTypes.values()].filter(({ routed }) => routed);
  const permissionsOf = (code: string) => {
    const { operations, conditions } = FIRST_RIGHTS[code]!;
    return [
      ...operations.flatMap((operation) => types.map((type) => permissionOf(catalog, operation, type, conditions))),
      ...UPLOAD.map(([name, isOwn]): DefaultPermission => {
        const common = { subject: null, fields: undefined, localized: false };
        return { action: `plugin::upload.${name}`, ...common, conditions: isOwn ? conditions : [] };
      }),
    ];
  };
  return [
    {
      name: 'Super Admin',
      code: SUPER_ADMIN,
      description: 'Super Admins can access and manage all features and settings.',
      // super administrators have every right without permissions; the reference stores these at each start
      permissions: [],
    },
    {
      name: 'Editor',
      code: EDITOR,
      description: 'Editors can manage and publish contents including those of other users.',
      permissions: permissionsOf(EDITOR),
    },
    {
      name: 'Author',
      code: AUTHOR,
      description: 'Authors can manage the content they have created.',
      permissions: permissionsOf(AUTHOR),
    },
  ];
}

function permissionOf(
  catalog: Catalog,
  operation: Operation,
  type: ContentType,
  conditions: readonly string[],
): DefaultPermission {
  return {
    action: actionOf(operation),
    subject: type.uid,
    fields: namesFields(operation) ? fieldNames(catalog, type) : undefined,
    localized: type.localized,
    conditions,
  };
}
