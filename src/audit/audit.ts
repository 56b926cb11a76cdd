/** The log of actions: composes its parts, which live as long as the process. */
import type { Config } from '../config/config.ts';
import { onAccount } from '../db/interface/account.ts';
import type { NoteFailedSignIn } from '../db/interface/action.ts';
import { SERVER } from '../db/interface/actor.ts';
import type { Database } from '../db/interface/database.ts';
import { AuditLog } from './audit-log.ts';
import { FailedSignIns } from './failed-sign-ins.ts';
import { Forwarder } from './forwarder.ts';
import { forgetEntries } from './stored-entries.ts';
import { targetsOf } from './targets.ts';

/** Milliseconds between two removals of old entries. */
const TIDYING = 10 * 60_000;

interface AuditContext {
  readonly database: Database;
  readonly config: Pick<Config, 'audit' | 'webhooks'>;
  readonly log: (line: string, error?: unknown) => void;
}

export class Audit {
  readonly #context: AuditContext;
  readonly #failed: FailedSignIns;
  readonly #forwarder: Forwarder | undefined;
  #isRecording = false;
  #timer: NodeJS.Timeout | undefined;
  #tidying: Promise<unknown> | undefined;

  constructor(context: AuditContext) {
    this.#context = context;
    const { database, config, log } = context;
    this.#failed = new FailedSignIns({ database, log });
    const targets = config.audit ? targetsOf(config.audit, config.webhooks) : [];
    this.#forwarder = targets.length > 0 ? new Forwarder({ database, targets, log }) : undefined;
  }

  /** Begins to record. Called when the database has its tables. */
  async begin(): Promise<void> {
    const { database, config } = this.#context;
    if (!config.audit || this.#isRecording) return;
    this.#isRecording = true;
    const forwarder = this.#forwarder;
    database.subscribe(new AuditLog(database.dialect, forwarder && (() => forwarder.call())));
    // otherwise when it sends
    await forwarder?.begin().catch(() => undefined);
  }

  /** Notes a failed sign-in of the current caller. */
  readonly noteFailedSignIn: NoteFailedSignIn = (failed) => {
    if (this.#isRecording) this.#failed.note(failed);
  };

  /** Starts to send the log and to remove old entries. */
  start(): void {
    if (!this.#isRecording) return;
    this.#forwarder?.start();
    this.#timer = setInterval(() => this.#tidy(), TIDYING).unref();
    this.#tidy();
  }

  #tidy(): void {
    const { database, config } = this.#context;
    // the next time tries again
    this.#tidying ??= onAccount({ key: 'audit', actor: SERVER }, () => forgetEntries(database, config.audit!))
      .catch(() => undefined)
      .finally(() => {
        this.#tidying = undefined;
      });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#failed.close();
    await this.#tidying;
    await this.#forwarder?.close();
  }
}
