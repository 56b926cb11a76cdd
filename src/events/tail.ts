/**
 * The end of the log of changes, as one process follows it. Numbers are given before transactions commit, so that a
 * number may be there before a smaller one: what is missing is looked for again for as long as a transaction may last.
 */
import { onAccountOf } from '../db/account.ts';
import type { Database } from '../db/database.ts';
import { changesAfter, changesNumbered, type LoggedChange, rangeOfLog } from './change-log.ts';

/** A change with the number from which on a listener that has heard of it may have missed others. */
export interface TailChange extends LoggedChange {
  /** All changes up to it have been told. */
  readonly position: number;
}

/** Changes that are read at once. */
const PAGE = 500;
/**
 * Milliseconds after which a missing number is taken for one of a transaction that was rolled back, and how many are
 * looked for.
 */
const MISSING_FOR = 30_000;
const MOST_MISSING = 1000;
/** Numbers before the end of the log that are looked at when it is begun. */
const BEFORE = 200;
/** Milliseconds between two looks, where nothing tells that there is something new; and where something does. */
const LOOK = 25;
const RARE_LOOK = 500;

interface Parts {
  readonly database: Database;
  /** Told of changes, in the order of their numbers as far as they come in it. Awaited before more are read. */
  readonly tell: (changes: readonly TailChange[]) => Promise<void>;
}

export class Tail {
  readonly #parts: Parts;
  #last = 0;
  /** Numbers below the last that have not been seen, and since when. */
  readonly #missing = new Map<number, number>();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isCalled = false;
  #generation = Number.NaN;
  #stopHearing: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** All changes up to this number have been told. */
  get position(): number {
    const [first] = this.#missing.keys();
    return first === undefined ? this.#last : first - 1;
  }

  /** The last number that has been told. */
  get last(): number {
    return this.#last;
  }

  /** Begins to follow the log from its present end on. */
  async start(): Promise<void> {
    const { database } = this.#parts;
    this.#last = (await rangeOfLog(database))?.last ?? 0;
    this.#missing.clear();
    // transactions that have begun may fill numbers that are missing now
    const first = Math.max(1, this.#last - BEFORE);
    const seen = new Set((await changesAfter(database, first - 1, BEFORE + 1)).map(({ id }) => id));
    for (let id = first; id < this.#last; id++) if (!seen.has(id)) this.#missing.set(id, Date.now());
    this.#stopHearing = database.bell?.heard(() => this.call());
    const look = database.bell ? RARE_LOOK : LOOK;
    this.#timer = setInterval(() => this.#look(), look).unref();
  }

  stop(): void {
    this.#stopHearing?.();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Has it read what is new, at once. */
  call(): void {
    if (!this.#timer) return;
    this.#isCalled = true;
    // whoever calls has made a change, and what follows is not done on its account
    this.#running ??= onAccountOf('events', () => this.#run());
  }

  /** Looks whether another process may have added something. */
  #look(): void {
    try {
      const generation = this.#parts.database.generation();
      const isSame = generation === this.#generation && this.#missing.size === 0;
      this.#generation = generation;
      if (!isSame || this.#parts.database.bell) this.call();
    } catch {
      // a database that is away is looked at again
    }
  }

  async #run(): Promise<void> {
    // what was committed in this turn of the event loop is told together
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#isCalled && this.#timer) {
      this.#isCalled = false;
      try {
        const changes = await this.#read();
        if (changes.length > 0) await this.#parts.tell(changes);
      } catch {
        // the database is away: the next look reads on from the same place
      }
    }
    this.#running = undefined;
  }

  async #read(): Promise<TailChange[]> {
    const { database } = this.#parts;
    const late = this.#missing.size === 0 ? [] : await changesNumbered(database, [...this.#missing.keys()]);
    const next = await changesAfter(database, this.#last, PAGE);
    if (next.length === PAGE) this.#isCalled = true;
    for (const { id } of late) this.#missing.delete(id);
    this.#giveUp();
    const told = late.map((change) => ({ ...change, position: this.position }));
    const now = Date.now();
    for (const change of next) {
      for (let id = Math.max(this.#last + 1, change.id - MOST_MISSING); id < change.id; id++)
        this.#missing.set(id, now);
      this.#last = change.id;
      told.push({ ...change, position: this.position });
    }
    return told;
  }

  /** Forgets the numbers that nobody will fill. */
  #giveUp(): void {
    const since = Date.now() - MISSING_FOR;
    for (const [id, missed] of this.#missing) {
      if (missed > since && this.#missing.size <= MOST_MISSING) break;
      this.#missing.delete(id);
    }
  }
}
