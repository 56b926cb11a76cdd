/** Requests for roles of site users and their permissions, and for API tokens. */
import {
  flag,
  type Infer,
  list,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from './shape.ts';

/** An action of the content API that can be granted. */
const action = object({
  action: text,
  /** The last word of the action: `find`. */
  name: text,
  requests: list(
    object({
      method: text,
      /** The whole path: `/api/articles/:documentId`. */
      path: text,
      /** Whether project code opens it to everyone. */
      isOpen: flag,
    }),
  ),
  /** What a grant puts at risk: content, its history, accounts, or the rights of the roles themselves. */
  risk: nullable(oneOf('writes', 'history', 'accounts', 'rights')),
  /** Whether project code runs before it and may refuse, or it is closed because such code does not run. */
  state: oneOf('open', 'guarded', 'closed'),
});

/** A content type, a part of the server, or a controller of project code, with its actions. */
export const actionSubject = object({
  uid: text,
  kind: oneOf('collectionType', 'singleType', 'files', 'signIn', 'accounts', 'roles', 'locales', 'schemas', 'code'),
  name: text,
  /** Null if it is not a content type. */
  singularName: nullable(text),
  pluralName: nullable(text),
  /** Whether the type has drafts. */
  drafts: flag,
  actions: list(action),
});

/** Rules of access of `src/galley` for a type. */
const rules = object({
  uid: text,
  /** Conditions on rows: filters as JSON, or null if no row meets them. */
  rows: list(object({ action: text, filter: nullable(text) })),
  /** The readable and the writable attributes; null for all. */
  read: nullable(list(text)),
  write: nullable(list(text)),
});

const roleFields = {
  id: number,
  /** The name by which rules of access refer to the role. */
  type: text,
  name: text,
  description: nullable(text),
  /** The number of its accounts. */
  accounts: number,
  /** Whether the server needs the role, so that it cannot be deleted. */
  isNeeded: flag,
  actions: list(text),
};

const roleInList = object(roleFields);

export const siteRole = object({ ...roleFields, tag: text, rules: list(rules) });

const tokenFields = {
  id: number,
  name: text,
  description: text,
  /** `read-only`, `full-access` or `custom`. */
  type: text,
  /** The actions of a custom token. */
  permissions: list(text),
  expiresAt: nullable(moment),
  /** To the hour. */
  lastUsedAt: nullable(moment),
  createdAt: nullable(moment),
  /** Null if it is not recorded, as for tokens of commands and project code. */
  createdBy: nullable(object({ id: number, name: text })),
};

const tokenInList = object(tokenFields);
const detailsOfToken = { ...tokenFields, tag: text, rules: list(rules) };
export const tokenDetails = object(detailsOfToken);
const tokenWithSecret = object({ ...detailsOfToken, secret: text });

const tokenType = oneOf('read-only', 'full-access', 'custom');

const inData = <T>(shape: Shape<T>) => ({ answer: object({ data: shape }) });

export const PERMISSION_REQUESTS = {
  'GET permissions/actions': inData(list(actionSubject)),
  'GET permissions/roles': inData(list(roleInList)),
  'POST permissions/roles': {
    body: object({ name: text, description: optional(nullable(text)), actions: optional(list(text)) }),
    ...inData(siteRole),
  },
  'GET permissions/roles/:id': inData(siteRole),
  /** Answers 412 with the current role if `If-Match` names another version. */
  'PUT permissions/roles/:id': {
    body: object({ name: optional(text), description: optional(nullable(text)), actions: optional(list(text)) }),
    ...inData(siteRole),
  },
  /** Its accounts get the role `public`. */
  'DELETE permissions/roles/:id': {},
  'GET tokens': inData(list(tokenInList)),
  /** The only answers that contain the secret are this one and that of a new secret. */
  'POST tokens': {
    body: object({
      name: text,
      description: optional(text),
      type: tokenType,
      permissions: optional(list(text)),
      /** The days until it expires; null: never. */
      days: optional(nullable(number)),
    }),
    ...inData(tokenWithSecret),
  },
  'GET tokens/:id': inData(tokenDetails),
  /** Answers 412 with the current token if `If-Match` names another version. */
  'PUT tokens/:id': {
    body: object({
      name: optional(text),
      description: optional(text),
      type: optional(tokenType),
      permissions: optional(list(text)),
    }),
    ...inData(tokenDetails),
  },
  'DELETE tokens/:id': {},
  /** Replaces the secret. With `days` the token also gets a new lifetime, which needs the right to create tokens. */
  'POST tokens/:id/secret': { body: object({ days: optional(nullable(number)) }), ...inData(tokenWithSecret) },
} as const;

export type ActionSubject = Infer<typeof actionSubject>;
export type SiteAction = ActionSubject['actions'][number];
export type AccessRules = Infer<typeof rules>;
export type RoleInList = Infer<typeof roleInList>;
export type SiteRole = Infer<typeof siteRole>;
export type TokenInList = Infer<typeof tokenInList>;
export type TokenDetails = Infer<typeof tokenDetails>;
