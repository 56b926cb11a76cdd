/** Limits the work for listeners to a share of the time, however many there are. The rest is for requests. */

/** Milliseconds of work after which the event loop serves others. */
export const SHARE = 2;
/** A pause is this many times as long as the work before it, up to a limit in milliseconds. */
const PAUSE_FACTOR = 2;
const LONGEST_PAUSE = 40;

export class Throttle {
  #worked = 0;
  #pausedUntil = 0;

  /** Adds milliseconds of work. */
  worked(milliseconds: number): void {
    this.#worked += milliseconds;
    if (this.#worked <= SHARE) return;
    this.#pausedUntil = performance.now() + Math.min(LONGEST_PAUSE, this.#worked * PAUSE_FACTOR);
    this.#worked = 0;
  }

  /** Resolves when the pause is over. */
  async turn(): Promise<void> {
    for (let remaining = this.#left(); remaining > 0; remaining = this.#left()) await pause(remaining);
  }

  #left(): number {
    return this.#pausedUntil - performance.now();
  }
}

/** Lets the event loop serve others. */
export const yielded = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
