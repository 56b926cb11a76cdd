/** Leases of work that only one of several processes does. */
import { randomBytes } from 'node:crypto';
import { compileEndNamedLease, compileNamedLeaseTaken, compileTakeNamedLease } from '../../sql/events/webhooks.ts';
import type { Database } from './database.ts';
import { execute, query } from './statements.ts';

/** Milliseconds that a lease is valid, and after which it is renewed. The clocks of processes may differ by the rest. */
const VALID = 15_000;
const RENEWED = 5_000;

/** Work that only one of several processes does: the one that has taken the lease, until it ends it or stops renewing. */
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

  /** Whether this process has the lease, with time to spare. */
  get isHeld(): boolean {
    return Date.now() < this.#until - RENEWED;
  }

  /** Takes or renews the lease. Returns whether this process has it. */
  async hold(): Promise<boolean> {
    const now = Date.now();
    if (now < this.#renewAt) return true;
    // a process that waits for the lease of another does not write
    if (
      this.#until <= now &&
      (await query(this.#database, compileNamedLeaseTaken(), [this.#name, this.#owner, now])).length
    )
      return false;
    const values = [this.#name, this.#owner, now + VALID, this.#owner, now];
    const rows = await this.#database.transaction((tx) => execute(tx, compileTakeNamedLease(), values));
    this.#until = rows.length > 0 ? now + VALID : 0;
    this.#renewAt = rows.length > 0 ? now + RENEWED : 0;
    return rows.length > 0;
  }

  /** Ends the lease, so that another process can take it at once. */
  async end(): Promise<void> {
    if (this.#until === 0) return;
    this.#until = 0;
    this.#renewAt = 0;
    await this.#database.transaction((tx) => execute(tx, compileEndNamedLease(), [this.#name, this.#owner]));
  }
}
