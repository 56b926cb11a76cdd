/** Mails that confirm addresses where an extension has put its own `sendConfirmationEmail` in the place of the plugin's. */
import { AccountMail, type AccountMailContext } from '../../../users/mail/account-mail.ts';
import type { ExtendedServices } from '../plugins/extended-services.ts';
import type { Accounts } from '../strapi/accounts.ts';

export interface AskedMailParts {
  readonly services: ExtendedServices;
  readonly accounts: Accounts;
}

export class AskedMail extends AccountMail {
  readonly #parts: AskedMailParts;

  constructor(context: AccountMailContext, parts: AskedMailParts) {
    super(context);
    this.#parts = parts;
  }

  /** Asks the extension, where there is an account; it makes its own code. */
  override sendConfirmation(id: number | undefined, email: string): void {
    const { services, accounts } = this.#parts;
    const service = services.overriding('users-permissions', 'user', 'sendConfirmationEmail');
    if (!service || id === undefined) {
      super.sendConfirmation(id, email);
      return;
    }
    const send = service['sendConfirmationEmail'] as (account: unknown) => unknown;
    this.inBackground(async () => void (await send.call(service, await accounts.fetch(id))));
  }
}
