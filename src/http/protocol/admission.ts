/**
 * Turns at the thread that serves. Handlers begin at once, until this turn of the event loop has taken its share of
 * time. The rest begin in later turns, by caller in rotation, so that whatever else arrives is seen to, and nobody waits
 * behind all the requests of another. No library limits by time and caller.
 */
import { unavailable } from '../../errors.ts';
import { WorkTimer } from '../../processor-time.ts';

/**
 * Milliseconds of one turn of the event loop in which handlers begin, without those in which others had the processor: to
 * have requests wait leaves them no more of it.
 */
const SHARE = 8;
/** Handlers that begin in one of the later turns, at most. */
const BATCH = 8;
/** Requests that may wait to begin, of one caller and of all, and how many milliseconds. */
const WAITING_EACH = 1000;
const WAITING = 5000;
const PATIENCE = 10_000;

interface Waiter {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

const busy = () => unavailable('The server is busy with other requests');

export class Admission {
  /** By caller, in rotation. */
  readonly #queues = new Map<string, Waiter[]>();
  #waiting = 0;
  /** When the first handler of this turn of the event loop began. */
  #turnBegan: number | undefined;
  readonly #timer = new WorkTimer();

  /**
   * Undefined: a handler of this caller may begin at once. Else it may begin when the promise resolves.
   *
   * @throws ContentError 503 when too many requests wait, or this one has waited for too long.
   */
  wait(caller: string): Promise<void> | undefined {
    if (this.begins()) return undefined;
    const queue = this.#queues.get(caller) ?? [];
    if (queue.length >= WAITING_EACH || this.#waiting >= WAITING) throw busy();
    return new Promise((begin, refuse) => {
      queue.push({ since: performance.now(), begin, refuse });
      this.#queues.set(caller, queue);
      this.#waiting++;
    });
  }

  /** Whether a handler may begin at once. If so, it has begun; otherwise it is to `wait`. */
  begins(): boolean {
    if (this.#queues.size > 0) return false;
    if (this.#turnBegan !== undefined) return this.#hasTime(this.#turnBegan);
    this.#turnBegan = this.#timer.begin();
    setImmediate(() => this.#nextTurn());
    return true;
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
    this.#turnBegan ??= this.#timer.begin();
    const [first] = this.#queues;
    if (!first || !this.#hasTime(this.#turnBegan)) return;
    const [caller, queue] = first;
    const waiter = queue.shift()!;
    this.#waiting--;
    this.#queues.delete(caller);
    if (queue.length > 0) this.#queues.set(caller, queue);
    if (performance.now() - waiter.since > PATIENCE) waiter.refuse(busy());
    else waiter.begin();
  }

  /** Whether a turn of the event loop has some of its share left. The clock is asked first: it takes less time. */
  #hasTime(began: number): boolean {
    return performance.now() - began < SHARE || this.#timer.since(began) < SHARE;
  }
}
