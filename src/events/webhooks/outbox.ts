/**
 * What webhooks are to be told of changes, written down in the transaction that makes them: it is told if they are
 * committed, and only then.
 */
import { type Change, type Removal, versionKey } from '../../db/interface/change.ts';
import type { ChangeListener, Transaction } from '../../db/interface/transaction.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { addressOf, type Entries, eventOf, type ShownEntry } from '../entries.ts';
import { addDeliveries, type NewDelivery } from './deliveries.ts';
import type { Webhook } from './webhook.ts';

export interface OutboxContext {
  /** The webhooks that are switched on. */
  readonly enabled: (tx: Transaction) => Promise<readonly Webhook[]>;
  /** Whether there may be any. */
  readonly mayBeEnabled: () => boolean;
  /** Has that known where other processes may have changed it. */
  readonly learn: () => Promise<void> | undefined;
  /** What reads documents; undefined: no project is in place. */
  readonly entries: () => Entries | undefined;
  /** Called when something was committed that is to be sent. */
  readonly written: () => void;
}

export class Outbox implements ChangeListener {
  readonly #context: OutboxContext;
  /** What versions looked like that a transaction has removed. */
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
      if (this.#wanting(enabled, removal).length === 0) continue;
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
      const webhooks = this.#wanting(enabled, change);
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
    tx.afterCommit(this.#context.written);
  }

  /** Those of the webhooks that want to be told of a change. */
  #wanting(enabled: readonly Webhook[], change: Pick<Change, 'uid' | 'kind'>): readonly Webhook[] {
    if (enabled.length === 0) return enabled;
    const event = eventOf(this.#context.entries(), change);
    return event === undefined ? [] : enabled.filter(({ events }) => events.includes(event));
  }
}

/** The body that a webhook is sent. */
export function bodyOf(
  entries: Entries,
  { event, at, uid, entry }: { event: string; at: number; uid: string; entry: ShownEntry },
): string {
  const told = { event, createdAt: new Date(at).toISOString(), ...(entry.isShortened ? { shortened: true } : {}) };
  const head = JSON.stringify(told).slice(0, -1);
  if (uid === FILE_UID) return `${head},"media":${entry.json}}`;
  const model = JSON.stringify(entries.modelOf(uid) ?? '');
  return `${head},"model":${model},"uid":${JSON.stringify(uid)},"entry":${entry.json}}`;
}
