/** What listeners are told one after the other, each as long as it takes, up to a limit. */
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that an event waits for the listeners of the one before it. */
const LONGEST_TELLING = 5000;
/** Events that wait to be told, for code that takes longer than they take to be made. More are not told. */
const MOST_WAITING = 10_000;

export const TOO_MANY_WAIT = '10,000 events wait for the code';

/** Resolves when nobody is to wait any longer, or rejects once the signal says that nobody does. */
type Patience = (signal: AbortSignal) => Promise<unknown>;

const patience: Patience = (signal) => pause(LONGEST_TELLING, undefined, { signal, ref: false });

export class EventTurns {
  readonly #patience: Patience;
  readonly #most: number;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(most = MOST_WAITING, wait = patience) {
    this.#patience = wait;
    this.#most = most;
  }

  /**
   * Tells when the work before it is over, or has taken as long as it may: then both go on side by side.
   *
   * @param tell must not reject.
   * @returns false where too many wait: then it is not told.
   */
  add(tell: () => Promise<void>): boolean {
    if (this.#waiting === this.#most) return false;
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      this.#waiting -= 1;
      const over = new AbortController();
      const lost = this.#patience(over.signal).catch(() => undefined);
      await Promise.race([tell(), lost]);
      over.abort();
    });
    return true;
  }
}
