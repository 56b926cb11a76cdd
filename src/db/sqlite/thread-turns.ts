/**
 * Turns at the thread that serves. Quick reads run on it at once, until together they have taken their share of a turn
 * of the event loop; the rest wait for the next turn, by caller in rotation, so that what else arrives is seen to and
 * nobody waits behind all the reads of another.
 */
import { currentAccount } from '../account.ts';

/** Milliseconds of reads in one turn of the event loop. */
const SHARE = 8;

export class ThreadTurns {
  /** By caller, in rotation. */
  readonly #queues = new Map<string, (() => void)[]>();
  #spent = 0;
  #isScheduled = false;

  /** Runs `work` now or in a later turn of the event loop. */
  run<T>(work: () => T): T | Promise<T> {
    if (this.#queues.size === 0 && this.#spent < SHARE) return this.#timed(work);
    return new Promise<T>((resolve, reject) => {
      const begin = () => {
        try {
          resolve(this.#timed(work));
        } catch (error) {
          reject(error as Error);
        }
      };
      const caller = currentAccount();
      const queue = this.#queues.get(caller);
      if (queue) queue.push(begin);
      else this.#queues.set(caller, [begin]);
    });
  }

  #timed<T>(work: () => T): T {
    const started = performance.now();
    try {
      return work();
    } finally {
      this.#spent += performance.now() - started;
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spent = 0;
      this.#drain();
    });
  }

  /** Serves callers in rotation until the share of this turn is spent. */
  #drain(): void {
    for (const [caller, queue] of this.#queues) {
      if (this.#spent >= SHARE) return;
      this.#queues.delete(caller);
      const begin = queue.shift()!;
      if (queue.length > 0) this.#queues.set(caller, queue);
      begin();
    }
  }
}
