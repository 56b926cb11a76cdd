/**
 * The database file, held open beside the engine's own connections, and its write-ahead log. A file that somebody deletes,
 * moves, or replaces as a checkout does, goes on working for whoever has it open: everything written to it would be lost
 * with the last of them, or be left in a log that the moved file does not have beside it. The same goes for the log, which
 * is deleted by whoever restores a backup while a server is running.
 */
import fs from 'node:fs';
import { unavailable } from '../../errors.ts';

/** Milliseconds between two looks at the log where nothing is written. */
const LOG_LOOK = 100;

/** A file by its name, and which one it led to. */
interface Known {
  readonly name: string;
  readonly stats: fs.Stats;
}

/** The write-ahead log of a database file: beside the file that a symbolic link leads to, not beside the link. */
export const logOf = (filename: string): string => `${fs.realpathSync(filename)}-wal`;

export class DatabaseFile {
  #descriptor: number | undefined;
  readonly #file: Known | undefined;
  /** Undefined where commits leave none, and for `:memory:`. */
  readonly #log: Known | undefined;
  #logSeen = Number.NEGATIVE_INFINITY;

  /** @param filename of a file that is there, and has been read, so that its log is there; `:memory:` has none. */
  constructor(filename: string) {
    if (filename === ':memory:') return;
    this.#descriptor = fs.openSync(filename, 'r');
    this.#file = { name: filename, stats: fs.statSync(filename) };
    const name = logOf(filename);
    const stats = fs.statSync(name, { throwIfNoEntry: false });
    this.#log = stats && { name, stats };
  }

  /**
   * It mostly costs a look at a file.
   *
   * @param age milliseconds for which the log counts as in place once it was seen there: 0 for whoever is about to write.
   * @throws ContentError 503 when one of the names does not lead to its file any more.
   */
  require(age = LOG_LOOK): void {
    if (this.#file === undefined) return;
    if (!this.#isInPlace(this.#file)) throw lost('file');
    if (performance.now() - this.#logSeen >= age) this.requireLog();
  }

  /**
   * The same of the log, which is looked at each time. What is committed without it is lost.
   *
   * @throws ContentError 503.
   */
  requireLog(): void {
    if (this.#log === undefined) return;
    if (!this.#isInPlace(this.#log)) throw lost('write-ahead log');
    this.#logSeen = performance.now();
  }

  #isInPlace({ name, stats }: Known): boolean {
    try {
      // the number of a file that is held open is given to no other
      const { ino, dev } = fs.statSync(name);
      return ino === stats.ino && dev === stats.dev;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return false;
      // what else keeps the name from being looked up says nothing about the file
      return this.#descriptor === undefined || fs.fstatSync(this.#descriptor).nlink > 0;
    }
  }

  /** To be called when the connections are closed: until then this would end their locks on the file. */
  close(): void {
    if (this.#descriptor === undefined) return;
    fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

const lost = (what: string) =>
  unavailable(`The database ${what} was deleted, moved or replaced while the server was running: restart the server`);
