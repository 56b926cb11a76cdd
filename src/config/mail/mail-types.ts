/** How mail is sent, as the configuration says it. */

/** A provider of mail that is code. */
export interface MailProvider {
  /** What `config/plugins` calls it. */
  readonly name: string;
  /** What it is loaded from. */
  readonly module: string;
  /** Loads it, where it is not loaded yet. @throws Error for a module that is no provider; whatever its code throws. */
  begin(): void;
  /** Sends a mail in the reference's form. Rejects with what the provider throws. */
  send(options: object): Promise<void>;
}

export interface EmailConfig {
  /**
   * An SMTP server as nodemailer takes it: a URL or options. `log`: to standard error; `code`: by the provider that is
   * code of the project; `none`: nowhere.
   */
  readonly transport: string | Readonly<Record<string, unknown>> | 'log' | 'code' | 'none';
  /** The provider that is code of the project, where it sends the mail. */
  readonly code?: MailProvider | undefined;
  /** What the project calls a provider that may be code: one that is no SMTP server. */
  readonly provider?: string | undefined;
  /** The provider that the project names and there is none of; undefined where mail does not depend on it. */
  readonly unsupported?: string | undefined;
  readonly defaultFrom: string | undefined;
  readonly defaultReplyTo: string | undefined;
}
