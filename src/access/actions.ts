/** Which action answers which route, and which actions come to a type's rows, as the reference has it. */
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

/** The action of a type's batches: it cannot be granted, as a batch needs what its operations need. */
export const batchAction = (type: ContentType): string => `${type.uid}.batch`;

/** Routes of Galley's own actions of a type: of drafts where it has them, and of batches of a collection type. */
export function ownRoutesOf(type: ContentType): readonly (ActionRoute & { readonly name: OwnName | 'batch' })[] {
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
  return [...(type.draftAndPublish ? moves : []), ...(isSingle ? [] : [batch])];
}

const USERS = 'plugin::users-permissions';
const FILES = 'plugin::upload.content-api';
const LOCALES = 'plugin::i18n.locales';
const SCHEMAS = 'plugin::content-type-builder';

const builtIn = (method: string, path: string, action: string): ActionRoute => ({ method, path, action });

/** Routes of the built-in endpoints. */
export const BUILT_IN_ROUTES: readonly ActionRoute[] = [
  builtIn('POST', '/auth/local', `${USERS}.auth.callback`),
  builtIn('POST', '/auth/local/register', `${USERS}.auth.register`),
  builtIn('POST', '/auth/forgot-password', `${USERS}.auth.forgotPassword`),
  builtIn('POST', '/auth/reset-password', `${USERS}.auth.resetPassword`),
  builtIn('POST', '/auth/change-password', `${USERS}.auth.changePassword`),
  builtIn('GET', '/auth/email-confirmation', `${USERS}.auth.emailConfirmation`),
  builtIn('POST', '/auth/send-email-confirmation', `${USERS}.auth.sendEmailConfirmation`),
  builtIn('POST', '/auth/refresh', `${USERS}.auth.refresh`),
  builtIn('POST', '/auth/logout', `${USERS}.auth.logout`),
  builtIn('GET', '/auth/sessions', `${USERS}.auth.getSessions`),
  builtIn('DELETE', '/auth/sessions/:deviceId', `${USERS}.auth.revokeSession`),
  builtIn('GET', '/users', `${USERS}.user.find`),
  builtIn('POST', '/users', `${USERS}.user.create`),
  builtIn('GET', '/users/count', `${USERS}.user.count`),
  builtIn('GET', '/users/me', `${USERS}.user.me`),
  builtIn('GET', '/users/:id', `${USERS}.user.findOne`),
  builtIn('PUT', '/users/:id', `${USERS}.user.update`),
  builtIn('DELETE', '/users/:id', `${USERS}.user.destroy`),
  builtIn('GET', '/users-permissions/roles', `${USERS}.role.find`),
  builtIn('POST', '/users-permissions/roles', `${USERS}.role.createRole`),
  builtIn('GET', '/users-permissions/roles/:id', `${USERS}.role.findOne`),
  builtIn('PUT', '/users-permissions/roles/:id', `${USERS}.role.updateRole`),
  builtIn('DELETE', '/users-permissions/roles/:id', `${USERS}.role.deleteRole`),
  builtIn('GET', '/users-permissions/permissions', `${USERS}.permissions.getPermissions`),
  builtIn('GET', '/upload/files', `${FILES}.find`),
  builtIn('GET', '/upload/files/page', `${FILES}.findPage`),
  builtIn('GET', '/upload/files/:id', `${FILES}.findOne`),
  builtIn('DELETE', '/upload/files/:id', `${FILES}.destroy`),
  builtIn('POST', '/upload', `${FILES}.upload`),
  builtIn('GET', '/i18n/locales', `${LOCALES}.listLocales`),
  builtIn('POST', '/i18n/locales', `${LOCALES}.createLocale`),
  builtIn('PUT', '/i18n/locales/:id', `${LOCALES}.updateLocale`),
  builtIn('DELETE', '/i18n/locales/:id', `${LOCALES}.deleteLocale`),
  builtIn('GET', '/content-type-builder/content-types', `${SCHEMAS}.content-types.getContentTypes`),
  builtIn('GET', '/content-type-builder/content-types/:uid', `${SCHEMAS}.content-types.getContentType`),
  builtIn('GET', '/content-type-builder/components', `${SCHEMAS}.components.getComponents`),
  builtIn('GET', '/content-type-builder/components/:uid', `${SCHEMAS}.components.getComponent`),
];

