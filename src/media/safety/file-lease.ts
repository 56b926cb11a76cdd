/**
 * Who may change a file's bytes: one at a time, of all processes on a database. Bytes are outside of the database, so
 * that its transactions do not guard them; a row of `galley_file_leases` does, from before the first byte is read until
 * after the last is removed. A process that dies leaves its row, which runs out.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import type { Database } from '../../db/interface/database.ts';
import { deleteRows, execute, query } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { unavailable } from '../../errors.ts';
import { KeyedLock } from '../../semaphore.ts';
import {
  compileDeleteLeasesOf,
  compileLeaseTaken,
  compileLockLease,
  compileRenewLease,
  compileTakeLease,
  compileTakeOverLease,
} from '../../sql/files.ts';

/** Milliseconds. Clocks of servers may differ by what a lease outlasts its renewals. */
export interface LeaseTimes {
  /** How long a lease is valid without being renewed. */
  readonly good: number;
  readonly renewed: number;
  /** How often a lease that is taken is checked, and for how long. */
  readonly poll: number;
  readonly wait: number;
}

export const LEASE_TIMES: LeaseTimes = { good: 60_000, renewed: 15_000, poll: 50, wait: 30_000 };

/** Leave to change a file's bytes. */
export interface Lease {
  /**
   * Makes sure that nobody else can have the file by now.
   *
   * @throws ContentError 503 when the lease is lost.
   */
  require(): void;
  /**
   * Makes sure, as a part of a transaction, that nobody else has the file before that ends.
   *
   * @throws ContentError 503 when the lease is lost.
   */
  confirm(tx: Transaction): Promise<void>;
}

export class FileLeases {
  readonly #database: Database;
  readonly #process: string;
  readonly #times: LeaseTimes;
  /** Makes callers of this process wait without polling the database. */
  readonly #locks = new KeyedLock<number>();
  /** What the work that runs has already, by id: what code asks within it does not wait for it. */
  readonly #held = new AsyncLocalStorage<ReadonlyMap<number, HeldLease>>();
  /** The locks of the work within one transaction. */
  readonly #joined = new WeakMap<Transaction, KeyedLock<number>>();

  /** `process` names this process among all that use the database. */
  constructor(database: Database, process: string, times: LeaseTimes = LEASE_TIMES) {
    this.#database = database;
    this.#process = process;
    this.#times = times;
  }

  /**
   * Runs `work` while nobody else changes the file of a record. What was read of the record before may be old.
   *
   * @param joined the transaction that the work is part of, where somebody has begun one: nobody else has the file before
   * that ends.
   * @throws ContentError 503 when others have the file for too long; in a transaction that they would wait for, at once.
   */
  withFile<T>(id: number, work: (lease: Lease) => Promise<T>, joined?: Transaction): Promise<T> {
    // no such record, so there is nothing to lock
    if (id > MAX_ROW_ID) return work({ require: () => undefined, confirm: async () => undefined });
    const own = this.#held.getStore()?.get(id);
    if (own?.isHeld) return work(own);
    if (joined) return this.#locksIn(joined).run(id, () => this.#within(joined, id, work));
    return this.#locks.run(id, async () => {
      const lease = new HeldLease(this.#database, id, this.#owner());
      await this.#wait(lease);
      const renewal = setInterval(() => void lease.renew(this.#times.good), this.#times.renewed).unref();
      try {
        return await this.#having(lease, work);
      } finally {
        clearInterval(renewal);
        await lease.end();
      }
    });
  }

  #locksIn(tx: Transaction): KeyedLock<number> {
    let locks = this.#joined.get(tx);
    if (!locks) {
      locks = new KeyedLock();
      this.#joined.set(tx, locks);
    }
    return locks;
  }

