/**
 * `strapi.eventHub`: what one part of the code says to another, and what this process has written: `entry.create` and the
 * like, under the names that webhooks have, once it is committed.
 */
import { EventEmitter } from 'node:events';
import { type Change, versionKey } from '../../../../db/interface/change.ts';
import type { Database } from '../../../../db/interface/database.ts';
import {
  addressOf,
  ENTRY_EVENTS,
  Entries,
  type EntryAddress,
  eventOf,
  idsOf,
  MEDIA_EVENTS,
} from '../../../../events/entries.ts';
import { FILE_UID } from '../../../../schema/catalog.ts';
import type { CodeRooms } from '../../rooms.ts';
import { UnitOfWork } from '../../unit-of-work.ts';
import { CommitOrder } from './commit-order.ts';
import { EventTurns, TOO_MANY_WAIT } from './event-turns.ts';
import { KeptEntries } from './kept-entries.ts';

type Listener = (...values: unknown[]) => unknown;
type Subscriber = (name: string, ...values: unknown[]) => unknown;

const NAMES = [...Object.values(ENTRY_EVENTS), ...Object.values(MEDIA_EVENTS)];

/** The hubs that are told of a database's changes: those of the project that was served last. */
const told = new WeakMap<Database, EventHub>();

export class EventHub {
  readonly #emitter = new EventEmitter();
  readonly #subscribers = new Set<Subscriber>();
  readonly #failed: (error: unknown, purpose: string) => void;
  readonly #turns = new EventTurns();
  readonly #kept = new KeptEntries();
  #stop: () => void = () => {};

  /** @param failed takes what a listener throws, and what is not told. */
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
      emit: (name: string, ...values: unknown[]) => this.#emit(name, values),
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

  /** Begins to tell of what this process writes, as it is written. */
  start({ database, config, ...rooms }: CodeRooms): void {
    const entries = new Entries({ ...rooms, longest: config.webhooks.maxEntrySize });
    const isTold = () => told.get(database.beneath) === this;
    const kept = this.#kept;
    const order = new CommitOrder();
    const heard = (change: Pick<Change, 'uid' | 'kind'>): string | undefined => {
      const name = isTold() ? eventOf(entries, change) : undefined;
      return name !== undefined && this.#listens(name) ? name : undefined;
    };
    told.set(database.beneath, this);
    const unsubscribe = database.subscribe({
      isConcerned: () => isTold() && NAMES.some((name) => this.#listens(name)),
      beforeRemoval: async (tx, removals) => {
        for (const removal of removals) {
          const entry = heard(removal) === undefined ? undefined : await entries.removed(removal, tx);
          if (entry) kept.keepRemoved(tx, versionKey(removal), entry.json);
        }
      },
      // what others write then is told as it was, and told of all the same where it is gone
      beforeCommit: async (tx, changes) => {
        const events: Event[] = [];
        for (const change of changes) {
          const name = heard(change);
          if (name === undefined) continue;
          const address = addressOf(change);
          if (change.after === undefined) {
            events.push({ name, address, json: kept.removed(tx, versionKey(change)) });
            continue;
          }
          const entry = await entries.read(address, 'all', tx);
          events.push({ name, address, json: kept.keep(tx, entry?.json ?? idsOf(address)) });
        }
        if (events.length === 0) return;
        const documents = new Set(changes.map(({ uid, documentId }) => `${uid} ${documentId}`));
        const ended = order.begin(documents);
        const tell = () => {
          for (const event of events) this.#tellLater(event, entries);
        };
        tx.afterCommit(() => {
          kept.committed(
            tx,
            events.map(({ json }) => json),
          );
          ended(() => database.outside(tell));
        });
        tx.afterRollback(() => ended());
      },
    });
    this.#stop = () => {
      unsubscribe();
      // what is told of nothing any more is kept by nothing
      if (isTold()) told.delete(database.beneath);
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

  /** Tells of a change when those before it have been told, or have taken long. */
  #tellLater({ name, address, json }: Event, entries: Entries): void {
    const purpose = `listeners of ${name} of strapi.eventHub`;
    const failed = (error: unknown) => this.#failed(error, purpose);
    const tell = async () => {
      this.#kept.forget(json);
      const text = json ?? (await entries.read(address, 'all'))?.json ?? idsOf(address);
      const payload = payloadOf(entries, address.uid, JSON.parse(text));
      await UnitOfWork.whole(() => this.#emit(name, [payload]), failed);
    };
    const isTaken = this.#turns.add(() => tell().catch(failed));
    if (isTaken) return;
    this.#kept.forget(json);
    this.#failed(new Error(`${TOO_MANY_WAIT}: this event is not told`), purpose);
  }
}

/** An event of a version. */
interface Event {
  readonly name: string;
  readonly address: EntryAddress;
  /** The version as it was written; undefined where too much was kept: it is told as it is by then. */
  readonly json: string | undefined;
}

/** What listeners are given, as in the reference. */
function payloadOf(entries: Entries, uid: string, entry: unknown): object {
  return uid === FILE_UID ? { media: entry } : { model: entries.modelOf(uid), uid, entry };
}
