/**
 * Mails to accounts, sent after the answer. For an unknown address the same work is done as for a known one: the same
 * statements, a stored code and a rendered mail, since the next request could otherwise measure the difference. The
 * conversation with the SMTP server runs in another thread (mailer.ts).
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
  /** Runs the work after the answer. */
  readonly background: Background;
}

/** A code for an account; `id` is undefined if there is none. */
interface NewCode {
  readonly id: number | undefined;
  readonly to: string;
  readonly code: string;
}

/** Stands for the record of a missing account. */
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

  /** Mails a code for resetting the password to the account of an address, unless it is blocked. */
  sendReset(email: string): void {
    this.#background.run('a mail that resets a password', async () => {
      const found = await findByEmail(this.#users.db, email);
      const account = found?.blocked ? undefined : found;
      const code = await this.#make(account?.id, email, makeResetCode);
      const { resetPage } = await readSettings(this.#users.db);
      await this.#send('reset_password', code, { URL: resetPage, TOKEN: code.code });
    });
  }

  /**
   * Mails a code for confirming an account's address.
   *
   * @param id undefined for an unknown address, which gets no mail.
   */
  sendConfirmation(id: number | undefined, email: string): void {
    this.inBackground(() => this.confirm(id, email));
  }

  /** Mails a code for confirming an address after the answer. */
  protected inBackground(work: () => Promise<void>): void {
    this.#background.run('a mail that confirms an address', work);
  }

  /** Does the work of `sendConfirmation`. */
  async confirm(id: number | undefined, email: string): Promise<void> {
    const code = await this.#make(id, email, makeConfirmationCode);
    const page = `${this.#serverUrl}${this.#config.rest.prefix}/auth/email-confirmation`;
    await this.#send('email_confirmation', code, { URL: page, CODE: code.code });
  }

  /** Creates a code for an account, or for no account. */
  async #make(
    id: number | undefined,
    email: string,
    makeCode: (tx: Transaction, userId: number) => Promise<string>,
  ): Promise<NewCode> {
    return this.#users.withAccountOrNobody(id, async (tx, account) => ({
      id: account?.id,
      to: account?.email ?? email,
      code: await makeCode(tx, account?.id ?? NOBODY_ID),
    }));
  }

  async #send(name: TemplateName, { id, to }: NewCode, own: Readonly<Record<string, string>>): Promise<void> {
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
