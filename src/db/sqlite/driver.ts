/**
 * SQLite through better-sqlite3, in write-ahead mode: a connection that reads and one that writes on the thread that
 * serves, and processes for the reads that may be slow.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type Sqlite from 'better-sqlite3';
import { UsageError } from '../../errors.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { currentAccount } from '../account.ts';
import type { Database, Read, TransactionOptions } from '../database.ts';
import { Lanes } from '../lanes.ts';
import type { Executor, Row } from '../queryable.ts';
import type { StatementLog } from '../statement-log.ts';
import { type ChangeListener, ChangeListeners, type Transaction } from '../transaction.ts';
import { Connection, connect } from './connection.ts';
import { DatabaseFile } from './database-file.ts';
import { sqliteDialect } from './dialect.ts';
import { translated } from './failures.ts';
import { processorTime } from './processor-time.ts';
import { Readers } from './readers.ts';
import { KnownSearchIndexes } from './search/known.ts';
import { TableSizes } from './table-sizes.ts';
import { Transactions } from './transactions.ts';

/**
 * Pages in the write-ahead log after which they go into the database file: 16 MB. The engine's own 1000 would have
 * every thirtieth write wait for it, and the same pages, those of the newest rows, be copied again and again.
 */
const CHECKPOINT = 4000;
/** Milliseconds to wait for another process while the file is opened. Later nothing waits on the thread that serves. */
const OPENING_PATIENCE = 5000;
/** Reads on the main thread delay everything else. */
const LANE_TIMES = { small: 2, bounded: 100, quick: 10, surprise: 40 };
/** Reader processes: as many as there are cores, within these. */
const FEWEST_READERS = 2;
const MOST_READERS = 4;

export interface SqliteOptions {
  /** Milliseconds that a read may take, and as many that it may wait for its turn; 0: any time. */
  readonly readTimeout: number;
  readonly log?: StatementLog | undefined;
}

/**
 * Opens a database file, making it where it is not there.
 *
 * @throws UsageError in one line when the file cannot be opened, is locked or is not a database.
 */
export function openSqlite(filename: string, options: SqliteOptions): Database {
  const memory = filename === ':memory:';
  const readonly = !memory && isReadOnly(filename);
  try {
    if (!memory && !readonly) fs.mkdirSync(path.dirname(filename), { recursive: true });
    const writer = readonly ? undefined : connect(filename, false, OPENING_PATIENCE);
    writer?.pragma('journal_mode = wal');
    // with a write-ahead log, FULL makes every commit durable before it is answered
    writer?.pragma('synchronous = full');
    writer?.pragma(`wal_autocheckpoint = ${CHECKPOINT}`);
    const reader = memory ? writer! : connect(filename, true, OPENING_PATIENCE);
    reader.prepare('select count(*) from sqlite_schema').get();
    for (const connection of [writer, reader]) connection?.pragma('busy_timeout = 0');
    return new SqliteDatabase({ filename, reader, writer }, options);
  } catch (error) {
    throw openFailure(filename, error);
  }
}

