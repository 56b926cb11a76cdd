/** A map that keeps the entries used most recently: every cache of the server has a cap. */
export class Recent<K, V> {
  readonly #cap: number;
  readonly #entries = new Map<K, V>();

  constructor(cap: number) {
    this.#cap = cap;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // re-insertion on every hit would cost more than it gains while the map is far from full
    if (this.#entries.size > this.#cap / 2) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#cap) {
      const oldest = this.#entries.keys().next().value as K;
      this.#entries.delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}
