/**
 * Sends mail: with an SMTP server, in a separate thread, or in development to standard error. A decoy, for an unknown
 * address, takes the same path up to the thread and no further.
 */
import { setTimeout as after } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { EmailConfig, MailProvider } from '../../config/config.ts';
import { UsageError } from '../../errors.ts';
import { entryFile } from '../../own-files.ts';
import { type Mail, type MailAddress, oneLine } from './mail.ts';
import type { MailJob, MailOutcome, SmtpConfig } from './mail-worker.ts';

export interface Mailer {
  /**
   * Passes on a mail, or a decoy. Rejects if it is not accepted.
   *
   * @returns the answer of the mail server; undefined if there is none.
   */
  send(mail: Mail, isMeant?: boolean): Promise<string | undefined>;
  /** The provider that is code of the project, if it sends mail. */
  readonly code?: MailProvider | undefined;
  /** Starts the provider. @throws UsageError for a provider that cannot run. */
  begin?(): void;
  /** Gives up mails that are being sent. */
  close(): Promise<void>;
}

/** Milliseconds that the thread waits for another mail. */
const IDLE = 30_000;

/** The configured mailer. @param log receives one line at a time. */
export function createMailer(config: EmailConfig, log: (line: string) => void): Mailer {
  const { transport, defaultFrom, defaultReplyTo, code } = config;
  if (code) return new CodeMailer(code);
  if (transport === 'none') {
    // the sender must not believe that it was sent
    const refuse = () => Promise.reject(new Error('mail is not sent because no SMTP server is configured'));
    return { send: refuse, close: async () => {} };
  }
  if (transport === 'log') {
    // only in development
    const send = async (mail: Mail, isMeant = true): Promise<undefined> => {
      if (isMeant) log(described(mail));
      return undefined;
    };
    return { send, close: async () => {} };
  }
  return new SmtpMailer({ server: transport, defaultFrom, defaultReplyTo });
}

/** Mails of accounts are passed on at a random moment within these milliseconds. */
const SPREAD = 1000;
/** Milliseconds of a provider for a mail of an account. */
const LONGEST = 120_000;

/** Sends with a provider that is code of the project. */
class CodeMailer implements Mailer {
  readonly code: MailProvider;

  constructor(code: MailProvider) {
    this.code = code;
  }

  begin(): void {
    try {
      this.code.begin();
    } catch (error) {
      const { name, module } = this.code;
      throw new UsageError(
        `The provider ${name} of mail (${module}) cannot be started: ${(error as Error).message}`,
        1,
      );
    }
  }

  async send(mail: Mail, isMeant = true): Promise<undefined> {
    await after(Math.random() * SPREAD);
    if (!isMeant) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const error = new Error(`the provider ${this.code.name} of mail does not answer`);
      timer = setTimeout(() => reject(error), LONGEST).unref();
    });
    await Promise.race([this.code.send(optionsOf(mail)), late]).finally(() => clearTimeout(timer));
    return undefined;
  }

  async close(): Promise<void> {}
}

/** A mail in the form of the reference's providers. */
function optionsOf({ to, cc = [], bcc = [], from, replyTo, subject, html, text }: Mail): object {
  const written = ({ name, address }: MailAddress): string => (name === '' ? address : `${oneLine(name)} <${address}>`);
  const all = (some: readonly MailAddress[]): string => some.map(written).join(', ');
  return {
    to: all(to),
    ...(cc.length > 0 ? { cc: all(cc) } : {}),
    ...(bcc.length > 0 ? { bcc: all(bcc) } : {}),
    ...(from === undefined ? {} : { from: written(from) }),
    ...(replyTo === undefined ? {} : { replyTo: typeof replyTo === 'string' ? replyTo : all(replyTo) }),
    ...{ subject, text, html },
  };
}

interface Waiting {
  readonly resolve: (answer: string | undefined) => void;
  readonly reject: (error: Error) => void;
}

class SmtpMailer implements Mailer {
  readonly #config: SmtpConfig;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;
  #isClosed = false;

  constructor(config: SmtpConfig) {
    this.#config = config;
  }

  send(mail: Mail, isMeant = true): Promise<string | undefined> {
    if (this.#isClosed) return Promise.reject(new Error('the server is about to end'));
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // the thread keeps the process alive only while it sends
    worker.ref();
    this.#last += 1;
    const job: MailJob = { id: this.#last, mail, isMeant };
    return new Promise((resolve, reject) => {
      this.#waiting.set(job.id, { resolve, reject });
      worker.postMessage(job);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  /** Starts the thread. */
  #start(): Worker {
    // flags of the process do not apply to the thread; some are only for the main module
    const worker = new Worker(entryFile('users/mail/mail-worker'), {
      name: 'mail',
      execArgv: [],
      workerData: this.#config,
    });
    worker.on('message', (outcome: MailOutcome) => this.#settle(worker, outcome));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', () => this.#lose(worker, new Error('the thread that sends mail has ended')));
    return worker;
  }

  #settle(worker: Worker, { id, failure, answer }: MailOutcome): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure) waiting?.reject(Object.assign(new Error(failure.message), { code: failure.code }));
    else waiting?.resolve(answer);
    if (this.#waiting.size > 0) return;
    worker.unref();
    this.#idle = setTimeout(() => {
      if (this.#worker === worker) this.#worker = undefined;
      void worker.terminate();
    }, IDLE).unref();
  }

  /** The thread has ended: its jobs fail, and the next mail starts another. */
  #lose(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost) reject(error as Error);
  }
}

/** Indents the lines of the mail, so that a username in it cannot imitate a line of the log. */
function described({ to, subject, text }: Mail): string {
  const lines = text.split('\n').map((line) => `  ${oneLine(line)}`);
  const people = to.map(({ address }) => oneLine(address)).join(', ');
  return [`mail to ${people} (no SMTP server is configured): ${oneLine(subject)}`, ...lines].join('\n');
}
