/**
 * What changes are written down for: the webhooks that are switched on, and whether anybody listens. It is kept in
 * memory and read again beside the writes, so that these ask no statement for it: at once when this process has changed
 * it, and a moment later when another one has.
 */
import type { Database } from '../db/database.ts';
import { query } from '../db/statements.ts';
import type { Transaction } from '../db/transaction.ts';
import { compileListening } from '../sql/events/change-log.ts';
import { listWebhooks, WEBHOOK_UID, type Webhook } from './webhooks/webhook.ts';

/** Milliseconds between two looks whether another process has changed anything. */
export const LOOK = 250;

export class Needs {
  readonly #database: Database;
  readonly #changed: () => void;
  #webhooks: readonly Webhook[] = [];
  /** Until when changes are written down for listeners: epoch milliseconds. */
  #listenedUntil = 0;
  #generation = Number.NaN;
  /** Grows when webhooks are known to have changed, and which of these changes have been read. */
  #epoch = 0;
  #read = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param changed called when they have been read again. */
  constructor(database: Database, changed: () => void) {
    this.#database = database;
    this.#changed = changed;
    database.subscribe({
      afterCommit: (changes) => {
        if (!changes.some(({ uid }) => uid === WEBHOOK_UID)) return;
        this.#epoch += 1;
        void this.read().catch(() => undefined);
      },
    });
  }

  /** The webhooks that are switched on. */
  get webhooks(): readonly Webhook[] {
    return this.#webhooks;
  }

  /** Whether a transaction has any webhook to look for. */
  get mayHaveWebhooks(): boolean {
    return this.#webhooks.length > 0 || this.#read !== this.#epoch;
  }

  /** The webhooks that are switched on for a transaction, which reads them where they have just been changed. */
  async webhooksWithin(tx: Transaction): Promise<readonly Webhook[]> {
    return this.#read === this.#epoch ? this.#webhooks : (await listWebhooks(tx)).filter(({ enabled }) => enabled);
  }

  /** Whether somebody listens, in whatever process, or has until a moment ago. */
  get isListenedTo(): boolean {
    return this.#listenedUntil > Date.now();
  }

  /** Takes down that somebody listens until a time at least. */
  listenUntil(time: number): void {
    this.#listenedUntil = Math.max(this.#listenedUntil, time);
  }

  /** Reads them. */
  async read(): Promise<void> {
    const generation = this.#database.generation();
    const epoch = this.#epoch;
    const all = await listWebhooks(this.#database);
    const [listening] = await query(this.#database, compileListening());
    // they have changed meanwhile, and are being read once more
    if (epoch !== this.#epoch) return;
    this.#webhooks = all.filter(({ enabled }) => enabled);
    if (listening) this.listenUntil(Number(listening[0]));
    this.#generation = generation;
    this.#read = epoch;
    this.#changed();
  }

  /** Begins to look whether other processes change them. */
  start(): void {
    this.#timer ??= setInterval(() => void this.#look(), LOOK).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    try {
      if (this.#database.generation() !== this.#generation || this.#read !== this.#epoch) await this.read();
    } catch {
      // a database that is away is looked at again
    }
  }
}
