/**
 * Makes commits durable where several processes write to one file. A commit with `synchronous = full` flushes the
 * write-ahead log while it holds the lock on the file, so that the flushes of all writers come one after another. With
 * `normal` the commit leaves the log to the system's cache (https://sqlite.org/pragma.html#pragma_synchronous); it is
 * flushed here before anybody is answered, while the others write and the thread does something else.
 */
import fs from 'node:fs';
import { promisify } from 'node:util';
import { unavailable } from '../../errors.ts';

const fdatasync = promisify(fs.fdatasync);

export class LogFlush {
  readonly #filename: string;
  #descriptor: number | undefined;
  /** Why it has failed: the system tells of a lost write once, and what comes behind the gap in the log is lost with it. */
  #failure: unknown;

  /** @param filename of the database. Its log is there as soon as something was committed, and as long as it is open. */
  constructor(filename: string) {
    this.#filename = `${filename}-wal`;
  }

  /**
   * Resolves when everything that was committed before is on the disk.
   *
   * @throws ContentError 503 when that is not known: it may be there all the same. From then on nothing is known of
   * later ones either, until the process is started anew.
   */
  async flush(): Promise<void> {
    if (this.#failure !== undefined) throw unconfirmed(this.#failure);
    try {
      // some systems flush only files that may be written
      this.#descriptor ??= fs.openSync(this.#filename, 'r+');
    } catch (error) {
      throw unconfirmed(error);
    }
    try {
      await fdatasync(this.#descriptor);
    } catch (error) {
      this.#failure = error;
      throw unconfirmed(error);
    }
  }

  /** To be called when the connections are closed. */
  close(): void {
    if (this.#descriptor === undefined) return;
    fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

const unconfirmed = (cause: unknown) =>
  unavailable('The database did not confirm the write: it may have been done', cause as Error);
