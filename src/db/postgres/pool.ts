/** The connections to a server: lent, given back, and replaced when they or their server are not what they were. */
import pg from 'pg';
import type { ContentError } from '../../errors.ts';
import { Client } from './client.ts';
import { Connection } from './connection.ts';
import { isReadOnly, translated, unreachable } from './failures.ts';
import { Preparation } from './prepared.ts';
import { SharedConnections } from './shared-connections.ts';
import type { Peer } from './side-channel.ts';

/** Milliseconds that one is waited for: longer than one may take to be made. */
const WAIT = 10_000;
/** Seconds after which a connection is replaced: by then its name may lead to another server, its memory have grown. */
const LIFETIME = 30 * 60;
/** Milliseconds for what is still under way when all connections are to end. */
const LAST_WAIT = 1000;
/** Milliseconds in which all connections are given up once at most. */
const RETIREMENT = 1000;

export class Pool {
  readonly #pool: pg.Pool;
  /** Connections that there are, and those that are being made. */
  readonly #open = new Set<Peer>();
  readonly #connections = new WeakMap<pg.PoolClient, Connection>();
  readonly #clients = new WeakMap<Connection, pg.PoolClient>();
  readonly #prepared: Preparation;
  readonly #shared = new SharedConnections({
    take: () => this.#take(),
    giveBack: (connection) => this.#giveBack(connection),
    isGood: (connection) => this.#isGood(connection),
  });
  /** Grows when all connections of the time before are given up. */
  #epoch = 0;
  #retired = Number.NEGATIVE_INFINITY;

  constructor(options: pg.PoolConfig, max: number) {
    this.#pool = new pg.Pool({
      ...options,
      connectionTimeoutMillis: WAIT,
      maxLifetimeSeconds: LIFETIME,
      // pg's types know of no client with options
      Client: this.#noted() as unknown as NonNullable<pg.PoolConfig['Client']>,
    });
    this.#prepared = new Preparation(max);
    this.#pool.on('connect', (client) => {
      const connection = new Connection(client, this.#prepared, this.#epoch);
      this.#connections.set(client, connection);
      this.#clients.set(connection, client);
    });
    // an idle connection that breaks is replaced by the pool; without a listener it would end the process
    this.#pool.on('error', () => {});
  }

  /**
   * Lends a connection. One that was lost in use is not used again.
   *
   * @throws ContentError 503 when no connection is available.
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
   * Lends a connection for a read. Others of the same kind may use it at the same time, where all of them are brief.
   *
   * @param kind reads of one kind may wait for one another; undefined: for none.
   * @throws ContentError 503 when no connection is available.
   */
  lendFor<T>(text: string, kind: string | undefined, use: (connection: Connection) => Promise<T>): Promise<T> {
    if (kind === undefined || !this.#prepared.isBrief(text)) return this.lend(use);
    return this.#shared.use(kind, (connection) => this.#watched(connection, use));
  }

  /** Draws the conclusions from what becomes of a connection that is used. */
  async #watched<T>(connection: Connection, use: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await use(connection);
    } catch (error) {
      // a standby takes no writes, and a server that was demoted has become one: the primary is elsewhere now
      if (isReadOnly((error as ContentError).cause)) this.#retire(connection);
      throw error;
    } finally {
      // the others lead to the same server
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

  /** Ends all connections. What is still asked of them, or waits for one, gets a moment: the server may be silent. */
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

  /** A client that is known as long as it has a connection, or is making one. */
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
        // whatever keeps the server from letting us in
        const told = translated(error);
        throw told === error ? unreachable(error) : told;
      });
      const connection = this.#connections.get(client)!;
      if (this.#isGood(connection)) return connection;
      this.#giveBack(connection);
    }
  }

  #giveBack(connection: Connection): void {
    const isGood = this.#isGood(connection);
    // a goodbye to a server that does not listen would keep the connection's place
    if (!isGood) connection.destroy();
    this.#clients.get(connection)!.release(!isGood);
  }

  #isGood({ isLost, epoch }: Connection): boolean {
    return !isLost && epoch === this.#epoch;
  }

  /** Gives up all connections: those in use when they are given back, the others before they are used again. */
  #retire({ epoch }: Connection): void {
    const now = performance.now();
    if (epoch !== this.#epoch || now - this.#retired < RETIREMENT) return;
    this.#retired = now;
    this.#epoch += 1;
  }
}
