/**
 * Connections outside of the pool, for work that takes time in proportion to the rows of tables. Only one process at a
 * time does such work on a database: two index builds on one table would wait for each other, which the server ends as
 * a deadlock.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Executor } from '../interface/queryable.ts';
import { Client } from './client.ts';
import { Connection } from './connection.ts';
import { unreachable } from './failures.ts';
import type { Run } from './transaction.ts';

/** The letters `galm`: the lock of separate work. */
const LOCK = 0x67616c6d;
/**
 * A lock that ends with its transaction, which also works behind a pooler of transactions. It is requested repeatedly,
 * each time in a new transaction: an index build waits for transactions with a snapshot, so one that waited for its
 * turn would wait for the build.
 */
const TURN = `select pg_try_advisory_xact_lock(${LOCK})`;
const ASKING = 250;

interface SeparateConnectionsOptions {
  readonly options: pg.ClientConfig;
  /** Runs a statement without a time limit. */
  readonly run: (connection: Connection, statement: Parameters<Run>[0]) => Promise<{ readonly rows: unknown[][] }>;
}

export class SeparateConnections {
  readonly #options: SeparateConnectionsOptions;
  readonly #open = new Set<Connection>();
  #isClosed = false;

  constructor(options: SeparateConnectionsOptions) {
    this.#options = options;
  }

  /**
   * Gives `work` a separate connection, once no other process has one.
   *
   * @throws ContentError 503 if there is no connection, or it is lost.
   */
  work<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    return this.#connected(async (turn) => {
      for (;;) {
        // this isolation level holds no snapshot between statements, for which builds would wait
        await turn.rows('begin isolation level read committed', []);
        await turn.rows('set local idle_in_transaction_session_timeout = 0', []);
        if ((await turn.rows(TURN, []))[0]?.[0] === true) return this.#connected(work);
        await turn.rows('rollback', []);
        await pause(ASKING, undefined, { ref: false });
      }
    });
  }

  /** Ends running work: the server leaves an unfinished index, or finishes it by itself. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.destroy();
  }

  async #connected<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    const { options, run } = this.#options;
    const client = new Client(options);
    const connection = new Connection(client);
    this.#open.add(connection);
    try {
      if (this.#isClosed) throw unreachable(new Error('the database is closed'));
      await client.connect().catch((error: unknown) => {
        throw unreachable(error);
      });
      return await work({ rows: async (text, values) => (await run(connection, { text, values })).rows });
    } finally {
      this.#open.delete(connection);
      connection.destroy();
    }
  }
}
