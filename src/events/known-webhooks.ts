/**
 * The webhooks that writes look at. They are kept in memory and read again beside the writes, so that these ask no
 * statement for them: at once when this process has changed them, and a moment later when another one has.
 */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import { listWebhooks, WEBHOOK_UID, type Webhook } from './webhook.ts';

/** Milliseconds between two looks whether another process has changed anything. */
const LOOK = 250;

export class KnownWebhooks {
  readonly #database: Database;
  readonly #changed: () => void;
  #all: readonly Webhook[] = [];
  #generation = Number.NaN;
  /** Grows when they are known to have changed, and which of these changes have been read. */
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

  /** Those that are switched on. */
  get enabled(): readonly Webhook[] {
    return this.#all;
  }

  /** The same for a transaction, which reads them where they have just been changed. */
  async within(tx: Transaction): Promise<readonly Webhook[]> {
    return this.#read === this.#epoch ? this.#all : (await listWebhooks(tx)).filter(({ enabled }) => enabled);
  }

  /** Reads them. */
  async read(): Promise<void> {
    const generation = this.#database.generation();
    const epoch = this.#epoch;
    const all = await listWebhooks(this.#database);
    // they have changed meanwhile, and are being read once more
    if (epoch !== this.#epoch) return;
    this.#all = all.filter(({ enabled }) => enabled);
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
      if (this.#database.generation() !== this.#generation) await this.read();
    } catch {
      // a database that is away is looked at again
    }
  }
}