  /** The row of the lease is one of the transaction: whoever else wants it waits for that. */
  async #within<T>(tx: Transaction, id: number, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = new HeldLease(
      { dialect: tx.dialect, rows: tx.rows.bind(tx), transaction: (own) => own(tx) },
      id,
      this.#owner(),
    );
    if (tx.dialect.lock) await this.#wait(lease);
    // where one transaction writes at a time, whoever has it waits for this one
    else if (!(await lease.take(this.#times.good))) throw lost();
    try {
      return await this.#having(lease, work);
    } finally {
      await lease.end();
    }
  }

  #having<T>(lease: HeldLease, work: (lease: Lease) => Promise<T>): Promise<T> {
    return this.#held.run(new Map(this.#held.getStore()).set(lease.id, lease), () => work(lease));
  }

  #owner(): string {
    return `${this.#process} ${randomBytes(6).toString('hex')}`;
  }

  /** Ends the leases of a process that is gone. */
  async endOf(process: string): Promise<void> {
    const prefix = `${process} `;
    await this.#database.transaction((tx) => execute(tx, compileDeleteLeasesOf(prefix.length), [prefix]));
  }

  async #wait(lease: HeldLease): Promise<void> {
    const end = Date.now() + this.#times.wait;
    while (!(await lease.take(this.#times.good))) {
      do {
        if (Date.now() > end) throw lost();
        await pause(this.#times.poll);
      } while (await lease.isTaken());
    }
  }
}

const lost = () => unavailable('The file is being changed by another request');

/** Where the row of a lease is written and read. */
type Leasing = Pick<Database, 'dialect' | 'rows' | 'transaction'>;

class HeldLease implements Lease {
  readonly #database: Leasing;
  readonly id: number;
  readonly #owner: string;
  /** Whether the work that it was taken for goes on. */
  isHeld = true;
  /** Epoch milliseconds. */
  #until = 0;
  #renewing: Promise<void> = Promise.resolve();

  constructor(database: Leasing, id: number, owner: string) {
    this.#database = database;
    this.id = id;
    this.#owner = owner;
  }

  /** Takes the lease, if nobody has it. */
  async take(good: number): Promise<boolean> {
    const now = Date.now();
    const { encodeTime } = this.#database.dialect;
    const values = [this.id, this.#owner, encodeTime(now + good)];
    const rows = await this.#database.transaction(async (tx) => {
      const taken = await execute(tx, compileTakeLease(), values);
      return taken.length > 0 ? taken : execute(tx, compileTakeOverLease(), [...values, encodeTime(now)]);
    });
    if (rows.length > 0) this.#until = now + good;
    return rows.length > 0;
  }

  /** Whether somebody has it, as far as that can be known without writing. */
  async isTaken(): Promise<boolean> {
    const now = this.#database.dialect.encodeTime(Date.now());
    const rows = await query(this.#database, compileLeaseTaken(), [this.id, now]);
    return rows.length > 0;
  }

  require(): void {
    if (this.#isLost) throw lost();
  }

  get #isLost(): boolean {
    return Date.now() >= this.#until;
  }

  async confirm(tx: Transaction): Promise<void> {
    const rows = await execute(tx, compileLockLease(), [this.id, this.#owner]);
    if (rows.length > 0) return;
    this.#until = 0;
    throw lost();
  }

  /** Makes it last from now on. A database that cannot be reached is asked again next time. */
  renew(good: number): Promise<void> {
    this.#renewing = this.#renew(good).catch(() => undefined);
    return this.#renewing;
  }

  async #renew(good: number): Promise<void> {
    if (this.#isLost) return;
    const until = Date.now() + good;
    const values = [this.#database.dialect.encodeTime(until), this.id, this.#owner];
    const rows = await this.#database.transaction((tx) => execute(tx, compileRenewLease(), values));
    this.#until = rows.length > 0 ? until : 0;
  }

  /** Gives it back; where the database cannot be reached it runs out. */
  async end(): Promise<void> {
    this.isHeld = false;
    await this.#renewing;
    this.#until = 0;
    const own = { file_id: this.id, owner: this.#owner };
    await this.#database.transaction((tx) => deleteRows(tx, 'galley_file_leases', own)).catch(() => undefined);
  }
}
