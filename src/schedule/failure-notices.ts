/** Reports scheduled work that has failed: to webhooks in the transaction, and to its administrator by mail. */
import type { Config } from '../config/config.ts';
import { readArrangements } from '../content/administration/arrangement.ts';
import { namedVersions } from '../content/administration/named-versions.ts';
import { readSite } from '../content/administration/site-settings.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import type { Database } from '../db/interface/database.ts';
import type { Events } from '../events/events.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { Background } from '../users/accounts/background.ts';
import type { Administrators, OpenAdministrator } from '../users/administrators/administrators.ts';
import { mailOf, serverUrl } from '../users/mail/mail.ts';
import type { Mailer } from '../users/mail/mailer.ts';
import type { ScheduledItem } from './items.ts';
import type { DueWork, Failure } from './schedule.ts';
import { subjectOf } from './scheduled-documents.ts';

export interface FailureNoticesContext {
  readonly config: Pick<Config, 'host' | 'port' | 'users' | 'admin'>;
  readonly catalog: Catalog;
  readonly database: Database;
  readonly reader: DocumentReader;
  readonly administrators: Administrators;
  readonly events: Pick<Events, 'announce'>;
  readonly mailer: Mailer;
  readonly background: Background;
}

/** The characters of an id that distinguish documents without a title, as in the app. */
const TELLING = 4;

/** The event of webhooks. */
const EVENT = 'schedule.failed';

/** What has failed, in the words of a mail. */
export interface FailedSubject {
  /** The beginning of a sentence, such as `Publishing`. */
  readonly verb: string;
  readonly label: string;
  /** What kind of thing it is. */
  readonly kind: string;
  /** Where it is in the administration's app. */
  readonly path: string;
}

/** Finds what has failed, as an administrator is shown it; undefined if it no longer exists. */
type FindSubject = (item: ScheduledItem, administrator: OpenAdministrator) => Promise<FailedSubject | undefined>;

/**
 * Reports failures of scheduled work.
 *
 * @param action of the work, for items that name none.
 */
export function failureNotices(
  context: FailureNoticesContext,
  find: FindSubject,
  action?: string,
): NonNullable<DueWork['failed']> {
  return async (tx, item, failure) => {
    const { subject } = item;
    const { name, message } = failure;
    const about = { uid: item.contentType ?? '', documentId: item.target, locale: null };
    const at = new Date(item.dueAt).toISOString();
    const done = { locale: subject['locale'] ?? null, action: subject['action'] ?? action };
    const fields = { uid: about.uid, documentId: item.target, ...done, at, failure: { name, message } };
    await context.events.announce(tx, EVENT, { ...about, status: 'draft', row: 0 }, fields);
    const { kind, id } = item.by;
    if (kind !== 'administrator' || id === null) return undefined;
    return () =>
      context.background.run('a mail about scheduled work', () => mailFailure(context, find, item, id, failure));
  };
}

/** Mails an administrator that may still sign in. */
async function mailFailure(
  { administrators, config, database, mailer }: FailureNoticesContext,
  find: FindSubject,
  item: ScheduledItem,
  id: number,
  { message }: Failure,
): Promise<void> {
  const administrator = await administrators.ofId(id);
  const subject = administrator && (await find(item, administrator));
  if (!subject) return;
  const { verb, label, kind } = subject;
  const { timeZone } = await readSite(database);
  const time = new Intl.DateTimeFormat('en-GB', {
    ...{ dateStyle: 'full', timeStyle: 'short' },
    timeZone: timeZone ?? 'UTC',
  } as const).format(item.dueAt);
  const { origin, path } = config.admin;
  const mail = mailOf(administrator.row.email, `Scheduled for ${time}, and failed: ${label}`, [
    `${verb} “${label}” (${kind}) was scheduled for ${time} (${timeZone ?? 'UTC'}) and failed:`,
    message,
    'Nothing was changed. Correct the reason and try again here:',
    `${origin ?? serverUrl(config)}${path}/${subject.path}`,
  ]);
  await mailer.send(mail, true);
}

/** What mails say of a document. */
export function failedDocument(context: FailureNoticesContext): FindSubject {
  return async (item, administrator) => {
    const type = context.catalog.contentTypes.get(item.contentType ?? '');
    if (!type) return undefined;
    const label = await labelOf(context, administrator, type, item);
    const document = type.kind === 'singleType' ? '' : `/${item.target}`;
    const verb = subjectOf(item).action === 'publish' ? 'Publishing' : 'Unpublishing';
    return { verb, label, kind: type.displayName, path: `content/${type.uid}${document}` };
  };
}

async function labelOf(
  { database, reader, administrators }: FailureNoticesContext,
  administrator: OpenAdministrator,
  type: ContentType,
  { target }: ScheduledItem,
): Promise<string> {
  const viewer = administrators.viewer(administrator, 'read');
  if (!viewer.view.may(`${type.uid}.find`)) return target;
  const stored = (await readArrangements(database)).get(type.uid);
  const [version] = await namedVersions(reader, viewer, type, [target], stored);
  if (!version) return target;
  const name = type.kind === 'singleType' ? type.displayName : `Untitled (${target.slice(-TELLING)})`;
  return version.label ?? name;
}
