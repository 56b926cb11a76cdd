/** The services that routes use. */
import type { Views } from '../../access/views.ts';
import type { Config } from '../../config/config.ts';
import type { Transitions } from '../../content/documents/transitions.ts';
import type { Writer } from '../../content/documents/writer.ts';
import type { LocaleStore } from '../../content/locales/locale-store.ts';
import type { FileUrls } from '../../content/reading/file-urls.ts';
import type { Reader } from '../../content/reading/reader.ts';
import type { AroundRows } from '../../content/rows/around-rows.ts';
import type { Database } from '../../db/interface/database.ts';
import type { ReadTuning } from '../../db/interface/read-tuning.ts';
import type { Events } from '../../events/events.ts';
import type { EventStreams } from '../../events/streams.ts';
import type { History } from '../../history/history.ts';
import type { Sizes } from '../../media/images/sizes.ts';
import type { Media } from '../../media/media.ts';
import type { Workflows } from '../../review/workflows.ts';
import type { RowImports } from '../../rows/row-imports.ts';
import type { OwnCode } from '../../runtime/galley/own-code.ts';
import type { OwnPolicies } from '../../runtime/galley/own-policies.ts';
import type { ProjectCode } from '../../runtime/project-code.ts';
import type { RunningCode } from '../../runtime/running.ts';
import type { LeftOutType, ReadAction } from '../../runtime/streams.ts';
import type { ScheduledDocuments } from '../../schedule/scheduled-documents.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { SchemaEditing } from '../../schema/editing/editing.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { AccountSessions } from '../../users/accounts/account-sessions.ts';
import type { Accounts } from '../../users/accounts/accounts.ts';
import type { Background } from '../../users/accounts/background.ts';
import type { UserWrites } from '../../users/accounts/user-writes.ts';
import type { AdministratorLinks } from '../../users/administrators/administrator-links.ts';
import type { Administrators } from '../../users/administrators/administrators.ts';
import type { EditedRoles } from '../../users/administrators/edited-roles.ts';
import type { People } from '../../users/administrators/people.ts';
import type { Mailer } from '../../users/mail/mailer.ts';
import type { Roles } from '../../users/roles/role-changes.ts';
import type { Callers, KnownCallers } from '../../users/sessions/callers.ts';
import type { LentCallers } from '../../users/sessions/lent-callers.ts';
import type { AppChanges } from '../admin/app-changes.ts';
import type { HttpEngine } from '../http-engine.ts';
import type { HealthServices } from '../monitoring/diagnosis.ts';

/** The services of the process for stages of review and comments. */
export interface ReviewServices {
  readonly workflows: Workflows;
  readonly events: Pick<Events, 'announce'>;
  /** Sends mails after the answer. */
  readonly background: Background;
}

/** The services of a project and of its process. */
export interface HttpContext {
  readonly config: Config;
  /** The HTTP services of the process. */
  readonly http: HttpEngine;
  readonly catalog: Catalog;
  /** Core routes and closed actions. */
  readonly code: Pick<ProjectCode, 'closed' | 'publicClosed' | 'routes' | 'ownRoutes' | 'guardsOf'>;
  /** The running project code; undefined where none runs. */
  readonly running: RunningCode | undefined;
  /** `src/galley`; undefined without one. */
  readonly galley: Pick<OwnCode, 'access' | 'definition'> | undefined;
  /** Policies of `src/galley` for actions; undefined without any. */
  readonly policies: Pick<OwnPolicies, 'has' | 'ask'> | undefined;
  /** The default populate of a type, by uid. */
  readonly populate: ReadonlyMap<string, { readonly list?: unknown; readonly one?: unknown }> | undefined;
  readonly layout: Layout;
  /** Edits the schema files of the project. */
  readonly schemaEditing: SchemaEditing;
  readonly database: Database;
  readonly callers: KnownCallers;
  /** Callers of requests that administrators send, and what creates them. */
  readonly lent: LentCallers;
  readonly holders: Pick<Callers, 'ofRole' | 'ofToken'>;
  /** Explains reads and creates indexes. */
  readonly tuning: ReadTuning;
  readonly views: Views;
  readonly users: UserWrites;
  readonly accounts: Accounts;
  readonly sessions: AccountSessions;
  readonly roles: Roles;
  readonly administrators: Administrators;
  readonly administratorLinks: AdministratorLinks;
  readonly people: People;
  readonly editedRoles: EditedRoles;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly transitions: Transitions;
  readonly locales: LocaleStore;
  readonly media: Media;
  readonly mailer: Mailer;
  /** Project code around writes of rows that are not documents; undefined where none runs. */
  readonly around?: AroundRows | undefined;
  /** Stages of review, and what their requests need besides. */
  readonly review: ReviewServices;
  /** The recorded versions of documents. */
  readonly history: Pick<History, 'hasStrapiVersions'>;
  /** The event streams. */
  readonly streams: EventStreams;
  /** The streams of open tabs of the administration app. */
  readonly appChanges: AppChanges;
  /** Types that streams omit because project code guards reading them. Clients are not informed. */
  readonly silenced: (action: ReadAction) => readonly LeftOutType[];
  /** Resized images; undefined where the configuration allows none. */
  readonly sizes: Sizes | undefined;
  /** Signs addresses of a private store; undefined without one. */
  readonly fileUrls: FileUrls | undefined;
  /** Publishes and unpublishes documents at a time. */
  readonly scheduledDocuments: ScheduledDocuments;
  /** Imports of files as rows. */
  readonly rowImports: RowImports;
  /** Examines the project for the health page. */
  readonly health: HealthServices;
}