/** What may be done to the rows of a type. */
export type RowEvent = 'read' | 'create' | 'update' | 'delete';

const ROLE_ACTIONS = ['createRole', 'updateRole', 'deleteRole'].map((name) => `${USERS}.role.${name}`);

/** Actions that change the rows of built-in types. */
const BUILT_IN_WRITES: Readonly<Record<string, Readonly<Record<'create' | 'update' | 'delete', readonly string[]>>>> = {
  [USER_UID]: {
    create: [`${USERS}.user.create`, `${USERS}.auth.register`],
    update: [
      `${USERS}.user.update`,
      ...[
        'register',
        'forgotPassword',
        'resetPassword',
        'changePassword',
        'emailConfirmation',
        'sendEmailConfirmation',
      ].map((name) => `${USERS}.auth.${name}`),
      // its accounts get another role
      `${USERS}.role.deleteRole`,
    ],
    delete: [`${USERS}.user.destroy`],
  },
  [FILE_UID]: {
    create: [`${FILES}.upload`],
    update: [`${FILES}.upload`],
    delete: [`${FILES}.destroy`, `${FILES}.upload`],
  },
  [FOLDER_UID]: {
    create: [`${FILES}.upload`],
    update: [`${FILES}.upload`],
    delete: [`${FILES}.destroy`],
  },
  [ROLE_UID]: { create: ROLE_ACTIONS, update: ROLE_ACTIONS, delete: ROLE_ACTIONS },
  [PERMISSION_UID]: { create: ROLE_ACTIONS, update: ROLE_ACTIONS, delete: ROLE_ACTIONS },
  [LOCALE_UID]: {
    create: [`${LOCALES}.createLocale`],
    update: [`${LOCALES}.updateLocale`],
    delete: [`${LOCALES}.deleteLocale`],
  },
  // by administrators alone, of themselves
  [ADMIN_USER_UID]: { create: [], update: [], delete: [] },
};

/** Actions that read or look up files in the reference. */
export const FILE_ACTIONS: readonly string[] = ['find', 'findPage', 'findOne', 'destroy', 'upload'].map(
  (name) => `${FILES}.${name}`,
);

/** Actions that read the rows of built-in types, those of accounts excepted. */
export const BUILT_IN_READS: Readonly<Record<string, readonly string[]>> = {
  [FILE_UID]: ['find', 'findPage', 'findOne'].map((name) => `${FILES}.${name}`),
  [FOLDER_UID]: ['find', 'findPage', 'findOne'].map((name) => `${FILES}.${name}`),
  [ROLE_UID]: [`${USERS}.role.find`, `${USERS}.role.findOne`],
  [PERMISSION_UID]: [`${USERS}.role.findOne`, `${USERS}.permissions.getPermissions`],
  [LOCALE_UID]: [`${LOCALES}.listLocales`],
};

/** Built-in types whose lifecycles are run around what the server itself writes of them. */
export const TOLD_TYPES: readonly string[] = [
  ...[USER_UID, FILE_UID, FOLDER_UID, ROLE_UID, PERMISSION_UID, LOCALE_UID],
  ADMIN_USER_UID,
];

/** Actions of the server that write these, behind what code that is run has put before them. */
export const TOLD_WRITES: ReadonlySet<string> = new Set(
  TOLD_TYPES.flatMap((uid) => Object.values(BUILT_IN_WRITES[uid]!).flat()),
);

/**
 * The actions in which the reference runs the lifecycles of a type or a component for something done to its rows. Every
 * write reads as well; publishing, which a write may ask for, puts rows in the place of others; writes of other types
 * look up what they link to. Populating and filtering through a type runs none, and reading a component neither: it is
 * always populated.
 */
