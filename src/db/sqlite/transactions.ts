/**
 * Writers take turns on one connection. Those that wait together share one commit: making it durable takes longer than
 * most writes. Each is a savepoint of its own, sees what those before it wrote, and is answered only after the commit.
 */
import type Sqlite from 'better-sqlite3';
import type { Executor } from '../database.ts';

/** Transactions that share a commit at most: those behind them wait for all. */
const GROUP = 64;

interface Job {
  readonly work: (tx: Executor) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly waits: boolean;
}

/** What became of a job: told once it is durable. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

export class Transactions {
  readonly #connection: Sqlite.Database;
  readonly #executor: Executor & { run(text: string): void };
  #queue: Job[] = [];
  #draining: Promise<void> | undefined;

  /** `executor` runs statements on `connection`. */
  constructor(connection: Sqlite.Database, executor: Executor & { run(text: string): void }) {
    this.#connection = connection;
    this.#executor = executor;
  }

  /**
   * Runs `work` in a transaction: resolves once it is committed, rejects once it is rolled back. A job that does not
   * wait is rejected when another process writes, unless others of its commit wait anyway.
   */
  run<T>(work: (tx: Executor) => Promise<T>, waits: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as Job['resolve'], reject, waits });
      this.#draining ??= this.#drain();
    });
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Resolves when nobody waits any more. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // requests that have arrived at the same time come in during this turn of the event loop
      await new Promise(setImmediate);
      const group = this.#queue.slice(0, GROUP);
      this.#queue = this.#queue.slice(GROUP);
      const outcomes = await this.#runGroup(group).catch((error: unknown) => group.map((): Outcome => ({ error })));
      group.forEach((job, index) => {
        const outcome = outcomes[index]!;
        if ('error' in outcome) job.reject(outcome.error);
        else job.resolve(outcome.result);
      });
    }
    this.#draining = undefined;
  }

  /** Runs jobs in one transaction. Rejects when it cannot be begun or committed: then nothing of any of them is there. */
  async #runGroup(group: readonly Job[]): Promise<Outcome[]> {
    this.#begin(group.some(({ waits }) => waits));
    try {
      const outcomes: Outcome[] = [];
      for (const job of group) outcomes.push(await this.#runJob(job, group.length > 1));
      this.#executor.run('commit');
      return outcomes;
    } catch (error) {
      if (this.#connection.inTransaction) this.#executor.run('rollback');
      throw error;
    }
  }

  #begin(waits: boolean): void {
    if (waits) {
      this.#executor.run('begin immediate');
      return;
    }
    const timeout = this.#connection.pragma('busy_timeout', { simple: true });
    this.#connection.pragma('busy_timeout = 0');
    try {
      this.#executor.run('begin immediate');
    } finally {
      this.#connection.pragma(`busy_timeout = ${timeout}`);
    }
  }

  async #runJob({ work }: Job, isShared: boolean): Promise<Outcome> {
    if (!isShared) return { result: await work(this.#executor) };
    this.#executor.run('savepoint job');
    try {
      const result = await work(this.#executor);
      this.#executor.run('release job');
      return { result };
    } catch (error) {
      // a full disk and the like end the whole transaction (https://sqlite.org/lang_transaction.html, "Response To Errors")
      if (!this.#connection.inTransaction) throw error;
      this.#executor.run('rollback to job');
      this.#executor.run('release job');
      return { error };
    }
  }
}
