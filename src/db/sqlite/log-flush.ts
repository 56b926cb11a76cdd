/**
 * Makes commits durable. A commit with `synchronous = full` flushes the write-ahead log itself: the thread waits for
 * the disk, and so do other processes, because the file is locked. With `normal` the commit leaves the log in the
 * system's cache (https://sqlite.org/pragma.html#pragma_synchronous), and it is flushed here before callers are
 * answered.
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
  /**
   * Why a flush has failed. The system reports a lost write only once, and everything after the gap in the log is lost
   * too.
   */
  #failure: unknown;
  /**
   * Changes as soon as any other connection, of this process or another, has committed something, definitions included
   * (https://sqlite.org/pragma.html#pragma_data_version).
   */
  readonly #version: Sqlite.Statement<[], unknown>;
  /** The version up to which everything is on the disk; undefined: unknown. */
  #flushed: unknown;

  /**
   * @param filename of an existing database. Its log exists as long as a connection has read or written.
   * @param reader a connection that never commits and leaves no statement unfinished: during a statement it notices no
   * commits.
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
   * Resolves when everything committed so far is on the disk: at once if there were no commits since the last time.
   * Commits of other processes count as well, because a caller may be answered on account of what they did.
   *
   * @param waits whether the thread waits, which takes less processor time than waiting asynchronously.
   * @throws ContentError 503 if the outcome is unknown: the commit may be on the disk. From then on later commits are
   * not confirmed either, until the process restarts.
   */
  async flush(waits: boolean): Promise<void> {
    if (this.#failure !== undefined) throw unconfirmed(this.#failure);
    const version = this.#askVersion();
    if (version !== undefined && version === this.#flushed) return;
    try {
      // some systems only flush files that are open for writing
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
      // the file cannot be read at present
      return undefined;
    }
  }

  /** Called after the connections are closed. */
  close(): void {
    if (this.#descriptor === undefined) return;
    fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

const unconfirmed = (cause: unknown) =>
  unavailable('The database did not confirm the write: it may have been done', cause as Error);
