/**
 * Lets the requests of all processes that serve a database wait while another process changes its schema. The process that
 * changes it announces that in the core store. Each server then answers the requests that it has, lets new ones wait, and
 * says so in its row of `galley_servers`. At the end it reads the schema files again and answers what waits.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { readEntry, readSetting, storeEntry, storeSetting } from './db/interface/core-store.ts';
import type { Database } from './db/interface/database.ts';
import { deleteRows, insertRow, selectRows, updateRows } from './db/interface/statements.ts';
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
/** Milliseconds after which servers no longer wait for a process that they cannot examine. */
const LONGEST = 120_000;

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
  #isClosed = false;

  constructor(server: HeldServer) {
    this.#server = server;
  }

  /** Registers this process; a database that accepts no writes is changed by nobody. */
  async begin(): Promise<void> {
    const { database, process } = this.#server;
    const gone = async () => {
      const rows = await selectRows(database, SERVERS_TABLE, ['process'], {});
      return rows.map(([name]) => String(name)).filter((name) => processState(name) === 'gone');
    };
    try {
      const left = await gone();
      await database.transaction(async (tx) => {
        for (const name of left) await deleteRows(tx, SERVERS_TABLE, { process: name });
        await insertRow(tx, SERVERS_TABLE, { process, held: '' });
      });
    } catch {
      return;
    }
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    const { database, process } = this.#server;
    await database.transaction((tx) => deleteRows(tx, SERVERS_TABLE, { process })).catch(() => undefined);
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
    const { database, process, hold, release, reload } = this.#server;
    const generation = database.generation();
    if (generation === this.#generation && this.#held === undefined) return;
    const change = await changeIn(database);
    this.#generation = generation;
    if (change && change.process !== process && change.id !== this.#held) {
      const { id } = change;
      this.#held = id;
      const isCurrent = async () => (await readEntry(database, COMMITTED)) !== id;
      if (await hold(DRAIN, isCurrent)) await this.#say(id);
    }
    if (this.#held === undefined || change?.id === this.#held) return;
    this.#held = undefined;
    try {
      await reload();
    } finally {
      release();
      await this.#say('');
    }
  }

  async #say(held: string): Promise<void> {
    const { database, process } = this.#server;
    await database.transaction((tx) => updateRows(tx, SERVERS_TABLE, { held }, { process }));
  }
}

interface SchemaChange {
  readonly id: string;
  readonly process: string;
}

/** Work that excludes servers. @param commit notes in its last transaction that it is done. */
export type Alone<T> = (commit: (tx: Transaction) => Promise<void>) => Promise<T>;

/** The change that is being made; undefined if there is none, or its process has ended. */
async function changeIn(database: Database): Promise<SchemaChange | undefined> {
  const { id, process, until } = await readSetting(database, CHANGE);
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
  const other = await changeIn(database);
  if (other) throw new UsageError('another process is changing the schema of the database: try again', 1);
  const id = randomBytes(8).toString('hex');
  await database.transaction((tx) => storeSetting(tx, CHANGE, { id, process, until: Date.now() + LONGEST }));
  try {
    await allWaiting(database, process, id);
    return await work((tx) => storeEntry(tx, COMMITTED, id, 'string'));
  } finally {
    await database.transaction((tx) => deleteRows(tx, CORE_STORE_TABLE, { key: CHANGE }));
  }
}

async function allWaiting(database: Database, process: string, id: string): Promise<void> {
  const end = Date.now() + ANSWER;
  for (;;) {
    const rows = await selectRows(database, SERVERS_TABLE, ['process', 'held'], {});
    const busy = rows
      .filter(([, held]) => held !== id)
      .map(([name]) => String(name))
      .filter((name) => name !== process && processState(name) !== 'gone');
    if (busy.length === 0) return;
    if (Date.now() > end) {
      // a process of another machine may have ended without a trace
      if (busy.every((name) => processState(name) === 'elsewhere')) return;
      throw new UsageError('a server still has requests that do not end: try again, or stop it', 1);
    }
    await pause(LOOK_WAITING);
  }
}
