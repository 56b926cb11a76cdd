/**
 * Follows the log of changes. Where transactions may commit in another order than they received their numbers, a number
 * can appear before a smaller one; the reader looks for a missing number until every transaction that could still write
 * it is over.
 */
import { onAccountOf } from '../db/interface/account.ts';
import type { Database } from '../db/interface/database.ts';
import { changesAfter, changesNumbered, type LoggedChange, rangeOfLog, writersOf } from './change-log.ts';

/** A change with the position of the log at which a listener continues after it. */
export interface PositionedChange extends LoggedChange {
  /** All changes up to this number have been published. */
  readonly position: number;
}

/** Changes that are read at once. */
const PAGE = 500;
/** Missing numbers that are remembered. When there are more, the oldest are dropped and a pause is published. */
const MOST_MISSING = 2000;
/** Numbers before the end of the log that are checked at the start. */
const BEFORE = 2000;
/** Milliseconds between two polls: without and with notifications from the database. */
const POLL = 25;
const RARE_POLL = 500;

interface ReaderContext {
  readonly database: Database;
  /** Receives changes, ordered by number except for late ones. It must not throw. */
  readonly publish: (changes: readonly PositionedChange[]) => void;
}

export class LogReader {
  readonly #context: ReaderContext;
  #last = 0;
  /** Missing numbers, each with an upper bound of the numbers of the transactions that may still write it. */
  readonly #missing = new Map<number, number>();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isCalled = false;
  #generation = Number.NaN;
  #removeBell: (() => void) | undefined;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  /** All changes up to this number have been published. */
  get position(): number {
    const [first] = this.#missing.keys();
    return first === undefined ? this.#last : first - 1;
  }

  /** The highest published number. */
  get last(): number {
    return this.#last;
  }

  /** Begins to follow the log at its current end. */
  async start(): Promise<void> {
    const { database } = this.#context;
    this.stop();
    await this.#running;
    this.#last = (await rangeOfLog(database))?.last ?? 0;
    this.#missing.clear();
    await this.#findOpenNumbers();
    this.#generation = Number.NaN;
    this.#removeBell = database.bell?.onRing(() => this.call());
    this.#timer = setInterval(() => this.#poll(), database.bell ? RARE_POLL : POLL).unref();
    this.call();
  }

  stop(): void {
    this.#removeBell?.();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Reads new changes at once. */
  call(): void {
    if (!this.#timer) return;
    this.#isCalled = true;
    // the time for this is not charged to the request that made the change
    this.#running ??= onAccountOf('events', () => this.#run());
  }

  /** Remembers the numbers before the end that open transactions may still write. */
  async #findOpenNumbers(): Promise<void> {
    const { database } = this.#context;
    const begun = await writersOf(database, 'begun');
    if (begun === undefined) return;
    const first = Math.max(1, this.#last - BEFORE);
    const seen = new Set((await changesAfter(database, first - 1, BEFORE + 1, this.#last)).map(({ id }) => id));
    for (let id = first; id < this.#last; id++) if (!seen.has(id)) this.#missing.set(id, begun);
  }

  /** Reads if another process may have added changes. */
  #poll(): void {
    try {
      const generation = this.#context.database.generation();
      const isSame = generation === this.#generation && this.#missing.size === 0;
      this.#generation = generation;
      if (!isSame || this.#context.database.bell) this.call();
    } catch {
      // the database is unavailable: the next poll tries again
    }
  }

  async #run(): Promise<void> {
    // changes committed in this turn of the event loop are read together
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#isCalled && this.#timer) {
      this.#isCalled = false;
      try {
        await this.#read();
      } catch {
        // the database is unavailable: the next poll continues from the same number
        this.#generation = Number.NaN;
      }
    }
    this.#running = undefined;
  }

  /**
   * Reads and publishes new changes. The state changes only after everything that can fail, and in the same synchronous
   * step as the publication, so that `position` is always right.
   */
  async #read(): Promise<void> {
    const { database } = this.#context;
    const isMissing = this.#missing.size > 0;
    // before the missing numbers are read: the read then sees what these transactions wrote
    const over = isMissing ? await writersOf(database, 'over') : undefined;
    const late = isMissing ? await changesNumbered(database, [...this.#missing.keys()]) : [];
    const next = await changesAfter(database, this.#last, PAGE);
    const gaps = gapsBetween(this.#last, next);
    const begun = gaps.size > 0 ? await writersOf(database, 'begun') : undefined;
    if (!this.#timer) return;
    if (next.length === PAGE) this.#isCalled = true;
    const lateIds = new Set(late.map(({ id }) => id));
    for (const [id, of] of this.#missing) if (!lateIds.has(id) && of <= (over ?? 0)) this.#missing.delete(id);
    const published: PositionedChange[] = [];
    for (const change of late) {
      this.#missing.delete(change.id);
      published.push({ ...change, position: this.position });
    }
    for (const change of next) {
      if (begun !== undefined) for (const id of gaps.get(change.id) ?? []) this.#missing.set(id, begun);
      this.#last = change.id;
      published.push({ ...change, position: this.position });
    }
    this.#dropOldest(published);
    if (published.length > 0) this.#context.publish(published);
  }

  /** Drops the oldest missing numbers beyond the limit, and publishes a pause for them. */
  #dropOldest(published: PositionedChange[]): void {
    if (this.#missing.size <= MOST_MISSING) return;
    const ids = [...this.#missing.keys()].slice(0, this.#missing.size - MOST_MISSING);
    for (const id of ids) this.#missing.delete(id);
    const nothing = { uid: '', documentId: '', locale: null, status: 'published', at: Date.now() } as const;
    published.push({ ...nothing, id: this.#last, kind: 'pause', position: this.position });
  }
}

/** Maps each change to the numbers that are missing just before it, at most `MOST_MISSING + 1`. */
function gapsBetween(last: number, changes: readonly LoggedChange[]): ReadonlyMap<number, readonly number[]> {
  const gaps = new Map<number, readonly number[]>();
  let before = last;
  for (const { id } of changes) {
    const first = Math.max(before + 1, id - MOST_MISSING - 1);
    if (first < id)
      gaps.set(
        id,
        Array.from({ length: id - first }, (_, n) => first + n),
      );
    before = id;
  }
  return gaps;
}
