/** What one process of many does: whoever has the lease, until it gives it back or no longer renews it. */
import { randomBytes } from 'node:crypto';
import type { Database } from '../db/interface/database.ts';
import { execute, query } from '../db/interface/statements.ts';
import { compileEndNamedLease, compileNamedLeaseTaken, compileTakeNamedLease } from '../sql/events/webhooks.ts';

/** Milliseconds that a lease is good for, and after which it is renewed. Clocks may differ by what is in between. */
const GOOD = 15_000;
const RENEWED = 5_000;

export class NamedLease {
  readonly #database: Database;
  readonly #name: string;
  readonly #owner = randomBytes(12).toString('hex');
  #until = 0;
  #renewAt = 0;

  constructor(database: Database, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** Whether it has the lease for another moment. */
  get isHeld(): boolean {
    return Date.now() < this.#until - RENEWED;
  }

  /** Takes the lease or keeps it. Gives whether this process has it. */
  async hold(): Promise<boolean> {
    const now = Date.now();
    if (now < this.#renewAt) return true;
    // a process that waits for its turn does not write
    if (
      this.#until <= now &&
      (await query(this.#database, compileNamedLeaseTaken(), [this.#name, this.#owner, now])).length
    )
      return false;
    const values = [this.#name, this.#owner, now + GOOD, this.#owner, now];
    const rows = await this.#database.transaction((tx) => execute(tx, compileTakeNamedLease(), values));
    this.#until = rows.length > 0 ? now + GOOD : 0;
    this.#renewAt = rows.length > 0 ? now + RENEWED : 0;
    return rows.length > 0;
  }

  /** Gives it back, so that another process need not wait for its end. */
  async end(): Promise<void> {
    if (this.#until === 0) return;
    this.#until = 0;
    this.#renewAt = 0;
    await this.#database.transaction((tx) => execute(tx, compileEndNamedLease(), [this.#name, this.#owner]));
  }
}
