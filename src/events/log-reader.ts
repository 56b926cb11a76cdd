/**
 * The end of the log of changes, as one process follows it. Where transactions may commit in another order than they
 * drew numbers, a number may be there before a smaller one: what is missing is looked for again until every transaction
 * is over that may still bring it.
 */

import type { Database } from '../db/interface/database.ts';
import { onAccountOf } from '../db/scheduling/account.ts';
import { changesAfter, changesNumbered, type LoggedChange, rangeOfLog, writersOf } from './change-log.ts';

/** A change with the number from which on a listener that has heard of it may have missed others. */
export interface PositionedChange extends LoggedChange {
  /** All changes up to it have been told. */
  readonly position: number;
}

/** Changes that are read at once. */
const PAGE = 500;
/** Missing numbers that are looked for. Beyond them the oldest are given up, which is told as a pause. */
const MOST_MISSING = 2000;
/** Numbers before the end of the log that are looked at when it is begun. */
const BEFORE = 2000;
/** Milliseconds between two looks, where nothing tells that there is something new; and where something does. */
const LOOK = 25;
const RARE_LOOK = 500;

interface Parts {
  readonly database: Database;
  /** Told of changes, in the order of their numbers as far as they come in it. It takes them over, and does not throw. */
  readonly tell: (changes: readonly PositionedChange[]) => void;
}

export class LogReader {
  readonly #parts: Parts;
  #last = 0;
  /** Numbers below the last that have not been seen, and a number above those of the transactions that may bring them. */
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
    this.stop();
    await this.#running;
    this.#last = (await rangeOfLog(database))?.last ?? 0;
    this.#missing.clear();
    await this.#lookBack();
    this.#generation = Number.NaN;
    this.#stopHearing = database.bell?.heard(() => this.call());
    this.#timer = setInterval(() => this.#look(), database.bell ? RARE_LOOK : LOOK).unref();
    this.call();
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

  /** Takes down the numbers before the end that transactions which have begun may still fill. */
  async #lookBack(): Promise<void> {
    const { database } = this.#parts;
    const begun = await writersOf(database, 'begun');
    if (begun === undefined) return;
    const first = Math.max(1, this.#last - BEFORE);
    const seen = new Set((await changesAfter(database, first - 1, BEFORE + 1, this.#last)).map(({ id }) => id));
    for (let id = first; id < this.#last; id++) if (!seen.has(id)) this.#missing.set(id, begun);
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
        await this.#read();
      } catch {
        // the database is away: the next look reads on from the same place
        this.#generation = Number.NaN;
      }
    }
    this.#running = undefined;
  }

  /**
   * Reads on and tells what is new. Nothing is taken down before all that can fail is over, and nothing of it without
   * being told in the same moment: whoever looks at `position` finds told what is before it.
   */
  async #read(): Promise<void> {
    const { database } = this.#parts;
    const isMissing = this.#missing.size > 0;
    // asked before they are looked for: what those have brought is seen then
    const over = isMissing ? await writersOf(database, 'over') : undefined;
    const late = isMissing ? await changesNumbered(database, [...this.#missing.keys()]) : [];
    const next = await changesAfter(database, this.#last, PAGE);
    const gaps = gapsBetween(this.#last, next);
    const begun = gaps.size > 0 ? await writersOf(database, 'begun') : undefined;
    if (!this.#timer) return;
    if (next.length === PAGE) this.#isCalled = true;
    const found = new Set(late.map(({ id }) => id));
    for (const [id, of] of this.#missing) if (!found.has(id) && of <= (over ?? 0)) this.#missing.delete(id);
    const told: PositionedChange[] = [];
    for (const change of late) {
      this.#missing.delete(change.id);
      told.push({ ...change, position: this.position });
    }
    for (const change of next) {
      if (begun !== undefined) for (const id of gaps.get(change.id) ?? []) this.#missing.set(id, begun);
      this.#last = change.id;
      told.push({ ...change, position: this.position });
    }
    this.#giveUp(told);
    if (told.length > 0) this.#parts.tell(told);
  }

  /** Keeps what is looked for within its bounds. What is given up is told as a pause. */
  #giveUp(told: PositionedChange[]): void {
    if (this.#missing.size <= MOST_MISSING) return;
    const ids = [...this.#missing.keys()].slice(0, this.#missing.size - MOST_MISSING);
    for (const id of ids) this.#missing.delete(id);
    const nothing = { uid: '', documentId: '', locale: null, status: 'published', at: Date.now() } as const;
    told.push({ ...nothing, id: this.#last, kind: 'pause', position: this.position });
  }
}

/** The numbers that are missing before each change, behind a number: as many as are looked for, and one more. */
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
