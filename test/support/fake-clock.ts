/** A clock that stands still until a test moves it. */
import type { Clock } from '../../src/schedule/clock.ts';

export class FakeClock implements Clock {
  #now: number;
  readonly #calls = new Set<{ readonly time: number; readonly call: () => void }>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** The time of the next call; undefined without one. */
  get next(): number | undefined {
    const times = [...this.#calls].map(({ time }) => time);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  at(time: number, call: () => void): () => void {
    const one = { time, call };
    this.#calls.add(one);
    return () => void this.#calls.delete(one);
  }

  /** Sets the time, and makes the calls that are due. */
  set(time: number): void {
    this.#now = time;
    for (const one of [...this.#calls].filter((due) => due.time <= time)) {
      this.#calls.delete(one);
      one.call();
    }
  }
}
