/** The pool of reader processes: started on demand, ended after a while without reads. */
import type { Read } from '../../interface/database.ts';
import type { Row } from '../../interface/queryable.ts';
import { Turns } from '../../scheduling/turns.ts';
import { ReaderChild } from './reader-child.ts';

/** The most waiting reads of one caller, and of all callers. */
const WAITING_EACH = 200;
const WAITING = 1000;
/** Milliseconds that a read waits for its turn if reads have no time limit. */
const PATIENCE = 10_000;
/** Milliseconds without a read after which a process ends. */
const IDLE = 30_000;

export interface ReadersOptions {
  readonly filename: string;
  /** The most processes; at least two, so that one caller cannot occupy all. */
  readonly processes: number;
  /** The longest time of a read in milliseconds, and of its wait for a turn; 0: unlimited. */
  readonly limit: number;
}

export class Readers {
  readonly #options: ReadersOptions;
  readonly #turns: Turns;
  readonly #idle: ReaderChild[] = [];
  readonly #all = new Set<ReaderChild>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReadersOptions) {
    this.#options = options;
    const { processes: places, limit } = options;
    const queue = { waitingEach: WAITING_EACH, waiting: WAITING, patience: limit || PATIENCE };
    this.#turns = new Turns({ places, share: places - 1, ...queue });
  }

  /** The number of reading processes, and of reads that wait. */
  get load(): { readonly taken: number; readonly waiting: number } {
    return this.#turns.load;
  }

  /**
   * Runs a read in a separate process.
   *
   * @param note receives the processor time of the read, or the time limit if it was exceeded.
   */
  run(read: Read, note: (milliseconds: number) => void): Promise<Row[]> {
    const { text, values } = read;
    const limits = [read.limit ?? 0, this.#options.limit].filter((each) => each > 0);
    const limit = limits.length === 0 ? 0 : Math.ceil(Math.min(...limits));
    // a file has no locks of single tables, so reads of one table do not wait for each other
    return this.#turns.run(undefined, async () => {
      const reader = this.#idle.pop() ?? this.#start();
      try {
        const { rows, milliseconds } = await reader.run({ text, values }, limit);
        note(milliseconds);
        return rows;
      } catch (error) {
        if (reader.ranOut) note(limit);
        throw error;
      } finally {
        this.#return(reader);
      }
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const reader of this.#all) reader.kill();
    this.#all.clear();
    this.#idle.length = 0;
  }

  #start(): ReaderChild {
    const reader = new ReaderChild(this.#options.filename);
    this.#all.add(reader);
    return reader;
  }

  #return(reader: ReaderChild): void {
    if (reader.hasEnded) this.#all.delete(reader);
    else this.#idle.push(reader);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#endIdle(), IDLE).unref();
  }

  #endIdle(): void {
    for (const reader of this.#idle.splice(0)) {
      reader.kill();
      this.#all.delete(reader);
    }
  }
}
