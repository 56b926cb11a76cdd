/**
 * What the app asks of the server, below `<path>/api`, and what it is answered.
 *
 * The app's types follow from this file (`src/data/client.ts`), and the server's tests hold every answer that they get
 * against it (`test/support/browser/contract.ts`), so neither side can leave it unnoticed. Errors are those of the
 * content API: `{data: null, error}`.
 */
import { DOCUMENT_REQUESTS, document } from './documents.ts';
import { arrangement, LAYOUT_REQUESTS } from './layout.ts';
import { LIST_REQUESTS } from './lists.ts';
import { MEDIA_REQUESTS } from './media.ts';
import { PRESENCE_REQUESTS } from './presence.ts';
import { SCHEMA_REQUESTS } from './schema.ts';
import {
  anything,
  either,
  flag,
  type Infer,
  list,
  moment,
  nullable,
  number,
  object,
  optional,
  type Shape,
  text,
} from './shape.ts';
import { WEBHOOK_REQUESTS } from './webhooks.ts';

/** What an administrator may do: merged over the roles, what is unknown left out. */
export const right = object({
  /** As the reference names it: `plugin::content-manager.explorer.read`. */
  action: text,
  /** The uid of a type; null where the action has none. */
  subject: nullable(text),
  /** Names of fields, dotted into components; null: all. */
  fields: nullable(list(text)),
  locales: nullable(list(text)),
  /** Only documents that the administrator has created. */
  creatorOnly: flag,
  /** Of which one has to be met, as the reference names them: `admin::is-creator`. None: every document. */
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
    /** The language of the app; the reference spells it so. */
    preferedLanguage: nullable(text),
    /** Whether signing in takes a code as well. */
    secondFactor: flag,
  }),
  session: object({ id: text }),
  rights: list(right),
  roles: list(object({ id: number, name: text, code: text })),
});

/** A place where the administrator is signed in. */
export const signedIn = object({
  id: text,
  createdAt: moment,
  lastUsedAt: moment,
  /** `Firefox on Linux`, as far as it is known. */
  device: nullable(text),
  current: flag,
});

const inData = <T>(shape: Shape<T>) => object({ data: shape });

/** Each request with its body, where it has one, and the body of its answer, where that is not empty. */
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
  /** Whether the token still makes one: refused where `POST first-administrator` would refuse it. */
  'POST first-administrator/check': { body: object({ token: text }) },
  /** The person whom the token invites: refused where `POST invitation` would refuse it. */
  'POST invitation/check': {
    body: object({ token: text }),
    answer: inData(object({ email: text, firstname: nullable(text), lastname: nullable(text) })),
  },
  'POST invitation': {
    body: object({ token: text, firstname: text, lastname: optional(text), password: text }),
    answer: inData(session),
  },
  /** Whether links that reset passwords are mailed. */
  'GET password-reset': { answer: inData(object({ isMailed: flag })) },
  /** Mails a link. The answer is the same whether or not there is such an administrator. */
  'POST password-reset': { body: object({ email: text }) },
  /** Whether the token resets a password: refused where `PUT password-reset` would refuse it. */
  'POST password-reset/check': { body: object({ token: text }) },
  'PUT password-reset': { body: object({ token: text, password: text }) },
  'GET sessions': { answer: inData(list(signedIn)) },
  'DELETE sessions/:id': {},
  /** Ends all but the one that asks. */
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
  /** A new secret, in base32 and as the address of a QR code. It counts from `PUT` on. */
  'POST me/second-factor': { answer: inData(object({ secret: text, uri: text })) },
  'PUT me/second-factor': { body: object({ code: text }), answer: inData(object({ recoveryCodes: list(text) })) },
  /** How many recovery codes are not used yet, and of how many; null where no second factor is on. */
  'GET me/second-factor/recovery-codes': { answer: inData(nullable(object({ left: number, of: number }))) },
  /** New ones, in the place of all that there were. */
  'POST me/second-factor/recovery-codes': {
    body: object({ password: text, code: text }),
    answer: inData(object({ recoveryCodes: list(text) })),
  },
  'DELETE me/second-factor': { body: object({ password: text }) },
  ...SCHEMA_REQUESTS,
  ...LAYOUT_REQUESTS,
  // before those of documents: `bulk` is none
  ...LIST_REQUESTS,
  ...DOCUMENT_REQUESTS,
  ...PRESENCE_REQUESTS,
  ...MEDIA_REQUESTS,
  ...WEBHOOK_REQUESTS,
} as const satisfies Readonly<Record<string, { readonly body?: Shape<unknown>; readonly answer?: Shape<unknown> }>>;

/** The body of every refusal. */
export const refusal = object({
  data: nullable(anything),
  error: object({
    status: number,
    name: text,
    message: text,
    details: object({
      /** There is nobody yet who could sign in. */
      firstAdministrator: optional(flag),
      /** What makes one at the terminal, as it is given where the server was started. */
      command: optional(text),
      /** The password was right; a code is wanted as well. */
      secondFactor: optional(flag),
      /** Address and password are those of a site user, who does not sign in here. */
      siteUser: optional(flag),
      errors: optional(list(object({ path: list(anything), message: text, name: text, value: optional(anything) }))),
      /** Of a query that is wrong: which name, where it stands, and one like it that there is. */
      key: optional(text),
      path: optional(nullable(text)),
      source: optional(text),
      param: optional(text),
      hint: optional(text),
      /** What is there by now, a document or an arrangement, where `If-Match` named another version of it. */
      current: optional(either(arrangement, document)),
    }),
  }),
});

export type Requests = typeof REQUESTS;
export type Right = Infer<typeof right>;
export type Session = Infer<typeof session>;
export type SignedIn = Infer<typeof signedIn>;
export type { ContentType, Schema } from './schema.ts';
