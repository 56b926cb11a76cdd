/**
 * Lets the requests of all processes that serve a database wait while another process changes its schema. The process that
 * changes it announces that in the core store. Each server then answers the requests that it has, lets new ones wait, and
 * says so in its row of `galley_servers`. At the end it reads the schema files again and answers what waits.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { readEntry, readSetting, storeEntry, storeSetting } from './db/interface/core-store.ts';
import type { Database } from './db/interface/database.ts';
import type { Queryable } from './db/interface/queryable.ts';
import { deleteRows, insertRow, selectRows } from './db/interface/statements.ts';
import type { Transaction } from './db/interface/transaction.ts';
import type { Engine } from './engine.ts';
import { UsageError } from './errors.ts';
import { logFailure } from './media/failures.ts';
import { processState } from './media/safety/process-name.ts';
import { CORE_STORE_TABLE, SERVERS_TABLE } from './sql/settings.ts';

/** The core-store entry with the change that is being made: its id, the process and when it ends at the latest. */
const CHANGE = 'galley_schema_hold';
/** The core-store entry with the id of the last change that was committed. */
const COMMITTED = 'galley_schema_committed';
/** Milliseconds between two looks at it, and between those while requests wait. */
const LOOK = 250;
const LOOK_WAITING = 20;
/** Milliseconds for the requests that a server has, and for the answer of a server. */
const DRAIN = 15_000;
const ANSWER = 20_000;
/** Milliseconds for removing the row of this process: the database may be silent. */
const CLOSING = 300;
/** Milliseconds after which servers no longer wait for a process that they cannot examine. */
const LONGEST = 120_000;
/** Milliseconds between two signs of life of a process, and those after the last one when it counts as ended elsewhere. */
const RENEWAL = 20_000;
const SILENCE = 60_000;
/** What a server says before the id of a change, if its requests do not end. */
const BUSY = 'busy ';

/** What a server does for changes of the schema. */
export interface HeldServer {
  readonly database: Database;
  /** The name of the process. */
  readonly process: string;
  /**
   * Lets requests wait; resolves when those before are finished, or after some milliseconds.
   *
   * @param isCurrent whether what has been read belongs to the schema that is served.
   */
  readonly hold: (patience: number, isCurrent: () => Promise<boolean>) => Promise<boolean>;
  readonly release: () => void;
  /** Reads the schema files again and serves them. */
  readonly reload: () => Promise<unknown>;
}

/** Follows the changes of the schema that other processes make. */
export class SchemaHolds {
  readonly #server: HeldServer;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #generation = Number.NaN;
  /** The id of the change for which requests wait. */
  #held: string | undefined;
  /** Whether the schema files of a change could not be read yet. */
  #isBehind = false;
  /** What the row of this process says, and since when. */
  #said = '';
  #renewed = 0;
  #isClosed = false;

  constructor(server: HeldServer) {
    this.#server = server;
  }

  /** Registers this process; no process changes a database that accepts no writes. */
  async begin(): Promise<void> {
    const { database } = this.#server;
    try {
      const rows = await selectRows(database, SERVERS_TABLE, ['process', 'seen'], {});
      const left = rows.filter(([name, seen]) => !isRunning(String(name), Number(seen)));
      await database.transaction(async (tx) => {
        for (const [name] of left) await deleteRows(tx, SERVERS_TABLE, { process: String(name) });
      });
      await this.#say('');
    } catch {
      return;
    }
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const { database, process } = this.#server;
    const removed = this.#looking
      .then(() => database.transaction((tx) => deleteRows(tx, SERVERS_TABLE, { process })))
      .catch(() => undefined);
    // the next server removes the row of a process that has ended
    await Promise.race([removed, pause(CLOSING, undefined, { ref: false })]);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => {
        this.#looking = this.#look()
          .catch((error: unknown) => logFailure('a change of the schema by another process is not followed', error))
          .finally(() => this.#schedule());
      },
      this.#held === undefined ? LOOK : LOOK_WAITING,
    ).unref();
  }

