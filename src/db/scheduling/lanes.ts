/**
 * Which reads are quick. A quick read runs where it is answered soonest; one that may be slow runs where it can be
 * ended, and where nobody waits for it. The choice follows what is known of a plan and what has been seen of it. That
 * a plan was quick with some values says little of others where it has no useful upper bound: a document that is not
 * there is found quickly, and the next one may have a thousand relations. Such a plan is quick with the very values
 * with which it was seen to be.
 */
import { hash } from 'node:crypto';
import { LruCache } from '../../lru-cache.ts';
import type { ReadCost } from '../../plan/cost.ts';
import type { Read } from '../interface/database.ts';

export type Lane = 'quick' | 'slow';

/** What counts as quick, in milliseconds. */
export interface LaneTimes {
  /** A read whose upper bound is below is quick, whatever has been seen of it. */
  readonly small: number;
  /** What was seen of a plan with some values counts for others where its upper bound is below. */
  readonly bounded: number;
  /** A plan is quick as long as its reads take less. */
  readonly quick: number;
  /** A read of a quick plan that takes longer was a surprise. */
  readonly surprise: number;
  /**
   * How many surprises make a caller suspect, those within a second being one: where the time of a read is not its own
   * alone, all reads of a moment take long when the machine, or the way to the server, is busy.
   */
  readonly surprises: number;
}

/** Milliseconds for which a caller whose reads took longer than expected gets no quick lane for what may be slow. */
const DISTRUST = 60_000;
/** Milliseconds in which surprises count as one. */
const MOMENT = 1000;
/** Such callers remembered. */
const SUSPECTS = 10_000;
/** Rows to pass over beyond which the first rows of a list say nothing of how long it takes. */
const DEEP = 1000;
/**
 * What a plan is expected to take falls at once to what was seen, and grows by so much with each read that took longer:
 * a busy machine makes single reads look slow.
 */
const GROWTH = 1.1;

/** Reads remembered with their values, of plans that may take long with others. */
const READS = 20_000;
/** Characters of longer keys are kept as a digest. */
const KEY_LENGTH = 200;

/** How many rows a table has, or an upper bound of it; undefined when that is not known. */
export type TableSizes = (table: string) => number | undefined;

/** What was seen of a read. */
export interface Sighting {
  readonly caller: string;
  readonly lane: Lane;
  /** How long it took, without waiting for its turn. */
  readonly milliseconds: number;
}

export class Lanes {
  readonly #sizes: TableSizes;
  readonly #times: LaneTimes;
  /** Expected milliseconds by plan and by the power of two of the rows that a page may have. */
  readonly #seen = new WeakMap<ReadCost, Map<number, number>>();
  /** The same by plan and values, for plans without a useful upper bound: another value may find far more. */
  readonly #seenWithValues = new LruCache<string, number>(READS);
  /** Numbers of plans, for keys. */
  readonly #numbers = new WeakMap<ReadCost, number>();
  #nextNumber = 0;
  /** Callers whose reads took longer than expected, those who had the last surprise at the end. */
  readonly #suspects = new Map<string, { readonly surprises: number; readonly last: number }>();

  constructor(sizes: TableSizes, times: LaneTimes) {
    this.#sizes = sizes;
    this.#times = times;
  }

  /** The lane of a caller's read. */
  choose(read: Read, caller: string, now = performance.now()): Lane {
    const { cost, page } = read;
    const bound = this.#boundOf(cost);
    if (bound <= this.#times.small) return 'quick';
    if (cost.dependsOnValues || (page && page.offset > DEEP) || this.#isSuspect(caller, now)) return 'slow';
    const expected = this.#isByPlan(cost, bound) ? this.#ofPlan(read) : this.#seenWithValues.get(this.#keyOf(read));
    return expected !== undefined && expected <= this.#times.quick ? 'quick' : 'slow';
  }

  /** Takes note of how long a read took. */
  note(read: Read, { caller, lane, milliseconds }: Sighting, now = performance.now()): void {
    const bound = this.#boundOf(read.cost);
    // no choice depends on what is seen of either
    if (bound > this.#times.small && !read.cost.dependsOnValues) {
      if (this.#isByPlan(read.cost, bound)) {
        let classes = this.#seen.get(read.cost);
        if (!classes) {
          classes = new Map();
          this.#seen.set(read.cost, classes);
        }
        classes.set(pageClass(read.page), this.#expected(this.#ofPlan(read), milliseconds));
      } else {
        const key = this.#keyOf(read);
        this.#seenWithValues.set(key, this.#expected(this.#seenWithValues.get(key), milliseconds));
      }
    }
    if (lane === 'quick' && milliseconds > this.#times.surprise) this.#suspect(caller, now);
  }

  /** Whether what was seen of a plan with some values counts for others. */
  #isByPlan(cost: ReadCost, bound: number): boolean {
    return bound <= this.#times.bounded && !cost.byValues;
  }

  #ofPlan({ cost, page }: Read): number | undefined {
    return this.#seen.get(cost)?.get(pageClass(page));
  }

  #expected(before = Number.POSITIVE_INFINITY, milliseconds: number): number {
    return milliseconds > this.#times.surprise ? milliseconds : Math.min(milliseconds, before * GROWTH);
  }

  /** The plan and the values of a read, those of its page included. */
  #keyOf({ cost, values }: Read): string {
    let number = this.#numbers.get(cost);
    if (number === undefined) {
      number = this.#nextNumber++;
      this.#numbers.set(cost, number);
    }
    const key = `${number} ${JSON.stringify(values, plain)}`;
    return key.length <= KEY_LENGTH ? key : hash('sha1', key, 'base64');
  }

  /** Milliseconds that a read takes if every row has to be examined; infinite where nothing is known. */
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

/** Reads of pages of similar size take similar time. */
function pageClass(page: Read['page']): number {
  return page === undefined ? 0 : Math.ceil(Math.log2(page.limit + 1));
}
