/** What listeners are told one after the other, each as long as it takes, up to a limit. */
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that an event waits for the listeners of the one before it. */
const LONGEST_TELLING = 5000;
/** Events that wait to be told, for code that takes longer than they take to be made, and their characters. More are not told. */
const MOST_WAITING: Most = { events: 10_000, characters: 32 * 1024 ** 2 };

export const TOO_MUCH_WAITS = '10,000 events, or 32 MiB of them, wait for the code';

export interface Most {
  readonly events: number;
  readonly characters: number;
}

/** Resolves when nobody is to wait any longer, or rejects once the signal says that nobody does. */
type Patience = (signal: AbortSignal) => Promise<unknown>;

const patience: Patience = (signal) => pause(LONGEST_TELLING, undefined, { signal, ref: false });

export class EventTurns {
  readonly #patience: Patience;
  readonly #most: Most;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #characters = 0;

  constructor(most = MOST_WAITING, wait = patience) {
    this.#patience = wait;
    this.#most = most;
  }

  /**
   * Tells when the work before it is over, or has taken as long as it may: then both go on side by side.
   *
   * @param characters how long it is. @param tell must not reject.
   * @returns false where too much waits: then it is not told.
   */
  add(characters: number, tell: () => Promise<void>): boolean {
    const { events, characters: longest } = this.#most;
    // one that is longer than all may be is told alone
    if (this.#waiting === events || (this.#waiting > 0 && this.#characters + characters > longest)) return false;
    this.#waiting += 1;
    this.#characters += characters;
    this.#last = this.#last.then(async () => {
      this.#waiting -= 1;
      this.#characters -= characters;
      const over = new AbortController();
      const lost = this.#patience(over.signal).catch(() => undefined);
      await Promise.race([tell(), lost]);
      over.abort();
    });
    return true;
  }
}
