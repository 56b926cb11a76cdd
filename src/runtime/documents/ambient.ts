/**
 * The database of a project's code: statements that run within `strapi.db.transaction` run in that
 * transaction, however many functions lie between.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import type { HostTransaction, KnexHost } from '../../db/interface/code-knex.ts';
import type { CurrentTransaction, Database, Read, TransactionOptions } from '../../db/interface/database.ts';
import type { Row } from '../../db/interface/queryable.ts';
import { type ChangeListener, mayWrite, type Transaction } from '../../db/interface/transaction.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { missingMember, unsupported } from '../guarded.ts';
import { Late, TRANSACTION_TIME } from '../late.ts';
import { UnitOfWork } from '../unit-of-work.ts';

/** A transaction of the project's code, with the callbacks that run after it. */
class OwnTransaction implements CurrentTransaction {
  readonly tx: Transaction;
  readonly #outside: (run: () => unknown) => void;
  readonly #callbacks: ((isCommitted: boolean) => unknown)[] = [];
  #isCommitted: boolean | undefined;
  readonly #running = new Set<Promise<void>>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<void>();
  /** Whether later statements run outside the transaction. */
  isOver = false;

  /** @param outside runs work outside the transaction. */
  constructor(tx: Transaction, outside: (run: () => unknown) => void) {
    this.tx = tx;
    this.#outside = outside;
    tx.isShared = true;
    this.#ended.promise.catch(() => {});
  }

  /** Runs an operation in it, which is committed as a whole even where the code does not wait for it. */
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const running = work(this.tx);
    const noted = running.then(
      () => void this.#running.delete(noted),
      () => void this.#running.delete(noted),
    );
    this.#running.add(noted);
    return running;
  }

  /** Resolves when no operation is under way any more: from then on it is over. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.isOver = true;
  }

  /** Resolves when code commits before its work is done, rejects when it rolls back. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Commits now. Later work of the code runs outside the transaction. */
  commit(): Promise<void> {
    this.#ended.resolve();
    return this.#over.promise;
  }

  /** Rolls back now. Later work of the code runs outside the transaction. */
  rollback(): Promise<void> {
    this.#ended.reject(new RolledBack());
    return this.#over.promise;
  }

  onEnd(run: (isCommitted: boolean) => unknown): void {
    const isCommitted = this.#isCommitted;
    if (isCommitted === undefined) this.#callbacks.push(run);
    else this.#outside(() => run(isCommitted));
  }

  /** Resolves the promises that wait for its end. */
  end(isCommitted: boolean): void {
    this.#isCommitted = isCommitted;
    this.#over.resolve();
    for (const run of this.#callbacks) this.#outside(() => run(isCommitted));
  }
}

/** The end of a transaction that code itself has rolled back. */
class RolledBack extends Error {}

export class AmbientDatabase implements Database {
  readonly #database: Database;
  #failed: (error: unknown) => void;
  readonly #current = new AsyncLocalStorage<OwnTransaction | undefined>();
  readonly changeClock: Database['changeClock'];
  readonly dialect: Database['dialect'];
  readonly search: Database['search'];
  #connection: Knex | undefined;
  readonly #onRaw = new Set<() => void>();

  /** @param failed receives errors of a transaction's callbacks, and transactions that took too long. */
  constructor(database: Database, failed: (error: unknown) => void) {
    this.#database = database;
    this.#failed = failed;
    this.dialect = database.dialect;
    this.search = database.search;
    this.changeClock = database.changeClock;
  }

  /** The underlying database, which all projects of the process share. */
  get beneath(): Database {
    return this.#database;
  }

  /** Sets the function that receives failures. */
  onFailure(failed: (error: unknown) => void): void {
    this.#failed = failed;
  }

  /** The transaction of the code that runs; undefined outside of one, and behind the end of one. */
  get current(): OwnTransaction | undefined {
    const own = this.#current.getStore();
    return own?.isOver ? undefined : own;
  }

