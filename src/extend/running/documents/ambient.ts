/**
 * The database as the code of a project has it: what is asked within `strapi.db.transaction` is asked in that
 * transaction, however many functions lie between.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database, Read, TransactionOptions } from '../../../db/database.ts';
import type { Row } from '../../../db/queryable.ts';
import type { ChangeListener, Transaction } from '../../../db/transaction.ts';
import { unavailable } from '../../../errors.ts';
import type { SqlValue } from '../../../sql/fragment.ts';

/** Milliseconds that code may keep a transaction open: others may wait for it to end. */
export const TRANSACTION_TIME = 10_000;

/** A transaction of the project's code, with what it does once it is over. */
export interface OwnTransaction {
  readonly tx: Transaction;
  readonly committed: (() => unknown)[];
  readonly rolledBack: (() => unknown)[];
}

export class AmbientDatabase implements Database {
  readonly #database: Database;
  readonly #current = new AsyncLocalStorage<OwnTransaction | undefined>();
  /** Answers are not remembered: what is read within a transaction is not what others read. */
  readonly moments = undefined;
  readonly dialect: Database['dialect'];
  readonly search: Database['search'];

  constructor(database: Database) {
    this.#database = database;
    this.dialect = database.dialect;
    this.search = database.search;
  }

  /** The transaction of the code that runs; undefined outside of one. */
  get current(): OwnTransaction | undefined {
    return this.#current.getStore();
  }

  read(read: Read): Row[] | Promise<Row[]> {
    const { current } = this;
    return current ? current.tx.rows(read.text, read.values) : this.#database.read(read);
  }

  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]> {
    return (this.current?.tx ?? this.#database).rows(text, values);
  }

  holdsUpWrites(read: Read): boolean {
    return this.current === undefined && this.#database.holdsUpWrites(read);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const { current } = this;
    return current ? work(current.tx) : this.#database.transaction(work, options);
  }

  /** Runs code whose reads and writes are those of one transaction: of the one that runs already, where there is one. */
  async within<T>(work: (own: OwnTransaction) => Promise<T>): Promise<T> {
    const { current } = this;
    if (current) return work(current);
    let last: OwnTransaction | undefined;
    try {
      const result = await this.#database.transaction((tx) => {
        const own: OwnTransaction = { tx, committed: [], rolledBack: [] };
        last = own;
        return this.#current.run(own, () => inTime(work(own)));
      });
      for (const run of last?.committed ?? []) await run();
      return result;
    } catch (error) {
      for (const run of last?.rolledBack ?? []) await run();
      throw error;
    }
  }

  /** Runs code in a transaction that somebody else has begun and ends. */
  inside<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
    const own: OwnTransaction = { tx, committed: [], rolledBack: [] };
    return this.#current.run(own, async () => {
      const result = await inTime(work());
      for (const run of own.committed) tx.afterCommit(() => void run());
      return result;
    });
  }

  /** Runs what has no part in the transaction around it. */
  outside<T>(work: () => T): T {
    return this.#current.run(undefined, work);
  }

  subscribe(listener: ChangeListener): () => void {
    return this.#database.subscribe(listener);
  }
  generation(): number {
    return this.#database.generation();
  }
  rowsOf(table: string): number | undefined {
    return this.#database.rowsOf(table);
  }
  watch(): void {}
  keepsTotals(table: string): boolean {
    return this.#database.keepsTotals(table);
  }
  close(): Promise<void> {
    return this.#database.close();
  }
}

/** @throws ContentError 503 for work that takes too long; what it still asks of its transaction is refused. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const seconds = TRANSACTION_TIME / 1000;
  const end = () => reject(unavailable(`a transaction of the project's code took longer than ${seconds} seconds`));
  const timer = setTimeout(end, TRANSACTION_TIME);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
