/** What the rooms give to the routes. */
import type { Views } from '../../access/views.ts';
import type { Config } from '../../config/config.ts';
import type { Transitions } from '../../content/documents/transitions.ts';
import type { Writer } from '../../content/documents/writer.ts';
import type { LocaleStore } from '../../content/locales/locale-store.ts';
import type { FileUrls } from '../../content/reading/file-urls.ts';
import type { Reader } from '../../content/reading/reader.ts';
import type { AroundRows } from '../../content/rows/around-rows.ts';
import type { Database } from '../../db/interface/database.ts';
import type { EventStreams } from '../../events/streams.ts';
import type { OwnPolicies } from '../../extend/galley/own-policies.ts';
import type { ProjectCode } from '../../extend/project-code.ts';
import type { RunningCode } from '../../extend/running/running.ts';
import type { LeftOutType, ReadAction } from '../../extend/streams.ts';
import type { Sizes } from '../../media/images/sizes.ts';
import type { Media } from '../../media/media.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { AccountSessions } from '../../users/accounts/account-sessions.ts';
import type { Accounts } from '../../users/accounts/accounts.ts';
import type { UserWrites } from '../../users/accounts/user-writes.ts';
import type { AdministratorLinks } from '../../users/administrators/administrator-links.ts';
import type { Administrators } from '../../users/administrators/administrators.ts';
import type { Roles } from '../../users/roles/role-changes.ts';
import type { KnownCallers } from '../../users/sessions/callers.ts';
import type { HttpEngine } from '../http-engine.ts';

/** What routes work with. */
export interface HttpContext {
  readonly config: Config;
  /** What outlives the project. */
  readonly http: HttpEngine;
  readonly catalog: Catalog;
  /** Which core routes there are, and which actions are closed. */
  readonly code: Pick<ProjectCode, 'closed' | 'publicClosed' | 'routes' | 'guardsOf'>;
  /** The project's own code; undefined where none is run. */
  readonly running: RunningCode | undefined;
  /** Policies of the project's own that stand before actions; undefined where there are none. */
  readonly policies: Pick<OwnPolicies, 'has' | 'ask'> | undefined;
  /** What is populated where a request does not say, by the uid of a type. */
  readonly populate: ReadonlyMap<string, { readonly list?: unknown; readonly one?: unknown }> | undefined;
  readonly layout: Layout;
  readonly database: Database;
  readonly callers: KnownCallers;
  readonly views: Views;
  readonly users: UserWrites;
  readonly accounts: Accounts;
  readonly sessions: AccountSessions;
  readonly roles: Roles;
  readonly administrators: Administrators;
  readonly administratorLinks: AdministratorLinks;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly transitions: Transitions;
  readonly locales: LocaleStore;
  readonly media: Media;
  /** Code of the project around rows that are no documents; undefined where none is run. */
  readonly around?: AroundRows | undefined;
  /** Those who listen to changes. */
  readonly streams: EventStreams;
  /** Types that streams leave out because code of the project stands before reading them. No caller is told. */
  readonly silenced: (action: ReadAction) => readonly LeftOutType[];
  /** Images in sizes asked for; undefined where the configuration allows none. */
  readonly sizes: Sizes | undefined;
  /** How addresses of a private store's files leave the server; undefined where there is none. */
  readonly fileUrls: FileUrls | undefined;
}
