/**
 * `strapi.eventHub`: what one part of the code says to another, and what this process has written: `entry.create` and the
 * like, under the names that webhooks have, once it is committed.
 */
import { EventEmitter } from 'node:events';
import { type Change, versionKey } from '../../../db/change.ts';
import type { Database } from '../../../db/database.ts';
import { Entries, type ShownEntry } from '../../../events/entries.ts';
import { addressOf, eventOf } from '../../../events/entry-events.ts';
import { FILE_UID } from '../../../schema/catalog.ts';
import type { CodeRooms } from '../rooms.ts';
import { EventTurns, MOST_WAITING } from './event-turns.ts';

type Listener = (...values: unknown[]) => unknown;
type Subscriber = (name: string, ...values: unknown[]) => unknown;

const OF_REMOVALS = ['entry.delete', 'entry.unpublish', 'media.delete'];

/** The hubs that are told of a database's changes: those of the project that was served last. */
const told = new WeakMap<Database, EventHub>();

export class EventHub {
  readonly #emitter = new EventEmitter();
  readonly #subscribers = new Set<Subscriber>();
  readonly #failed: (error: unknown, purpose: string) => void;
  readonly #turns = new EventTurns();
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

  /** Begins to tell of what this process writes. */
  start({ database, config, ...rooms }: CodeRooms): void {
    const entries = new Entries({ ...rooms, longest: config.webhooks.maxEntrySize });
    const isTold = () => told.get(database.beneath) === this;
    /** What versions looked like that the transaction which has just been committed has removed. */
    const removed = new Map<string, ShownEntry>();
    told.set(database.beneath, this);
    const unsubscribe = database.subscribe({
      isConcerned: () => isTold() && OF_REMOVALS.some((name) => this.#listens(name)),
      beforeRemoval: async (tx, removals) => {
        for (const removal of isTold() ? removals : []) {
          const name = eventOf(entries, removal);
          const entry = name !== undefined && this.#listens(name) ? await entries.removed(removal, tx) : undefined;
          if (entry) tx.afterCommit(() => removed.set(versionKey(removal), entry));
        }
      },
      afterCommit: (changes) => {
        for (const change of isTold() ? changes : []) {
          const name = eventOf(entries, change);
          if (name === undefined || !this.#listens(name)) continue;
          const entry = change.after === undefined ? removed.get(versionKey(change)) : undefined;
          database.outside(() => this.#tellLater(name, change, entry, entries));
        }
        removed.clear();
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

  /** Tells of a change when those before it have been told, or have taken long. @param entry what was removed. */
  #tellLater(name: string, change: Change, entry: ShownEntry | undefined, entries: Entries): void {
    const purpose = `listeners of ${name} of strapi.eventHub`;
    const tell = async (): Promise<void> => {
      const shown = entry ?? (await entries.read(addressOf(change), 'all'));
      // it has been removed since
      if (shown) await this.#emit(name, [payloadOf(entries, change.uid, JSON.parse(shown.json))]);
    };
    if (this.#turns.add(() => tell().catch((error: unknown) => this.#failed(error, purpose)))) return;
    this.#failed(new Error(`${MOST_WAITING} events wait for the code: this one is not told`), purpose);
  }
}

/** What listeners are given, as in the reference. */
function payloadOf(entries: Entries, uid: string, entry: unknown): object {
  return uid === FILE_UID ? { media: entry } : { model: entries.modelOf(uid), uid, entry };
}
