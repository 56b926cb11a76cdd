/**
 * How processes that serve one database tell one another that they have left its lock: each writes a byte to a file that
 * all of them watch. The engine itself tells nobody, and whoever only looks now and then leaves the lock unused for half
 * of the time between two looks. The database's log would do for such a file, but tells of each page that is written.
 *
 * It is a hint: where the system tells nothing, whoever waits looks now and then.
 */
import fs from 'node:fs';

const BYTE = Buffer.from('.');

export class CommitSignal {
  readonly #file: string;
  #descriptor: number | undefined;
  #watcher: fs.FSWatcher | undefined;
  #isClosed = false;
  #wake: (() => void) | undefined;

  /** @param file that the processes have in common, and use for nothing else. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Tells the others that the lock is free. */
  send(): void {
    if (this.#isClosed) return;
    try {
      this.#descriptor ??= fs.openSync(this.#file, 'r+');
      fs.writeSync(this.#descriptor, BYTE, 0, BYTE.length, 0);
    } catch {
      this.close();
    }
  }

  /** Resolves when one is sent, by whatever process, and when so many milliseconds are over. One at a time may wait. */
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

  /** None are sent or received any more. */
  close(): void {
    this.#isClosed = true;
    this.#watcher?.close();
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Begins to watch: a process that never waits hears of nothing. */
  #watch(): void {
    if (this.#watcher || this.#isClosed) return;
    try {
      this.#watcher = fs.watch(this.#file, { persistent: false }, () => this.#wake?.());
      this.#watcher.on('error', () => this.close());
    } catch {
      // it is not there, or the system watches no more files
      this.close();
    }
  }
}
