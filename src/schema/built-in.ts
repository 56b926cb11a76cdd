/**
 * The types of every project: files, accounts, locales, tokens. They have the form of schema files, so that an
 * extension (`src/extensions/…`) replaces their top-level keys as in the reference, and store the same data as those of
 * Strapi 5.
 */
import { ADMIN_USER_UID } from './catalog.ts';

/** A parsed schema file before any check. */
export type RawSchema = Readonly<Record<string, unknown>>;

/** Schemas as they are declared, by uid. */
export type SchemaRecord = Readonly<Record<string, RawSchema>>;

const API_TOKEN_UID = 'admin::api-token';
const API_TOKEN_PERMISSION_UID = 'admin::api-token-permission';
export const ADMIN_ROLE_UID = 'admin::role';
export const ADMIN_PERMISSION_UID = 'admin::permission';

const string = { type: 'string' } as const;
const text = { type: 'text' } as const;
const json = { type: 'json' } as const;
const integer = { type: 'integer' } as const;
const datetime = { type: 'datetime' } as const;
const secret = { type: 'string', private: true } as const;
const required = { required: true } as const;
const manyToOne = (target: string, inversedBy: string) => ({
  type: 'relation',
  relation: 'manyToOne',
  target,
  inversedBy,
});
const oneToMany = (target: string, mappedBy: string) => ({ type: 'relation', relation: 'oneToMany', target, mappedBy });
const manyToMany = (target: string, side: RawSchema) => ({
  type: 'relation',
  relation: 'manyToMany',
  target,
  ...side,
});

function type(
  collectionName: string,
  singularName: string,
  displayName: string,
  attributes: RawSchema,
  rest = {},
): RawSchema {
  const info = { singularName, pluralName: `${singularName}s`, displayName };
  return { kind: 'collectionType', collectionName, info, options: { draftAndPublish: false }, attributes, ...rest };
}

const file = type(
  'files',
  'file',
  'File',
  {
    name: { ...string, ...required },
    alternativeText: text,
    caption: text,
    focalPoint: json,
    width: integer,
    height: integer,
    formats: json,
    hash: { ...string, ...required },
    ext: string,
    mime: { ...string, ...required },
    size: { type: 'decimal', ...required },
    url: { ...text, ...required },
    previewUrl: text,
    provider: { ...string, ...required },
    provider_metadata: json,
    related: { type: 'relation', relation: 'morphToMany' },
    folder: { ...manyToOne('plugin::upload.folder', 'files'), private: true },
    folderPath: { ...secret, ...required, minLength: 1 },
  },
  {
    indexes: ['folder_path', 'created_at', 'updated_at', 'name', 'size', 'ext'].map((column) => ({
      name: `upload_files_${column}_index`,
      columns: [column],
    })),
  },
);

const folder = type(
  'upload_folders',
  'folder',
  'Folder',
  {
    name: { ...string, ...required, minLength: 1 },
    pathId: { ...integer, ...required, unique: true },
    parent: manyToOne('plugin::upload.folder', 'children'),
    children: oneToMany('plugin::upload.folder', 'parent'),
    files: oneToMany('plugin::upload.file', 'folder'),
    path: { ...string, ...required, minLength: 1 },
  },
  {
    indexes: ['path_id', 'path'].map((column) => ({
      name: `upload_folders_${column}_index`,
      columns: [column],
      type: 'unique',
    })),
  },
);

const user = type('up_users', 'user', 'User', {
  username: { ...string, ...required, unique: true, minLength: 3 },
  email: { type: 'email', ...required, minLength: 6 },
  provider: string,
  password: { type: 'password', private: true, minLength: 6 },
  resetPasswordToken: secret,
  confirmationToken: secret,
  confirmed: { type: 'boolean', default: false },
  blocked: { type: 'boolean', default: false },
  role: manyToOne('plugin::users-permissions.role', 'users'),
});

const role = type('up_roles', 'role', 'Role', {
  name: { ...string, ...required, minLength: 3 },
  description: string,
  type: { ...string, unique: true },
  permissions: oneToMany('plugin::users-permissions.permission', 'role'),
  users: oneToMany('plugin::users-permissions.user', 'role'),
});

const permission = type('up_permissions', 'permission', 'Permission', {
  action: { ...string, ...required },
  role: manyToOne('plugin::users-permissions.role', 'permissions'),
});

const locale = type('i18n_locale', 'locale', 'Locale', {
  name: { ...string, maxLength: 50 },
  code: { ...string, unique: true },
});

