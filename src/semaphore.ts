/** Limits of concurrency within this process: a semaphore, a lock for each key, and a list processed in parallel. */

/** A first-in, first-out semaphore. */
export class Semaphore {
  #free: number;
  /** Callbacks of the waiting callers, the oldest first. */
  readonly #waiting = new Set<() => void>();

  /** @param permits how many works may run at the same time. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Runs `work` as soon as a permit is free, and returns its result. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.add(resolve));
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /**
   * Runs `work` as soon as a permit is free, and stops waiting at a deadline. Work that has started keeps its permit
   * until it ends.
   *
   * @param deadline a value of `performance.now()`.
   * @returns undefined if the work has not ended by the deadline; work that has not started by then never runs.
   */
  runUntil<T>(deadline: number, work: () => Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        void work()
          .finally(() => {
            clearTimeout(timer);
            this.#release();
          })
          .then(resolve, reject);
      };
      const giveUp = (): void => {
        this.#waiting.delete(begin);
        resolve(undefined);
      };
      const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()));
      if (this.#free === 0) this.#waiting.add(begin);
      else {
        this.#free--;
        begin();
      }
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) this.#free++;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

/** A first-in, first-out lock for each key. Keys without work take no memory. */
export class KeyedLock<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Runs `work` after all earlier work for the same key has ended, and returns its result. */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
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

/**
 * Processes a list, several items at once. Returns the results in order. After the first failure no more items start,
 * and it rejects when the started ones have ended; p-map would reject before, so that a part could arrive after its
 * upload was aborted, and p-limit would create a promise for every file of a library.
 */
export async function inParallel<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index]!, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}
