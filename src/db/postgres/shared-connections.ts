/**
 * Connections that several brief reads use at a time. To send a statement to a server that waits for one, and to wake
 * up when the answer has come, takes both sides about as long as such a read itself. What is sent behind others finds
 * the server awake, and what is asked in one turn of the event loop is sent together: a single document is answered
 * half as often again on two cores.
 */
import type { Connection } from './connection.ts';

/** Connections in use for brief reads before one is shared: a server has several cores as well. */
const APART = 3;
/** Reads on one connection at a time. */
const TOGETHER = 8;
/** Milliseconds for which others join: a pool can only replace what is given back to it. */
const OPEN = 1000;

/** Where connections come from. */
interface Source {
  take(): Promise<Connection>;
  giveBack(connection: Connection): void;
  /** Whether it may be used further. */
  isGood(connection: Connection): boolean;
}

interface Shared {
  readonly kind: string;
  readonly connection: Promise<Connection>;
  readonly since: number;
  /** The connection, once it is there. */
  taken: Connection | undefined;
  users: number;
}

export class SharedConnections {
  readonly #source: Source;
  /** As few as there are connections. */
  readonly #shared: Shared[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  /**
   * Runs a read on a connection that only reads of its kind use meanwhile.
   *
   * @throws ContentError 503 when no connection is available; whatever `read` throws.
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
    // nobody has got one that could not be taken
    if (shared.taken) this.#source.giveBack(shared.taken);
  }
}
