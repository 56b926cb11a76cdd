/**
 * Which statements are prepared by name. A plan that the server keeps weighs about ninety times its text (measured with
 * `pg_backend_memory_contexts`: 100 KB for a list, 670 KB for one with everything), on each connection: only texts
 * that are used again and again are worth it.
 *
 * Between this process and the server may be a pooler that gives each transaction another connection. Newer ones keep
 * prepared statements of their clients by themselves; with others a name that was prepared is unknown to the server, or
 * is known of another client. A name is made from its text, so that it never means another one, and after such an
 * answer nothing is prepared for a while.
 */
import { hash } from 'node:crypto';
import { KEPT_TEXT, LruCache, textWeight } from '../../lru-cache.ts';
import { isOutdated, isTaken, isUnknown } from './failures.ts';

/** Uses that make a text worth preparing, within this many milliseconds. */
const USES = 5;
const WINDOW = 60_000;
/** Milliseconds without prepared statements after the server did not have one, or had it of somebody else. */
const PAUSE = 10 * 60_000;
/** Milliseconds that a brief statement is expected to take at most, the way to the server included. */
const BRIEF = 2;
/**
 * What a text is expected to take falls at once to what was seen, and grows by so much with each time that it took
 * longer: a busy server makes everything look slow.
 */
const GROWTH = 1.1;
/** Texts whose uses are counted. */
const TEXTS = 2000;

/** Statements prepared on one connection, and the characters of their texts. */
const STATEMENTS = 100;
const CHARACTERS = 128 * 1024;
/** Characters of the texts prepared on all connections of a pool: about 95 MB of plans. */
const POOL_CHARACTERS = 1024 * 1024;

interface Uses {
  count: number;
  since: number;
  /** Milliseconds that it is expected to take. */
  expected: number;
}

/** What the connections of one pool share: which texts are used often. */
export class Preparation {
  /** Characters of the texts that one connection may have prepared. */
  readonly characters: number;
  readonly #uses = new LruCache<string, Uses>(
    TEXTS,
    textWeight((text) => text.length),
  );
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** @param connections the most that the pool has. */
  constructor(connections: number) {
    this.characters = Math.min(CHARACTERS, Math.floor(POOL_CHARACTERS / connections));
  }

  /** Takes note that this process is not alone on its connections. */
  pause(now = performance.now()): void {
    this.#pausedUntil = now + PAUSE;
  }

  /** Whether statements may be prepared at the moment. */
  isOn(now = performance.now()): boolean {
    return now >= this.#pausedUntil;
  }

  /** Counts a use of a text and gives whether it has been used often. */
  isFrequent(text: string, now = performance.now()): boolean {
    const uses = this.#uses.get(text);
    if (!uses || now - uses.since > WINDOW) {
      this.#uses.set(text, { count: 1, since: now, expected: uses?.expected ?? Number.POSITIVE_INFINITY });
      return false;
    }
    uses.count += 1;
    return uses.count >= USES;
  }

  /** Takes note of how many milliseconds a text has taken, once its turn had come on its connection. */
  took(text: string, milliseconds: number): void {
    const uses = this.#uses.get(text);
    if (uses) uses.expected = Math.min(milliseconds, uses.expected * GROWTH);
  }

  /** Whether a text is expected to take next to no time. */
  isBrief(text: string): boolean {
    return (this.#uses.get(text)?.expected ?? Number.POSITIVE_INFINITY) <= BRIEF;
  }

  /** Resets the count of a text: texts that evict one another are not worth preparing each time. */
  forget(text: string): void {
    const uses = this.#uses.get(text);
    if (uses) uses.count = 0;
  }
}

/** A statement that is prepared, or is to be with its next use. */
export interface Named {
  readonly name: string;
  readonly text: string;
  /** Types of its columns, once the server has run it. */
  columns: readonly number[] | undefined;
  /** Whether the server has been told to prepare it, or may have refused to. */
  state: 'new' | 'sent' | 'unsure';
}

/** The statements prepared on one connection. */
export class Prepared {
  readonly #shared: Preparation;
  readonly #names: LruCache<string, Named>;
  readonly #longest: number;

  constructor(shared: Preparation) {
    this.#shared = shared;
    this.#longest = Math.min(KEPT_TEXT, shared.characters);
    const weight = { of: (text: string) => text.length, most: shared.characters, each: this.#longest };
    this.#names = new LruCache(STATEMENTS, weight);
  }

  /**
   * The statement to run a text by; undefined: it is parsed for this one time.
   *
   * @param drop ends prepared statements that had to make room.
   */
  of(text: string, drop: (name: string) => void): Named | undefined {
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

  /** Takes note of how many milliseconds a text has taken. */
  took(text: string, milliseconds: number): void {
    this.#shared.took(text, milliseconds);
  }

  /** Draws the conclusions from what the server says of a statement that was asked by its name. */
  failed(text: string, error: unknown, drop: (name: string) => void): void {
    if (!isOutdated(error)) return;
    const known = this.#names.get(text);
    // a statement that was refused is not there for those that were sent behind it: that alone says nothing
    if (isTaken(error) || (isUnknown(error) && known?.columns)) this.#shared.pause();
    if (!known) return;
    this.#names.delete(text);
    drop(known.name);
  }
}
