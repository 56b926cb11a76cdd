/**
 * Transactions on an SQLite file. Writers take turns on one connection, and those that wait together share one commit
 * (group commit), because making it durable takes longer than most writes. Each sees what those before it wrote, and is
 * answered only when the commit is on the disk. Callers come in rotation, each with its oldest transaction first.
 *
 * A savepoint lets one transaction of a group be rolled back alone, but makes the engine copy every changed page.
 * Transactions hardly ever fail after they have written, so at first there are no savepoints: if one fails, the whole
 * group is repeated with a savepoint for each, as are all groups for a while. Work that must not be repeated, and the
 * work after it, has savepoints from the start.
 */
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { unavailable } from '../../errors.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { type Account, account, onAccount } from '../interface/account.ts';
import type { TransactionOptions } from '../interface/database.ts';
import type { Row, Sent, WritingExecutor } from '../interface/queryable.ts';
import { type ChangeListeners, Transaction } from '../interface/transaction.ts';
import type { FileChangeClock } from './change-clock.ts';
import type { CommitSignal } from './commit-signal.ts';
import type { Connection } from './connection.ts';
import type { DatabaseFile } from './database-file.ts';
import { isLocked, translated } from './failures.ts';
import type { LogFlush } from './log-flush.ts';
import { ForeignTriggers } from './schema-cache.ts';

/**
 * The most transactions that share a commit, and milliseconds within which they begin: later ones wait for all of them.
 */
const GROUP = 64;
const GATHERING = 20;
/** The most waiting transactions of one caller and of all callers. */
const WAITING_EACH = 500;
const WAITING = 2000;
/** Milliseconds that a transaction waits while another process writes. */
const PATIENCE = 5000;
/** Milliseconds between attempts while another program writes: the first, and the longest. */
const FIRST_LOOK = 2;
const LONGEST_LOOK = 50;
/**
 * The same numbers if other processes serve the file, which write briefly but repeatedly. A waiting process tries again
 * when another one releases the lock (commit-signal.ts); should no signal arrive, all waiting processes together try
 * once in SHARED_LOOK. After each write a process leaves the file to the others for GAP.
 */
const SHARED_LOOK = 1;
const GAP = 1;
/** Milliseconds for which savepoints are used after a group had to be repeated, since the caller may fail again. */
const APART = 1000;

interface Job {
  /** The account of the caller, which differs from that of the caller who starts the group. */
  readonly account: Account;
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Whether it may have effects that cannot be rolled back, so that it is not repeated. */
  readonly once: boolean;
  /** When it stops waiting for another process. */
  readonly until: number;
}

interface RunningJob {
  readonly job: Job;
  readonly executor: JobExecutor;
  readonly tx: Transaction;
}

/** The outcome of a job, reported once it is durable. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

interface TransactionsOptions {
  readonly connection: Sqlite.Database;
  /** Runs statements on the connection, which does not wait for locks itself. */
  readonly executor: Connection;
  readonly dialect: Dialect;
  readonly listeners: ChangeListeners;
  readonly file: DatabaseFile;
  /** Undefined if commits are durable by themselves, or in memory. */
  readonly flush: LogFlush | undefined;
  /** Undefined if no other process serves the file, or no signals are sent. */
  readonly signal: CommitSignal | undefined;
  /** The number of processes that serve the file, including this one. */
  readonly writers: number;
  /** Counts commits; undefined if nothing needs the count. */
  readonly changeClock: FileChangeClock | undefined;
}

export class Transactions {
  readonly #connection: Sqlite.Database;
  readonly #begin: Sqlite.Statement;
  readonly #triggers: ForeignTriggers;
  readonly #executor: Connection;
  readonly #dialect: Dialect;
  readonly #listeners: ChangeListeners;
  readonly #file: DatabaseFile;
  readonly #flush: LogFlush | undefined;
  readonly #signal: CommitSignal | undefined;
  readonly #isShared: boolean;
  /** The number of groups, each as long as this process's last one, for which other processes take precedence. */
  readonly #turns: number;
  /** Milliseconds between two attempts: the first, and the longest. */
  readonly #looks: readonly [first: number, longest: number];
  /** When this process last wrote, and the milliseconds after that in which others take precedence. */
  #wrote = Number.NEGATIVE_INFINITY;
  #rest = 0;
  readonly #clock: FileChangeClock | undefined;
  readonly #queues = new Map<string, Job[]>();
  /** Jobs that are repeated, before all others. */
  readonly #again: Job[] = [];
  #apartUntil = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  #draining: Promise<void> | undefined;

  constructor({
    connection,
    executor,
    dialect,
    listeners,
    file,
    flush,
    signal,
    writers,
    changeClock,
  }: TransactionsOptions) {
    this.#connection = connection;
    this.#begin = connection.prepare('begin immediate');
    this.#triggers = new ForeignTriggers(connection);
    this.#executor = executor;
    this.#dialect = dialect;
    this.#listeners = listeners;
    this.#file = file;
    this.#flush = flush;
    this.#signal = signal;
    this.#isShared = writers > 1;
    this.#turns = writers > 2 ? writers - 1.5 : 0;
    this.#looks = this.#isShared ? [SHARED_LOOK, SHARED_LOOK * (writers - 1)] : [FIRST_LOOK, LONGEST_LOOK];
    this.#clock = changeClock;
  }

