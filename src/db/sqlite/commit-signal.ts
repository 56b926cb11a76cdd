/**
 * How processes that serve one database tell one another that they have left its lock: each writes a byte to a file that
 * all of them watch. The engine itself tells nobody, and whoever only looks now and then leaves the lock unused for half
 * of the time between two looks. The database's log would do for such a file, but tells of each page that is written.
 *
 * It is a hint: where the system tells nothing, whoever waits looks now and then.
 */
import fs from 'node:fs';

const BYTE = Buffer.alloc(1);

export class CommitSignal {
  readonly #file: string;
  #descriptor: number | undefined;
  #watcher: fs.FSWatcher | undefined;
  /** Whether it is watched no more, or cannot be. */
  #isDeaf = false;
  #wake: (() => void) | undefined;

  /** @param file that the processes have in common, and use for nothing else. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Tells the others that the lock is free. */
  send(): void {
    try {
      this.#descriptor ??= fs.openSync(this.#file, 'r+');
      fs.writeSync(this.#descriptor, BYTE, 0, BYTE.length, 0);
    } catch {
      this.#closeFile();
    }
  }

  /** Resolves when one is sent, by whatever process, or after so many milliseconds. One at a time may wait. */
  received(milliseconds: number): Promise<void> {
    this.#watch();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }

  /** To be called when none are sent any more. */
  close(): void {
    this.#beDeaf();
    this.#closeFile();
  }

  /** Begins to watch: a process that never waits hears of nothing. */
  #watch(): void {
    if (this.#watcher || this.#isDeaf) return;
    try {
      this.#watcher = fs.watch(this.#file, { persistent: false }, () => this.#wake?.());
      this.#watcher.on('error', () => this.#beDeaf());
    } catch {
      // it is not there, or the system watches no more files
      this.#isDeaf = true;
    }
  }

  #beDeaf(): void {
    this.#isDeaf = true;
    this.#watcher?.close();
  }

  #closeFile(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    try {
      if (descriptor !== undefined) fs.closeSync(descriptor);
    } catch {
      // some file systems tell only here that what was written is lost
    }
  }
}
