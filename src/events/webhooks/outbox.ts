/** Writes deliveries to webhooks in the transaction of their change, so that committed changes are sent and no others. */
import { type Change, type Removal, versionKey } from '../../db/interface/change.ts';
import type { ChangeListener, Transaction } from '../../db/interface/transaction.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { addressOf, type Entries, eventOf, type ShownEntry } from '../entries.ts';
import { addDeliveries, type NewDelivery } from './deliveries.ts';
import type { Webhook } from './webhook.ts';

export interface OutboxContext {
  /** The enabled webhooks. */
  readonly enabled: (tx: Transaction) => Promise<readonly Webhook[]>;
  /** Whether there may be an enabled webhook. */
  readonly mayBeEnabled: () => boolean;
  /** Reads the webhooks again if another process may have changed them. */
  readonly learn: () => Promise<void> | undefined;
  /** Reads documents; undefined while no project is loaded. */
  readonly entries: () => Entries | undefined;
  /** Called after a commit that wrote deliveries. */
  readonly committed: () => void;
}

export class Outbox implements ChangeListener {
  readonly #context: OutboxContext;
  /** The entries of versions that a transaction has removed. */
  readonly #removed = new WeakMap<Transaction, Map<string, ShownEntry>>();

  constructor(context: OutboxContext) {
    this.#context = context;
  }

  isConcerned(): boolean {
    return this.#context.mayBeEnabled();
  }

  learn(): Promise<void> | undefined {
    return this.#context.learn();
  }

  async beforeRemoval(tx: Transaction, removals: readonly Removal[]): Promise<void> {
    const enabled = await this.#context.enabled(tx);
    for (const removal of removals) {
      if (this.#subscribed(enabled, removal).length === 0) continue;
      const entry = await this.#context.entries()?.removed(removal, tx);
      if (entry === undefined) continue;
      const removed = this.#removed.get(tx) ?? new Map<string, ShownEntry>();
      this.#removed.set(tx, removed);
      removed.set(versionKey(removal), entry);
    }
  }

  async beforeCommit(tx: Transaction, changes: readonly Change[]): Promise<void> {
    const enabled = await this.#context.enabled(tx);
    if (enabled.length === 0) return;
    const deliveries = changes.flatMap((change): NewDelivery[] => {
      const webhooks = this.#subscribed(enabled, change);
      if (webhooks.length === 0) return [];
      const event = eventOf(this.#context.entries(), change)!;
      const address = addressOf(change);
      const entries = this.#context.entries();
      const entry = change.after === undefined ? this.#removed.get(tx)?.get(versionKey(change)) : undefined;
      const body = entry && entries && bodyOf(entries, { event, at: change.at, uid: change.uid, entry });
      return webhooks.map(({ id }) => ({ ...address, webhook: id, event, changedAt: change.at, body }));
    });
    if (deliveries.length === 0) return;
    await addDeliveries(tx, deliveries);
    tx.afterCommit(this.#context.committed);
  }

  /** The webhooks that subscribe to a change. */
  #subscribed(enabled: readonly Webhook[], change: Pick<Change, 'uid' | 'kind'>): readonly Webhook[] {
    if (enabled.length === 0) return enabled;
    const event = eventOf(this.#context.entries(), change);
    return event === undefined ? [] : enabled.filter(({ events }) => events.includes(event));
  }
}

/** The body of a request to a webhook. */
export function bodyOf(
  entries: Entries,
  { event, at, uid, entry }: { event: string; at: number; uid: string; entry: ShownEntry },
): string {
  const about = { event, createdAt: new Date(at).toISOString(), ...(entry.isShortened ? { shortened: true } : {}) };
  const head = JSON.stringify(about).slice(0, -1);
  if (uid === FILE_UID) return `${head},"media":${entry.json}}`;
  const model = JSON.stringify(entries.modelOf(uid) ?? '');
  return `${head},"model":${model},"uid":${JSON.stringify(uid)},"entry":${entry.json}}`;
}
