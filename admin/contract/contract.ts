/**
 * The requests of the app, below `<path>/api`, and their answers.
 *
 * The types of the app are derived from this file (`src/data/client.ts`), and the server's tests compare every answer
 * with it (`test/support/browser/contract.ts`), so neither side can deviate unnoticed. Errors have the format of the
 * content API: `{data: null, error}`.
 */

import { AUDIT_REQUESTS } from './audit.ts';
import { CONTENT_TYPE_REQUESTS, schemaEffect, schemaProblem } from './content-types.ts';
import { DOCUMENT_REQUESTS, document } from './documents.ts';
import { EXPLORE_REQUESTS } from './explore.ts';
import { HEALTH_REQUESTS } from './health.ts';
import { arrangement, LAYOUT_REQUESTS } from './layout.ts';
import { LIST_REQUESTS } from './lists.ts';
import { MEDIA_REQUESTS } from './media.ts';
import { PEOPLE_REQUESTS } from './people.ts';
import { PERMISSION_REQUESTS, siteRole, tokenDetails } from './permissions.ts';
import { PRESENCE_REQUESTS } from './presence.ts';
import { fieldError, reason } from './reasons.ts';
import { RELEASE_REQUESTS, releaseProblem } from './releases.ts';
import { REVIEW_REQUESTS } from './review.ts';
import { ROWS_REQUESTS } from './rows.ts';
import { SCHEDULE_REQUESTS } from './schedule.ts';
import { SCHEMA_REQUESTS } from './schema.ts';
import { signedIn } from './sessions.ts';
import {
  anything,
  either,
  flag,
  type Infer,
  list,
  nullable,
  number,
  object,
  optional,
  type Shape,
  text,
} from './shape.ts';
import { SITE_REQUESTS } from './site.ts';
import { TRASH_REQUESTS } from './trash.ts';
import { WEBHOOK_REQUESTS } from './webhooks.ts';

/** A permission of the administrator, merged over the roles. Unknown actions are left out. */
export const right = object({
  /** The action in Strapi's spelling: `plugin::content-manager.explorer.read`. */
  action: text,
  /** The uid of a type; null if the action concerns none. */
  subject: nullable(text),
  /** The names of fields, with dots into components; null for all. */
  fields: nullable(list(text)),
  locales: nullable(list(text)),
  /** Whether it applies only to documents that the administrator has created. */
  creatorOnly: flag,
  /** Strapi's names of conditions, one of which has to hold: `admin::is-creator`. Empty for every document. */
  conditions: list(text),
});

export const session = object({
  user: object({
    id: number,
    documentId: text,
    email: text,
    firstname: nullable(text),
    lastname: nullable(text),
    username: nullable(text),
    /** The language of the app, in Strapi's spelling. */
    preferedLanguage: nullable(text),
    /** Whether signing in also requires a code. */
    secondFactor: flag,
    /** Whether a role requires a second factor. Until it is set up, the session permits nothing else. */
    secondFactorRequired: flag,
  }),
  session: object({ id: text }),
  rights: list(right),
  roles: list(object({ id: number, name: text, code: text })),
  /** Changes with everything above. The stream `GET changes` sends it. */
  version: text,
});

const inData = <T>(shape: Shape<T>) => object({ data: shape });

