/**
 * The database file, held open beside the engine's own connections. A file that somebody deletes, or replaces as a
 * checkout does, goes on working for whoever has it open: everything written to it would be lost with the last of them.
 */
import fs from 'node:fs';
import { unavailable } from '../../errors.ts';

export class DatabaseFile {
  #descriptor: number | undefined;

  /** @param filename of a file that is there; `:memory:` has none. */
  constructor(filename: string) {
    this.#descriptor = filename === ':memory:' ? undefined : fs.openSync(filename, 'r');
  }

  /** @throws ContentError 503 when no name leads to the file any more. */
  require(): void {
    if (this.#descriptor === undefined || fs.fstatSync(this.#descriptor).nlink > 0) return;
    throw unavailable('The database file was deleted or replaced while the server was running: restart the server');
  }

  /** To be called when the connections are closed: until then this would end their locks on the file. */
  close(): void {
    if (this.#descriptor === undefined) return;
    fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
