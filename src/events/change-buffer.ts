/**
 * The changes that a process has read last. Each has an index; a listener that is behind continues from its index, so a
 * delay costs no memory per listener.
 */
import type { PositionedChange } from './log-reader.ts';

/** Changes that are kept. A listener that falls further behind has to reconnect and reads the log. */
const CAPACITY = 5000;

export class ChangeBuffer {
  #start = 0;
  #changes: PositionedChange[] = [];

  /** The index of the first change. */
  get start(): number {
    return this.#start;
  }

  /** The index of the next change. */
  get end(): number {
    return this.#start + this.#changes.length;
  }

  add(changes: readonly PositionedChange[]): void {
    this.#changes.push(...changes);
    if (this.#changes.length < 2 * CAPACITY) return;
    this.#start += this.#changes.length - CAPACITY;
    this.#changes = this.#changes.slice(-CAPACITY);
  }

  /** The changes with indexes from `from` up to and without `to`. */
  between(from: number, to: number): readonly PositionedChange[] {
    return this.#changes.slice(Math.max(0, from - this.#start), Math.max(0, to - this.#start));
  }

  /** Removes all changes; the next one does not follow them. Indexes continue. */
  clear(): void {
    this.#start = this.end;
    this.#changes = [];
  }
}
