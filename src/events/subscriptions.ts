/**
 * Tells which changes have to be written down: the enabled webhooks, and whether any process has a listener. It is cached
 * in memory, so writes need no statement for it, and read again after this or another process has changed it. A write
 * waits for that read only on engines that notice foreign commits without a query.
 */
import type { Database } from '../db/interface/database.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { compileListening } from '../sql/events/change-log.ts';
import { listWebhooks, WEBHOOK_UID, type Webhook } from './webhooks/webhook.ts';

/** Milliseconds between two checks for changes by other processes. */
export const LOOK = 250;

export class Subscriptions {
  readonly #database: Database;
  readonly #onRead: () => void;
  #webhooks: readonly Webhook[] = [];
  /** Epoch milliseconds until which changes are logged for listeners. */
  #listenedUntil = 0;
  #generation = Number.NaN;
  /** Counts the commits of this process that changed webhooks. */
  #epoch = 0;
  /** The value of `#epoch` that the cached webhooks belong to. */
  #readEpoch = 0;
  #timer: NodeJS.Timeout | undefined;
  #removeBell: () => void = () => {};
  /** The current read, shared by the transactions that wait for it. */
  #reading: Promise<void> | undefined;

  /** @param onRead called after each read. */
  constructor(database: Database, onRead: () => void) {
    this.#database = database;
    this.#onRead = onRead;
    database.subscribe({
      afterCommit: (changes) => {
        if (!changes.some(({ uid }) => uid === WEBHOOK_UID)) return;
        this.#epoch += 1;
        void this.read().catch(() => undefined);
      },
    });
  }

  /** The enabled webhooks. */
  get webhooks(): readonly Webhook[] {
    return this.#webhooks;
  }

  /** Whether there may be an enabled webhook. */
  get mayHaveWebhooks(): boolean {
    return this.#webhooks.length > 0 || this.#readEpoch !== this.#epoch || this.#isOutdated;
  }

  /** The enabled webhooks, read within a transaction when the cached ones are out of date. */
  async webhooksWithin(tx: Transaction): Promise<readonly Webhook[]> {
    if (this.#readEpoch === this.#epoch) await this.refresh();
    const isCurrent = this.#readEpoch === this.#epoch && !this.#isOutdated;
    return isCurrent ? this.#webhooks : (await listWebhooks(tx)).filter(({ enabled }) => enabled);
  }

  /** Reads again after a write of another process; concurrent callers share one read. A failed read changes nothing. */
  refresh(): Promise<void> | undefined {
    if (!this.#isOutdated) return undefined;
    this.#reading ??= this.read()
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  /** Whether any process has a listener, or had one a moment ago. */
  get hasListeners(): boolean {
    return this.#listenedUntil > Date.now();
  }

  /** Records that there is a listener until a time. */
  listenUntil(time: number): void {
    this.#listenedUntil = Math.max(this.#listenedUntil, time);
  }

  /** Reads the webhooks and the announced listeners. */
  async read(): Promise<void> {
    const generation = this.#database.generation();
    const epoch = this.#epoch;
    const all = await listWebhooks(this.#database);
    const [listening] = await query(this.#database, compileListening());
    // a newer read is under way or has already finished
    if (epoch !== this.#epoch || generation < this.#generation) return;
    this.#webhooks = all.filter(({ enabled }) => enabled);
    if (listening) this.listenUntil(Number(listening[0]));
    this.#generation = generation;
    this.#readEpoch = epoch;
    this.#onRead();
  }

  /** Starts to watch for changes by other processes. @param every milliseconds between two checks. */
  start(every = LOOK): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => void this.#poll(), every).unref();
    this.#removeBell = this.#database.bell?.onChange(() => void this.#poll()) ?? this.#removeBell;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#removeBell();
  }

  /** Whether another process has written since the last read, as far as the engine tells without a query. */
  get #isOutdated(): boolean {
    if (this.#database.bell || this.#timer === undefined) return false;
    try {
      return this.#database.generation() !== this.#generation;
    } catch {
      // a write must not fail because of this
      return true;
    }
  }

  async #poll(): Promise<void> {
    try {
      if (this.#database.generation() !== this.#generation || this.#readEpoch !== this.#epoch) await this.read();
    } catch {
      // the database is unavailable: the next poll tries again
    }
  }
}
