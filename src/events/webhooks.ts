/** Webhooks of a process: what is written down for them with each change, and what sends it. */
import type { WebhooksConfig } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { Deliverer } from './deliverer.ts';
import type { Entries } from './entries.ts';
import { KnownWebhooks } from './known-webhooks.ts';
import { Outbox } from './outbox.ts';

interface Parts {
  readonly database: Database;
  readonly config: WebhooksConfig;
  readonly log: (line: string) => void;
}

export class Webhooks {
  readonly #known: KnownWebhooks;
  readonly #deliverer: Deliverer;
  #entries: Entries | undefined;

  constructor({ database, config, log }: Parts) {
    this.#known = new KnownWebhooks(database, () => this.#deliverer.call());
    const enabled = () => this.#known.enabled;
    const entries = () => this.#entries;
    this.#deliverer = new Deliverer({ database, config, enabled, entries, log });
    database.subscribe(
      new Outbox({ enabled: (tx) => this.#known.within(tx), entries, written: () => this.#deliverer.call() }),
    );
  }

  /** Learns which there are. Called when the database has its tables. */
  read(): Promise<void> {
    return this.#known.read();
  }

  /** Has documents read as the project in place has them. */
  showAs(entries: Entries): void {
    this.#entries = entries;
  }

  /** Begins to send, and to look whether other processes change the webhooks. */
  start(): void {
    this.#known.start();
    this.#deliverer.start();
  }

  async close(): Promise<void> {
    this.#known.close();
    await this.#deliverer.close();
  }
}
