/** Requests for people who administer the site, and their roles. */
import { signedIn } from './sessions.ts';
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

const inData = <T>(shape: Shape<T>) => object({ data: shape });

const fields = {
  id: number,
  email: text,
  firstname: nullable(text),
  lastname: nullable(text),
  username: nullable(text),
  /** `deactivated`: in Strapi's panel. */
  state: oneOf('active', 'invited', 'blocked', 'deactivated'),
  roles: list(object({ id: number, name: text, code: text })),
  createdAt: nullable(moment),
  lastUsedAt: nullable(moment),
  /** Until when the link of an invited person is valid; null without one that ends. */
  invitedUntil: nullable(moment),
  secondFactor: flag,
  secondFactorRequired: flag,
  isYou: flag,
  /** Whether the administrator may change the person, given the right to change people. */
  isChangeable: flag,
  /** The same for the address, a new invitation and the second factor, which would allow to sign in as the person. */
  isRecoverable: flag,
};

export const person = object(fields);

export const personWithSessions = object({
  ...fields,
  sessions: list(signedIn),
});

/** A link, which is not shown again. */
export const newInvitation = object({
  /** The address; null where the server does not know its public address: the page is `invitation#<token>`. */
  link: nullable(text),
  token: text,
  isMailed: flag,
  expiresAt: moment,
});

const roleFields = {
  id: number,
  code: text,
  name: text,
  description: text,
  /** The number of administrators with the role. */
  people: number,
  /** Whether it requires a second factor. */
  secondFactor: flag,
  /** Whether it is Super Admin, which always has every permission. */
  isSuper: flag,
};

const permission = {
  /** Null: all fields, also those that are added later. */
  fields: nullable(list(text)),
  locales: nullable(list(text)),
  /** Conditions, one of which has to hold; empty for every document. */
  conditions: list(text),
};

export const roleSummary = object(roleFields);
export const role = object({
  ...roleFields,
  permissions: list(object({ action: text, subject: nullable(text), ...permission })),
  /** The number of stored permissions that mean nothing here. They stay as they are. */
  others: number,
  /** Whether the administrator may change or delete it, given the right to change or delete roles. */
  isChangeable: flag,
});

export const permittable = object({
  types: list(
    object({
      uid: text,
      displayName: text,
      kind: oneOf('collectionType', 'singleType'),
      localized: flag,
      draftAndPublish: flag,
      /** Dotted names of attributes: `title`, `seo.metaTitle`. */
      fields: list(text),
    }),
  ),
  locales: list(text),
  /** Actions without a type. */
  settings: list(object({ action: text, takesConditions: flag })),
  conditions: list(text),
});

const roleChange = object({
  name: optional(text),
  description: optional(text),
  secondFactor: optional(flag),
  /** The new permission of each changed action; null takes it away. */
  permissions: optional(
    list(object({ action: text, subject: nullable(text), permission: nullable(object(permission)) })),
  ),
});

export const PEOPLE_REQUESTS = {
  /** 100 people in the order of creation; `next` is the cursor of the following page. */
  'GET people': { answer: object({ data: list(person), meta: object({ next: nullable(text) }) }) },
  'POST people': {
    body: object({
      email: text,
      firstname: optional(nullable(text)),
      lastname: optional(nullable(text)),
      roles: list(number),
      mail: optional(flag),
    }),
    answer: inData(object({ id: number, invitation: newInvitation })),
  },
  /** The roles that people can have, and whether invitations can be mailed. */
  'GET people/options': {
    answer: inData(object({ isMailed: flag, roles: list(object({ ...roleFields, isGrantable: flag })) })),
  },
  'GET people/:id': { answer: inData(personWithSessions) },
  'PUT people/:id': {
    body: object({
      email: optional(text),
      firstname: optional(nullable(text)),
      lastname: optional(nullable(text)),
      username: optional(nullable(text)),
      roles: optional(list(number)),
    }),
    answer: inData(personWithSessions),
  },
  'DELETE people/:id': {},
  'POST people/:id/invitation': { body: object({ mail: optional(flag) }), answer: inData(newInvitation) },
  'POST people/:id/block': { answer: inData(personWithSessions) },
  'POST people/:id/unblock': { answer: inData(personWithSessions) },
  /** Ends all sessions; of the administrator's own all others. */
  'DELETE people/:id/sessions': { answer: inData(personWithSessions) },
  'DELETE people/:id/sessions/:sessionId': { answer: inData(personWithSessions) },
  'DELETE people/:id/second-factor': { answer: inData(personWithSessions) },
  'GET roles': { answer: inData(list(roleSummary)) },
  'POST roles': {
    body: object({ name: text, description: optional(text), from: optional(nullable(number)) }),
    answer: inData(object({ id: number })),
  },
  'GET roles/permittable': { answer: inData(permittable) },
  'GET roles/:id': { answer: inData(role) },
  'PUT roles/:id': { body: roleChange, answer: inData(role) },
  'DELETE roles/:id': {},
} as const;

export type Person = Infer<typeof person>;
export type PersonWithSessions = Infer<typeof personWithSessions>;
export type Invitation = Infer<typeof newInvitation>;
export type RoleSummary = Infer<typeof roleSummary>;
export type Role = Infer<typeof role>;
export type Permittable = Infer<typeof permittable>;
export type RoleChange = Infer<typeof roleChange>;
