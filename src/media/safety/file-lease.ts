/**
 * Leases on the bytes of files: one holder at a time, among all processes on a database. Transactions do not protect
 * bytes, so a row of `galley_file_leases` does, from before the first byte is read until after the last is removed. The
 * row of a dead process expires.
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

/** Milliseconds. The clocks of servers may differ by the time between renewal and expiry. */
export interface LeaseTimes {
  /** The validity of a lease without renewal. */
  readonly valid: number;
  readonly renewed: number;
  /** The interval of checking a lease of another holder, and the time to wait for it. */
  readonly poll: number;
  readonly wait: number;
}

export const LEASE_TIMES: LeaseTimes = { valid: 60_000, renewed: 15_000, poll: 50, wait: 30_000 };

/** The right to change a file's bytes. */
export interface Lease {
  /** Checks that no other holder can have the file by now. @throws ContentError 503 if the lease is lost. */
  require(): void;
  /**
   * Checks within a transaction that no other holder gets the file before it ends.
   *
   * @throws ContentError 503 if the lease is lost.
   */
  confirm(tx: Transaction): Promise<void>;
}

export class FileLeases {
  readonly #database: Database;
  readonly #process: string;
  readonly #times: LeaseTimes;
  /** Callers of this process wait for each other without polling the database. */
  readonly #locks = new KeyedLock<number>();
  /** Leases of the running work by id, which nested calls reuse. */
  readonly #held = new AsyncLocalStorage<ReadonlyMap<number, HeldLease>>();
  /** The locks of work within one transaction. */
  readonly #joined = new WeakMap<Transaction, KeyedLock<number>>();

  /** @param process the name of this process among all that use the database. */
  constructor(database: Database, process: string, times: LeaseTimes = LEASE_TIMES) {
    this.#database = database;
    this.#process = process;
    this.#times = times;
  }

  /**
   * Runs `work` while no other holder changes the file of a record. Values of the record that were read before may be
   * old.
   *
   * @param joined the transaction of other code that the work is part of; no other holder gets the file before it ends.
   * @throws ContentError 503 if the wait takes too long; at once if the holder would wait for this transaction.
   */
  withFile<T>(id: number, work: (lease: Lease) => Promise<T>, joined?: Transaction): Promise<T> {
    // no record has such an id
    if (id > MAX_ROW_ID) return work({ require: () => undefined, confirm: async () => undefined });
    const own = this.#held.getStore()?.get(id);
    if (own?.isHeld) return work(own);
    if (joined) return this.#locksIn(joined).run(id, () => this.#within(joined, id, work));
    return this.#locks.run(id, async () => {
      const lease = new HeldLease(this.#database, id, this.#owner());
      await this.#wait(lease);
      const renewal = setInterval(() => void lease.renew(this.#times.valid), this.#times.renewed).unref();
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

  /** The lease's row is part of the transaction, so other holders wait for its end. */
  async #within<T>(tx: Transaction, id: number, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = new HeldLease(
      { dialect: tx.dialect, rows: tx.rows.bind(tx), transaction: (own) => own(tx) },
      id,
      this.#owner(),
    );
    if (tx.dialect.lock) await this.#wait(lease);
    // with one writing transaction at a time, the holder waits for this one
    else if (!(await lease.take(this.#times.valid))) throw lost();
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

  /** Ends the leases of a dead process. */
  async endOf(process: string): Promise<void> {
    const prefix = `${process} `;
    await this.#database.transaction((tx) => execute(tx, compileDeleteLeasesOf(prefix.length), [prefix]));
  }

  async #wait(lease: HeldLease): Promise<void> {
    const end = Date.now() + this.#times.wait;
    while (!(await lease.take(this.#times.valid))) {
      do {
        if (Date.now() > end) throw lost();
        await pause(this.#times.poll);
      } while (await lease.isTaken());
    }
  }
}

const lost = () => unavailable('The file is being changed by another request');

/** What the row of a lease is written and read with. */
type Leasing = Pick<Database, 'dialect' | 'rows' | 'transaction'>;

class HeldLease implements Lease {
  readonly #database: Leasing;
  readonly id: number;
  readonly #owner: string;
  /** Whether its work is still running. */
  isHeld = true;
  /** Epoch milliseconds. */
  #until = 0;
  #renewing: Promise<void> = Promise.resolve();

  constructor(database: Leasing, id: number, owner: string) {
    this.#database = database;
    this.id = id;
    this.#owner = owner;
  }

  /** Takes the lease if it is free. */
  async take(valid: number): Promise<boolean> {
    const now = Date.now();
    const { encodeTime } = this.#database.dialect;
    const values = [this.id, this.#owner, encodeTime(now + valid)];
    const rows = await this.#database.transaction(async (tx) => {
      const taken = await execute(tx, compileTakeLease(), values);
      return taken.length > 0 ? taken : execute(tx, compileTakeOverLease(), [...values, encodeTime(now)]);
    });
    if (rows.length > 0) this.#until = now + valid;
    return rows.length > 0;
  }

  /** Whether another holder has it, without writing. */
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

  /** Renews it from now on. If the database cannot be reached, the next renewal tries again. */
  renew(valid: number): Promise<void> {
    this.#renewing = this.#renew(valid).catch(() => undefined);
    return this.#renewing;
  }

  async #renew(valid: number): Promise<void> {
    if (this.#isLost) return;
    const until = Date.now() + valid;
    const values = [this.#database.dialect.encodeTime(until), this.id, this.#owner];
    const rows = await this.#database.transaction((tx) => execute(tx, compileRenewLease(), values));
    this.#until = rows.length > 0 ? until : 0;
  }

  /** Ends it; if the database cannot be reached, it expires. */
  async end(): Promise<void> {
    this.isHeld = false;
    await this.#renewing;
    this.#until = 0;
    const own = { file_id: this.id, owner: this.#owner };
    await this.#database.transaction((tx) => deleteRows(tx, 'galley_file_leases', own)).catch(() => undefined);
  }
}