function isReadOnly(filename: string): boolean {
  if (!fs.existsSync(filename)) return false;
  try {
    fs.accessSync(filename, fs.constants.W_OK);
    fs.accessSync(path.dirname(filename), fs.constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

function openFailure(filename: string, error: unknown): Error {
  const code = (error as { code?: string }).code ?? '';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new UsageError(`${filename}: the database is locked by another program`, 1);
  }
  if (code.startsWith('SQLITE_READONLY')) {
    const remedy = 'make its folder writable, or run "pragma journal_mode = delete" on it first';
    return new UsageError(`${filename}: a read-only database in write-ahead mode cannot be opened: ${remedy}`, 1);
  }
  if (code === 'SQLITE_NOTADB') return new UsageError(`${filename}: the file is not an SQLite database`, 1);
  return new UsageError(`${filename}: the database cannot be opened: ${(error as Error).message}`, 1);
}

interface Connections {
  readonly filename: string;
  readonly reader: Sqlite.Database;
  /** Undefined for a file that can only be read; the reader itself for a database in memory. */
  readonly writer: Sqlite.Database | undefined;
}

class SqliteDatabase implements Database {
  readonly dialect: Dialect;
  readonly search: KnownSearchIndexes;
  readonly #connections: Connections;
  readonly #reads: Connection;
  readonly #lanes: Lanes;
  /** Undefined for a database in memory, which no other process can read. */
  readonly #readers: Readers | undefined;
  /** Grows when another process commits; this process's own writes announce themselves. */
  readonly #version: Sqlite.Statement<[], unknown>;
  #generation: number | undefined;
  readonly #transactions: Transactions | undefined;
  readonly #log: StatementLog | undefined;
  readonly #listeners = new ChangeListeners();
  readonly #file: DatabaseFile;

  constructor(connections: Connections, { log, readTimeout }: SqliteOptions) {
    const { filename, reader, writer } = connections;
    // bytes are those of the file's own encoding, which answers must not be in unless it is theirs
    const utf8 = reader.pragma('encoding', { simple: true }) === 'UTF-8';
    this.dialect = utf8 ? sqliteDialect : { ...sqliteDialect, bytes: (json) => json };
    this.#connections = connections;
    this.#file = new DatabaseFile(filename);
    this.#log = log;
    this.#reads = new Connection(reader, log);
    const sizes = new TableSizes(reader);
    this.#lanes = new Lanes((table) => sizes.of(table), LANE_TIMES);
    if (reader !== writer) {
      const processes = Math.min(MOST_READERS, Math.max(FEWEST_READERS, os.availableParallelism()));
      this.#readers = new Readers({ filename, processes, limit: readTimeout });
    }
    const { dialect } = this;
    const listeners = this.#listeners;
    const file = this.#file;
    this.#transactions =
      writer &&
      new Transactions({ connection: writer, executor: new Connection(writer, log), dialect, listeners, file });
    this.#version = (writer ?? reader).prepare<[], unknown>('pragma data_version').pluck();
    this.search = new KnownSearchIndexes(reader, () => this.generation());
  }

  rows(text: string, values: readonly SqlValue[]): Row[] {
    return this.#reads.rows(text, values);
  }

  read(read: Read): Row[] | Promise<Row[]> {
    if (this.#readers === undefined) return this.#reads.rows(read.text, read.values);
    const caller = currentAccount();
    const lane = this.#lanes.choose(read, caller);
    const note = (milliseconds: number) => this.#lanes.note(read, { caller, lane, milliseconds });
    if (lane === 'slow') {
      return this.#readers.run(read, (milliseconds) => {
        note(milliseconds);
        this.#log?.(read.text, milliseconds);
      });
    }
    const before = processorTime();
    try {
      return this.#reads.rows(read.text, read.values);
    } finally {
      note(processorTime() - before);
    }
  }

  holdsUpWrites(read: Read): boolean {
    return this.#readers !== undefined && this.#lanes.choose(read, currentAccount()) === 'slow';
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    if (!this.#transactions) return Promise.reject(new UsageError('the database file is read-only', 1));
    return this.#transactions.run(work, options);
  }

  subscribe(listener: ChangeListener): () => void {
    return this.#listeners.add(listener);
  }

  generation(): number {
    // asking takes a lock on the file: once a turn of the event loop, whose requests are concurrent anyway
    if (this.#generation === undefined) {
      this.#file.require();
      this.#generation = this.#askVersion();
      setImmediate(() => {
        this.#generation = undefined;
      });
    }
    return this.#generation;
  }

  load(): Readonly<Record<string, number>> {
    const { taken, waiting } = this.#readers?.load ?? { taken: 0, waiting: 0 };
    return { transactions_waiting: this.#transactions?.waiting ?? 0, readers_used: taken, readers_waited_for: waiting };
  }

  /** Statements run on the thread that calls, and wait there for those who write. */
  async apart<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    if (!this.#readers) throw new Error('a database in memory has one connection');
    const connection = connect(this.#connections.filename, false, OPENING_PATIENCE);
    try {
      // what others make durable behind it takes it along
      connection.pragma('synchronous = normal');
      return await work(new Connection(connection, this.#log));
    } finally {
      connection.close();
    }
  }

  async close(): Promise<void> {
    await this.#transactions?.settled();
    this.#readers?.close();
    this.#closeConnections();
    this.#file.close();
  }

  #closeConnections(): void {
    const { reader, writer } = this.#connections;
    reader.close();
    if (!writer || writer === reader) return;
    try {
      // only the last process that closes the file does this by itself: who copies the file wants all of it
      writer.pragma('wal_checkpoint(truncate)');
    } catch {
      // another process is at it, or writes: what is in the log stays there
    }
    writer.close();
  }

  #askVersion(): number {
    try {
      return this.#version.get() as number;
    } catch (error) {
      throw translated(error);
    }
  }
}
