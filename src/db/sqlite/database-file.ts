/**
 * The database file, held open beside the engine's own connections. A file that somebody deletes, moves, or replaces as a
 * checkout does, goes on working for whoever has it open: everything written to it would be lost with the last of them, or
 * be left in a log that the moved file does not have beside it.
 */
import fs from 'node:fs';
import { unavailable } from '../../errors.ts';

export class DatabaseFile {
  readonly #filename: string;
  #descriptor: number | undefined;
  /** Which file the name led to. */
  readonly #known: fs.Stats | undefined;

  /** @param filename of a file that is there; `:memory:` has none. */
  constructor(filename: string) {
    this.#filename = filename;
    if (filename === ':memory:') return;
    this.#descriptor = fs.openSync(filename, 'r');
    this.#known = fs.statSync(filename);
  }

  /** @throws ContentError 503 when its name does not lead to the file any more. It costs a look at the file. */
  require(): void {
    if (this.#descriptor === undefined || this.#isInPlace(this.#descriptor)) return;
    throw unavailable(
      'The database file was deleted, moved or replaced while the server was running: restart the server',
    );
  }

  #isInPlace(descriptor: number): boolean {
    try {
      // the number of a file that is held open is given to no other
      const { ino, dev } = fs.statSync(this.#filename);
      return ino === this.#known?.ino && dev === this.#known.dev;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // what else keeps the name from being looked up says nothing about the file
      return code !== 'ENOENT' && code !== 'ENOTDIR' && fs.fstatSync(descriptor).nlink > 0;
    }
  }

  /** To be called when the connections are closed: until then this would end their locks on the file. */
  close(): void {
    if (this.#descriptor === undefined) return;
    fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
