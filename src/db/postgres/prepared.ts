/**
 * Decides which statements are prepared by name. A plan that the server keeps takes about ninety times the memory of
 * its text (measured with `pg_backend_memory_contexts`: 100 KB for a list, 670 KB for one with everything), on each
 * connection, so only frequent texts are prepared.
 *
 * There may be a pooler that gives each transaction another connection. Newer poolers keep the prepared statements of
 * their clients; with others the server may not know a prepared name, or know it of another client. A name is derived
 * from its text, so that it never means another one, and after such an error nothing is prepared for a while.
 */
import { hash } from 'node:crypto';
import { KEPT_TEXT, LruCache, textWeight } from '../../lru-cache.ts';
import { isOutdated, isTaken, isUnknown } from './failures.ts';

/** The number of uses that make a text worth preparing, within so many milliseconds. */
const USES = 5;
const WINDOW = 60_000;
/** Milliseconds without prepared statements after the server did not know one, or knew it of another client. */
const PAUSE = 10 * 60_000;
/** The most expected milliseconds of a brief statement, network included. */
const BRIEF = 2;
/**
 * The expected time of a text falls at once to a measurement, and grows by this factor with each slower one: a busy
 * server makes everything look slow.
 */
const GROWTH = 1.1;
/** Texts whose uses are counted. */
const TEXTS = 2000;

/** The most statements prepared on one connection, and the most characters of their texts. */
const STATEMENTS = 100;
const CHARACTERS = 128 * 1024;
/** The most characters of the texts prepared on all connections of a pool: about 95 MB of plans. */
const POOL_CHARACTERS = 1024 * 1024;

interface Uses {
  count: number;
  since: number;
  expected: number;
}

/** The state that the connections of one pool share: which texts are frequent. */
export class Preparation {
  /** The most characters of the texts prepared on one connection. */
  readonly characters: number;
  readonly #uses = new LruCache<string, Uses>(
    TEXTS,
    textWeight((text) => text.length),
  );
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** The number of times that tables have changed: statements prepared before may expect values of other types. */
  version = 0;

  /** @param connections the most connections of the pool. */
  constructor(connections: number) {
    this.characters = Math.min(CHARACTERS, Math.floor(POOL_CHARACTERS / connections));
  }

  /** Records that other clients share its connections. */
  pause(now = performance.now()): void {
    this.#pausedUntil = now + PAUSE;
  }

  /** Whether statements may be prepared at the moment. */
  isOn(now = performance.now()): boolean {
    return now >= this.#pausedUntil;
  }

  /** Counts a use of a text, and returns whether it is frequent. */
  isFrequent(text: string, now = performance.now()): boolean {
    const uses = this.#uses.get(text);
    if (!uses || now - uses.since > WINDOW) {
      this.#uses.set(text, { count: 1, since: now, expected: uses?.expected ?? Number.POSITIVE_INFINITY });
      return false;
    }
    uses.count += 1;
    return uses.count >= USES;
  }

  /** Records the milliseconds of a text, without the statements before it on its connection. */
  took(text: string, milliseconds: number): void {
    const uses = this.#uses.get(text);
    if (uses) uses.expected = Math.min(milliseconds, uses.expected * GROWTH);
  }

  /** Whether a text is expected to take hardly any time. */
  isBrief(text: string): boolean {
    return (this.#uses.get(text)?.expected ?? Number.POSITIVE_INFINITY) <= BRIEF;
  }

  /** Resets the count of a text: texts that evict one another are not worth preparing each time. */
  forget(text: string): void {
    const uses = this.#uses.get(text);
    if (uses) uses.count = 0;
  }
}

/** A statement that is prepared, or will be with its next use. */
export interface Named {
  readonly name: string;
  readonly text: string;
  /** Types of its columns, once the server has run it. */
  columns: readonly number[] | undefined;
  /** Whether it was sent to be prepared, and whether that may have failed. */
  state: 'new' | 'sent' | 'unsure';
}

/** The statements prepared on one connection. */
export class Prepared {
  readonly #shared: Preparation;
  readonly #names: LruCache<string, Named>;
  readonly #longest: number;
  #version: number;

  constructor(shared: Preparation) {
    this.#shared = shared;
    this.#version = shared.version;
    this.#longest = Math.min(KEPT_TEXT, shared.characters);
    const weight = { of: (text: string) => text.length, most: shared.characters, each: this.#longest };
    this.#names = new LruCache(STATEMENTS, weight);
  }

  /**
   * The prepared statement for a text; undefined: it is parsed this time.
   *
   * @param drop closes prepared statements beyond the limit.
   */
  of(text: string, drop: (name: string) => void): Named | undefined {
    if (this.#version !== this.#shared.version) {
      this.#version = this.#shared.version;
      for (const { name } of this.#names.values()) drop(name);
      this.#names.clear();
    }
    if (text.length > this.#longest || !this.#shared.isOn()) return undefined;
    const known = this.#names.get(text);
    if (known) return known;
    if (!this.#shared.isFrequent(text)) return undefined;
    const named: Named = { name: `galley_${hash('sha1', text, 'base64url')}`, text, columns: undefined, state: 'new' };
    for (const old of this.#names.set(text, named)) {
      this.#shared.forget(old.text);
      drop(old.name);
    }
    return named;
  }

  took(text: string, milliseconds: number): void {
    this.#shared.took(text, milliseconds);
  }

  /** Reacts to the error of a prepared statement. */
  failed(text: string, error: unknown, drop: (name: string) => void): void {
    if (!isOutdated(error)) return;
    const known = this.#names.get(text);
    // if preparing was refused, statements sent after it fail as unknown, which alone says nothing
    if (isTaken(error) || (isUnknown(error) && known?.columns)) this.#shared.pause();
    if (!known) return;
    this.#names.delete(text);
    drop(known.name);
  }
}
