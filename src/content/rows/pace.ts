/** Lets a long write return to the event loop now and then, so that other requests are served in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work between two returns to the event loop. */
const TURN = 8;

export class Pace {
  #since = performance.now();

  /** Waits for the next turn of the event loop if the write has used up its time in this one. */
  breathe(): Promise<void> | undefined {
    return performance.now() - this.#since < TURN ? undefined : this.#rest();
  }

  async #rest(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
