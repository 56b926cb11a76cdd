/** How long the place of a worker that has ended stays empty. */

/** Milliseconds: after a second end, and at most. */
const FIRST = 200;
const LONGEST = 30_000;
/** Milliseconds of life after which an end has nothing to do with the ones before. */
const STABLE = 60_000;

/** The ends of the workers in one place. */
export class Restarts {
  /** Ends of workers that did not live long, one after the other. */
  #early = 0;

  /** How many of them there were. */
  get inARow(): number {
    return this.#early;
  }

  /**
   * Takes note of an end, and gives the milliseconds to wait before the next start: none at first, then more and more.
   *
   * @param lived milliseconds that the worker had lived.
   */
  next(lived: number): number {
    this.#early = lived >= STABLE ? 1 : this.#early + 1;
    return this.#early === 1 ? 0 : Math.min(LONGEST, FIRST * 2 ** (this.#early - 2));
  }
}
