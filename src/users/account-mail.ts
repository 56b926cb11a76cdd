/** The mails that accounts get, sent after the answer: how long it takes to send them tells nobody anything. */
import { FULL_ACCESS } from '../access/grants.ts';
import type { Config } from '../config/config.ts';
import { makeConfirmationCode, makeResetCode } from './account-codes.ts';
import { findByEmail } from './account-rows.ts';
import { readSettings, readTemplate, type TemplateName } from './account-settings.ts';
import { Background } from './background.ts';
import { renderMail } from './mail-templates.ts';
import { createMailer, type Mailer } from './mailer.ts';
import type { UserWrites } from './user-writes.ts';

export type AccountMailConfig = Pick<Config, 'host' | 'port' | 'rest' | 'users'>;

export class AccountMail {
  readonly #config: AccountMailConfig;
  readonly #users: UserWrites;
  readonly #mailer: Mailer;
  readonly #background: Background;

  constructor(config: AccountMailConfig, users: UserWrites) {
    const log = (line: string): void => void process.stderr.write(`${line}\n`);
    this.#config = config;
    this.#users = users;
    this.#mailer = createMailer(config.users.email, log);
    this.#background = new Background(log);
  }

  /** Mails a code that resets the password of the account with an address, if there is one that is not blocked. */
  sendReset(email: string): void {
    this.#background.run('a mail that resets a password', async () => {
      const account = await findByEmail(this.#users.store, email);
      if (!account || account.blocked) return;
      const code = await this.#users.withAccount(account.id, (store, { id }) => makeResetCode(store, id));
      if (code === undefined) return;
      const { resetPage } = await readSettings(this.#users.store);
      await this.#send('reset_password', account.id, account.email, { URL: resetPage, TOKEN: code });
    });
  }

  /** Mails a code that confirms an account's address. */
  sendConfirmation(id: number): void {
    this.#background.run('a mail that confirms an address', async () => {
      const made = await this.#users.withAccount(id, async (store, { email }) => ({
        email,
        code: await makeConfirmationCode(store, id),
      }));
      if (made === undefined) return;
      const page = `${this.#serverUrl}${this.#config.rest.prefix}/auth/email-confirmation`;
      await this.#send('email_confirmation', id, made.email, { URL: page, CODE: made.code });
    });
  }

  /** Waits for what is being sent, and gives up what takes long. */
  async close(): Promise<void> {
    await this.#background.finish();
    await this.#mailer.close();
  }

  async #send(name: TemplateName, id: number, to: string, own: Readonly<Record<string, string>>): Promise<void> {
    const template = await readTemplate(this.#users.store, name);
    const record = JSON.parse(await this.#users.record(id, FULL_ACCESS)) as Record<string, unknown>;
    const values = new Map(Object.entries({ ...own, SERVER_URL: this.#serverUrl, ADMIN_URL: '' }));
    for (const [key, value] of Object.entries(record)) {
      if (value !== null && typeof value !== 'object') values.set(`USER.${key}`, String(value));
    }
    await this.#mailer.send(renderMail(name, template, values, to));
  }

  /** Never what a request says of itself: whoever sends it would choose where the mail leads. */
  get #serverUrl(): string {
    const { host, port, users } = this.#config;
    if (users.publicUrl !== undefined) return users.publicUrl;
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  }
}
