/**
 * What a process does for all who listen to changes: it has changes written down while anybody does, follows the log,
 * and tells the projects that are served what is new.
 */

import type { EventsConfig } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { ContentError, unavailable } from '../errors.ts';
import { listenUntil, tidyLog } from './change-log.ts';
import { LOOK, type Needs } from './needs.ts';
import { Tail, type TailChange } from './tail.ts';

/** Milliseconds that changes are written down when the last listener has gone, and after which that is renewed. */
const LISTENED_FOR = 600_000;
const RENEWED = 60_000;
/** Milliseconds after which other processes have learned that somebody listens. */
const KNOWN = 2 * LOOK;

/** Who is told of changes: a project with its listeners. */
export interface Teller {
  tell(changes: readonly TailChange[]): Promise<void>;
}

interface Parts {
  readonly database: Database;
  readonly config: EventsConfig;
  readonly needs: Needs;
}

export class Hub {
  readonly #parts: Parts;
  readonly #tail: Tail;
  readonly #tellers = new Set<Teller>();
  /** Listeners by whose they are. */
  readonly #places = new Map<string, number>();
  #listeners = 0;
  #opening: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#tail = new Tail({
      database: parts.database,
      tell: async (changes) => {
        await Promise.all([...this.#tellers].map((teller) => teller.tell(changes)));
      },
    });
  }

  /** All changes up to this number have been told. */
  get position(): number {
    return this.#tail.position;
  }

  /** The last number of a change that has been told, though some before it may be missing. */
  get last(): number {
    return this.#tail.last;
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners;
  }

  /** Has a project's listeners told, until the function that it gives is called. */
  add(teller: Teller): () => void {
    this.#tellers.add(teller);
    return () => void this.#tellers.delete(teller);
  }

  /** Called when this process has written changes down: tells them, and the other processes. */
  written = (): void => {
    this.#parts.database.bell?.ring();
    this.#tail.call();
  };

  /**
   * Takes a place for a listener, and begins to follow the log for the first one. Gives what gives the place back.
   *
   * @param account whose listener it is.
   * @throws ContentError 429 for one of too many of a caller's, 503 for one of too many altogether.
   */
  async enter(account: string): Promise<() => void> {
    const { listeners, perCaller } = this.#parts.config;
    const own = this.#places.get(account) ?? 0;
    if (own >= perCaller) throw new ContentError('RateLimitError', 'Too many event streams are open');
    if (this.#listeners >= listeners) throw unavailable('Too many event streams are open');
    this.#places.set(account, own + 1);
    this.#listeners += 1;
    let isIn = true;
    const leave = () => {
      if (!isIn) return;
      isIn = false;
      this.#leave(account);
    };
    try {
      this.#opening ??= this.#open();
      await this.#opening;
      return leave;
    } catch (error) {
      this.#opening = undefined;
      leave();
      throw error;
    }
  }

  /** Stops to follow the log. */
  close(): void {
    this.#tail.stop();
    clearInterval(this.#renewal);
    this.#opening = undefined;
  }

  #leave(account: string): void {
    const left = (this.#places.get(account) ?? 1) - 1;
    if (left === 0) this.#places.delete(account);
    else this.#places.set(account, left);
    this.#listeners -= 1;
    if (this.#listeners === 0) this.close();
  }

  async #open(): Promise<void> {
    const isFirst = !this.#parts.needs.isListenedTo;
    await this.#listen(isFirst);
    if (isFirst) await new Promise((resolve) => setTimeout(resolve, KNOWN));
    await this.#tail.start();
    clearInterval(this.#renewal);
    this.#renewal = setInterval(() => void this.#renew(), RENEWED).unref();
  }

  async #listen(isFirst: boolean): Promise<void> {
    const { database, needs } = this.#parts;
    const until = Date.now() + LISTENED_FOR;
    await database.transaction((tx) => listenUntil(tx, until, isFirst));
    needs.listenUntil(until);
  }

  async #renew(): Promise<void> {
    try {
      await this.#listen(false);
      await this.#parts.database.transaction(tidyLog);
    } catch {
      // a database that is away is asked again
    }
  }
}
