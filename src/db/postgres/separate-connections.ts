/**
 * Connections outside of the pool, for work that takes as long as tables have rows. One process of all that use the
 * database does such work at a time: two builds of indexes on one table wait for each other, which the server ends as a
 * deadlock.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Executor } from '../interface/queryable.ts';
import { Client } from './client.ts';
import { Connection } from './connection.ts';
import { unreachable } from './failures.ts';
import type { Run } from './transaction.ts';

/** The letters `galm`: the lock of whoever works apart. */
const LOCK = 0x67616c6d;
/**
 * A lock of a transaction, which a pooler of transactions keeps as well. It is asked for again and again, each time in a
 * transaction of its own: a build that finds a snapshot waits until the end of the transaction that has it, and one that
 * waited for its turn would wait for the build.
 */
const TURN = `select pg_try_advisory_xact_lock(${LOCK})`;
/** Milliseconds between two requests for it. */
const ASKING = 250;

interface Parts {
  /** What a connection is made with. */
  readonly options: pg.ClientConfig;
  /** Runs a statement, which may take any time. */
  readonly run: (connection: Connection, statement: Parameters<Run>[0]) => Promise<{ readonly rows: unknown[][] }>;
}

export class SeparateConnections {
  readonly #parts: Parts;
  readonly #open = new Set<Connection>();
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Gives `work` a connection of its own, once no other process has one.
   *
   * @throws ContentError 503 when a connection cannot be had, or is lost.
   */
  work<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    return this.#connected(async (turn) => {
      for (;;) {
        // without a snapshot between statements, which builds would wait for
        await turn.rows('begin isolation level read committed', []);
        await turn.rows('set local idle_in_transaction_session_timeout = 0', []);
        if ((await turn.rows(TURN, []))[0]?.[0] === true) return this.#connected(work);
        await turn.rows('rollback', []);
        await pause(ASKING, undefined, { ref: false });
      }
    });
  }

  /** Ends what is under way: the server leaves an index that is being built unfinished, or finishes it by itself. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.destroy();
  }

  async #connected<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    const { options, run } = this.#parts;
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
