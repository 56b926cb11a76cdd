/** The parts of Galley that the code of a project works with. The database takes part in the transactions of the code. */
import type { Views } from '../access/views.ts';
import type { Config, UsersConfig } from '../config/config.ts';
import type { Transitions } from '../content/documents/transitions.ts';
import type { Writer } from '../content/documents/writer.ts';
import type { LocaleStore } from '../content/locales/locale-store.ts';
import type { FileUrls } from '../content/reading/file-urls.ts';
import type { Reader } from '../content/reading/reader.ts';
import type { CodeLog } from '../log-line.ts';
import type { Media } from '../media/media.ts';
import type { Catalog, Model } from '../schema/catalog.ts';
import type { Layout } from '../schema/layout/layout.ts';
import type { AccountSessions } from '../users/accounts/account-sessions.ts';
import type { UserWrites } from '../users/accounts/user-writes.ts';
import type { AccountMail } from '../users/mail/account-mail.ts';
import type { Mailer } from '../users/mail/mailer.ts';
import type { Roles } from '../users/roles/role-changes.ts';
import type { UserTokens } from '../users/sessions/user-tokens.ts';
import type { AmbientDatabase } from './documents/ambient.ts';
import type { Jobs } from './jobs/job-runs.ts';
import type { Narrowing } from './narrowing.ts';
import type { Middleware } from './requests/policies.ts';
import type { ListedRoute } from './requests/routes.ts';

export interface RuntimeContext {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly views: Views;
  readonly database: AmbientDatabase;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly transitions: Transitions;
  readonly locales: LocaleStore;
  readonly fileUrls?: FileUrls | undefined;
  readonly media: Media;
  readonly users: UserWrites;
  readonly roles: Roles;
  readonly sessions: AccountSessions;
  readonly tokens: UserTokens;
  readonly mailer: Mailer;
  readonly mail: AccountMail;
  /** The form of answers to `Strapi-Response-Format: v4`. */
  readonly formatV4: (catalog: Catalog, model: Model, value: unknown) => unknown;
  /** Takes a line of the project's log. */
  readonly log: CodeLog;
  readonly narrowing: Narrowing;
  readonly routeLimits: RouteLimits;
  /** The parts of `src/galley`; undefined without the file. */
  readonly own?: OwnParts | undefined;
}

/** Creates a counter of requests to routes of code. The counter throws ContentError 429 beyond the limit. */
export type RouteLimits = (
  rule: NonNullable<UsersConfig['rateLimit']>,
) => (path: string, request: LimitedRequest, reply: LimitedReply) => Promise<void>;

interface LimitedRequest {
  readonly ip: string;
  readonly body: unknown;
}
/** Takes headers of the answer. */
interface LimitedReply {
  header(name: string, value: unknown): unknown;
}

/** The parts that `src/galley` adds to the running code of a project. */
export interface OwnParts {
  readonly routes: readonly ListedRoute[];
  /** Its policies of an action; undefined without any. */
  readonly gate: (action: string) => Middleware | undefined;
  readonly jobs: Jobs;
  /** Sets `strapi` in its code. */
  readonly giveStrapi: (strapi: object) => void;
  readonly serve: () => Promise<void>;
  readonly close: () => void;
}

export type LogLevel = Parameters<CodeLog>[0];