/** All requests with their bodies and answers; either is absent if it is empty. */
export const REQUESTS = {
  'GET session': { answer: inData(session) },
  'POST session': {
    body: object({ email: text, password: text, code: optional(text), remember: optional(flag) }),
    answer: inData(session),
  },
  'DELETE session': {},
  'POST first-administrator': {
    body: object({ token: text, firstname: text, lastname: optional(text), email: text, password: text }),
    answer: inData(session),
  },
  /** Checks a token. It fails if `POST first-administrator` would refuse the token. */
  'POST first-administrator/check': { body: object({ token: text }) },
  /** Checks a token and returns the invited person. It fails if `POST invitation` would refuse the token. */
  'POST invitation/check': {
    body: object({ token: text }),
    answer: inData(object({ email: text, firstname: nullable(text), lastname: nullable(text) })),
  },
  'POST invitation': {
    body: object({ token: text, firstname: text, lastname: optional(text), password: text }),
    answer: inData(session),
  },
  /** Whether the server sends e-mail with links that reset passwords. */
  'GET password-reset': { answer: inData(object({ isMailed: flag, command: text })) },
  /** Sends a link by e-mail. The answer does not reveal whether the administrator exists. */
  'POST password-reset': { body: object({ email: text }) },
  /** Checks a token. It fails if `PUT password-reset` would refuse the token. */
  'POST password-reset/check': { body: object({ token: text }) },
  'PUT password-reset': { body: object({ token: text, password: text }) },
  'GET sessions': { answer: inData(list(signedIn)) },
  'DELETE sessions/:id': {},
  /** Ends all other sessions. */
  'DELETE sessions': {},
  'PUT me': {
    body: object({
      firstname: text,
      lastname: nullable(text),
      username: nullable(text),
      preferedLanguage: nullable(text),
    }),
    answer: inData(session),
  },
  'PUT me/password': { body: object({ currentPassword: text, password: text }), answer: inData(session) },
  /** Creates a secret, in base32 and as the address of a QR code. It takes effect with the `PUT` request. */
  'POST me/second-factor': { answer: inData(object({ secret: text, uri: text })) },
  'PUT me/second-factor': { body: object({ code: text }), answer: inData(object({ recoveryCodes: list(text) })) },
  /** The number of unused recovery codes, and of all; null if the second factor is off. */
  'GET me/second-factor/recovery-codes': { answer: inData(nullable(object({ left: number, of: number }))) },
  /** Replaces all recovery codes. */
  'POST me/second-factor/recovery-codes': {
    body: object({ password: text, code: text }),
    answer: inData(object({ recoveryCodes: list(text) })),
  },
  'DELETE me/second-factor': { body: object({ password: text }) },
  ...SCHEMA_REQUESTS,
  ...LAYOUT_REQUESTS,
  // Before documents, because `bulk` is not a document id.
  ...SCHEDULE_REQUESTS,
  ...LIST_REQUESTS,
  ...DOCUMENT_REQUESTS,
  ...PRESENCE_REQUESTS,
  ...REVIEW_REQUESTS,
  ...MEDIA_REQUESTS,
  ...ROWS_REQUESTS,
  ...TRASH_REQUESTS,
  ...AUDIT_REQUESTS,
  ...RELEASE_REQUESTS,
  ...WEBHOOK_REQUESTS,
  ...HEALTH_REQUESTS,
  ...SITE_REQUESTS,
  ...PEOPLE_REQUESTS,
  ...PERMISSION_REQUESTS,
  ...EXPLORE_REQUESTS,
  ...CONTENT_TYPE_REQUESTS,
} as const satisfies Readonly<Record<string, { readonly body?: Shape<unknown>; readonly answer?: Shape<unknown> }>>;

/** The body of every error. */
export const refusal = object({
  data: nullable(anything),
  error: object({
    status: number,
    name: text,
    message: text,
    details: object({
      /** The project has no administrator yet. */
      firstAdministrator: optional(flag),
      /** The command that creates the first administrator. */
      command: optional(text),
      /** The password is correct, and a code is required as well. */
      secondFactor: optional(flag),
      /** A role of the administrator requires a second factor, which must be set up first. */
      secondFactorRequired: optional(flag),
      reason: optional(reason),
      errors: optional(list(fieldError)),
      /** For invalid queries: the unknown name, its place, and the nearest valid name. */
      key: optional(text),
      path: optional(nullable(text)),
      source: optional(text),
      param: optional(text),
      hint: optional(text),
      /** The current document, layout, role or token, if `If-Match` named another version. */
      current: optional(either(either(arrangement, either(siteRole, tokenDetails)), document)),
      /** Of a refused change of content types: uids whose files were changed by others, mistakes, and lost content. */
      conflicts: optional(list(text)),
      problems: optional(list(schemaProblem)),
      effects: optional(list(schemaEffect)),
      /** Of a refused publication, the names of the present and the required stage; of a refused move, ids. */
      stage: optional(either(number, text)),
      required: optional(text),
      from: optional(number),
      to: optional(number),
      /** Of a release that cannot run: the first documents that prevent it, and the number of all. */
      documents: optional(list(releaseProblem)),
      count: optional(number),
    }),
  }),
});

export type Requests = typeof REQUESTS;
export type Right = Infer<typeof right>;
export type Session = Infer<typeof session>;
export type { ContentType, Schema } from './schema.ts';
