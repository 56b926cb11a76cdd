/** Turns of the event loop within one write: a body of a megabyte is looked at in several, so that others are served. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work in one turn. */
const TURN = 8;

export class Pace {
  #since = performance.now();

  /** Whether this write has had the thread for long enough: it is to rest. */
  get isDue(): boolean {
    return performance.now() - this.#since >= TURN;
  }

  /** Lets others have the thread. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
