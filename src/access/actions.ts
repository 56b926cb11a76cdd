/** The one table of actions: their routes, what they touch, and which of them can be granted. */
import {
  ADMIN_USER_UID,
  type Attribute,
  type Catalog,
  type ContentType,
  FILE_UID,
  FOLDER_UID,
  LOCALE_UID,
  type Model,
  modelOf,
  PERMISSION_UID,
  ROLE_UID,
  USER_UID,
} from '../schema/catalog.ts';

export interface ActionRoute {
  readonly action: string;
  readonly method: string;
  /** With `:name` for parameters. */
  readonly path: string;
}

/** Names of the actions that a type's core router has. */
export function coreNames(type: ContentType): readonly string[] {
  return type.kind === 'singleType' ? ['find', 'update', 'delete'] : ['find', 'findOne', 'create', 'update', 'delete'];
}

const METHODS: Readonly<Record<string, string>> = {
  find: 'GET',
  findOne: 'GET',
  create: 'POST',
  update: 'PUT',
  delete: 'DELETE',
};

/** The core route of one of a type's actions, without the router's prefix. */
export function coreRoute(type: ContentType, name: string): ActionRoute {
  const isList = name === 'find' || name === 'create';
  const path =
    type.kind === 'singleType' ? `/${type.singularName}` : `/${type.pluralName}${isList ? '' : '/:documentId'}`;
  return { action: `${type.uid}.${name}`, method: METHODS[name]!, path };
}

/** Last words of the paths of Galley's own actions. */
const OWN_WORDS = { publish: 'publish', unpublish: 'unpublish', 'discard-draft': 'discardDraft' } as const;

/** Galley's own actions on drafts, which a write may perform as well. */
const OWN_NAMES = Object.values(OWN_WORDS);

export type OwnName = (typeof OWN_NAMES)[number];

/** Galley's own actions on recorded versions of a document. */
const VERSION_NAMES = ['findVersions', 'restoreVersion'] as const;

/** The core actions whose guards hold for actions on versions as well: these show and write the same documents. */
export const GUARDS_OF_VERSIONS: Readonly<Record<(typeof VERSION_NAMES)[number], readonly string[]>> = {
  findVersions: ['find', 'findOne'],
  restoreVersion: ['find', 'findOne', 'update'],
};

/** The actions whose policies guard an action: its own, and for versions those that read or write the same documents. */
export function policedAs(action: string): readonly string[] {
  const at = action.lastIndexOf('.') + 1;
  const names: Readonly<Record<string, readonly string[]>> = GUARDS_OF_VERSIONS;
  return [action, ...(names[action.slice(at)] ?? []).map((name) => action.slice(0, at) + name)];
}

/** The action of a type's batches. It cannot be granted: a batch needs the actions of its operations. */
export const batchAction = (type: ContentType): string => `${type.uid}.batch`;

/** The name of one of Galley's own routes of a type. */
export type OwnRouteName = OwnName | 'batch' | 'findVersions' | 'findVersion' | 'restoreVersion';

/**
 * Routes of Galley's own actions of a type: those of drafts, if it has drafts, those of recorded versions, and the
 * batches of a collection type.
 */
export function ownRoutesOf(type: ContentType): readonly (ActionRoute & { readonly name: OwnRouteName })[] {
  const isSingle = type.kind === 'singleType';
  const before = isSingle ? `/${type.singularName}` : `/${type.pluralName}/:documentId`;
  const moves = Object.entries(OWN_WORDS).map(([word, name]) => ({
    name,
    action: `${type.uid}.${name}`,
    method: 'POST',
    path: `${before}/actions/${word}`,
  }));
  const batch = {
    name: 'batch' as const,
    action: batchAction(type),
    method: 'POST',
    path: `/${type.pluralName}/actions/batch`,
  };
  const versions = `${before}/versions`;
  const restored = `${versions}/:id/actions/restore`;
  const [find, restore] = VERSION_NAMES.map((name) => `${type.uid}.${name}`) as [string, string];
  return [
    ...(type.draftAndPublish ? moves : []),
    { name: 'findVersions', action: find, method: 'GET', path: versions },
    { name: 'findVersion', action: find, method: 'GET', path: `${versions}/:id` },
    { name: 'restoreVersion', action: restore, method: 'POST', path: restored },
    ...(isSingle ? [] : [batch]),
  ];
}

/** The path of the scheduled actions of a document, if its type has drafts. They need the right to the actions. */
export const schedulePath = (type: ContentType): string =>
  `/${type.kind === 'singleType' ? type.singularName : `${type.pluralName}/:documentId`}/actions/schedule`;

/** What can happen to the rows of a type. */
export type RowEvent = 'read' | 'create' | 'update' | 'delete';

