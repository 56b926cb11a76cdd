/**
 * `strapi.eventHub`: events of the code, and committed writes of this process as `entry.create` and other names of
 * webhooks.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Change, versionKey } from '../../db/interface/change.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import {
  addressOf,
  ENTRY_EVENTS,
  Entries,
  type EntryAddress,
  eventOf,
  idsOf,
  MEDIA_EVENTS,
} from '../../events/entries.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { UnitOfWork } from '../unit-of-work.ts';

type Listener = (...values: unknown[]) => unknown;
type Subscriber = (name: string, ...values: unknown[]) => unknown;

const NAMES = [...Object.values(ENTRY_EVENTS), ...Object.values(MEDIA_EVENTS)];

/** The hub that reports a database's changes: that of the project that was served last. */
const hubs = new WeakMap<Database, EventHub>();

export class EventHub {
  readonly #emitter = new EventEmitter();
  readonly #subscribers = new Set<Subscriber>();
  readonly #failed: (error: unknown, purpose: string) => void;
  readonly #turns = new EventTurns();
  readonly #kept = new KeptEntries();
  #stop: () => void = () => {};

  /** @param failed takes the errors of listeners, and the error of an event that is dropped. */
  constructor(failed: (error: unknown, purpose: string) => void) {
    this.#failed = failed;
    this.#emitter.setMaxListeners(0);
  }

  /** The members that code knows. */
  get members() {
    const [emitter, subscribers] = [this.#emitter, this.#subscribers];
    const on = (name: string, listener: Listener) => {
      emitter.on(name, listener);
      return () => emitter.off(name, listener);
    };
    const off = (name: string, listener: Listener) => void emitter.off(name, listener);
    return {
      emit: (name: string, ...values: unknown[]) => {
        UnitOfWork.currentOrOutside.check();
        return this.#emit(name, values);
      },
      ...{ on, off, addListener: on, removeListener: off },
      once: (name: string, listener: Listener) => void emitter.once(name, listener),
      subscribe: (subscriber: Subscriber) => {
        subscribers.add(subscriber);
        return () => subscribers.delete(subscriber);
      },
      unsubscribe: (subscriber: Subscriber) => void subscribers.delete(subscriber),
      removeAllListeners: () => void emitter.removeAllListeners(),
      removeAllSubscribers: () => subscribers.clear(),
    };
  }

  /** Starts to emit the writes of this process. */
  start({ database, config, ...runtime }: RuntimeContext): void {
    const entries = new Entries({ ...runtime, longest: config.webhooks.maxEntrySize });
    const isCurrent = () => hubs.get(database.beneath) === this;
    const cache = this.#kept;
    const order = new CommitOrder();
    const heard = (change: Pick<Change, 'uid' | 'kind'>): string | undefined => {
      const name = isCurrent() ? eventOf(entries, change) : undefined;
      return name !== undefined && this.#listens(name) ? name : undefined;
    };
    hubs.set(database.beneath, this);
    const unsubscribe = database.subscribe({
      isConcerned: () => isCurrent() && NAMES.some((name) => this.#listens(name)),
      beforeRemoval: async (tx, removals) => {
        for (const removal of removals) {
          const entry = heard(removal) === undefined ? undefined : await entries.removed(removal, tx);
          if (entry) cache.keepRemoved(tx, versionKey(removal), entry.json);
        }
      },
      // an event has the version as this transaction wrote it, even if another one changes or removes it
      beforeCommit: async (tx, changes) => {
        const events: Event[] = [];
        for (const change of changes) {
          const name = heard(change);
          if (name === undefined) continue;
          const address = addressOf(change);
          if (change.after === undefined) {
            events.push({ name, address, json: cache.removed(tx, versionKey(change)) });
            continue;
          }
          const entry = await entries.read(address, 'all', tx);
          events.push({ name, address, json: cache.keep(tx, entry?.json ?? idsOf(address)) });
        }
        if (events.length === 0) return;
        const documents = new Set(changes.map(({ uid, documentId }) => `${uid} ${documentId}`));
        const ended = order.begin(documents);
        const emit = () => {
          for (const event of events) this.#tellLater(event, entries);
        };
        tx.afterCommit(() => {
          cache.committed(
            tx,
            events.map(({ json }) => json),
          );
          ended(() => database.outside(emit));
        });
        tx.afterRollback(() => ended());
      },
    });
    this.#stop = () => {
      unsubscribe();
      // a hub that is stopped is not referenced any more
      if (isCurrent()) hubs.delete(database.beneath);
    };
  }

  stop(): void {
    this.#stop();
  }

  #listens(name: string): boolean {
    return this.#subscribers.size > 0 || this.#emitter.listenerCount(name) > 0;
  }

