/**
 * The types of Strapi's own packages as code of a project reads them (`strapi.contentTypes`): further parts of their
 * schemas, and types that Galley lacks.
 */
import { BUILT_IN } from '../../schema/built-in.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The schema of a type. */
export interface ReferenceType {
  readonly info: Fields;
  readonly options?: Fields;
  readonly pluginOptions?: Fields;
  readonly config?: Fields;
  /** In the order of the schema. */
  readonly attributes: Readonly<Record<string, Fields>>;
}

/** A type that Galley has no table for. */
export interface AbsentType extends ReferenceType {
  readonly collectionName: string;
}

const fixed = { configurable: false } as const;
const required = { required: true } as const;
const optional = { required: false } as const;
const unsearched = { searchable: false } as const;
const string = { type: 'string' } as const;
const text = { type: 'text' } as const;
const json = { type: 'json' } as const;
const datetime = { type: 'datetime' } as const;
const filled = { minLength: 1 } as const;
const relation = (kind: string, target: string, rest: Fields = {}) => ({
  type: 'relation',
  relation: kind,
  target,
  ...rest,
});

/** Attributes that the content type builder cannot change. */
const allFixed = (attributes: Readonly<Record<string, Fields>>) =>
  Object.fromEntries(Object.entries(attributes).map(([name, one]) => [name, { ...one, ...fixed }]));

const HIDDEN = { 'content-manager': { visible: false }, 'content-type-builder': { visible: false } } as const;
const unlisted = { pluginOptions: HIDDEN } as const;

const info = (singularName: string, displayName: string, rest: Fields = {}) => ({
  singularName,
  pluralName: `${singularName}s`,
  displayName,
  ...rest,
});
/** As most types describe themselves. */
const named = (singularName: string, displayName: string, name: string, description = '') =>
  info(singularName, displayName, { name, description });

const secret = { ...string, private: true, ...unsearched } as const;

/**
 * The attributes of a built-in type as the reference writes them: fixed, and with more options.
 *
 * @param more further options by name, and attributes that Galley lacks.
 */
const allOf = (uid: string, more: Readonly<Record<string, Fields>> = {}) => {
  const own = BUILT_IN.get(uid)!['attributes'] as Readonly<Record<string, Fields>>;
  const names = [...new Set([...Object.keys(own), ...Object.keys(more)])];
  return allFixed(Object.fromEntries(names.map((name) => [name, { ...own[name], ...more[name] }])));
};

/** Of types that Galley stores. */
const STORED: Readonly<Record<string, ReferenceType>> = {
  'plugin::upload.file': {
    ...unlisted,
    info: info('file', 'File', { description: '' }),
    attributes: {
      ...allOf('plugin::upload.file'),
      folder: relation('manyToOne', 'plugin::upload.folder', { inversedBy: 'files', private: true }),
      folderPath: { ...string, ...filled, ...required, private: true, ...unsearched },
    },
  },
  'plugin::upload.folder': { ...unlisted, info: info('folder', 'Folder'), attributes: {} },
  'plugin::i18n.locale': {
    ...unlisted,
    info: info('locale', 'Locale', { collectionName: 'locales', description: '' }),
    attributes: allFixed({ name: { ...string, min: 1, max: 50 }, code: { ...string, unique: true } }),
  },
  'plugin::users-permissions.permission': {
    ...unlisted,
    info: named('permission', 'Permission', 'permission'),
    attributes: allOf('plugin::users-permissions.permission'),
  },
  'plugin::users-permissions.role': {
    ...unlisted,
    info: named('role', 'Role', 'role'),
    attributes: allOf('plugin::users-permissions.role'),
  },
  'plugin::users-permissions.user': {
    info: named('user', 'User', 'user'),
    options: { timestamps: true },
    config: {
      attributes: {
        resetPasswordToken: { hidden: true },
        confirmationToken: { hidden: true },
        provider: { hidden: true },
      },
    },
    attributes: allOf('plugin::users-permissions.user', {
      ...{ password: unsearched, resetPasswordToken: unsearched, confirmationToken: unsearched },
    }),
  },
  'admin::permission': {
    ...unlisted,
    info: named('permission', 'Permission', 'Permission'),
    attributes: allOf('admin::permission', {
      actionParameters: { ...optional, default: {} },
      subject: optional,
      properties: { ...optional, default: {} },
      conditions: { ...optional, default: [] },
      role: optional,
      apiToken: relation('manyToOne', 'admin::api-token', { inversedBy: 'adminPermissions', ...optional }),
    }),
  },
  'admin::user': {
    ...unlisted,
    info: named('user', 'User', 'User'),
    config: { attributes: { resetPasswordToken: { hidden: true }, registrationToken: { hidden: true } } },
    attributes: allOf('admin::user', {
      firstname: { unique: false, ...filled, ...optional },
      lastname: { unique: false, ...filled, ...optional },
      username: { unique: false, ...optional },
      email: { minLength: 6, ...required, unique: true },
      password: { minLength: 6, ...optional, ...unsearched },
      ...{ resetPasswordToken: unsearched, resetPasswordTokenExpiresAt: unsearched, registrationToken: unsearched },
      roles: { collectionName: 'strapi_users_roles' },
      preferedLanguage: { ...optional, ...unsearched },
    }),
  },
  'admin::role': { ...unlisted, info: named('role', 'Role', 'Role'), attributes: allOf('admin::role') },
  'admin::api-token': {
    ...unlisted,
    info: named('api-token', 'Api Token', 'Api Token'),
    attributes: allFixed({
      name: { ...string, ...filled, ...required, unique: true },
      description: { ...string, ...filled, ...optional, default: '' },
      kind: { type: 'enumeration', enum: ['content-api', 'admin'], ...required, default: 'content-api' },
      type: {
        ...{ type: 'enumeration', enum: ['read-only', 'full-access', 'custom'] },
        ...{ ...optional, default: 'read-only' },
      },
      accessKey: { ...string, ...filled, ...required, ...unsearched },
      encryptedKey: { ...text, ...filled, ...optional, ...unsearched },
      lastUsedAt: { ...datetime, ...optional },
      permissions: relation('oneToMany', 'admin::api-token-permission', { mappedBy: 'token', ...optional }),
      adminPermissions: relation('oneToMany', 'admin::permission', { mappedBy: 'apiToken', ...optional }),
      adminUserOwner: relation('manyToOne', 'admin::user', { inversedBy: 'apiTokens', ...optional }),
      expiresAt: { ...datetime, ...optional },
      lifespan: { type: 'biginteger', ...optional },
    }),
  },
  'admin::api-token-permission': {
    ...unlisted,
    info: named('api-token-permission', 'API Token Permission', 'API Token Permission'),
    attributes: allOf('admin::api-token-permission', { action: filled }),
  },
};

