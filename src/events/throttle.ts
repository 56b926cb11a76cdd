/** Keeps what is done for listeners to a part of the time, however many there are: writers and readers have the rest. */

/** Milliseconds of work after which others are served. */
export const SHARE = 2;
/** How long nothing is done after working: so many times as long, up to so many milliseconds. */
const RESTS = 2;
const LONGEST_REST = 40;

export class Throttle {
  #worked = 0;
  #restsUntil = 0;

  /** Notes milliseconds of work. */
  worked(milliseconds: number): void {
    this.#worked += milliseconds;
    if (this.#worked <= SHARE) return;
    this.#restsUntil = performance.now() + Math.min(LONGEST_REST, this.#worked * RESTS);
    this.#worked = 0;
  }

  /** Resolves when it is time to work again. */
  async turn(): Promise<void> {
    for (let left = this.#left(); left > 0; left = this.#left()) await pause(left);
  }

  #left(): number {
    return this.#restsUntil - performance.now();
  }
}

/** Lets others be served. */
export const yielded = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
