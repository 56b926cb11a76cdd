/**
 * The thread that talks to the SMTP server. Handshakes, certificates and encoding take time, which would reveal to
 * other requests that a mail is being sent.
 */
import { setTimeout as after } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { EmailConfig } from '../../config/config.ts';
import { stepBack } from '../../content/validation/thread-priority.ts';
import type { Mail } from './mail.ts';

export type SmtpConfig = Pick<EmailConfig, 'defaultFrom' | 'defaultReplyTo'> & {
  readonly server: string | Readonly<Record<string, unknown>>;
};

export interface MailJob {
  readonly id: number;
  readonly mail: Mail;
  /** False: the mail is a decoy and is dropped. */
  readonly isMeant: boolean;
}

export interface MailOutcome {
  readonly id: number;
  /** Undefined: the server has accepted the mail. */
  readonly failure: { readonly code: string | undefined; readonly message: string } | undefined;
  /** The answer of the server to an accepted mail. */
  readonly answer: string | undefined;
}

/** Milliseconds of each step of an SMTP conversation. */
const SMTP_TIMEOUT = 15_000;
/** Connections to the SMTP server. */
const SMTP_CONNECTIONS = 2;

/** A mail is sent at a random moment within these milliseconds, not right after the request. */
const SPREAD = 1000;

const { server, defaultFrom, defaultReplyTo } = workerData as SmtpConfig;

async function connect() {
  const { createTransport } = await import('nodemailer');
  const timeouts = { connectionTimeout: SMTP_TIMEOUT, greetingTimeout: SMTP_TIMEOUT, socketTimeout: SMTP_TIMEOUT };
  const where = typeof server === 'string' ? { url: server } : server;
  return createTransport({ ...where, ...timeouts, pool: true, maxConnections: SMTP_CONNECTIONS });
}

let transport: ReturnType<typeof connect> | undefined;

async function send(mail: Mail): Promise<string> {
  const { to, cc = [], bcc = [], from, replyTo, subject, html, text, attachments = [], headers = [] } = mail;
  transport ??= connect().catch((error: unknown) => {
    // the next mail tries again
    transport = undefined;
    throw error;
  });
  const reply = replyTo ?? defaultReplyTo;
  const sender = from ?? defaultFrom;
  const { response } = await (await transport).sendMail({
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    ...(sender === undefined ? {} : { from: sender }),
    ...(reply === undefined ? {} : { replyTo: typeof reply === 'string' ? reply : [...reply] }),
    subject,
    html,
    text,
    headers: [...headers],
    // buffers from the other thread arrive as plain arrays
    attachments: attachments.map((one) => ({ ...one, content: Buffer.from(one.content) })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return response;
}

async function run({ id, mail, isMeant }: MailJob): Promise<MailOutcome> {
  try {
    await after(Math.random() * SPREAD);
    return { id, failure: undefined, answer: isMeant ? await send(mail) : undefined };
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    return { id, failure: { code, message: String(message) }, answer: undefined };
  }
}

stepBack();
parentPort?.on('message', async (job: MailJob) => parentPort?.postMessage(await run(job)));