  read(read: Read, account?: string): Row[] | Promise<Row[]> {
    const { current } = this;
    return current ? current.tx.rows(read.text, read.values) : this.#database.read(read, account);
  }

  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]> {
    return (this.current?.tx ?? this.#database).rows(text, values);
  }

  holdsUpWrites(read: Read): boolean {
    return this.current === undefined && this.#database.holdsUpWrites(read);
  }

  /** @throws Unsupported for a condemned unit of work: none of its writes is committed. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const { current } = this;
    const checked = options?.onlyReads ? work : checkedWork(work);
    return current ? current.run(checked) : this.#database.transaction(checked, options);
  }

  /**
   * Runs code in one transaction: the current one, or else a new one. It runs once, since its effects may be
   * irreversible.
   *
   * @throws ContentError 503 for code that takes too long, and for a conflict with another transaction; Unsupported for
   *   a condemned unit of work.
   */
  async within<T>(work: (own: OwnTransaction) => Promise<T>): Promise<T> {
    const { current } = this;
    if (current) return work(current);
    const late = new Late();
    let own: OwnTransaction | undefined;
    let result: Promise<T> | undefined;
    const attempt = async (tx: Transaction): Promise<void> => {
      own = new OwnTransaction(tx, this.#outside);
      result = this.#current.run(own, () => work(own!));
      try {
        await inTime(
          Promise.race([result, own.ended]).then(() => own!.settled()),
          late,
        );
      } catch (error) {
        // after its time limit, work of the code stays in the transaction, which refuses it
        own.isOver = !(error instanceof Late);
        throw error;
      }
    };
    try {
      await this.#database.transaction(checkedWork(attempt), { once: true });
    } catch (error) {
      own?.end(false);
      if (error === late) this.#failed(error);
      if (error instanceof RolledBack) return result!;
      throw error;
    }
    own!.end(true);
    return result!;
  }

  /** Runs a callback after the end of a transaction. It can no longer change the outcome, so its failures are only logged. */
  readonly #outside = (run: () => unknown): void => {
    this.outside(async () => run()).catch(this.#failed);
  };

  /**
   * Runs code in a transaction that its caller has begun and will end.
   *
   * @throws Late for code that takes too long; Unsupported for a condemned unit of work.
   */
  inside<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
    const own = new OwnTransaction(tx, this.#outside);
    tx.afterCommit(() => own.end(true));
    tx.afterRollback(() => own.end(false));
    const whole = checkedWork(async () => {
      const result = await work();
      await own.settled();
      return result;
    });
    return this.#current.run(own, () => inTime(whole(tx), new Late()));
  }

  /** Runs work outside the current transaction. */
  outside<T>(work: () => T): T {
    return this.#current.run(undefined, work);
  }

  /** Knex whose statements run in the current transaction, else each in one of its own (`strapi.db.connection`). */
  get connection(): Knex {
    this.#connection ??= this.#database.knex(this.#host);
    return this.#connection;
  }

  /** Knex whose statements all run in one transaction. */
  connectionOf(own: OwnTransaction): Knex {
    return this.#database.knex(this.#host, this.#hostTransaction(own));
  }

  knex(host: KnexHost, own?: HostTransaction): Knex {
    return this.#database.knex(host, own);
  }

  /** @throws Unsupported for a condemned unit of work. */
  async raw(text: string, values: readonly unknown[]): Promise<unknown> {
    UnitOfWork.currentOrOutside.check();
    const { current } = this;
    if (current) return this.#rawWithin(current, text, values);
    const answer = await this.#database.raw(text, values);
    if (mayWrite(text)) this.#tellOfRaw();
    return answer;
  }

  async #rawWithin(own: OwnTransaction, text: string, values: readonly unknown[]): Promise<unknown> {
    if (mayWrite(text)) own.onEnd((isCommitted) => isCommitted && this.#tellOfRaw());
    return own.run(async (tx) => tx.raw(text, values));
  }

  /** Calls a listener after statements of the code's own SQL that may have written: they report no changes. */
  onRaw(listener: () => void): void {
    this.#onRaw.add(listener);
  }

  #tellOfRaw(): void {
    for (const listener of this.#onRaw) listener();
  }

  readonly #host: KnexHost = {
    raw: (text, values) => this.raw(text, values),
    within: (work) => this.within((own) => work(this.#hostTransaction(own))),
    refuse: unsupported,
    missing: missingMember,
  };

  #hostTransaction(own: OwnTransaction): HostTransaction {
    return {
      raw: async (text, values) => {
        UnitOfWork.currentOrOutside.check();
        return this.#rawWithin(own, text, values);
      },
      commit: () => own.commit(),
      rollback: () => own.rollback(),
    };
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

/** Work of the caller's unit, which throws before and after if the unit is condemned, so that its transaction rolls back. */
function checkedWork<T>(work: (tx: Transaction) => Promise<T>): (tx: Transaction) => Promise<T> {
  const unit = UnitOfWork.currentOrOutside;
  return async (tx) => {
    unit.check();
    const result = await work(tx);
    unit.check();
    return result;
  };
}

/** @throws Late for work that takes too long. Its transaction then refuses further statements. */
async function inTime<T>(work: Promise<T>, late: Late): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late), TRANSACTION_TIME);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
