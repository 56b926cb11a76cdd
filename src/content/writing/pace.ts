/** Turns of the event loop within one write: a body of a megabyte is looked at in several, so that others are served. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work in one turn. */
const TURN = 8;

export class Pace {
  #since = performance.now();

  /** Lets others have the thread where this write has had it for long enough. */
  async rest(): Promise<void> {
    if (performance.now() - this.#since < TURN) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
