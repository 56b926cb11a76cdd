/**
 * What changes are written down for: the webhooks that are switched on, and whether anybody listens. It is kept in
 * memory and read again beside the writes, so that these ask no statement for it: when this process has changed it, and
 * when another one has. A write waits for that only where the engine knows by itself of commits by others.
 */
import type { Database } from '../db/interface/database.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { compileListening } from '../sql/events/change-log.ts';
import { listWebhooks, WEBHOOK_UID, type Webhook } from './webhooks/webhook.ts';

/** Milliseconds between two looks whether another process has changed anything. */
export const LOOK = 250;

export class Subscriptions {
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
  #stopHearing: () => void = () => {};
  /** What is being read for the transactions that wait for it. */
  #reading: Promise<void> | undefined;

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
    return this.#webhooks.length > 0 || this.#read !== this.#epoch || this.#isOld;
  }

  /** The webhooks that are switched on for a transaction, which reads them where they have just been changed. */
  async webhooksWithin(tx: Transaction): Promise<readonly Webhook[]> {
    if (this.#read === this.#epoch) await this.learn();
    const isKnown = this.#read === this.#epoch && !this.#isOld;
    return isKnown ? this.#webhooks : (await listWebhooks(tx)).filter(({ enabled }) => enabled);
  }

  /** Reads them where another process has written since: once for all that wait for it. Where that fails, they stay old. */
  learn(): Promise<void> | undefined {
    if (!this.#isOld) return undefined;
    this.#reading ??= this.read()
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
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
    // they have changed meanwhile, and are being read once more; or have been, by a look that began later
    if (epoch !== this.#epoch || generation < this.#generation) return;
    this.#webhooks = all.filter(({ enabled }) => enabled);
    if (listening) this.listenUntil(Number(listening[0]));
    this.#generation = generation;
    this.#read = epoch;
    this.#changed();
  }

  /** Begins to learn of what other processes change. @param every milliseconds between two looks. */
  start(every = LOOK): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => void this.#look(), every).unref();
    this.#stopHearing = this.#database.bell?.changed(() => void this.#look()) ?? this.#stopHearing;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stopHearing();
  }

  /** Whether another process has written since they were read, where that can be known without asking a server. */
  get #isOld(): boolean {
    if (this.#database.bell || this.#timer === undefined) return false;
    try {
      return this.#database.generation() !== this.#generation;
    } catch {
      // no write fails for it
      return true;
    }
  }

  async #look(): Promise<void> {
    try {
      if (this.#database.generation() !== this.#generation || this.#read !== this.#epoch) await this.read();
    } catch {
      // a database that is away is looked at again
    }
  }
}
