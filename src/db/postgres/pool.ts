/** The pool of connections to a server: lends them, and replaces them when they or their server have changed. */
import pg from 'pg';
import type { ContentError } from '../../errors.ts';
import { Client } from './client.ts';
import { Connection } from './connection.ts';
import { isReadOnly, translated, unreachable } from './failures.ts';
import { Preparation } from './prepared.ts';
import { SharedConnections } from './shared-connections.ts';
import type { Peer } from './side-channel.ts';

/** Milliseconds that a connection is awaited: longer than establishing one may take. */
const WAIT = 10_000;
/**
 * Seconds after which a connection is replaced: by then its host name may lead to another server, and its memory may
 * have grown.
 */
const LIFETIME = 30 * 60;
/** Milliseconds for running statements when all connections are closed. */
const LAST_WAIT = 1000;
/** Milliseconds within which all connections are retired once at most. */
const RETIREMENT = 1000;

export class Pool {
  readonly #pool: pg.Pool;
  /** Connections that are open or being established. */
  readonly #open = new Set<Peer>();
  readonly #connections = new WeakMap<pg.PoolClient, Connection>();
  readonly #clients = new WeakMap<Connection, pg.PoolClient>();
  readonly #prepared: Preparation;
  readonly #shared = new SharedConnections({
    take: () => this.#take(),
    giveBack: (connection) => this.#giveBack(connection),
    isGood: (connection) => this.#isGood(connection),
  });
  /** Increases when all connections are retired. */
  #epoch = 0;
  #retired = Number.NEGATIVE_INFINITY;

  constructor(options: pg.PoolConfig, max: number) {
    this.#pool = new pg.Pool({
      ...options,
      connectionTimeoutMillis: WAIT,
      maxLifetimeSeconds: LIFETIME,
      // pg's types lack a client with options
      Client: this.#noted() as unknown as NonNullable<pg.PoolConfig['Client']>,
    });
    this.#prepared = new Preparation(max);
    this.#pool.on('connect', (client) => {
      const connection = new Connection(client, this.#prepared, this.#epoch);
      this.#connections.set(client, connection);
      this.#clients.set(connection, client);
    });
    // the pool replaces an idle connection that breaks; without a listener its error would end the process
    this.#pool.on('error', () => {});
  }

  /** Has all statements prepared anew, because tables have changed. */
  renewStatements(): void {
    this.#prepared.version++;
  }

  /**
   * Lends a connection. A connection that was lost during use is not used again.
   *
   * @throws ContentError 503 if no connection is available.
   */
  async lend<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await this.#watched(connection, use);
    } finally {
      this.#giveBack(connection);
    }
  }

  /**
   * Lends a connection for a read. Brief reads of the same kind may use it at the same time.
   *
   * @param kind reads of one kind may wait for one another; undefined: for none.
   * @throws ContentError 503 if no connection is available.
   */
  lendFor<T>(text: string, kind: string | undefined, use: (connection: Connection) => Promise<T>): Promise<T> {
    if (kind === undefined || !this.#prepared.isBrief(text)) return this.lend(use);
    return this.#shared.use(kind, (connection) => this.#watched(connection, use));
  }

  /** Retires connections according to the outcome of their use. */
  async #watched<T>(connection: Connection, use: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await use(connection);
    } catch (error) {
      // a standby accepts no writes, and neither does a demoted server: the primary is elsewhere
      if (isReadOnly((error as ContentError).cause)) this.#retire(connection);
      throw error;
    } finally {
      // the other connections lead to the same server
      if (connection.isSilent) this.#retire(connection);
    }
  }

  get load(): Readonly<Record<string, number>> {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return {
      connections_used: totalCount - idleCount,
      connections_idle: idleCount,
      connections_waited_for: waitingCount,
    };
  }

  /** Ends all connections, after a moment for running and waiting statements. */
  async end(): Promise<void> {
    const cutOff = setTimeout(() => {
      for (const { connection } of this.#open) connection.stream.destroy();
    }, LAST_WAIT);
    try {
      await this.#pool.end();
    } finally {
      clearTimeout(cutOff);
    }
  }

  /** A client class that registers its connections while they are open or being established. */
  #noted() {
    const open = this.#open;
    return class extends Client {
      constructor(options: pg.ClientConfig) {
        super(options);
        const peer = this as unknown as Peer;
        open.add(peer);
        this.once('end', () => open.delete(peer));
      }
    };
  }

  async #take(): Promise<Connection> {
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        // any reason for which the server refuses the connection
        const translation = translated(error);
        throw translation === error ? unreachable(error) : translation;
      });
      const connection = this.#connections.get(client)!;
      if (this.#isGood(connection)) return connection;
      this.#giveBack(connection);
    }
  }

  #giveBack(connection: Connection): void {
    const isGood = this.#isGood(connection);
    // saying goodbye to a server that does not respond would keep the connection's place
    if (!isGood) connection.destroy();
    this.#clients.get(connection)!.release(!isGood);
  }

  #isGood({ isLost, epoch }: Connection): boolean {
    return !isLost && epoch === this.#epoch;
  }

  /** Retires all connections: those in use when they are given back, the others before their next use. */
  #retire({ epoch }: Connection): void {
    const now = performance.now();
    if (epoch !== this.#epoch || now - this.#retired < RETIREMENT) return;
    this.#retired = now;
    this.#epoch += 1;
  }
}
