/** Sends mail: by an SMTP server, or, while a project is being built, to standard error. */
import type { EmailConfig } from '../config/config.ts';
import { oneLine } from './one-line.ts';

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
  /** Gives up what is being sent. */
  close(): Promise<void>;
}

/** Milliseconds that an SMTP server has for each step of a conversation. */
const SMTP_TIMEOUT = 15_000;
/** Connections to the SMTP server. */
const SMTP_CONNECTIONS = 2;
/** Milliseconds that an SMTP server has to end a connection that is closed. */
const SMTP_CLOSING = 500;

/** The mailer that a configuration asks for. `log` takes a line at a time. */
export function createMailer(config: EmailConfig, log: (line: string) => void): Mailer {
  if (config.transport === 'none') {
    return { send: async () => log('mail: none is sent, since no SMTP server is configured'), close: async () => {} };
  }
  if (config.transport === 'log') return { send: async (mail) => log(described(mail)), close: async () => {} };
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
    this.#transport ??= connect(this.#server).catch((error: unknown) => {
      // the next mail tries again
      this.#transport = undefined;
      throw error;
    });
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

  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => undefined);
    transport?.close({ force: true });
  }
}

type SmtpTransport = Awaited<ReturnType<typeof connect>>;

async function connect(server: string | Readonly<Record<string, unknown>>) {
  const { createTransport } = await import('nodemailer');
  const timeouts = {
    connectionTimeout: SMTP_TIMEOUT,
    greetingTimeout: SMTP_TIMEOUT,
    socketTimeout: SMTP_TIMEOUT,
    socketCloseTimeout: SMTP_CLOSING,
  };
  const where = typeof server === 'string' ? { url: server } : server;
  return createTransport({ ...where, ...timeouts, pool: true, maxConnections: SMTP_CONNECTIONS });
}

/** Lines of the mail are set in: a user name in it can be no line of the log. */
function described({ to, subject, text }: Mail): string {
  const lines = text.split('\n').map((line) => `  ${oneLine(line)}`);
  return [`mail to ${oneLine(to)} (no SMTP server is configured): ${oneLine(subject)}`, ...lines].join('\n');
}
