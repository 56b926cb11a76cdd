/** Who is told of changes: webhooks, and those who listen. What a process keeps of them, and what it does for them. */
import type { Config } from '../config/config.ts';
import type { Database } from '../db/interface/database.ts';
import { EventBus } from './bus.ts';
import { ChangeLog } from './change-log.ts';
import type { Entries } from './entries.ts';
import { Subscriptions } from './subscriptions.ts';
import { Deliverer } from './webhooks/deliverer.ts';
import { Outbox } from './webhooks/outbox.ts';

interface Parts {
  readonly database: Database;
  readonly config: Pick<Config, 'webhooks' | 'events'>;
  readonly log: (line: string, error?: unknown) => void;
}

export class Events {
  /** What streams of events are told from. */
  readonly bus: EventBus;
  readonly #needs: Subscriptions;
  readonly #deliverer: Deliverer;
  #entries: Entries | undefined;

  constructor({ database, config, log }: Parts) {
    this.#needs = new Subscriptions(database, () => this.#deliverer.call());
    const needs = this.#needs;
    const entries = () => this.#entries;
    const enabled = () => needs.webhooks;
    this.#deliverer = new Deliverer({ database, config: config.webhooks, enabled, entries, log });
    this.bus = new EventBus({ database, config: config.events, needs });
    database.subscribe(
      new Outbox({
        enabled: (tx) => needs.webhooksWithin(tx),
        mayBeEnabled: () => needs.mayHaveWebhooks,
        learn: () => needs.learn(),
        entries,
        written: () => this.#deliverer.call(),
      }),
    );
    database.subscribe(
      new ChangeLog({
        isListenedTo: () => needs.isListenedTo,
        isTold: (uid) => this.#entries?.modelOf(uid) !== undefined,
        written: this.bus.written,
      }),
    );
  }

  /**
   * Learns who is to be told, and begins to look whether other processes change that: a process that only writes does not
   * listen. Called when the database has its tables.
   */
  async read(): Promise<void> {
    await this.#needs.read();
    this.#needs.start();
  }

  /** Has documents read as the project in place has them. */
  showAs(entries: Entries): void {
    this.#entries = entries;
  }

  /** Begins to send. */
  start(): void {
    this.#deliverer.start();
  }

  async close(): Promise<void> {
    this.#needs.close();
    this.bus.close();
    await this.#deliverer.close();
  }
}
