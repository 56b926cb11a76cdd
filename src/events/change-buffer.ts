/**
 * The changes that a process has read last, each with the place at which it is told. Whoever is behind reads on from its
 * place, so that what cannot be told now is told later, and nothing is kept for each listener.
 */
import type { PositionedChange } from './log-reader.ts';

/** Changes that are kept: whoever falls further behind comes back and reads the log. */
const KEPT = 5000;

export class ChangeBuffer {
  #start = 0;
  #changes: PositionedChange[] = [];

  /** The place of the first change that is kept. */
  get start(): number {
    return this.#start;
  }

  /** The place of the next change. */
  get end(): number {
    return this.#start + this.#changes.length;
  }

  add(changes: readonly PositionedChange[]): void {
    this.#changes.push(...changes);
    if (this.#changes.length < 2 * KEPT) return;
    this.#start += this.#changes.length - KEPT;
    this.#changes = this.#changes.slice(-KEPT);
  }

  /** The changes from one place to before another one. */
  between(from: number, to: number): readonly PositionedChange[] {
    return this.#changes.slice(Math.max(0, from - this.#start), Math.max(0, to - this.#start));
  }

  /** Forgets all: what comes next does not follow. Places go on. */
  clear(): void {
    this.#start = this.end;
    this.#changes = [];
  }
}