  async #look(): Promise<void> {
    const { database, process, hold, release } = this.#server;
    const isDue = Date.now() - this.#renewed > RENEWAL;
    if (isDue) await this.#say(this.#said);
    if (isDue && this.#isBehind) await this.#follow();
    const generation = database.generation();
    if (generation === this.#generation && this.#held === undefined) return;
    const change = await changeIn(database);
    this.#generation = generation;
    if (change && change.process !== process && change.id !== this.#held) {
      const { id } = change;
      this.#held = id;
      const isCurrent = async () => (await readEntry(database, COMMITTED)) !== id;
      await this.#say((await hold(DRAIN, isCurrent)) ? id : `${BUSY}${id}`);
    }
    if (this.#held === undefined || change?.id === this.#held) return;
    this.#held = undefined;
    try {
      await this.#follow();
    } finally {
      release();
      await this.#say('');
    }
  }

  /** Serves the schema files as they are now. Where that fails, it is tried again. */
  async #follow(): Promise<void> {
    this.#isBehind = true;
    await this.#server.reload();
    this.#isBehind = false;
  }

  /** Stores the row of this process, which another one may have removed. */
  async #say(held: string): Promise<void> {
    const { database, process } = this.#server;
    [this.#said, this.#renewed] = [held, Date.now()];
    await database.transaction(async (tx) => {
      await deleteRows(tx, SERVERS_TABLE, { process });
      await insertRow(tx, SERVERS_TABLE, { process, held, seen: this.#renewed });
    });
  }
}

/** Whether a process runs. @param seen its last sign of life, for one that cannot be examined. */
function isRunning(process: string, seen: number): boolean {
  const state = processState(process);
  return state === 'alive' || (state === 'elsewhere' && Date.now() - seen < SILENCE);
}

interface SchemaChange {
  readonly id: string;
  readonly process: string;
}

/** Work that excludes servers. @param commit notes in its last transaction that it is done. */
export type Alone<T> = (commit: (tx: Transaction) => Promise<void>) => Promise<T>;

/** The change that is being made; undefined if there is none, or its process has ended. */
async function changeIn(db: Queryable): Promise<SchemaChange | undefined> {
  const { id, process, until } = await readSetting(db, CHANGE);
  if (typeof id !== 'string' || typeof process !== 'string') return undefined;
  const state = processState(process);
  if (state === 'gone' || (state === 'elsewhere' && Date.now() > Number(until))) return undefined;
  return { id, process };
}

/**
 * Does work while the requests of all other processes that serve the database wait.
 *
 * @param process the name of this process.
 * @throws UsageError if another process is changing the schema, or a server cannot let its requests wait; nothing is done
 *   then.
 */
export async function whileServersWait<T>(
  { database, schema }: Pick<Engine, 'database' | 'schema'>,
  process: string,
  work: Alone<T>,
): Promise<T> {
  // a database that no server of this version has used
  if (!(await schema.introspect(database, [SERVERS_TABLE])).has(SERVERS_TABLE)) return work(async () => undefined);
  const id = randomBytes(8).toString('hex');
  const store = (tx: Transaction) => storeSetting(tx, CHANGE, { id, process, until: Date.now() + LONGEST });
  await database.transaction(async (tx) => {
    await schema.lock(tx, true);
    if (await changeIn(tx))
      throw new UsageError('another process is changing the schema of the database: try again', 1);
    await store(tx);
  });
  /** Changes the entry of this change, unless another one has taken its place. */
  const changeOwn = (change: (tx: Transaction) => Promise<void>) =>
    database.transaction(async (tx) => {
      if ((await changeIn(tx))?.id === id) await change(tx);
    });
  const renewal = setInterval(() => void changeOwn(store).catch(() => undefined), RENEWAL).unref();
  try {
    await allWaiting(database, process, id);
    return await work((tx) => storeEntry(tx, COMMITTED, id, 'string'));
  } finally {
    clearInterval(renewal);
    await changeOwn((tx) => deleteRows(tx, CORE_STORE_TABLE, { key: CHANGE }));
  }
}

async function allWaiting(database: Database, process: string, id: string): Promise<void> {
  const end = Date.now() + ANSWER;
  for (;;) {
    const rows = await selectRows(database, SERVERS_TABLE, ['process', 'held', 'seen'], {});
    const others = rows.filter(([name, held, seen]) => {
      return name !== process && held !== id && isRunning(String(name), Number(seen));
    });
    if (others.length === 0) return;
    if (others.some(([, held]) => held === `${BUSY}${id}`)) {
      throw new UsageError('a server still has requests that do not end: try again, or stop it', 1);
    }
    if (Date.now() > end) throw new UsageError('a server does not answer: try again in a minute, or stop it', 1);
    await pause(LOOK_WAITING);
  }
}
