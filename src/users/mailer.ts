/** Sends mail: by an SMTP server, or, while a project is being built, to standard error. */
import type { EmailConfig } from '../config/config.ts';

export interface Mail {
  readonly to: string;
  /** Undefined: the configured sender. */
  readonly from: { readonly name: string; readonly address: string } | undefined;
  readonly replyTo: string | undefined;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

export interface Mailer {
  /** Hands a mail over. Rejects when the server does not take it. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Milliseconds that an SMTP server has for each step of a conversation. */
const SMTP_TIMEOUT = 15_000;
/** Connections to the SMTP server. */
const SMTP_CONNECTIONS = 2;

/** The mailer that a configuration asks for. `log` takes a line at a time. */
export function createMailer(config: EmailConfig, log: (line: string) => void): Mailer {
  if (config.transport === 'none') {
    return { send: async () => log('mail: none is sent, since no SMTP server is configured'), close: () => {} };
  }
  if (config.transport === 'log') return { send: async (mail) => log(described(mail)), close: () => {} };
  return new SmtpMailer(config, config.transport);
}

class SmtpMailer implements Mailer {
  readonly #config: EmailConfig;
  readonly #server: string | Readonly<Record<string, unknown>>;
  #transport: Promise<SmtpTransport> | undefined;

  constructor(config: EmailConfig, server: string | Readonly<Record<string, unknown>>) {
    this.#config = config;
    this.#server = server;
  }

  async send({ to, from, replyTo, subject, html, text }: Mail): Promise<void> {
    const { defaultFrom, defaultReplyTo } = this.#config;
    this.#transport ??= connect(this.#server);
    const transport = await this.#transport;
    const reply = replyTo ?? defaultReplyTo;
    const sender = from ?? defaultFrom;
    await transport.sendMail({
      // an object: a text would be read as a list of addresses
      to: { name: '', address: to },
      ...(sender === undefined ? {} : { from: sender }),
      ...(reply === undefined ? {} : { replyTo: reply }),
      subject,
      html,
      text,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  close(): void {
    void this.#transport?.then((transport) => transport.close()).catch(() => {});
  }
}

type SmtpTransport = Awaited<ReturnType<typeof connect>>;

async function connect(server: string | Readonly<Record<string, unknown>>) {
  const { createTransport } = await import('nodemailer');
  const timeouts = {
    connectionTimeout: SMTP_TIMEOUT,
    greetingTimeout: SMTP_TIMEOUT,
    socketTimeout: SMTP_TIMEOUT,
  };
  const where = typeof server === 'string' ? { url: server } : server;
  return createTransport({ ...where, ...timeouts, pool: true, maxConnections: SMTP_CONNECTIONS });
}

function described({ to, subject, text }: Mail): string {
  return `mail to ${to} (no SMTP server is configured): ${subject}\n${text}`;
}
