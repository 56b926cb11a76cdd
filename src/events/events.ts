/** Sends changes to webhooks and to event streams: composes the parts, which live as long as the process. */
import type { Config } from '../config/config.ts';
import type { Database } from '../db/interface/database.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { EventBus } from './bus.ts';
import { ChangeLog } from './change-log.ts';
import type { Entries, EntryAddress } from './entries.ts';
import { Subscriptions } from './subscriptions.ts';
import { Deliverer } from './webhooks/deliverer.ts';
import { addDeliveries } from './webhooks/deliveries.ts';
import { Outbox } from './webhooks/outbox.ts';
import type { WebhookEvent } from './webhooks/webhook.ts';

interface EventsContext {
  readonly database: Database;
  readonly config: Pick<Config, 'webhooks' | 'events'>;
  readonly log: (line: string, error?: unknown) => void;
}

export class Events {
  /** The source of all event streams. */
  readonly bus: EventBus;
  readonly #subscriptions: Subscriptions;
  readonly #deliverer: Deliverer;
  #entries: Entries | undefined;

  constructor({ database, config, log }: EventsContext) {
    this.#subscriptions = new Subscriptions(database, () => this.#deliverer.call());
    const subscriptions = this.#subscriptions;
    const entries = () => this.#entries;
    const enabled = () => subscriptions.webhooks;
    this.#deliverer = new Deliverer({ database, config: config.webhooks, enabled, entries, log });
    this.bus = new EventBus({ database, config: config.events, subscriptions });
    database.subscribe(
      new Outbox({
        enabled: (tx) => subscriptions.webhooksWithin(tx),
        mayBeEnabled: () => subscriptions.mayHaveWebhooks,
        learn: () => subscriptions.refresh(),
        entries,
        committed: () => this.#deliverer.call(),
      }),
    );
    database.subscribe(
      new ChangeLog({
        hasListeners: () => subscriptions.hasListeners,
        isPublished: (uid) => this.#entries?.modelOf(uid) !== undefined,
        committed: this.bus.committed,
      }),
    );
  }

  /**
   * Reads the webhooks and begins to watch other processes for changes of them. A process that only writes does not
   * watch. Called when the database has its tables.
   */
  async read(): Promise<void> {
    await this.#subscriptions.read();
    this.#subscriptions.start();
  }

  /** Sets how documents are read: as the current project defines them. */
  showAs(entries: Entries): void {
    this.#entries = entries;
  }

  /**
   * Notifies the webhooks that subscribe to an event that is no change, if the transaction commits.
   *
   * @param fields the body, besides the event and its time.
   */
  async announce(
    tx: Transaction,
    event: WebhookEvent,
    address: EntryAddress,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const webhooks = await this.#subscriptions.webhooksWithin(tx);
    const subscribed = webhooks.filter(({ events }) => events.includes(event));
    if (subscribed.length === 0) return;
    const changedAt = Date.now();
    const body = JSON.stringify({ event, createdAt: new Date(changedAt).toISOString(), ...fields });
    await addDeliveries(
      tx,
      subscribed.map(({ id }) => ({ ...address, webhook: id, event, changedAt, body })),
    );
    tx.afterCommit(() => this.#deliverer.call());
  }

  /** Starts to send to webhooks. */
  start(): void {
    this.#deliverer.start();
  }

  async close(): Promise<void> {
    this.#subscriptions.close();
    this.bus.close();
    await this.#deliverer.close();
  }
}