/** An action of the server that does not belong to a content type of the project. */
export interface BuiltInAction extends ActionRoute {
  /** For the description of the API. */
  readonly summary: string;
  /** True where the reference has no such action. */
  readonly isOwn: boolean;
  /** The built-in types whose rows the action reads or changes, accounts that are read excepted. */
  readonly touches: Readonly<Partial<Record<RowEvent, readonly string[]>>>;
  /** Members of the plugin's services that the reference calls in the action: `user.fetch`; `file.*` for any. */
  readonly calls: readonly string[];
}

const ROW_WRITES = ['create', 'update', 'delete'] as const;

type ActionEntry = readonly [
  route: string,
  summary: string,
  more?: Partial<Pick<BuiltInAction, 'isOwn' | 'touches' | 'calls'>>,
];

/** The actions of a controller, by name. Routes are written as `GET /users/:id`. */
function controller(owner: string, entries: Readonly<Record<string, ActionEntry>>): BuiltInAction[] {
  return Object.entries(entries).map(([name, [route, summary, more]]) => {
    const [method = '', path = ''] = route.split(' ');
    return { action: `${owner}.${name}`, method, path, summary, isOwn: false, touches: {}, calls: [], ...more };
  });
}

/** Prefixes of the names of the built-in actions. */
export const AUTH = 'plugin::users-permissions.auth';
export const USERS = 'plugin::users-permissions.user';
export const ROLES = 'plugin::users-permissions.role';
export const FILES = 'plugin::upload.content-api';
export const LOCALES = 'plugin::i18n.locales';
export const SCHEMAS = 'plugin::content-type-builder';

const UPDATES_USER = { update: [USER_UID] };
const MAILS = { touches: UPDATES_USER, calls: ['users-permissions.template'] };
const READS_FILES = { read: [FILE_UID, FOLDER_UID] };
const ROLE_ROWS = [ROLE_UID, PERMISSION_UID];
const WRITES_ROLES = { create: ROLE_ROWS, update: ROLE_ROWS, delete: ROLE_ROWS };

