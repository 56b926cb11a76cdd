/** A lock for each key, within this process. With p-limit there would be a limiter for each key, never removed. */
export class Turns<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Runs `work` when everything that was asked before for the same key has ended. */
  async take<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const own = before.then(work);
    const ended = own.catch(() => undefined);
    this.#last.set(key, ended);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}