  async #emit(name: string, values: readonly unknown[]): Promise<void> {
    for (const listener of this.#emitter.rawListeners(name)) await (listener as Listener)(...values);
    for (const subscriber of this.#subscribers) await subscriber(name, ...values);
  }

  /** Emits an event after the ones before it, or once these have taken long. */
  #tellLater({ name, address, json }: Event, entries: Entries): void {
    const purpose = `listeners of ${name} of strapi.eventHub`;
    const failed = (error: unknown) => this.#failed(error, purpose);
    const emit = async () => {
      this.#kept.forget(json);
      const text = json ?? (await entries.read(address, 'all'))?.json ?? idsOf(address);
      const payload = payloadOf(entries, address.uid, JSON.parse(text));
      await UnitOfWork.whole(() => this.#emit(name, [payload]), failed);
    };
    const isTaken = this.#turns.add(() => emit().catch(failed));
    if (isTaken) return;
    this.#kept.forget(json);
    this.#failed(new Error(`${TOO_MANY_WAIT}: this event is dropped`), purpose);
  }
}

/** An event of a version. */
interface Event {
  readonly name: string;
  readonly address: EntryAddress;
  /** The version as it was written; undefined if too much is cached: the event then has the version as it is by then. */
  readonly json: string | undefined;
}

/** The payload for listeners, as in the reference. */
function payloadOf(entries: Entries, uid: string, entry: unknown): object {
  return uid === FILE_UID ? { media: entry } : { model: entries.modelOf(uid), uid, entry };
}

interface Pending {
  /** The documents that it wrote. */
  readonly documents: ReadonlySet<string>;
  /** Undefined until it is committed; null once it is rolled back. */
  outcome: (() => void) | null | undefined;
}

export class CommitOrder {
  readonly #pending: Pending[] = [];

  /**
   * Records a transaction that has finished its writes of some documents, and delays their events until it ends.
   *
   * @returns the callback for its end, which takes the work for its turn, if any.
   */
  begin(documents: ReadonlySet<string>): (work?: () => void) => void {
    const pending: Pending = { documents, outcome: undefined };
    this.#pending.push(pending);
    return (work) => {
      pending.outcome = work ?? null;
      this.#release();
    };
  }

  /** Runs pending work, except work behind an open transaction. */
  #release(): void {
    const held = new Set<string>();
    for (const pending of [...this.#pending]) {
      const { documents, outcome } = pending;
      const waits = outcome === undefined || [...documents].some((document) => held.has(document));
      if (!waits) {
        this.#pending.splice(this.#pending.indexOf(pending), 1);
        outcome?.();
      } else for (const document of documents) held.add(document);
    }
  }
}

/** Milliseconds that an event waits for the listeners of the one before it. */
const LONGEST_TELLING = 5000;
/** Events that may wait for slow listeners; further ones are dropped. */
const MOST_WAITING = 10_000;

const TOO_MANY_WAIT = '10,000 events wait for the code';

/** Resolves when the next event should wait no longer, rejects when the signal is aborted. */
type Patience = (signal: AbortSignal) => Promise<unknown>;

const patience: Patience = (signal) => pause(LONGEST_TELLING, undefined, { signal, ref: false });

export class EventTurns {
  readonly #patience: Patience;
  readonly #most: number;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(most = MOST_WAITING, wait = patience) {
    this.#patience = wait;
    this.#most = most;
  }

  /**
   * Emits after the work before it has ended or timed out, in which case both run concurrently.
   *
   * @param emit must not reject.
   * @returns false if too many events wait: this one is dropped.
   */
  add(emit: () => Promise<void>): boolean {
    if (this.#waiting === this.#most) return false;
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      this.#waiting -= 1;
      const over = new AbortController();
      const lost = this.#patience(over.signal).catch(() => undefined);
      await Promise.race([emit(), lost]);
      over.abort();
    });
    return true;
  }
}

/** Characters that are cached at most. Further versions are read when their event is emitted. */
const MOST = 32 * 1024 ** 2;

/** The cached versions of one transaction. */
interface CachedVersions {
  /** Of versions that it removes, by their keys. */
  readonly removed: Map<string, string>;
  /** The versions that it caches while it is open. */
  characters: number;
}

export class KeptEntries {
  readonly #most: number;
  readonly #kept = new WeakMap<Transaction, CachedVersions>();
  #characters = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** The number of cached characters. */
  get characters(): number {
    return this.#characters;
  }

  /** Keeps a version that a transaction removes, unless there is too much. */
  keepRemoved(tx: Transaction, key: string, json: string): void {
    if (this.keep(tx, json) !== undefined) this.#of(tx).removed.set(key, json);
  }

  /** A version that a transaction has removed; undefined if it was not cached. */
  removed(tx: Transaction, key: string): string | undefined {
    return this.#kept.get(tx)?.removed.get(key);
  }

  /**
   * Caches a version for a transaction, and returns it; undefined if the cache is full. A single version is always
   * cached.
   */
  keep(tx: Transaction, json: string): string | undefined {
    if (this.#characters > 0 && this.#characters + json.length > this.#most) return undefined;
    this.#characters += json.length;
    this.#of(tx).characters += json.length;
    return json;
  }

  /** Forgets what a committed transaction has cached, except the versions whose events are emitted later. */
  committed(tx: Transaction, emitted: readonly (string | undefined)[]): void {
    const cache = this.#of(tx);
    for (const json of emitted) cache.characters -= json?.length ?? 0;
    this.#release(cache);
  }

  forget(json: string | undefined): void {
    this.#characters -= json?.length ?? 0;
  }

  #of(tx: Transaction): CachedVersions {
    const known = this.#kept.get(tx);
    if (known) return known;
    const cache = { removed: new Map<string, string>(), characters: 0 };
    this.#kept.set(tx, cache);
    tx.afterRollback(() => this.#release(cache));
    return cache;
  }

  #release(cache: CachedVersions): void {
    this.#characters -= cache.characters;
    cache.characters = 0;
  }
}