/** Every built-in action with its route. Routes, descriptions, grants and lifecycles follow from this table. */
export const BUILT_IN_ACTIONS: readonly BuiltInAction[] = [
  ...controller(FILES, {
    find: ['GET /upload/files', 'List all files', { touches: READS_FILES, calls: ['upload.findMany', 'file.*'] }],
    findPage: [
      'GET /upload/files/page',
      'List a page of files',
      { touches: READS_FILES, calls: ['upload.findAndCountPage', 'file.*'] },
    ],
    findOne: ['GET /upload/files/:id', 'Read a file', { touches: READS_FILES, calls: ['upload.findOne', 'file.*'] }],
    destroy: [
      'DELETE /upload/files/:id',
      'Delete a file',
      { touches: { delete: [FILE_UID, FOLDER_UID] }, calls: ['upload.findOne', 'upload.remove', 'file.*'] },
    ],
    upload: [
      'POST /upload',
      'Upload files, or change one',
      {
        touches: { create: [FILE_UID, FOLDER_UID], update: [FILE_UID, FOLDER_UID], delete: [FILE_UID] },
        calls: [
          ...['upload.upload', 'upload.replace', 'upload.updateFileInfo', 'upload.getSettings'],
          ...['image-manipulation.*', 'provider.*', 'api-upload-folder.*', 'file.*'],
        ],
      },
    ],
  }),
  ...controller(AUTH, {
    callback: ['POST /auth/local', 'Sign in', { calls: ['user.validatePassword'] }],
    register: [
      'POST /auth/local/register',
      'Register',
      { touches: { create: [USER_UID], update: [USER_UID] }, calls: ['users-permissions.template'] },
    ],
    forgotPassword: ['POST /auth/forgot-password', 'Request a code to reset a password', MAILS],
    resetPassword: ['POST /auth/reset-password', 'Reset a password', { touches: UPDATES_USER }],
    changePassword: [
      'POST /auth/change-password',
      'Change your own password',
      { touches: UPDATES_USER, calls: ['user.validatePassword'] },
    ],
    emailConfirmation: [
      'GET /auth/email-confirmation',
      'Confirm an e-mail address',
      { touches: UPDATES_USER, calls: ['user.fetchAll'] },
    ],
    sendEmailConfirmation: ['POST /auth/send-email-confirmation', 'Request another confirmation e-mail', MAILS],
    refresh: ['POST /auth/refresh', 'Renew a token'],
    logout: ['POST /auth/logout', 'Sign out'],
    getSessions: ['GET /auth/sessions', 'List your own sessions'],
    revokeSession: ['DELETE /auth/sessions/:deviceId', 'End a session'],
  }),
  ...controller(USERS, {
    find: ['GET /users', 'List all accounts', { calls: ['user.fetchAll'] }],
    count: ['GET /users/count', 'Count the accounts', { calls: ['user.count'] }],
    me: ['GET /users/me', 'Read your own account', { calls: ['user.fetch'] }],
    findOne: ['GET /users/:id', 'Read an account', { calls: ['user.fetch'] }],
    create: ['POST /users', 'Create an account', { touches: { create: [USER_UID] } }],
    update: ['PUT /users/:id', 'Change an account', { touches: UPDATES_USER, calls: ['user.fetch'] }],
    destroy: ['DELETE /users/:id', 'Delete an account', { touches: { delete: [USER_UID] } }],
  }),
  ...controller(ROLES, {
    find: ['GET /users-permissions/roles', 'List all roles', { touches: { read: [ROLE_UID] }, calls: ['role.find'] }],
    findOne: [
      'GET /users-permissions/roles/:id',
      'Read a role with its permissions',
      { touches: { read: ROLE_ROWS }, calls: ['role.findOne', 'users-permissions.getActions'] },
    ],
    createRole: [
      'POST /users-permissions/roles',
      'Create a role',
      { touches: WRITES_ROLES, calls: ['role.createRole'] },
    ],
    updateRole: [
      'PUT /users-permissions/roles/:id',
      'Change a role',
      { touches: WRITES_ROLES, calls: ['role.updateRole'] },
    ],
    deleteRole: [
      'DELETE /users-permissions/roles/:id',
      'Delete a role',
      // the accounts of the role get another one
      { touches: { ...WRITES_ROLES, update: [...ROLE_ROWS, USER_UID] }, calls: ['role.deleteRole'] },
    ],
  }),
  ...controller('plugin::users-permissions.permissions', {
    getPermissions: [
      'GET /users-permissions/permissions',
      'List the actions that can be granted',
      { touches: { read: [PERMISSION_UID] }, calls: ['users-permissions.getActions'] },
    ],
  }),
  ...controller(LOCALES, {
    listLocales: ['GET /i18n/locales', 'List all locales', { touches: { read: [LOCALE_UID] } }],
    createLocale: ['POST /i18n/locales', 'Add a locale', { isOwn: true, touches: { create: [LOCALE_UID] } }],
    updateLocale: ['PUT /i18n/locales/:id', 'Change a locale', { isOwn: true, touches: { update: [LOCALE_UID] } }],
    deleteLocale: ['DELETE /i18n/locales/:id', 'Delete a locale', { isOwn: true, touches: { delete: [LOCALE_UID] } }],
  }),
  ...controller(`${SCHEMAS}.content-types`, {
    getContentTypes: ['GET /content-type-builder/content-types', 'List the content types'],
    getContentType: ['GET /content-type-builder/content-types/:uid', 'Read a content type'],
  }),
  ...controller(`${SCHEMAS}.components`, {
    getComponents: ['GET /content-type-builder/components', 'List the components'],
    getComponent: ['GET /content-type-builder/components/:uid', 'Read a component'],
  }),
];

/** An action of the reference that can be granted here too, and that no route leads to. */
const WITHOUT_ROUTE = `${AUTH}.connect`;

/** Names of Galley's own actions of content types. */
const OWN_TYPE_ACTIONS: ReadonlySet<string> = new Set(['createLocalization', ...OWN_NAMES, ...VERSION_NAMES]);

/** The action of a route of `src/galley`. */
export const routeAction = (name: string): string => `api::galley.route.${name}`;

/**
 * True for an action that the reference does not have. Grants of these are stored in `galley_permissions`: the reference
 * deletes unknown actions from its own tables at every start.
 */
export function isOwnAction(action: string): boolean {
  if (action.startsWith('api::galley.')) return true;
  const builtIn = BUILT_IN_ACTIONS.find((one) => one.action === action);
  return builtIn ? builtIn.isOwn : OWN_TYPE_ACTIONS.has(action.slice(action.lastIndexOf('.') + 1));
}

/**
 * Every action that can be granted in a project: those of its types, the built-in ones, and those of its own routes.
 *
 * @param ofProject the actions of the project's own routes.
 */
export function grantableActions(catalog: Catalog, ofProject: readonly string[] = []): ReadonlySet<string> {
  const ofTypes = [...catalog.contentTypes.values()].filter((type) => type.routed).flatMap(actionsOfType);
  return new Set([...ofTypes, ...BUILT_IN_ACTIONS.map(({ action }) => action), WITHOUT_ROUTE, ...ofProject]);
}

function actionsOfType(type: ContentType): readonly string[] {
  return named(type, [
    ...coreNames(type),
    ...(type.localized ? ['createLocalization'] : []),
    ...(type.draftAndPublish ? OWN_NAMES : []),
    ...VERSION_NAMES,
  ]);
}