  /**
   * Runs `work` in a transaction: resolves once it is committed, rejects once it is rolled back.
   *
   * @throws ContentError 503 if too many transactions wait, or another process writes for too long.
   */
  run<T>(work: (tx: Transaction) => Promise<T>, { waits = true, once = false }: TransactionOptions = {}): Promise<T> {
    const own = account();
    const queue = this.#queues.get(own.key) ?? [];
    if (this.#waiting >= WAITING || queue.length >= WAITING_EACH) {
      return Promise.reject(unavailable('The server is busy with other writes'));
    }
    return new Promise<T>((resolve, reject) => {
      const until = waits ? performance.now() + PATIENCE : 0;
      // the work runs in the asynchronous context of its caller, not of the job that starts the group
      const scope = new AsyncResource('Transaction');
      const scoped = (tx: Transaction) => scope.runInAsyncScope(work, undefined, tx);
      queue.push({ account: own, work: scoped, resolve: resolve as Job['resolve'], reject, once, until });
      this.#queues.set(own.key, queue);
      this.#waiting++;
      this.#draining ??= this.#drain();
    });
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves when no transaction waits any more. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting > 0) {
      // requests that arrive at the same time are received during this turn of the event loop
      await immediate();
      if (this.#isShared && performance.now() - this.#wrote < GAP) await pause(GAP);
      if (await this.#hasBegun()) await this.#runGroup();
    }
    this.#draining = undefined;
  }

  /** The next job, by caller in rotation. */
  #next(): Job {
    const again = this.#again.shift();
    if (again) {
      this.#waiting--;
      return again;
    }
    const [caller, queue] = this.#queues.entries().next().value as [string, Job[]];
    const job = queue.shift()!;
    this.#queues.delete(caller);
    if (queue.length > 0) this.#queues.set(caller, queue);
    this.#waiting--;
    return job;
  }

  /**
   * Begins a transaction, without blocking the thread while another process writes. Returns false if no job has waited
   * long enough.
   */
  async #hasBegun(): Promise<boolean> {
    const [first, longest] = this.#looks;
    for (let look = first; this.#waiting > 0; look = Math.min(look * 2, longest)) {
      try {
        this.#file.require(0);
        // an earlier rollback may have failed
        if (this.#connection.inTransaction) this.#connection.exec('rollback');
        this.#begin.run();
        this.#triggers.look();
        return true;
      } catch (error) {
        if (!isLocked(error)) this.#giveUp(Number.POSITIVE_INFINITY, error);
        else this.#giveUp(performance.now(), error);
      }
      if (this.#waiting > 0) await this.#untilNextLook(look);
    }
    return false;
  }

  /**
   * Resolves when it is time for another attempt: when another process releases the lock, or after so many
   * milliseconds.
   */
  async #untilNextLook(milliseconds: number): Promise<void> {
    if (!this.#signal) return pause(milliseconds);
    await this.#signal.received(milliseconds);
    // all processes receive the signal at once; without this, two quick ones would alternate
    if (performance.now() - this.#wrote < this.#rest) await pause(GAP);
  }

  /** Releases the lock, which this process has held since `began`, to the other processes. */
  #release(began: number): void {
    this.#rest = this.#turns * (performance.now() - began);
    this.#signal?.send();
  }

  /** Rejects the jobs that do not wait longer than `until`. */
  #giveUp(until: number, error: unknown): void {
    for (const job of this.#again.splice(0)) {
      if (job.until > until) this.#again.push(job);
      else {
        job.reject(translated(error));
        this.#waiting--;
      }
    }
    for (const [caller, queue] of this.#queues) {
      const remaining = queue.filter((job) => job.until > until);
      for (const job of queue) if (job.until <= until) job.reject(translated(error));
      this.#waiting -= queue.length - remaining.length;
      if (remaining.length > 0) this.#queues.set(caller, remaining);
      else this.#queues.delete(caller);
    }
  }

