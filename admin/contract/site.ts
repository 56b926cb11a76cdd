/** Requests for the settings of the site, its locales, and the sessions of its users. */
import { siteUserSession } from './sessions.ts';
import {
  flag,
  type Infer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  recordOf,
  type Shape,
  text,
} from './shape.ts';

const inData = <T>(shape: Shape<T>) => ({ answer: object({ data: shape }) });

/** The place that sets a value: an environment variable, or a key of a file. */
const source = object({ variable: optional(text), file: optional(text), key: optional(text) });

/** A value of files or the environment with the place that sets it, or that would set it in place of the default. */
const sourced = <T>(value: Shape<T>) => object({ value, source, isDefault: flag });

const rate = sourced(nullable(object({ max: number, seconds: number })));

const site = object({
  /** The name that the app shows; null: none. */
  name: nullable(text),
  /** The time zone in which the app shows dates and times; null: that of each reader. */
  timeZone: nullable(text),
  /** The name of the project's package or folder. */
  projectName: text,
  url: sourced(nullable(text)),
  serverTimeZone: sourced(text),
});

/** The names of the settings are those of Strapi. */
const accounts = object({
  unique_email: flag,
  allow_register: flag,
  email_confirmation: flag,
  /** Addresses of pages; empty for none. */
  email_confirmation_redirection: text,
  email_reset_password: text,
  /** The type of a role. */
  default_role: text,
  roles: list(object({ type: text, name: text })),
});

/** Empty texts of senders are defaults. */
const template = object({ from_name: text, from_email: text, response_email: text, object: text, message: text });

const templates = object({ reset_password: template, email_confirmation: template });

const images = object({
  sizeOptimization: flag,
  responsiveDimensions: flag,
  autoOrientation: flag,
  breakpoints: sourced(list(object({ name: text, pixels: number }))),
  sizes: sourced(nullable(object({ widths: list(number), heights: list(number), formats: list(text) }))),
});

const mail = object({
  kind: oneOf('smtp', 'code', 'log', 'none'),
  /** The address of the server without a password, or the name of a provider. */
  server: sourced(nullable(text)),
  from: sourced(nullable(text)),
  replyTo: sourced(nullable(text)),
});

const storage = object({
  kind: oneOf('local', 's3', 'code', 'unsupported'),
  provider: sourced(text),
  bucket: nullable(
    object({
      name: sourced(text),
      region: sourced(text),
      endpoint: sourced(nullable(text)),
      folder: sourced(nullable(text)),
      url: sourced(nullable(text)),
      private: sourced(flag),
    }),
  ),
});

/** Sections that the administrator may not see are null. */
export const siteSettings = object({
  site,
  accounts: nullable(accounts),
  templates: nullable(templates),
  images: nullable(images),
  mail: nullable(mail),
  storage: nullable(storage),
  previews: nullable(sourced(list(object({ uid: text, displayName: text, url: text })))),
  limits: nullable(
    object({
      fileSize: sourced(number),
      files: sourced(number),
      fileTypes: sourced(object({ allowed: nullable(list(text)), denied: list(text) })),
      json: sourced(number),
      page: sourced(nullable(number)),
      requests: rate,
      siteSignIns: rate,
      signIns: rate,
    }),
  ),
});

export const locale = object({ id: number, code: text, name: text, isDefault: flag });

/** What the removal of a locale deletes of a type. */
export const localeContent = object({
  uid: text,
  displayName: text,
  /** Documents with a version in the locale. */
  documents: number,
  /** Those of them without a version in another locale. */
  only: number,
});

export const untranslated = object({
  uid: text,
  displayName: text,
  /** Null if counting would take long. */
  documents: nullable(number),
  /** The number of documents without a version, by locale. */
  missing: nullable(recordOf(number)),
});

export const SITE_REQUESTS = {
  'GET site': inData(siteSettings),
  'PUT site': { body: object({ name: optional(nullable(text)), timeZone: optional(nullable(text)) }), ...inData(site) },
  'PUT site/accounts': {
    body: object({
      unique_email: optional(flag),
      allow_register: optional(flag),
      email_confirmation: optional(flag),
      email_confirmation_redirection: optional(text),
      email_reset_password: optional(text),
      default_role: optional(text),
    }),
    ...inData(accounts),
  },
  'PUT site/templates/:name': {
    body: object({
      from_name: optional(text),
      from_email: optional(text),
      response_email: optional(text),
      object: optional(text),
      message: optional(text),
    }),
    ...inData(templates),
  },
  'PUT site/images': {
    body: object({
      sizeOptimization: optional(flag),
      responsiveDimensions: optional(flag),
      autoOrientation: optional(flag),
    }),
    ...inData(images),
  },
  /** Sends a mail to the administrator. The answer is that of the mail server, or an error. */
  'POST site/mail/test': inData(object({ ok: flag, answer: text, milliseconds: number, to: text })),
  /** Writes, reads and deletes a small object. */
  'POST site/storage/test': inData(
    object({
      done: list(oneOf('write', 'read', 'delete')),
      failure: nullable(text),
      milliseconds: number,
    }),
  ),
  'GET locales': inData(list(locale)),
  'POST locales': {
    body: object({ code: text, name: optional(text), isDefault: optional(flag) }),
    ...inData(locale),
  },
  'GET locales/untranslated': inData(list(untranslated)),
  'PUT locales/:id': { body: object({ name: optional(text), isDefault: optional(flag) }), ...inData(locale) },
  'GET locales/:id/content': inData(list(localeContent)),
  /**
   * Deletes content in the locale for half a second, and the locale when no content is left. It is repeated until
   * `isDone`; `removed` counts documents. The body confirms the code of the locale.
   */
  'POST locales/:id/remove': { body: object({ code: text }), ...inData(object({ removed: number, isDone: flag })) },
  /** Newest first, at most 100; `total` counts all of them. */
  'GET site-users/:id/sessions': {
    answer: object({ data: list(siteUserSession), meta: object({ total: number }) }),
  },
  /** Ends all sessions. */
  'DELETE site-users/:id/sessions': {},
  'DELETE site-users/:id/sessions/:session': {},
} as const;

export type SiteSettings = Infer<typeof siteSettings>;
export type SettingSource = Infer<typeof source>;
export type Locale = Infer<typeof locale>;
export type Untranslated = Infer<typeof untranslated>;