/** The built-in actions in which the rows of a built-in type are read or changed. */
function builtInActionsOn(uid: string, event: RowEvent): readonly string[] {
  return BUILT_IN_ACTIONS.filter(({ touches }) => touches[event]?.includes(uid)).map(({ action }) => action);
}

/** Actions that read or look up files in the reference. */
export const FILE_ACTIONS: readonly string[] = actionsOf(FILES);

/** Built-in types whose lifecycles run around the writes of the server itself. */
export const LIFECYCLE_TYPES: readonly string[] = [
  ...[USER_UID, FILE_UID, FOLDER_UID, ROLE_UID, PERMISSION_UID, LOCALE_UID],
  // written by administrators only, their own account
  ADMIN_USER_UID,
];

/** Built-in actions that write rows of these types. */
export const LIFECYCLE_WRITES: ReadonlySet<string> = new Set(
  LIFECYCLE_TYPES.flatMap((uid) => ROW_WRITES.flatMap((event) => builtInActionsOn(uid, event))),
);

/**
 * The actions in which the reference runs the lifecycles of a type or component when its rows are read or changed.
 * Every write reads as well; publishing, which a write may include, replaces rows; writes of other types look up the
 * documents that they link to. Populating or filtering through a type runs no lifecycles, nor does reading a component,
 * which is always populated.
 */
export function actionsOnRows(catalog: Catalog, uid: string, event: RowEvent): readonly string[] | 'all' {
  if (catalog.components.has(uid)) return writesWithin(catalog, uid, event);
  const type = catalog.contentTypes.get(uid);
  if (!type?.routed) {
    if (event !== 'read') return builtInActionsOn(uid, event);
    // accounts, roles, tokens and locales are read for every request
    const isOfFiles = uid === FILE_UID || uid === FOLDER_UID;
    return isOfFiles ? [...FILE_ACTIONS, ...writesLinkedTo(catalog, uid)] : 'all';
  }
  if (event !== 'read') return named(type, WRITES[event]);
  return [...named(type, [...coreNames(type), ...OWN_NAMES, ...VERSION_NAMES]), ...writesLinkedTo(catalog, uid)];
}

const named = (type: ContentType, names: readonly string[]) => names.map((name) => `${type.uid}.${name}`);

/** Writes of the types that contain a component, at any depth, in which its rows are changed. */
function writesWithin(catalog: Catalog, component: string, event: RowEvent): string[] {
  const owners = typesWith(
    catalog,
    (attribute) =>
      (attribute.type === 'component' && attribute.component === component) ||
      (attribute.type === 'dynamiczone' && attribute.components.includes(component)),
  );
  // a write reads the component again
  const events = event === 'read' ? ROW_WRITES : [event];
  const writes = (type: ContentType, name: (typeof events)[number]): readonly string[] =>
    type.routed ? named(type, WRITES[name]) : builtInActionsOn(type.uid, name);
  return [...new Set(owners.flatMap((type) => events.flatMap((name) => writes(type, name))))];
}

/** Actions of a type that change its rows and those of its components. */
const WRITES: Readonly<Record<'create' | 'update' | 'delete', readonly string[]>> = {
  create: ['create', 'update', 'restoreVersion', ...OWN_NAMES],
  update: ['update', 'restoreVersion', ...OWN_NAMES],
  delete: ['delete', 'update', 'restoreVersion', ...OWN_NAMES],
};

/** Writes of types that link to a type, in components as well: they look up the linked documents. */
function writesLinkedTo(catalog: Catalog, target: string): string[] {
  const owners = typesWith(catalog, (attribute) => {
    if (attribute.type === 'media') return target === FILE_UID;
    return attribute.type === 'relation' && (attribute.target === undefined || attribute.target === target);
  });
  return owners.filter(({ routed }) => routed).flatMap((type) => named(type, ['create', 'update', 'publish']));
}

/** Content types with an attribute of a kind, in components too. */
function typesWith(catalog: Catalog, isMeant: (attribute: Attribute) => boolean): ContentType[] {
  const seen = new Map<string, boolean>();
  const hasOne = (model: Model): boolean => {
    const known = seen.get(model.uid);
    if (known !== undefined) return known;
    seen.set(model.uid, false);
    const found = [...model.attributes.values()].some((attribute) => {
      if (isMeant(attribute)) return true;
      if (attribute.type === 'component') return hasOne(modelOf(catalog, attribute.component));
      return attribute.type === 'dynamiczone' && attribute.components.some((uid) => hasOne(modelOf(catalog, uid)));
    });
    seen.set(model.uid, found);
    return found;
  };
  return [...catalog.contentTypes.values()].filter(hasOne);
}

/** Actions of the built-in endpoints whose names begin with `owner.`: a plugin, or one controller of it. */
export function actionsOf(owner: string): string[] {
  return BUILT_IN_ACTIONS.map(({ action }) => action).filter((action) => action.startsWith(`${owner}.`));
}
