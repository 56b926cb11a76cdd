/**
 * Which reads are quick. A quick read runs where it is answered soonest; one that may be slow runs where it can be
 * ended, and where nobody waits for it. The choice follows what is known of a plan and what has been seen of it.
 */
import type { ReadCost } from '../plan/cost.ts';
import type { Read } from './database.ts';

export type Lane = 'quick' | 'slow';

/** What counts as quick, in milliseconds. */
export interface LaneTimes {
  /** A read whose upper bound is below is quick, whatever has been seen of it. */
  readonly small: number;
  /** A plan is quick as long as its reads take less. */
  readonly quick: number;
  /** A read of a quick plan that takes longer was a surprise. */
  readonly surprise: number;
}

/** Milliseconds for which a caller who surprised gets no quick lane for what may be slow. */
const DISTRUST = 60_000;
/** Callers remembered as surprising. */
const SUSPECTS = 10_000;
/** Rows to pass over beyond which the first rows of a list say nothing of how long it takes. */
const DEEP = 1000;
/**
 * What a plan is expected to take falls at once to what was seen, and grows by so much with each read that took longer:
 * a busy machine makes single reads look slow.
 */
const GROWTH = 1.1;

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
  /** Callers who surprised, and until when they are not trusted. */
  readonly #suspects = new Map<string, number>();

  constructor(sizes: TableSizes, times: LaneTimes) {
    this.#sizes = sizes;
    this.#times = times;
  }

  /** The lane of a caller's read. */
  choose({ cost, page }: Read, caller: string, now = performance.now()): Lane {
    if (this.#isSmall(cost)) return 'quick';
    if (cost.dependsOnValues || (page && page.offset > DEEP) || this.#isSuspect(caller, now)) return 'slow';
    const expected = this.#seen.get(cost)?.get(pageClass(page));
    return expected !== undefined && expected <= this.#times.quick ? 'quick' : 'slow';
  }

  /** Takes note of how long a read took. */
  note({ cost, page }: Read, { caller, lane, milliseconds }: Sighting, now = performance.now()): void {
    let classes = this.#seen.get(cost);
    if (!classes) {
      classes = new Map();
      this.#seen.set(cost, classes);
    }
    const key = pageClass(page);
    const before = classes.get(key) ?? Number.POSITIVE_INFINITY;
    classes.set(key, milliseconds > this.#times.surprise ? milliseconds : Math.min(milliseconds, before * GROWTH));
    if (lane === 'quick' && milliseconds > this.#times.surprise) this.#suspect(caller, now);
  }

  /** Whether a read takes little even where every row has to be looked at. */
  #isSmall({ terms }: ReadCost): boolean {
    let microseconds = 0;
    for (const { tables, weight } of terms) {
      let rows = 1;
      for (const table of tables) rows *= this.#sizes(table) ?? Number.POSITIVE_INFINITY;
      microseconds += rows * weight;
      if (microseconds > this.#times.small * 1000) return false;
    }
    return true;
  }

  #isSuspect(caller: string, now: number): boolean {
    return (this.#suspects.get(caller) ?? 0) > now;
  }

  #suspect(caller: string, now: number): void {
    this.#suspects.delete(caller);
    this.#suspects.set(caller, now + DISTRUST);
    if (this.#suspects.size > SUSPECTS) this.#suspects.delete(this.#suspects.keys().next().value!);
  }
}

/** Reads of pages of similar size take similar time. */
function pageClass(page: Read['page']): number {
  return page === undefined ? 0 : Math.ceil(Math.log2(page.limit + 1));
}