  /** Runs jobs in the current transaction, commits it, and reports the outcome of each. */
  async #runGroup(): Promise<void> {
    const jobs: RunningJob[] = [];
    const outcomes: Outcome[] = [];
    const began = performance.now();
    let areApart = this.#again.length > 0 || began < this.#apartUntil;
    try {
      await this.#listeners.learn();
      do {
        const job = this.#next();
        const executor = new JobExecutor(this.#executor, this.#clock, this.#triggers);
        const running = { job, executor, tx: new Transaction(executor, this.#dialect, this.#listeners) };
        // listeners may be a project's code, which is not repeated either
        areApart ||= job.once || this.#listeners.areConcerned;
        jobs.push(running);
        const outcome = await this.#runJob(running, { isShared: jobs.length > 1, isApart: areApart });
        if (outcome === 'entangled') {
          this.#runAgain(jobs);
          return this.#release(began);
        }
        outcomes.push(outcome);
      } while (this.#waiting > 0 && jobs.length < GROUP && performance.now() - began < GATHERING);
      this.#clock?.committing();
      this.#executor.run('commit');
    } catch (error) {
      outcomes.splice(0, outcomes.length, ...jobs.map((): Outcome => ({ error })));
      this.#rollBack();
    }
    this.#release(began);
    const unconfirmed = await this.#confirm(jobs.length);
    for (const [index, { job, tx }] of jobs.entries()) {
      const { account, resolve, reject } = job;
      const outcome = outcomes[index]!;
      if ('error' in outcome) {
        onAccount(account, () => tx.rolledBack());
        reject(outcome.error);
      } else {
        // other callers see the commit, whether or not it is durable
        onAccount(account, () => tx.committed(this.#listeners));
        if (unconfirmed === undefined) resolve(outcome.result);
        else reject(unconfirmed);
      }
    }
  }

  /** Rolls back jobs together, and schedules each to be repeated. */
  #runAgain(jobs: readonly RunningJob[]): void {
    this.#rollBack();
    this.#apartUntil = performance.now() + APART;
    for (const { job, tx } of jobs) {
      onAccount(job.account, () => tx.rolledBack());
      this.#again.push(job);
      this.#waiting++;
    }
  }

  /**
   * Makes the commit of several jobs durable, if the commit itself is not. Returns the error if that is uncertain. If
   * several jobs have written, or other processes write, more requests are about to arrive, so the thread does not wait
   * for the disk.
   */
  async #confirm(jobs: number): Promise<unknown> {
    if (!this.#flush) return undefined;
    this.#wrote = performance.now();
    try {
      await this.#flush.flush(jobs === 1 && !this.#isShared);
      // the log may have been deleted since the transaction began
      this.#file.requireLog();
    } catch (error) {
      return error;
    }
  }

  #rollBack(): void {
    this.#clock?.rolledBack();
    try {
      if (this.#connection.inTransaction) this.#executor.run('rollback');
    } catch {
      // repeated before the next transaction begins
    }
  }

  /**
   * Runs a job. Returns `entangled` if it has failed and its changes cannot be separated from those of others.
   *
   * @param isShared whether other jobs of the transaction have run, whose work must not be lost with this one's.
   * @param isApart whether it then gets a savepoint.
   */
  async #runJob(
    { job: { account, work }, executor, tx }: RunningJob,
    { isShared, isApart }: { readonly isShared: boolean; readonly isApart: boolean },
  ): Promise<Outcome | 'entangled'> {
    const hasSavepoint = isShared && isApart;
    if (hasSavepoint) this.#executor.run('savepoint job');
    try {
      const result = await onAccount(account, async () => {
        const done = await work(tx);
        if (this.#listeners.areConcerned) await tx.announce(this.#listeners);
        await tx.writeRecords();
        return done;
      });
      if (hasSavepoint) this.#executor.run('release job');
      return { result };
    } catch (error) {
      // a full disk and similar failures end the whole transaction (https://sqlite.org/lang_transaction.html, "Response
      // To Errors")
      if (!isShared || !this.#connection.inTransaction) throw error;
      if (!hasSavepoint) return executor.hasWritten ? 'entangled' : { error };
      this.#executor.run('rollback to job');
      this.#executor.run('release job');
      return { error };
    } finally {
      tx.end();
    }
  }
}

/** Milliseconds after which a running transaction yields to the event loop. */
const SHARE = 8;

/** Runs the statements of one job, and yields to the event loop now and then. */
class JobExecutor implements WritingExecutor {
  readonly #connection: Connection;
  readonly #clock: FileChangeClock | undefined;
  readonly #triggers: ForeignTriggers;
  readonly #writesBefore: number;
  #since = performance.now();

  constructor(connection: Connection, clock: FileChangeClock | undefined, triggers: ForeignTriggers) {
    this.#connection = connection;
    this.#clock = clock;
    this.#triggers = triggers;
    this.#writesBefore = connection.writes;
  }

  get hasWritten(): boolean {
    return this.#connection.writes > this.#writesBefore;
  }

  send(text: string, values: readonly SqlValue[]): Sent {
    const rows = this.rows(text, values);
    return rows instanceof Promise ? rows : undefined;
  }

  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]> {
    this.#clock?.note(text, values);
    return this.#inTurn(this.#connection.rows(text, values));
  }

  returnsIds(table: string): boolean {
    return !this.#triggers.has(table);
  }

  insert(text: string, values: readonly SqlValue[]): number | Promise<number> {
    this.#clock?.note(text, values);
    return this.#inTurn(this.#connection.insert(text, values));
  }

  raw(text: string, values: readonly unknown[]): unknown {
    this.#clock?.note(text, values as readonly SqlValue[]);
    return this.#inTurn(this.#connection.raw(text, values));
  }

  /** Yields if the job has used up its time: statements run synchronously, so nothing else would be served. */
  #inTurn<T>(result: T): T | Promise<T> {
    return performance.now() - this.#since < SHARE ? result : this.#pause(result);
  }

  async #pause<T>(result: T): Promise<T> {
    await immediate();
    this.#since = performance.now();
    return result;
  }
}
