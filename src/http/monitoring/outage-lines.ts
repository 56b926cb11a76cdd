/**
 * Which failures of the database or the disk get a line in the log. An outage fails every request that needs what is
 * gone: the first failure of a kind is logged at once, and those of the following second together.
 */

/** Milliseconds in which failures of one kind share a line. */
const PERIOD = 1000;
/** Kinds that are distinguished; further ones count as one. */
const KINDS = 100;
const OTHERS = 'others';

interface Kind {
  /** Failures since the last line. */
  more: number;
  /** Writes the line of the latest of them, which represents them all. */
  write: (more: number) => void;
}

export class OutageLines {
  readonly #kinds = new Map<string, Kind>();
  #timer: NodeJS.Timeout | undefined;

  /** @param write writes the line of this failure; `more` counts further ones of its kind that have none. */
  report(name: string, write: (more: number) => void): void {
    const key = this.#kinds.has(name) || this.#kinds.size < KINDS ? name : OTHERS;
    const kind = this.#kinds.get(key);
    if (kind) {
      kind.more++;
      kind.write = write;
      return;
    }
    this.#kinds.set(key, { more: 0, write });
    write(0);
    this.#timer ??= setInterval(() => this.flush(), PERIOD).unref();
  }

  /** Writes the lines that are due. A kind that has not failed since its last line is logged at once the next time. */
  flush(): void {
    for (const [key, kind] of this.#kinds) {
      if (kind.more === 0) {
        this.#kinds.delete(key);
        continue;
      }
      kind.write(kind.more - 1);
      kind.more = 0;
    }
    if (this.#kinds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
