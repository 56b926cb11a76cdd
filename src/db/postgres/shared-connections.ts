/**
 * Connections that several brief reads use at the same time. Sending a statement to an idle server, and waking up for
 * its answer, takes both sides about as long as such a read itself. Statements sent after others find the server awake,
 * and statements of one turn of the event loop are sent together: on two cores this answers half as many single
 * documents again.
 */
import type { Connection } from './connection.ts';

/** The number of connections used for brief reads before one is shared, because a server has several cores as well. */
const APART = 3;
/** The most reads on one connection at a time. */
const TOGETHER = 8;
/** Milliseconds during which others may join: the pool can only replace a connection that is given back. */
const OPEN = 1000;

interface Source {
  take(): Promise<Connection>;
  giveBack(connection: Connection): void;
  /** Whether the connection may be used further. */
  isGood(connection: Connection): boolean;
}

interface Shared {
  readonly kind: string;
  readonly connection: Promise<Connection>;
  readonly since: number;
  taken: Connection | undefined;
  users: number;
}

export class SharedConnections {
  readonly #source: Source;
  /** The shared connections, of which there are few. */
  readonly #shared: Shared[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * Runs a read on a connection that only reads of its kind use meanwhile.
   *
   * @throws ContentError 503 if no connection is available; also any error of `read`.
   */
  async use<T>(kind: string, read: (connection: Connection) => Promise<T>): Promise<T> {
    const shared = this.#find(kind) ?? this.#open(kind);
    shared.users++;
    try {
      shared.taken = await shared.connection;
      return await read(shared.taken);
    } finally {
      this.#leave(shared);
    }
  }

  #find(kind: string, now = performance.now()): Shared | undefined {
    if (this.#shared.length < APART) return undefined;
    let found: Shared | undefined;
    for (const shared of this.#shared) {
      if (shared.kind !== kind || shared.users >= (found?.users ?? TOGETHER)) continue;
      if (now - shared.since > OPEN || (shared.taken && !this.#source.isGood(shared.taken))) continue;
      found = shared;
    }
    return found;
  }

  #open(kind: string): Shared {
    const connection = this.#source.take();
    const shared: Shared = { kind, connection, since: performance.now(), taken: undefined, users: 0 };
    this.#shared.push(shared);
    return shared;
  }

  #leave(shared: Shared): void {
    shared.users--;
    if (shared.users > 0) return;
    this.#shared.splice(this.#shared.indexOf(shared), 1);
    // undefined if no connection was available
    if (shared.taken) this.#source.giveBack(shared.taken);
  }
}