/** Types without a table in Galley: code reads their schemas, and a query of their rows is refused. */
export const ABSENT_TYPES: Readonly<Record<string, AbsentType>> = {
  'plugin::content-releases.release': {
    ...unlisted,
    collectionName: 'strapi_releases',
    info: info('release', 'Release'),
    attributes: {
      name: { ...string, ...required },
      ...{ releasedAt: datetime, scheduledAt: datetime, timezone: string },
      status: { type: 'enumeration', enum: ['ready', 'blocked', 'failed', 'done', 'empty'], ...required },
      actions: relation('oneToMany', 'plugin::content-releases.release-action', { mappedBy: 'release' }),
    },
  },
  'plugin::content-releases.release-action': {
    ...unlisted,
    collectionName: 'strapi_release_actions',
    info: info('release-action', 'Release Action'),
    attributes: {
      type: { type: 'enumeration', enum: ['publish', 'unpublish'], ...required },
      contentType: { ...string, ...required },
      entryDocumentId: string,
      locale: string,
      release: relation('manyToOne', 'plugin::content-releases.release', { inversedBy: 'actions' }),
      isEntryValid: { type: 'boolean' },
    },
  },
  'plugin::review-workflows.workflow': {
    ...unlisted,
    collectionName: 'strapi_workflows',
    info: named('workflow', 'Workflow', 'Workflow'),
    attributes: {
      name: { ...string, ...required, unique: true },
      stages: relation('oneToMany', 'plugin::review-workflows.workflow-stage', { mappedBy: 'workflow' }),
      stageRequiredToPublish: relation('oneToOne', 'plugin::review-workflows.workflow-stage', optional),
      contentTypes: { ...json, ...required, default: '[]' },
    },
  },
  'plugin::review-workflows.workflow-stage': {
    ...unlisted,
    collectionName: 'strapi_workflows_stages',
    info: named('workflow-stage', 'Stages', 'Workflow Stage'),
    options: { version: '1.1.0' },
    attributes: allFixed({
      name: string,
      color: { ...string, default: '#4945FF' },
      workflow: relation('manyToOne', 'plugin::review-workflows.workflow', { inversedBy: 'stages' }),
      permissions: relation('manyToMany', 'admin::permission'),
    }),
  },
  'admin::transfer-token': {
    ...unlisted,
    collectionName: 'strapi_transfer_tokens',
    info: named('transfer-token', 'Transfer Token', 'Transfer Token'),
    attributes: allFixed({
      name: { ...string, ...filled, ...required, unique: true },
      description: { ...string, ...filled, ...optional, default: '' },
      accessKey: { ...string, ...filled, ...required },
      lastUsedAt: { ...datetime, ...optional },
      permissions: relation('oneToMany', 'admin::transfer-token-permission', { mappedBy: 'token', ...optional }),
      expiresAt: { ...datetime, ...optional },
      lifespan: { type: 'biginteger', ...optional },
    }),
  },
  'admin::transfer-token-permission': {
    ...unlisted,
    collectionName: 'strapi_transfer_token_permissions',
    info: named('transfer-token-permission', 'Transfer Token Permission', 'Transfer Token Permission'),
    attributes: allFixed({
      action: { ...string, ...filled, ...required },
      token: relation('manyToOne', 'admin::transfer-token', { inversedBy: 'permissions' }),
    }),
  },
  'admin::session': {
    collectionName: 'strapi_sessions',
    pluginOptions: { ...HIDDEN, i18n: { localized: false } },
    info: named('session', 'Session', 'Session', 'Session Manager storage'),
    attributes: allFixed({
      userId: { ...secret, ...required },
      sessionId: { ...secret, unique: true, ...required },
      childId: secret,
      deviceId: { ...secret, ...required },
      origin: { ...secret, ...required },
      expiresAt: { ...datetime, ...required, private: true, ...unsearched },
      absoluteExpiresAt: { ...datetime, private: true, ...unsearched },
      status: secret,
      type: secret,
      metadata: { ...json, private: true, ...unsearched },
    }),
  },
};

/** Strapi's schema of a built-in type; undefined for any other type. */
export const referenceType = (uid: string): ReferenceType | undefined =>
  Object.hasOwn(STORED, uid) ? STORED[uid] : undefined;
