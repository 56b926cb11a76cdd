/**
 * Mails to administrators: it is their turn with a document, or they are mentioned in a comment. They are sent after the
 * answer, one to each person, and contain nothing of a document that the person may not read.
 */
import type { Config } from '../config/config.ts';
import { readArrangements } from '../content/administration/arrangement.ts';
import { namedVersions } from '../content/administration/named-versions.ts';
import { selectRows } from '../db/interface/statements.ts';
import { cut } from '../errors.ts';
import type { Background } from '../users/accounts/background.ts';
import { ROLES_TABLE } from '../users/administrators/administrator-rows.ts';
import { mailOf, oneLine, serverUrl } from '../users/mail/mail.ts';
import type { Mailer } from '../users/mail/mailer.ts';
import { type PeopleContext, type Reachable, readerOf } from './people.ts';
import type { Version } from './reviewed-versions.ts';
import type { Stage } from './workflows.ts';

export interface NotificationContext extends PeopleContext {
  readonly config: Pick<Config, 'host' | 'port' | 'users' | 'admin'>;
  readonly mailer: Mailer;
  readonly background: Background;
}

/** People who are notified of one move. */
const MOST_NOTIFIED = 50;
/** Characters of a document's name in a subject. */
const NAME_LENGTH = 100;

export class Notifications {
  readonly #context: NotificationContext;

  constructor(context: NotificationContext) {
    this.#context = context;
  }

  /** A document was assigned to a person. @param by the name of the administrator who did it. */
  assigned(version: Version, person: number, by: string): void {
    this.#send(
      'a mail to the person in charge of a document',
      version,
      async () => [person],
      (title) => ({
        subject: `Assigned to you: ${title}`,
        lines: [`${by} has put you in charge of "${title}".`],
      }),
    );
  }

  /**
   * A document has entered a stage: it is the turn of those who may move it out of it, and of the person in charge.
   *
   * @param mover the administrator who moved it, who gets no mail.
   */
  moved(
    version: Version,
    stage: Stage,
    { mover, by, assignee }: { readonly mover: number; readonly by: string; readonly assignee: number | null },
  ): void {
    const recipients = async () => {
      const ids = new Set(assignee === null ? [] : [assignee]);
      for (const role of stage.from) {
        const holders = await selectRows(this.#context.database, ROLES_TABLE, ['user_id'], { role_id: role }, ['id']);
        for (const [id] of holders) if (ids.size <= MOST_NOTIFIED) ids.add(Number(id));
      }
      ids.delete(mover);
      return [...ids];
    };
    this.#send('mails about a document in another stage', version, recipients, (title) => ({
      subject: `${stage.name}: ${title}`,
      lines: [`${by} has moved "${title}" to the stage "${stage.name}". It is your turn.`],
    }));
  }

  /** People were mentioned in a comment. */
  mentioned(version: Version, people: readonly number[], by: string, comment: string): void {
    this.#send(
      'mails to people who are mentioned',
      version,
      async () => people,
      (title) => ({
        subject: `You are mentioned: ${title}`,
        lines: [`${by} has mentioned you in a comment on "${title}":`, comment],
      }),
    );
  }

  #send(
    name: string,
    version: Version,
    recipients: () => Promise<readonly number[]>,
    text: (title: string) => { readonly subject: string; readonly lines: readonly string[] },
  ): void {
    const { background, mailer, config } = this.#context;
    if (config.users.email.transport === 'none' && config.users.email.code === undefined) return;
    background.run(name, async () => {
      for (const id of (await recipients()).slice(0, MOST_NOTIFIED)) {
        const person = await readerOf(this.#context, id, version);
        if (!person) continue;
        const { subject, lines } = text(await this.#titleFor(person, version));
        await mailer.send(mailOf(person.email, oneLine(subject), [...lines, this.#addressOf(version)]));
      }
    });
  }

  /** The name of a document as a person is shown it; the name of its type where it has none. */
  async #titleFor({ id }: Reachable, { type, documentId, locale }: Version): Promise<string> {
    const { administrators, database, reader } = this.#context;
    const other = await administrators.ofId(id);
    if (!other) return type.displayName;
    const stored = (await readArrangements(database)).get(type.uid);
    const viewer = administrators.viewer(other, 'read');
    const named = await namedVersions(reader, viewer, type, [documentId], stored);
    const label = named.find((one) => one.locale === locale)?.label;
    return oneLine(cut(label ?? type.displayName, NAME_LENGTH));
  }

  /** The address of a version in the app. */
  #addressOf({ type, documentId, locale }: Version): string {
    const { config } = this.#context;
    const { origin, path } = config.admin;
    const document = type.kind === 'singleType' ? 'single' : documentId;
    const query = locale === null ? '' : `?locale=${encodeURIComponent(locale)}`;
    return `${origin ?? serverUrl(config)}${path}/content/${type.uid}/${document}${query}`;
  }
}
