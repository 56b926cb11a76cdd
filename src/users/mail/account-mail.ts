/**
 * The mails that accounts get, sent after the answer. For an address that no account has, the same is done as for one
 * that an account has: the same statements, a code that is written and a mail that is made. Otherwise the next request
 * could distinguish the two by the time it has to wait. What differs, the dialogue with the SMTP server, is done in
 * another thread (mailer.ts).
 */
import type { Config } from '../../config/config.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { makeConfirmationCode, makeResetCode, NOBODY_ID } from '../accounts/account-codes.ts';
import { findByEmail } from '../accounts/account-rows.ts';
import { readSettings, readTemplate, type TemplateName } from '../accounts/account-settings.ts';
import type { Background } from '../accounts/background.ts';
import type { UserWrites } from '../accounts/user-writes.ts';
import { serverUrl } from './mail.ts';
import { renderMail } from './mail-templates.ts';
import type { Mailer } from './mailer.ts';

export interface AccountMailContext {
  readonly config: Pick<Config, 'host' | 'port' | 'rest' | 'users'>;
  readonly users: UserWrites;
  readonly mailer: Mailer;
  /** Where mails are made. */
  readonly background: Background;
}

/** A code that was made for an account; `id` is undefined where there is none. */
interface MadeCode {
  readonly id: number | undefined;
  readonly to: string;
  readonly code: string;
}

/** Takes the place of an account's record where there is none. */
const NOBODY_RECORD = JSON.stringify({
  id: NOBODY_ID,
  documentId: 'nobodynobodynobodynobody',
  username: 'nobody',
  email: 'nobody@example.com',
  provider: 'local',
  confirmed: false,
  blocked: false,
});

export class AccountMail {
  readonly #config: AccountMailContext['config'];
  readonly #users: UserWrites;
  readonly #mailer: Mailer;
  readonly #background: Background;

  constructor({ config, users, mailer, background }: AccountMailContext) {
    this.#config = config;
    this.#users = users;
    this.#mailer = mailer;
    this.#background = background;
  }

  /** Mails a code that resets the password of the account with an address, if there is one that is not blocked. */
  sendReset(email: string): void {
    this.#background.run('a mail that resets a password', async () => {
      const found = await findByEmail(this.#users.db, email);
      const account = found?.blocked ? undefined : found;
      const made = await this.#make(account?.id, email, makeResetCode);
      const { resetPage } = await readSettings(this.#users.db);
      await this.#send('reset_password', made, { URL: resetPage, TOKEN: made.code });
    });
  }

  /**
   * Mails a code that confirms an account's address.
   *
   * @param id undefined for an address that no account has: nobody gets a mail.
   */
  sendConfirmation(id: number | undefined, email: string): void {
    this.inBackground(() => this.confirm(id, email));
  }

  /** Runs what mails a code that confirms an address, after the answer. */
  protected inBackground(work: () => Promise<void>): void {
    this.#background.run('a mail that confirms an address', work);
  }

  /** Does what `sendConfirmation` does later. */
  async confirm(id: number | undefined, email: string): Promise<void> {
    const made = await this.#make(id, email, makeConfirmationCode);
    const page = `${this.#serverUrl}${this.#config.rest.prefix}/auth/email-confirmation`;
    await this.#send('email_confirmation', made, { URL: page, CODE: made.code });
  }

  /** Makes a code for an account, or for nobody. */
  async #make(
    id: number | undefined,
    email: string,
    makeCode: (tx: Transaction, userId: number) => Promise<string>,
  ): Promise<MadeCode> {
    return this.#users.withAccountOrNobody(id, async (tx, account) => ({
      id: account?.id,
      to: account?.email ?? email,
      code: await makeCode(tx, account?.id ?? NOBODY_ID),
    }));
  }

  async #send(name: TemplateName, { id, to }: MadeCode, own: Readonly<Record<string, string>>): Promise<void> {
    const template = await readTemplate(this.#users.db, name);
    const text = await this.#users.recordOrNone(id ?? NOBODY_ID, this.#users.full);
    const record = JSON.parse(text ?? NOBODY_RECORD) as Record<string, unknown>;
    const values = new Map(Object.entries({ ...own, SERVER_URL: this.#serverUrl, ADMIN_URL: '' }));
    for (const [key, value] of Object.entries(record)) {
      if (value !== null && typeof value !== 'object') values.set(`USER.${key}`, String(value));
    }
    await this.#mailer.send(renderMail(name, template, values, to), id !== undefined && text !== undefined);
  }

  get #serverUrl(): string {
    return serverUrl(this.#config);
  }
}