export function actionsOnRows(catalog: Catalog, uid: string, event: RowEvent): readonly string[] | 'all' {
  if (catalog.components.has(uid)) return writesWithin(catalog, uid, event);
  const type = catalog.contentTypes.get(uid);
  if (!type?.routed) {
    if (event !== 'read') return BUILT_IN_WRITES[uid]?.[event] ?? [];
    // accounts, roles, tokens and locales are read for every request
    const isOfFiles = uid === FILE_UID || uid === FOLDER_UID;
    return isOfFiles ? [...actionsOf(FILES), ...writesLinkedTo(catalog, uid)] : 'all';
  }
  if (event !== 'read') return named(type, WRITES[event]);
  return [...named(type, [...coreNames(type), ...OWN_NAMES]), ...writesLinkedTo(catalog, uid)];
}

const named = (type: ContentType, names: readonly string[]) => names.map((name) => `${type.uid}.${name}`);

/** Writes of the types that contain a component, at whatever depth, in which something is done to its rows. */
function writesWithin(catalog: Catalog, component: string, event: RowEvent): string[] {
  const owners = typesWith(
    catalog,
    (attribute) =>
      (attribute.type === 'component' && attribute.component === component) ||
      (attribute.type === 'dynamiczone' && attribute.components.includes(component)),
  );
  // what is written is looked up again
  const events = event === 'read' ? (['create', 'update', 'delete'] as const) : [event];
  const writes = (type: ContentType, name: (typeof events)[number]): readonly string[] =>
    type.routed ? named(type, WRITES[name]) : (BUILT_IN_WRITES[type.uid]?.[name] ?? []);
  return [...new Set(owners.flatMap((type) => events.flatMap((name) => writes(type, name))))];
}

/** Galley's own actions, which do what a write may also do. */
const OWN_NAMES = Object.values(OWN_WORDS);

export type OwnName = (typeof OWN_NAMES)[number];

/** Actions of a type in which something is done to its rows, and to those of its components. */
const WRITES: Readonly<Record<'create' | 'update' | 'delete', readonly string[]>> = {
  create: ['create', 'update', ...OWN_NAMES],
  update: ['update', ...OWN_NAMES],
  delete: ['delete', 'update', ...OWN_NAMES],
};

const DOCUMENT_ACTIONS = {
  collectionType: {
    findMany: ['find'],
    count: ['find'],
    findFirst: [],
    findOne: ['findOne'],
    create: ['create'],
    update: ['update'],
    delete: ['delete'],
  },
  singleType: {
    findMany: [],
    count: [],
    findFirst: ['find'],
    findOne: ['find'],
    create: ['update'],
    update: ['update'],
    delete: ['delete'],
  },
} as const;

/** Actions of the document service that a middleware may be run for. */
export const DOCUMENT_ACTION_NAMES = [...Object.keys(DOCUMENT_ACTIONS.collectionType), ...OWN_NAMES];

/** The actions in which the reference runs document middlewares of a type for an action of the document service. */
export function actionsOnDocuments(catalog: Catalog, uid: string, action: string): readonly string[] {
  const type = catalog.contentTypes.get(uid);
  if (!type) return [];
  if (!type.routed) {
    // of the built-in types only accounts are written by the document service
    const isWrite = uid === USER_UID && (action === 'create' || action === 'update');
    // whose role is deleted is none of documents
    return isWrite ? BUILT_IN_WRITES[USER_UID]![action].filter((one) => !ROLE_ACTIONS.includes(one)) : [];
  }
  const names = (OWN_NAMES as readonly string[]).includes(action)
    ? [action]
    : (DOCUMENT_ACTIONS[type.kind][action as keyof typeof DOCUMENT_ACTIONS.collectionType] ?? []);
  return names.map((name) => `${uid}.${name}`);
}

/** Writes of types that link to a type, in components too: what they link to is looked up. */
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
  return BUILT_IN_ROUTES.map(({ action }) => action).filter((action) => action.startsWith(`${owner}.`));
}
