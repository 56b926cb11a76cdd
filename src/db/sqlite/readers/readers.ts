/** The reader processes: started when a read needs one, ended when there has been none for a while. */
import type { Read } from '../../interface/database.ts';
import type { Row } from '../../interface/queryable.ts';
import { Turns } from '../../scheduling/turns.ts';
import { ReaderChild } from './reader-child.ts';

/** Reads of one caller that may wait for a reader, and of all callers. */
const WAITING_EACH = 200;
const WAITING = 1000;
/** Milliseconds that a read waits for its turn where reads have no limit of time. */
const PATIENCE = 10_000;
/** Milliseconds without a read after which a process ends. */
const IDLE = 30_000;

export interface ReadersOptions {
  readonly filename: string;
  /** Processes at a time; at least two, so that none is left waiting by one caller. */
  readonly processes: number;
  /** Milliseconds that one read may take, and as many that it may wait for its turn; 0: any time. */
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

  /** How many processes read, and how many reads wait for one. */
  get load(): { readonly taken: number; readonly waiting: number } {
    return this.#turns.load;
  }

  /**
   * Runs a read in a separate process. `note` gets the processor time that it took, or the time after which it was given
   * up: what needs an index most never completes.
   *
   * @throws ContentError 503 for a read that takes too long or would have to wait too long.
   */
  run(read: Read, note: (milliseconds: number) => void): Promise<Row[]> {
    const { text, values } = read;
    const limits = [read.limit ?? 0, this.#options.limit].filter((each) => each > 0);
    const limit = limits.length === 0 ? 0 : Math.ceil(Math.min(...limits));
    // nobody can lock a single table of a file: reads of the same table do not wait for one another
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

  /** Ends every process. */
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
