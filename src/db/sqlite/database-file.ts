/**
 * The database file, held open beside the engine's own connections, and its write-ahead log. If a file is deleted,
 * moved or replaced, for example by a checkout, processes that have it open can still use it: everything written to it
 * would be lost when the last of them ends, or be left in a log that does not lie beside the moved file. The same goes
 * for the log, which restoring a backup deletes even while a server runs.
 */
import fs from 'node:fs';
import { unavailable } from '../../errors.ts';

/** Milliseconds between two checks of the log while nothing is written. */
const LOG_LOOK = 100;

/** A file by its name, with its identity when it was opened. */
interface TrackedFile {
  readonly name: string;
  readonly stats: fs.Stats;
}

/** The write-ahead log of a database file: beside the target of a symbolic link, not beside the link. */
export const logOf = (filename: string): string => `${fs.realpathSync(filename)}-wal`;

export class DatabaseFile {
  #descriptor: number | undefined;
  readonly #file: TrackedFile | undefined;
  /** Undefined if commits use no log, and for `:memory:`. */
  readonly #log: TrackedFile | undefined;
  #logSeen = Number.NEGATIVE_INFINITY;

  /** @param filename of an existing file that has been read, so that its log exists; or `:memory:`. */
  constructor(filename: string) {
    if (filename === ':memory:') return;
    this.#descriptor = fs.openSync(filename, 'r');
    this.#file = { name: filename, stats: fs.statSync(filename) };
    const name = logOf(filename);
    const stats = fs.statSync(name, { throwIfNoEntry: false });
    this.#log = stats && { name, stats };
  }

  /**
   * Checks that the file is in place; mostly takes one `stat`.
   *
   * @param age milliseconds for which the log counts as in place after a check; 0 before a write.
   * @throws ContentError 503 if the file or the log was replaced.
   */
  require(age = LOG_LOOK): void {
    if (this.#file === undefined) return;
    if (!this.#isInPlace(this.#file)) throw lost('file');
    if (performance.now() - this.#logSeen >= age) this.requireLog();
  }

  /**
   * Checks that the log is in place. Commits without it would be lost.
   *
   * @throws ContentError 503.
   */
  requireLog(): void {
    if (this.#log === undefined) return;
    if (!this.#isInPlace(this.#log)) throw lost('write-ahead log');
    this.#logSeen = performance.now();
  }

  #isInPlace({ name, stats }: TrackedFile): boolean {
    try {
      // the number of an open file is not reused
      const { ino, dev } = fs.statSync(name);
      return ino === stats.ino && dev === stats.dev;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return false;
      // other failures of the lookup say nothing about the file
      return this.#descriptor === undefined || fs.fstatSync(this.#descriptor).nlink > 0;
    }
  }

  /** Called after the connections are closed: closing the file earlier would release their locks. */
  close(): void {
    if (this.#descriptor === undefined) return;
    fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

const lost = (what: string) =>
  unavailable(`The database ${what} was deleted, moved or replaced while the server was running: restart the server`);
