/** Sets of row ids and of keys, in memory that hardly grows with the number of rows. */
import { UsageError } from '../errors.ts';

/** Ids of a page are consecutive: one bit each. */
const PAGE_BITS = 12;
const PAGE = 2 ** PAGE_BITS;
/** The most pages of all sets together: 64 MB. A table without large gaps needs one for 4096 rows. */
const MOST_PAGES = (64 * 1024 * 1024 * 8) / PAGE;

/** Counts the pages of several sets. */
export class IdMemory {
  #pages = 0;

  /** @throws UsageError if the ids are scattered so widely that the sets need too much memory. */
  newPage(): Uint32Array {
    this.#pages += 1;
    if (this.#pages > MOST_PAGES) throw new UsageError('the row ids of the source are scattered too widely', 1);
    return new Uint32Array(PAGE / 32);
  }
}

/** A set of row ids. */
export class RowIds {
  readonly #memory: IdMemory;
  readonly #pages = new Map<number, Uint32Array>();

  constructor(memory: IdMemory) {
    this.#memory = memory;
  }

  has(id: number): boolean {
    const word = this.#pages.get(Math.floor(id / PAGE))?.[(id % PAGE) >> 5] ?? 0;
    return (word & (1 << (id & 31))) !== 0;
  }

  /** Adds an id. Returns whether it is new. */
  add(id: number): boolean {
    const number = Math.floor(id / PAGE);
    let page = this.#pages.get(number);
    if (!page) {
      page = this.#memory.newPage();
      this.#pages.set(number, page);
    }
    const [word, bit] = [(id % PAGE) >> 5, 1 << (id & 31)];
    const isNew = (page[word]! & bit) === 0;
    page[word]! |= bit;
    return isNew;
  }
}

/** Bits of the filter: 32 MB, which the system provides as they are used. */
const FILTER_BITS = 2 ** 28;
/** Bits that each key sets. */
const HASHES = 4;
/** The most keys that may occur more than once. */
const MOST_CANDIDATES = 200_000;

/**
 * Finds keys that occur more than once among any number of keys, without a list of them. The first reading collects
 * candidates with a Bloom filter (https://en.wikipedia.org/wiki/Bloom_filter): all repeated keys and a few others. A
 * second reading tells which candidates are repeated.
 */
export class RepeatedKeys {
  readonly #filter = new Uint32Array(FILTER_BITS / 32);
  readonly #candidates = new Set<string>();

  /** Whether a second reading is needed. */
  get areSuspected(): boolean {
    return this.#candidates.size > 0;
  }

  /** Adds a key in the first reading. @throws UsageError if too many keys are repeated. */
  add(key: string): void {
    let [one, other] = hashesOf(key);
    let isNew = false;
    for (let n = 0; n < HASHES; n++) {
      const bit = one % FILTER_BITS;
      const mask = 1 << (bit & 31);
      if ((this.#filter[bit >>> 5]! & mask) === 0) isNew = true;
      this.#filter[bit >>> 5]! |= mask;
      one = (one + other) >>> 0;
      other = (other + n) >>> 0;
    }
    if (isNew) return;
    this.#candidates.add(key);
    if (this.#candidates.size > MOST_CANDIDATES) throw new UsageError('too many links of the source are repeated', 1);
  }

  /** Begins a later reading. The returned function returns whether a key has occurred before in that reading. */
  reading(): (key: string) => boolean {
    const seen = new Set<string>();
    return (key) => {
      if (!this.#candidates.has(key)) return false;
      if (seen.has(key)) return true;
      seen.add(key);
      return false;
    };
  }
}

/** Two hashes of a text (https://en.wikipedia.org/wiki/Fowler–Noll–Vo_hash_function), the second one odd. */
function hashesOf(text: string): [number, number] {
  let one = 0x811c9dc5;
  let other = 0x1b873593;
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  one ^= one >>> 16;
  return [Math.imul(one, 0x7feb352d) >>> 0, ((other ^ (other >>> 13)) | 1) >>> 0];
}