const apiToken = type('strapi_api_tokens', 'api-token', 'API token', {
  name: { ...string, ...required, unique: true, minLength: 1 },
  description: { ...string, default: '' },
  kind: { type: 'enumeration', enum: ['content-api', 'admin'], ...required, default: 'content-api' },
  type: { type: 'enumeration', enum: ['read-only', 'full-access', 'custom'], default: 'read-only' },
  accessKey: { ...secret, ...required },
  encryptedKey: { ...text, private: true },
  lastUsedAt: datetime,
  permissions: oneToMany(API_TOKEN_PERMISSION_UID, 'token'),
  adminUserOwner: manyToOne(ADMIN_USER_UID, 'apiTokens'),
  expiresAt: datetime,
  lifespan: { type: 'biginteger' },
});

const apiTokenPermission = type('strapi_api_token_permissions', 'api-token-permission', 'API token permission', {
  action: { ...string, ...required },
  token: manyToOne(API_TOKEN_UID, 'permissions'),
});

const adminUser = type('admin_users', 'user', 'Administrator', {
  firstname: string,
  lastname: string,
  username: string,
  email: { type: 'email', private: true },
  password: { type: 'password', private: true },
  resetPasswordToken: secret,
  resetPasswordTokenExpiresAt: { ...datetime, private: true },
  registrationToken: secret,
  isActive: { type: 'boolean', default: false, private: true },
  roles: { ...manyToMany(ADMIN_ROLE_UID, { inversedBy: 'users' }), private: true },
  apiTokens: { ...oneToMany(API_TOKEN_UID, 'adminUserOwner'), private: true },
  blocked: { type: 'boolean', default: false, private: true },
  preferedLanguage: string,
});

const adminRole = type('admin_roles', 'role', 'Administrator role', {
  name: { ...string, ...required, unique: true, minLength: 1 },
  code: { ...string, ...required, unique: true, minLength: 1 },
  description: string,
  users: manyToMany(ADMIN_USER_UID, { mappedBy: 'roles' }),
  permissions: oneToMany(ADMIN_PERMISSION_UID, 'role'),
});

const adminPermission = type('admin_permissions', 'permission', 'Administrator permission', {
  action: { ...string, ...required, minLength: 1 },
  actionParameters: json,
  subject: { ...string, minLength: 1 },
  properties: json,
  conditions: json,
  role: manyToOne(ADMIN_ROLE_UID, 'permissions'),
});

/** Schemas of built-in types by uid. */
export const BUILT_IN: ReadonlyMap<string, RawSchema> = new Map([
  [ADMIN_USER_UID, adminUser],
  [ADMIN_ROLE_UID, adminRole],
  [ADMIN_PERMISSION_UID, adminPermission],
  ['plugin::upload.folder', folder],
  ['plugin::upload.file', file],
  ['plugin::i18n.locale', locale],
  ['plugin::users-permissions.role', role],
  ['plugin::users-permissions.permission', permission],
  ['plugin::users-permissions.user', user],
  [API_TOKEN_UID, apiToken],
  [API_TOKEN_PERMISSION_UID, apiTokenPermission],
]);

/**
 * Secret attributes by uid. They stay secret if an extension replaces the type's attributes, as in projects created by
 * the reference.
 */
export const SECRETS: ReadonlyMap<string, readonly string[]> = new Map([
  ['plugin::users-permissions.user', ['resetPasswordToken', 'confirmationToken']],
  [ADMIN_USER_UID, ['resetPasswordToken', 'registrationToken']],
  [API_TOKEN_UID, ['accessKey', 'encryptedKey']],
]);

/** Paths of extension files in the project, by the uid of the built-in type. */
export const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['plugin::users-permissions.user', 'src/extensions/users-permissions/content-types/user/schema.json'],
  ['plugin::upload.file', 'src/extensions/upload/content-types/file/schema.json'],
]);

/** Underlying types of well-known custom fields. */
export const CUSTOM_FIELDS: ReadonlyMap<string, string> = new Map([
  ['plugin::color-picker.color', 'string'],
  ['plugin::multi-select.multi-select', 'json'],
  ['plugin::ckeditor5.CKEditor', 'richtext'],
  ['plugin::ckeditor.CKEditor', 'richtext'],
]);

/**
 * The type in which a custom field is stored: the attribute's `underlyingType` (Galley's own), else that of a
 * well-known plugin; undefined if unknown.
 */
export function customFieldType(raw: RawSchema): unknown {
  return raw['underlyingType'] ?? CUSTOM_FIELDS.get(String(raw['customField']));
}
