/**
 * Serves all event streams of a process: writes changes to the log while any process has a listener, follows the log and
 * wakes the dispatchers.
 */
import type { EventsConfig } from '../config/config.ts';
import type { Database } from '../db/interface/database.ts';
import { ContentError, unavailable } from '../errors.ts';
import { Semaphore } from '../semaphore.ts';
import { listenUntil, settle, tidyLog, untilSettled } from './change-log.ts';
import { LogReader, type PositionedChange } from './log-reader.ts';
import { LOOK, type Subscriptions } from './subscriptions.ts';
import { pause, Throttle } from './throttle.ts';

/** Milliseconds that changes are logged after the last listener has left, and the interval of renewal. */
const LISTENED_FOR = 600_000;
const RENEWED = 60_000;
/**
 * Milliseconds until every other process knows that there is a listener: on an engine that sees foreign commits at once,
 * and on one where the processes have to poll.
 */
const SEEN = 2 * LOOK;
const SEEN_BY_POLLING = 1000 + LOOK;
/** Concurrent reads for event streams. */
const READS = 4;

interface BusContext {
  readonly database: Database;
  readonly config: EventsConfig;
  readonly subscriptions: Subscriptions;
}

export class EventBus {
  readonly #context: BusContext;
  readonly #logReader: LogReader;
  readonly #callbacks = new Set<() => void>();
  /** The changes that listeners receive. */
  readonly recent = new ChangeBuffer();
  /** Limits the work for all listeners of the process. */
  readonly throttle = new Throttle();
  readonly reads = new Semaphore(READS);
  /** The number of listeners of each account. */
  readonly #perAccount = new Map<string, number>();
  #listeners = 0;
  #opening: Promise<void> | undefined;
  /** Epoch milliseconds until which this process has announced in the database that it has a listener. */
  #writtenUntil = 0;
  #renewal: NodeJS.Timeout | undefined;

  constructor(context: BusContext) {
    this.#context = context;
    this.#logReader = new LogReader({
      database: context.database,
      publish: (changes) => {
        this.recent.add(changes);
        for (const callback of this.#callbacks) callback();
      },
    });
  }

  /** All changes up to this number have been published. */
  get position(): number {
    return this.#logReader.position;
  }

  /** The highest number of a published change; smaller ones may be missing. */
  get last(): number {
    return this.#logReader.last;
  }

  /** The number of listeners. */
  get listeners(): number {
    return this.#listeners;
  }

  /** Milliseconds after which a listener that reads nothing is disconnected. */
  get patience(): number {
    return this.#context.config.patience;
  }

  /** Calls the function after each addition to `recent`. Returns a function that removes it. */
  onChanges(callback: () => void): () => void {
    this.#callbacks.add(callback);
    return () => void this.#callbacks.delete(callback);
  }

  /** Called after this process has committed rows of the log: publishes them, and notifies other processes. */
  committed = (): void => {
    this.#context.database.bell?.ring();
    this.#logReader.call();
  };

  /**
   * Counts a new listener, and begins to follow the log for the first one.
   *
   * @param account the owner of the listener.
   * @returns a function that removes the listener from the count.
   * @throws ContentError 429 above the limit per caller, 503 above the limit of the process.
   */
  async admit(account: string): Promise<() => void> {
    const { listeners, perCaller } = this.#context.config;
    const own = this.#perAccount.get(account) ?? 0;
    if (own >= perCaller) throw new ContentError('RateLimitError', 'Too many event streams are open');
    if (this.#listeners >= listeners) throw unavailable('Too many event streams are open');
    this.#perAccount.set(account, own + 1);
    this.#listeners += 1;
    let isIn = true;
    const leave = () => {
      if (!isIn) return;
      isIn = false;
      this.#leave(account);
    };
    this.#opening ??= this.#open();
    const opening = this.#opening;
    try {
      await opening;
      return leave;
    } catch (error) {
      // another listener may have begun again meanwhile
      if (this.#opening === opening) this.#opening = undefined;
      leave();
      throw error;
    }
  }

  /** Stops following the log. */
  close(): void {
    this.#logReader.stop();
    this.recent.clear();
    clearInterval(this.#renewal);
    this.#opening = undefined;
  }

  #leave(account: string): void {
    const count = (this.#perAccount.get(account) ?? 1) - 1;
    if (count === 0) this.#perAccount.delete(account);
    else this.#perAccount.set(account, count);
    this.#listeners -= 1;
    if (this.#listeners === 0) this.close();
  }

  async #open(): Promise<void> {
    await this.#listen();
    await this.#logReader.start();
    // all listeners have left meanwhile
    if (this.#listeners === 0) return this.#logReader.stop();
    clearInterval(this.#renewal);
    this.#renewal = setInterval(() => void this.#renew(), RENEWED).unref();
  }

  async #listen(): Promise<void> {
    const { database, subscriptions } = this.#context;
    // listeners that come and go quickly cause no writes
    if (this.#writtenUntil > Date.now() + LISTENED_FOR - RENEWED) return;
    const until = Date.now() + LISTENED_FOR;
    const delay = database.bell ? SEEN_BY_POLLING : SEEN;
    const hasLapsed = await database.transaction((tx) => listenUntil(tx, until, delay));
    subscriptions.listenUntil(until);
    if (hasLapsed) {
      // changes of processes that did not know of the listener yet are missing
      await pause(delay);
      await database.transaction(settle);
    } else {
      // before that, another process may still add changes that precede this listener
      await untilSettled(database, delay);
    }
    this.#writtenUntil = until;
  }

  async #renew(): Promise<void> {
    try {
      await this.#listen();
      await tidyLog(this.#context.database);
    } catch {
      // the database is unavailable: the next renewal tries again
    }
  }
}

/** Changes that are kept. A listener that falls further behind has to reconnect and reads the log. */
const CAPACITY = 5000;

class ChangeBuffer {
  #start = 0;
  #changes: PositionedChange[] = [];

  /** The index of the first change. */
  get start(): number {
    return this.#start;
  }

  /** The index of the next change. */
  get end(): number {
    return this.#start + this.#changes.length;
  }

  add(changes: readonly PositionedChange[]): void {
    this.#changes.push(...changes);
    if (this.#changes.length < 2 * CAPACITY) return;
    this.#start += this.#changes.length - CAPACITY;
    this.#changes = this.#changes.slice(-CAPACITY);
  }

  /** The changes with indexes from `from` up to and without `to`. */
  between(from: number, to: number): readonly PositionedChange[] {
    return this.#changes.slice(Math.max(0, from - this.#start), Math.max(0, to - this.#start));
  }

  /** Removes all changes; the next one does not follow them. Indexes continue. */
  clear(): void {
    this.#start = this.end;
    this.#changes = [];
  }
}
