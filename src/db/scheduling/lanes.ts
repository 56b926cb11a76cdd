/**
 * Chooses the lane of each read. A quick read runs where it is answered soonest; a read that may be slow runs where it
 * can be stopped and delays no other read. The choice follows from the plan and from earlier measurements. If a plan
 * has no useful upper bound, a quick read with some values says little about others: a missing document is found
 * quickly, and the next one may have a thousand relations. Such a plan is quick only with the exact values for which it
 * was measured to be quick.
 */
import { hash } from 'node:crypto';
import { LruCache } from '../../lru-cache.ts';
import type { ReadCost } from '../../plan/cost.ts';
import type { Read } from '../interface/database.ts';

export type Lane = 'quick' | 'slow';

/** The thresholds of lanes, in milliseconds. */
export interface LaneTimes {
  /** A read with a smaller upper bound is quick, whatever was measured. */
  readonly small: number;
  /** If the upper bound of a plan is smaller, measurements with some values apply to all values. */
  readonly bounded: number;
  /** A plan is quick as long as its reads take at most this long. */
  readonly quick: number;
  /** A read of a quick plan that takes longer is a surprise. */
  readonly surprise: number;
  /**
   * The number of surprises that make a caller suspect; several within a second count as one. If the time of a read
   * depends on other work as well, all reads of a moment take long while the machine or the network is busy.
   */
  readonly surprises: number;
}

/** Milliseconds for which the plans of a suspect caller are not quick unless their upper bound is small. */
const DISTRUST = 60_000;
/** Milliseconds within which surprises count as one. */
const MOMENT = 1000;
/** The most suspect callers that are remembered. */
const SUSPECTS = 10_000;
/** An offset beyond which earlier measurements of a list say nothing about its time. */
const DEEP = 1000;
/**
 * The expected time of a plan falls at once to a measurement, and grows by this factor with each slower one: a busy
 * machine makes single reads look slow.
 */
const GROWTH = 1.1;

/** The most reads that are remembered with their values. */
const READS = 20_000;
/** Longer keys are stored as a digest. */
const KEY_LENGTH = 200;

/** The number of rows of a table or an upper bound of it; undefined if it is not known. */
export type TableSizes = (table: string) => number | undefined;

export interface Measurement {
  readonly caller: string;
  readonly lane: Lane;
  /** The time of the read, without waiting for its turn. */
  readonly milliseconds: number;
}

export class Lanes {
  readonly #sizes: TableSizes;
  readonly #times: LaneTimes;
  /** Expected milliseconds by plan and by the size class of the page. */
  readonly #expectedByPlan = new WeakMap<ReadCost, Map<number, number>>();
  /** Expected milliseconds by plan and values, for plans without a useful upper bound. */
  readonly #expectedByValues = new LruCache<string, number>(READS);
  /** Numbers of plans, for keys. */
  readonly #numbers = new WeakMap<ReadCost, number>();
  #nextNumber = 0;
  /** Callers whose reads took longer than expected, the latest surprise last. */
  readonly #suspects = new Map<string, { readonly surprises: number; readonly last: number }>();

  constructor(sizes: TableSizes, times: LaneTimes) {
    this.#sizes = sizes;
    this.#times = times;
  }

  /** Chooses the lane of a caller's read. */
  choose(read: Read, caller: string, now = performance.now()): Lane {
    const { cost, page } = read;
    const bound = this.#boundOf(cost);
    if (bound <= this.#times.small) return 'quick';
    if (cost.dependsOnValues || (page && page.offset > DEEP) || this.#isSuspect(caller, now)) return 'slow';
    const expected = this.#isByPlan(cost, bound)
      ? this.#planExpectation(read)
      : this.#expectedByValues.get(this.#keyOf(read));
    return expected !== undefined && expected <= this.#times.quick ? 'quick' : 'slow';
  }

  note(read: Read, { caller, lane, milliseconds }: Measurement, now = performance.now()): void {
    const bound = this.#boundOf(read.cost);
    // measurements of other reads influence no choice
    if (bound > this.#times.small && !read.cost.dependsOnValues) {
      if (this.#isByPlan(read.cost, bound)) {
        let classes = this.#expectedByPlan.get(read.cost);
        if (!classes) {
          classes = new Map();
          this.#expectedByPlan.set(read.cost, classes);
        }
        classes.set(pageClass(read.page), this.#updated(this.#planExpectation(read), milliseconds));
      } else {
        const key = this.#keyOf(read);
        this.#expectedByValues.set(key, this.#updated(this.#expectedByValues.get(key), milliseconds));
      }
    }
    if (lane === 'quick' && milliseconds > this.#times.surprise) this.#suspect(caller, now);
  }

  /** Whether measurements with some values apply to others. */
  #isByPlan(cost: ReadCost, bound: number): boolean {
    return bound <= this.#times.bounded && !cost.byValues;
  }

  #planExpectation({ cost, page }: Read): number | undefined {
    return this.#expectedByPlan.get(cost)?.get(pageClass(page));
  }

  #updated(before = Number.POSITIVE_INFINITY, milliseconds: number): number {
    return milliseconds > this.#times.surprise ? milliseconds : Math.min(milliseconds, before * GROWTH);
  }

  /** The plan and the values of a read, including those of its page. */
  #keyOf({ cost, values }: Read): string {
    let number = this.#numbers.get(cost);
    if (number === undefined) {
      number = this.#nextNumber++;
      this.#numbers.set(cost, number);
    }
    const key = `${number} ${JSON.stringify(values, plain)}`;
    return key.length <= KEY_LENGTH ? key : hash('sha1', key, 'base64');
  }

  /** Milliseconds that a read takes if it examines every row; infinite if a table's size is not known. */
  #boundOf({ terms }: ReadCost): number {
    const most = this.#times.bounded * 1000;
    let microseconds = 0;
    for (const { tables, weight } of terms) {
      let rows = 1;
      for (const table of tables) rows *= this.#sizes(table) ?? Number.POSITIVE_INFINITY;
      microseconds += rows * weight;
      if (microseconds > most) return Number.POSITIVE_INFINITY;
    }
    return microseconds / 1000;
  }

  #isSuspect(caller: string, now: number): boolean {
    const suspect = this.#suspects.get(caller);
    return suspect !== undefined && suspect.surprises >= this.#times.surprises && now - suspect.last < DISTRUST;
  }

  #suspect(caller: string, now: number): void {
    const before = this.#suspects.get(caller);
    const counts = before !== undefined && now - before.last < DISTRUST;
    if (counts && before.surprises < this.#times.surprises && now - before.last < MOMENT) return;
    this.#suspects.delete(caller);
    this.#suspects.set(caller, { surprises: counts ? before.surprises + 1 : 1, last: now });
    if (this.#suspects.size > SUSPECTS) this.#suspects.delete(this.#suspects.keys().next().value!);
  }
}

/** JSON has no large integers. */
const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

/** The size class of a page: reads of pages of similar size take similar time. */
function pageClass(page: Read['page']): number {
  return page === undefined ? 0 : Math.ceil(Math.log2(page.limit + 1));
}
