/**
 * Makes commits durable. A commit with `synchronous = full` flushes the write-ahead log itself: the thread waits for the
 * disk meanwhile, and so do other processes, since the file is locked. With `normal` the commit leaves the log to the
 * system's cache (https://sqlite.org/pragma.html#pragma_synchronous); it is flushed here before anybody is answered.
 */
import fs from 'node:fs';
import { promisify } from 'node:util';
import type Sqlite from 'better-sqlite3';
import { unavailable } from '../../errors.ts';
import { logOf } from './database-file.ts';

const fdatasync = promisify((descriptor: number, done: fs.NoParamCallback) => fs.fdatasync(descriptor, done));

export class LogFlush {
  readonly #filename: string;
  #descriptor: number | undefined;
  /** Why it has failed: the system tells of a lost write once, and what comes behind the gap in the log is lost with it. */
  #failure: unknown;
  /**
   * Differs from what it was as soon as any other connection has committed something, definitions included, of this
   * process or another (https://sqlite.org/pragma.html#pragma_data_version).
   */
  readonly #version: Sqlite.Statement<[], unknown>;
  /** The version of which all is on the disk; undefined where that is not known. */
  #flushed: unknown;

  /**
   * @param filename of the database, which is there. Its log is as well, as long as a connection has read or written.
   * @param reader a connection that commits nothing, and leaves no statement half read: during one it hears of no commit.
   */
  constructor(filename: string, reader: Sqlite.Database) {
    this.#filename = logOf(filename);
    this.#version = reader.prepare<[], unknown>('pragma data_version').pluck();
  }

  /** Whether a flush has failed: nothing is confirmed from then on. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Resolves when everything that was committed before is on the disk: at once, where nothing was since the last time.
   * What others have committed counts as well: who finds a thing done, and does nothing, is answered for it.
   *
   * @param waits the thread waits for it, which takes less of the processor than to have another one do it; otherwise it
   * does something else meanwhile.
   * @throws ContentError 503 when that is not known: it may be there all the same. From then on nothing is known of
   * later ones either, until the process is started anew.
   */
  async flush(waits: boolean): Promise<void> {
    if (this.#failure !== undefined) throw unconfirmed(this.#failure);
    const version = this.#askVersion();
    if (version !== undefined && version === this.#flushed) return;
    try {
      // some systems flush only files that may be written
      this.#descriptor ??= fs.openSync(this.#filename, 'r+');
    } catch (error) {
      throw unconfirmed(error);
    }
    try {
      if (waits) fs.fdatasyncSync(this.#descriptor);
      else await fdatasync(this.#descriptor);
    } catch (error) {
      this.#failure = error;
      throw unconfirmed(error);
    }
    this.#flushed = version;
  }

  #askVersion(): unknown {
    try {
      return this.#version.get();
    } catch {
      // it cannot be read at present
      return undefined;
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
