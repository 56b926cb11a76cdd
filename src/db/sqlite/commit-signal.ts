/**
 * A signal between processes that serve one database, sent when one releases its lock: each writes a byte to a file
 * that all of them watch. The engine itself sends none, and a process that only polls leaves the lock unused for half
 * of its interval. Watching the database's own log would do, but it changes with every page written.
 *
 * The signal is a hint: if the system reports no changes of files, waiting processes poll.
 */
import fs from 'node:fs';

const BYTE = Buffer.alloc(1);

export class CommitSignal {
  readonly #file: string;
  #descriptor: number | undefined;
  #watcher: fs.FSWatcher | undefined;
  /** Whether the file is not watched any more, or cannot be. */
  #isDeaf = false;
  #wake: (() => void) | undefined;

  /** @param file shared by the processes and used for nothing else. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Tells the other processes that the lock is free. */
  send(): void {
    try {
      this.#descriptor ??= fs.openSync(this.#file, 'r+');
      fs.writeSync(this.#descriptor, BYTE, 0, BYTE.length, 0);
    } catch {
      this.#closeFile();
    }
  }

  /** Resolves when any process sends a signal, or after so many milliseconds. Only one caller may wait at a time. */
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

  /** Called when no more signals are sent. */
  close(): void {
    this.#beDeaf();
    this.#closeFile();
  }

  /** Starts to watch. A process that never waits does not watch. */
  #watch(): void {
    if (this.#watcher || this.#isDeaf) return;
    try {
      this.#watcher = fs.watch(this.#file, { persistent: false }, () => this.#wake?.());
      this.#watcher.on('error', () => this.#beDeaf());
    } catch {
      // the file is missing, or the system watches no more files
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
      // some file systems report lost writes only here
    }
  }
}
