/** What versions looked like when they were written, kept until listeners are told of it: so much, and no more. */
import type { Transaction } from '../../../../db/interface/transaction.ts';

/** Characters that are kept at a time. What goes beyond is told as it is when listeners are told. */
const MOST = 32 * 1024 ** 2;

/** What one transaction keeps. */
interface Kept {
  /** Of versions that it removes, by their keys. */
  readonly removed: Map<string, string>;
  /** What it keeps for itself, as long as it goes on. */
  characters: number;
}

export class KeptEntries {
  readonly #most: number;
  readonly #kept = new WeakMap<Transaction, Kept>();
  #characters = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** How many characters are kept at present. */
  get characters(): number {
    return this.#characters;
  }

  /** Keeps a version that a transaction removes, unless there is too much. */
  keepRemoved(tx: Transaction, key: string, json: string): void {
    if (this.keep(tx, json) !== undefined) this.#of(tx).removed.set(key, json);
  }

  /** A version that a transaction has removed; undefined where it was not kept. */
  removed(tx: Transaction, key: string): string | undefined {
    return this.#kept.get(tx)?.removed.get(key);
  }

  /** Keeps a version for a transaction, and gives it; undefined where there is too much. One that is alone is kept however long. */
  keep(tx: Transaction, json: string): string | undefined {
    if (this.#characters > 0 && this.#characters + json.length > this.#most) return undefined;
    this.#characters += json.length;
    this.#of(tx).characters += json.length;
    return json;
  }

  /** Forgets what a transaction keeps that has been committed, but for what is to be told. Each of that is to be forgotten by itself. */
  committed(tx: Transaction, told: readonly (string | undefined)[]): void {
    const kept = this.#of(tx);
    for (const json of told) kept.characters -= json?.length ?? 0;
    this.#release(kept);
  }

  forget(json: string | undefined): void {
    this.#characters -= json?.length ?? 0;
  }

  #of(tx: Transaction): Kept {
    const known = this.#kept.get(tx);
    if (known) return known;
    const kept = { removed: new Map<string, string>(), characters: 0 };
    this.#kept.set(tx, kept);
    tx.afterRollback(() => this.#release(kept));
    return kept;
  }

  #release(kept: Kept): void {
    this.#characters -= kept.characters;
    kept.characters = 0;
  }
}
