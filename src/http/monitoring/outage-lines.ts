/**
 * Decides which failures of the database or the disk get a line in the log. An outage fails every request that needs
 * the missing part: the first failure of a kind is logged at once, the following ones together and more and more
 * rarely, and the end of the outage in a line of its own.
 */

/** Milliseconds of one period. */
const PERIOD = 1000;
/** The most periods that share a line. */
const LONGEST = 60;
/** Periods without a failure of a kind after which it may be over. */
const QUIET = 3;
/** Kinds that are distinguished; further ones count as one. */
const KINDS = 100;
const OTHERS = 'others';

/** The writers of the lines of a failure. */
export interface OutageWriter {
  /** Writes the line of a failure; `more` counts further failures without a line. */
  readonly failed: (more: number) => void;
  /** Writes the line of the end, with the number of failures and the milliseconds that they lasted. */
  readonly over: (failures: number, milliseconds: number) => void;
}

interface Kind {
  /** Failures since the last line. */
  more: number;
  failures: number;
  readonly began: number;
  latest: number;
  /** Periods since the last line, and until the next. */
  passed: number;
  pause: number;
  /** Periods without a failure. */
  quiet: number;
  /** The writers of the latest failure, which represents all. */
  writer: OutageWriter;
}

export class OutageLines {
  readonly #kinds = new Map<string, Kind>();
  readonly #isBack: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;

  /** @param isBack whether the failed part answers again: without requests nothing fails during an outage. */
  constructor(isBack: () => Promise<boolean>) {
    this.#isBack = isBack;
  }

  report(name: string, writer: OutageWriter): void {
    const key = this.#kinds.has(name) || this.#kinds.size < KINDS ? name : OTHERS;
    const kind = this.#kinds.get(key);
    const now = Date.now();
    if (kind) {
      Object.assign(kind, { more: kind.more + 1, failures: kind.failures + 1, latest: now, quiet: 0, writer });
      return;
    }
    const counts = { more: 0, failures: 1, passed: 0, pause: 1, quiet: 0 };
    this.#kinds.set(key, { ...counts, began: now, latest: now, writer });
    writer.failed(0);
    this.#timer ??= setInterval(() => void this.#look(), PERIOD).unref();
  }

  /** Writes the remaining lines and stops. */
  close(): void {
    for (const kind of this.#kinds.values()) tellMore(kind);
    this.#kinds.clear();
    this.#rest();
  }

  async #look(): Promise<void> {
    for (const kind of this.#kinds.values()) {
      kind.passed++;
      kind.quiet++;
      if (kind.passed < kind.pause) continue;
      tellMore(kind);
      kind.passed = 0;
      kind.pause = Math.min(kind.pause * 2, LONGEST);
    }
    const quiet = () => [...this.#kinds].filter(([, kind]) => kind.quiet >= QUIET);
    if (quiet().length === 0 || !(await this.#isBack())) return;
    // another request may have failed meanwhile
    for (const [key, kind] of quiet()) {
      tellMore(kind);
      kind.writer.over(kind.failures, kind.latest - kind.began);
      this.#kinds.delete(key);
    }
    if (this.#kinds.size === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function tellMore(kind: Kind): void {
  if (kind.more === 0) return;
  kind.writer.failed(kind.more - 1);
  kind.more = 0;
}
