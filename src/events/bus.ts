/**
 * What a process does for all who listen to changes: it has changes written down while anybody does, follows the log,
 * and tells the projects that are served what is new.
 */

import type { EventsConfig } from '../config/config.ts';
import type { Database } from '../db/interface/database.ts';
import { ContentError, unavailable } from '../errors.ts';
import { Semaphore } from '../semaphore.ts';
import { ChangeBuffer } from './change-buffer.ts';
import { listenUntil, settle, tidyLog, untilSettled } from './change-log.ts';
import { LogReader } from './log-reader.ts';
import { LOOK, type Subscriptions } from './subscriptions.ts';
import { pause, Throttle } from './throttle.ts';

/** Milliseconds that changes are written down when the last listener has gone, and after which that is renewed. */
const LISTENED_FOR = 600_000;
const RENEWED = 60_000;
/**
 * Milliseconds after which other processes have learned that somebody listens: where they learn of commits at once, and
 * where they may have to look.
 */
const KNOWN = 2 * LOOK;
const KNOWN_BY_LOOKING = 1000 + LOOK;
/** Reads of what listeners are told that are under way at once. */
const READS = 4;

interface Parts {
  readonly database: Database;
  readonly config: EventsConfig;
  readonly needs: Subscriptions;
}

export class EventBus {
  readonly #parts: Parts;
  readonly #logReader: LogReader;
  readonly #tellers = new Set<() => void>();
  /** The changes that listeners are told. */
  readonly recent = new ChangeBuffer();
  /** What is done for all listeners of the process keeps to this. */
  readonly throttle = new Throttle();
  readonly reads = new Semaphore(READS);
  /** Listeners by whose they are. */
  readonly #places = new Map<string, number>();
  #listeners = 0;
  #opening: Promise<void> | undefined;
  /** Until when it is written down that somebody listens, as this process has written it. */
  #writtenUntil = 0;
  #renewal: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#logReader = new LogReader({
      database: parts.database,
      tell: (changes) => {
        this.recent.add(changes);
        for (const teller of this.#tellers) teller();
      },
    });
  }

  /** All changes up to this number have been told. */
  get position(): number {
    return this.#logReader.position;
  }

  /** The last number of a change that has been told, though some before it may be missing. */
  get last(): number {
    return this.#logReader.last;
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners;
  }

  /** Milliseconds that one who takes nothing is waited for. */
  get patience(): number {
    return this.#parts.config.patience;
  }

  /** Has somebody called when there is something new to tell, until the function that it gives is called. */
  add(teller: () => void): () => void {
    this.#tellers.add(teller);
    return () => void this.#tellers.delete(teller);
  }

  /** Called when this process has written changes down: tells them, and the other processes. */
  written = (): void => {
    this.#parts.database.bell?.ring();
    this.#logReader.call();
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
    this.#opening ??= this.#open();
    const opening = this.#opening;
    try {
      await opening;
      return leave;
    } catch (error) {
      // it may have been begun anew meanwhile
      if (this.#opening === opening) this.#opening = undefined;
      leave();
      throw error;
    }
  }

  /** Stops to follow the log. */
  close(): void {
    this.#logReader.stop();
    this.recent.clear();
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
    await this.#listen();
    await this.#logReader.start();
    // all have gone meanwhile
    if (this.#listeners === 0) return this.#logReader.stop();
    clearInterval(this.#renewal);
    this.#renewal = setInterval(() => void this.#renew(), RENEWED).unref();
  }

  async #listen(): Promise<void> {
    const { database, needs } = this.#parts;
    // whoever comes and goes, over and over, has nothing written
    if (this.#writtenUntil > Date.now() + LISTENED_FOR - RENEWED) return;
    const until = Date.now() + LISTENED_FOR;
    const known = database.bell ? KNOWN_BY_LOOKING : KNOWN;
    const hasLapsed = await database.transaction((tx) => listenUntil(tx, until, known));
    needs.listenUntil(until);
    if (hasLapsed) {
      // what other processes have written before they knew is missing
      await pause(known);
      await database.transaction(settle);
    } else {
      // whoever began at once would be told of what another process has yet to say
      await untilSettled(database, known);
    }
    this.#writtenUntil = until;
  }

  async #renew(): Promise<void> {
    try {
      await this.#listen();
      await tidyLog(this.#parts.database);
    } catch {
      // a database that is away is asked again
    }
  }
}
