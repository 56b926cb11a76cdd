/** `/_health`: the process answers. `/_ready`: requests can be served, until the server begins to end. */
import type { Database } from '../../db/interface/database.ts';
import { ping } from '../../db/interface/statements.ts';

/** Milliseconds in which the database has to answer. */
const PATIENCE = 2000;

export class Readiness {
  readonly #database: Database;
  #asking: Promise<boolean> | undefined;
  /** Whether the server has begun to end. */
  ending = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** True where requests can be served. Concurrent calls share one query of the database. */
  async isReady(): Promise<boolean> {
    if (this.ending) return false;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, PATIENCE, false);
    });
    try {
      return await Promise.race([this.#answers(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #answers(): Promise<boolean> {
    try {
      this.#database.generation();
      await ping(this.#database);
      return !this.ending && !this.#database.confirmsNothing;
    } catch {
      return false;
    }
  }
}
