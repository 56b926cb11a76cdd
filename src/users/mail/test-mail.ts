/** Sends a test mail, and reports what the mail server answers. */
import type { EmailConfig } from '../../config/config.ts';
import { cut, reasonOf } from '../../errors.ts';
import { credentialTexts, secretTexts, withoutTexts } from '../../secret-texts.ts';
import { mailOf } from './mail.ts';
import type { Mailer } from './mailer.ts';

/** Characters of a shown answer. */
const SHOWN = 500;

export interface MailTest {
  readonly ok: boolean;
  /** The answer of the server, or the error, without secrets; empty if there is none. */
  readonly answer: string;
  readonly milliseconds: number;
}

/**
 * Sends a mail to an address with the configured mailer. A failure is a result.
 *
 * @param site the name of the site in the mail.
 */
export async function sendTestMail(mailer: Mailer, config: EmailConfig, to: string, site: string): Promise<MailTest> {
  const mail = mailOf(to, `Test mail of ${site}`, [
    `This mail was sent from the settings of ${site}, to test whether mail arrives.`,
  ]);
  const start = Date.now();
  const result = await mailer.send(mail).then(
    (answer = '') => ({ ok: true, answer }),
    (error: unknown) => ({ ok: false, answer: reasonOf(error) }),
  );
  return { ...result, answer: cut(withoutMailSecrets(result.answer, config), SHOWN), milliseconds: Date.now() - start };
}

function withoutMailSecrets(text: string, { transport, code }: EmailConfig): string {
  const own = typeof transport === 'string' ? credentialTexts(transport) : secretTexts(transport['auth']);
  return withoutTexts(text, [...own, ...(code?.secrets ?? [])]);
}
