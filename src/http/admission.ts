/**
 * Turns at the thread that serves. Handlers begin at once, until this turn of the event loop has taken its share of
 * time. The rest begin in later turns, by caller in rotation, so that whatever else arrives is seen to, and nobody waits
 * behind all the requests of another.
 */
import { unavailable } from '../errors.ts';

/** Milliseconds of one turn of the event loop in which handlers begin. */
const SHARE = 8;
/** Handlers that begin in one of the later turns, at most. */
const BATCH = 8;
/** Requests of one caller that may wait to begin. */
const WAITING_EACH = 1000;

export class Admission {
  /** By caller, in rotation. */
  readonly #queues = new Map<string, (() => void)[]>();
  /** When the first handler of this turn of the event loop began. */
  #turnBegan: number | undefined;

  /**
   * Undefined: a handler of this caller may begin at once. Else it may begin when the promise resolves.
   *
   * @throws ContentError 503 when too many requests of the caller wait.
   */
  wait(caller: string): Promise<void> | undefined {
    if (this.#queues.size === 0) {
      if (this.#turnBegan === undefined) {
        this.#turnBegan = performance.now();
        setImmediate(() => this.#nextTurn());
        return undefined;
      }
      if (performance.now() - this.#turnBegan < SHARE) return undefined;
    }
    const queue = this.#queues.get(caller) ?? [];
    if (queue.length >= WAITING_EACH) throw unavailable('The server is busy with other requests of yours');
    return new Promise((resolve) => {
      queue.push(resolve);
      this.#queues.set(caller, queue);
    });
  }

  #nextTurn(): void {
    this.#turnBegan = undefined;
    if (this.#queues.size === 0) return;
    // what a handler does before it waits for anything is done between two of these callbacks
    for (let n = 0; n < BATCH; n++) setImmediate(() => this.#admit());
    setImmediate(() => this.#nextTurn());
  }

  /** Lets one handler begin, unless those before it have used up this turn. The first of a turn always begins. */
  #admit(): void {
    const now = performance.now();
    this.#turnBegan ??= now;
    const [first] = this.#queues;
    if (!first || now - this.#turnBegan >= SHARE) return;
    const [caller, queue] = first;
    const begin = queue.shift()!;
    this.#queues.delete(caller);
    if (queue.length > 0) this.#queues.set(caller, queue);
    begin();
  }
}
