/**
 * Sends mail: by an SMTP server, in a thread of its own, or, while a project is being built, to standard error. A mail
 * that is not meant is one for an address that nobody has: it takes the same way up to the thread, and no further.
 */
import { Worker } from 'node:worker_threads';
import type { EmailConfig } from '../../config/config.ts';
import { entryFile } from '../../own-files.ts';
import type { Mail } from './mail.ts';
import type { MailJob, MailOutcome, SmtpConfig } from './mail-worker.ts';
import { oneLine } from './one-line.ts';

export interface Mailer {
  /** Hands a mail over, or one that is not meant, which nobody gets. Rejects when the server does not take it. */
  send(mail: Mail, isMeant?: boolean): Promise<void>;
  /** Gives up what is being sent. */
  close(): Promise<void>;
}

/** How long the thread waits for another mail, in milliseconds. */
const IDLE = 30_000;

/** The mailer that a configuration asks for. `log` takes a line at a time. */
export function createMailer(config: EmailConfig, log: (line: string) => void): Mailer {
  const { transport, defaultFrom, defaultReplyTo } = config;
  if (transport === 'none') {
    return { send: async () => log('mail is not sent because no SMTP server is configured'), close: async () => {} };
  }
  if (transport === 'log') {
    // only while a project is being built
    return { send: async (mail, isMeant = true) => void (isMeant && log(described(mail))), close: async () => {} };
  }
  return new SmtpMailer({ server: transport, defaultFrom, defaultReplyTo });
}

interface Waiting {
  readonly resolve: () => void;
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

  send(mail: Mail, isMeant = true): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the server is about to end'));
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // the thread keeps the process alive only while a mail is being sent
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
    // the flags of the process are not the thread's: some apply only to its main module
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

  #settle(worker: Worker, { id, failure }: MailOutcome): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure) waiting?.reject(Object.assign(new Error(failure.message), { code: failure.code }));
    else waiting?.resolve();
    if (this.#waiting.size > 0) return;
    worker.unref();
    this.#idle = setTimeout(() => {
      if (this.#worker === worker) this.#worker = undefined;
      void worker.terminate();
    }, IDLE).unref();
  }

  /** The thread is gone: jobs waiting for it fail, and the next mail starts another. */
  #lose(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost) reject(error as Error);
  }
}

/** Lines of the mail are set in: a user name in it can be no line of the log. */
function described({ to, subject, text }: Mail): string {
  const lines = text.split('\n').map((line) => `  ${oneLine(line)}`);
  const people = to.map(({ address }) => oneLine(address)).join(', ');
  return [`mail to ${people} (no SMTP server is configured): ${oneLine(subject)}`, ...lines].join('\n');
}
