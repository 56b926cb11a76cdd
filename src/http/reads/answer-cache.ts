/**
 * The cache of answers. An answer belongs to a moment of the database, and is used as long as no commit has changed the
 * tables that it was read from (db/interface/change-clock.ts).
 */
import type { RestConfig } from '../../config/config.ts';
import type { Origin } from '../../content/reading/answers.ts';
import type { ChangeClock, Sources } from '../../db/interface/change-clock.ts';
import { LruCache } from '../../lru-cache.ts';
import type { TaggedAnswer } from '../protocol/entity-tag.ts';

/** Bytes that an answer takes besides its text and its key. */
const OVERHEAD = 2000;
/** Characters of the longest key: a target may be as long as all headers. */
const KEY_LENGTH = 2048;
/** Keys that were requested once, and their characters: an answer is cached at its second request. */
const REQUESTED = 5000;
const REQUESTED_LENGTH = 512 * 1024;

/** A cached answer. */
export interface CachedAnswer extends TaggedAnswer {
  readonly body: Buffer;
}

interface Entry {
  readonly answer: CachedAnswer;
  readonly sources: Sources;
  /** The last moment at which the answer was current. */
  moment: number;
}

/** Counters of all caches of a process, across projects. */
export class AnswerCounts {
  hits = 0;
  misses = 0;
  readonly #caches = new Set<AnswerCache>();

  /** Bytes of cached answers. */
  get bytes(): number {
    let bytes = 0;
    for (const cache of this.#caches) bytes += cache.bytes;
    return bytes;
  }

  add(cache: AnswerCache): void {
    this.#caches.add(cache);
  }

  remove(cache: AnswerCache): void {
    this.#caches.delete(cache);
  }
}

export class AnswerCache {
  readonly #clock: ChangeClock;
  readonly #counts: AnswerCounts;
  readonly #entries: LruCache<string, Entry>;
  readonly #requested = new LruCache<string, true>(REQUESTED, {
    of: (key) => key.length,
    most: REQUESTED_LENGTH,
    each: KEY_LENGTH,
  });

  constructor(clock: ChangeClock, { size, largest }: RestConfig['answerCache'], counts: AnswerCounts) {
    this.#clock = clock;
    this.#counts = counts;
    this.#entries = new LruCache(Math.ceil(size / OVERHEAD), { of: weightOf, most: size, each: largest + OVERHEAD });
    counts.add(this);
  }

  /** Bytes of cached answers. */
  get bytes(): number {
    return this.#entries.weight;
  }

  /** The current moment, for `find` and `keep`. */
  now(): number {
    return this.#clock.now();
  }

  /** The cached answer, if it is current. @param now the last result of `now`. */
  find(key: string, now: number): CachedAnswer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (!this.#clock.unchangedSince(entry.moment, entry.sources)) {
      this.#entries.delete(key);
      return undefined;
    }
    entry.moment = now;
    return entry.answer;
  }

  /** Counts a hit or a miss. */
  count(isHit: boolean): void {
    if (isHit) this.#counts.hits++;
    else this.#counts.misses++;
  }

  /**
   * Caches an answer that was read after a moment. The first request only stores the key: answers that are requested
   * once must not displace those that are requested often.
   */
  keep(key: string, answer: TaggedAnswer, origin: Origin, moment: number): void {
    if (answer.ends || key.length > KEY_LENGTH) return;
    if (this.#requested.get(key) === undefined) {
      this.#requested.set(key, true);
      return;
    }
    const sources = this.#clock.sourcesOf(origin.text, origin.values);
    this.#entries.set(key, { answer: { ...answer, body: ownBytes(answer.body) }, sources, moment });
  }

  /** Drops all answers, when the project is replaced. */
  close(): void {
    this.#entries.clear();
    this.#counts.remove(this);
  }
}

/** A copy with memory of its own: short buffers are parts of larger blocks. */
function ownBytes(body: TaggedAnswer['body']): Buffer {
  const own = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  if (typeof body === 'string') own.write(body);
  else body.copy(own);
  return own;
}

function weightOf(key: string, { answer }: Entry): number {
  return answer.body.length + 2 * key.length + OVERHEAD;
}
