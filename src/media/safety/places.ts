/**
 * A few places for what many want to do, each in a time of its own that runs while it waits as well. With p-limit,
 * whoever waits has no time, and what is going on cannot be left.
 */
export class Places {
  #free: number;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();

  /** @param count how many there are. */
  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Does `work` in a place, which is taken until that has ended.
   *
   * @param until as `performance.now()` tells the time.
   * @returns undefined where it has not ended by then, or not even begun.
   */
  run<T>(until: number, work: () => Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        void work()
          .finally(() => {
            clearTimeout(timer);
            this.#leave();
          })
          .then(resolve, reject);
      };
      const giveUp = (): void => {
        this.#waiting.delete(begin);
        resolve(undefined);
      };
      const timer = setTimeout(giveUp, Math.max(0, until - performance.now()));
      if (this.#free === 0) this.#waiting.add(begin);
      else {
        this.#free--;
        begin();
      }
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (!next) this.#free++;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
