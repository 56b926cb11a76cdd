/**
 * Turns on the serving thread. Handlers begin at once until the current turn of the event loop has used its share of
 * time. The rest begin in later turns, by caller in rotation, so that other events are handled and no caller waits
 * behind all requests of another. No library limits by time and caller.
 */
import { unavailable } from '../../errors.ts';
import { WorkTimer } from '../../processor-time.ts';

/**
 * Milliseconds of one turn of the event loop in which handlers begin, without time in which other threads had the
 * processor: queueing would not help then.
 */
const SHARE = 8;
/** The most handlers that begin in one later turn. */
const BATCH = 8;
/** Queued requests of one caller and of all callers, and the longest wait in milliseconds. */
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

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Undefined: a handler of this caller may begin at once. Otherwise it may begin when the promise resolves.
   *
   * @throws ContentError 503 when too many requests wait, or this one has waited too long.
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
    // the synchronous part of a handler runs between two of these callbacks
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

  /** Whether a turn of the event loop has some of its share left. The clock is checked first: it takes less time. */
  #hasTime(began: number): boolean {
    return performance.now() - began < SHARE || this.#timer.since(began) < SHARE;
  }
}
