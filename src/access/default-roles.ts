/** The roles that a new database has for administrators, with the permissions that the reference gives them. */
import { type Catalog, type ContentType, type Model, modelOf } from '../schema/catalog.ts';
import { actionOf, type Operation, SUPER_ADMIN } from './administrators/administrator-rights.ts';

export interface DefaultPermission {
  readonly action: string;
  readonly subject: string | null;
  /** Dotted names; undefined for an action without them. */
  readonly fields: readonly string[] | undefined;
  /** Whether it names locales: those that the database has. */
  readonly localized: boolean;
  readonly conditions: readonly string[];
}

export interface DefaultRole {
  readonly name: string;
  readonly code: string;
  readonly description: string;
  readonly permissions: readonly DefaultPermission[];
}

const CREATOR = ['admin::is-creator'];

/** Actions on files, and whether an author's are for files of their own. */
const UPLOAD: readonly (readonly [name: string, isOwn: boolean])[] = [
  ['read', true],
  ['configure-view', false],
  ['assets.create', false],
  ['assets.update', true],
  ['assets.download', false],
  ['assets.copy-link', false],
];

/** Components within components of which a permission names the fields: the reference's limit. */
const LEVELS = 15;

/**
 * The roles. Permissions on types with locales name those that the database has: without any the reference gives no
 * access, and deletes some of the permissions at its next start.
 */
export function defaultRoles(catalog: Catalog): readonly DefaultRole[] {
  const types = [...catalog.contentTypes.values()].filter(({ routed }) => routed);
  const permissions = (operations: readonly Operation[], conditions: readonly string[]) => [
    ...operations.flatMap((operation) => types.map((type) => permissionOf(catalog, operation, type, conditions))),
    ...UPLOAD.map(([name, isOwn]): DefaultPermission => {
      const common = { subject: null, fields: undefined, localized: false };
      return { action: `plugin::upload.${name}`, ...common, conditions: isOwn ? conditions : [] };
    }),
  ];
  const ordered: readonly Operation[] = ['create', 'read', 'update', 'delete', 'publish'];
  return [
    {
      name: 'Super Admin',
      code: SUPER_ADMIN,
      description: 'Super Admins can access and manage all features and settings.',
      // it has every right whatever is stored; the reference stores them anew at each start
      permissions: [],
    },
    {
      name: 'Editor',
      code: 'strapi-editor',
      description: 'Editors can manage and publish contents including those of other users.',
      permissions: permissions(ordered, []),
    },
    {
      name: 'Author',
      code: 'strapi-author',
      description: 'Authors can manage the content they have created.',
      permissions: permissions(
        ordered.filter((operation) => operation !== 'publish'),
        CREATOR,
      ),
    },
  ];
}

function permissionOf(
  catalog: Catalog,
  operation: Operation,
  type: ContentType,
  conditions: readonly string[],
): DefaultPermission {
  const hasFields = operation !== 'delete' && operation !== 'publish';
  return {
    action: actionOf(operation),
    subject: type.uid,
    fields: hasFields ? nestedNames(catalog, type, LEVELS) : undefined,
    localized: type.localized,
    conditions,
  };
}

/** Names of attributes; of a component those of its own behind its name. */
function nestedNames(catalog: Catalog, model: Model, levels: number): string[] {
  return [...model.attributes.values()].flatMap((attribute) => {
    if (attribute.type !== 'component' || levels === 1) return [attribute.name];
    const below = nestedNames(catalog, modelOf(catalog, attribute.component), levels - 1);
    return below.length === 0 ? [attribute.name] : below.map((name) => `${attribute.name}.${name}`);
  });
}
