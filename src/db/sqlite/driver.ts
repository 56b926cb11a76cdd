/**
 * SQLite through better-sqlite3 in write-ahead mode: one connection for reads and one for writes on the serving thread,
 * and processes for reads that may be slow.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import { UsageError } from '../../errors.ts';
import { WorkTimer } from '../../processor-time.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { currentAccount, onAccountOf } from '../interface/account.ts';
import { codeKnex, type HostTransaction, type KnexHost } from '../interface/code-knex.ts';
import type { Database, Read, ReadWatcher, TransactionOptions } from '../interface/database.ts';
import type { Executor, Row, StatementLog } from '../interface/queryable.ts';
import { noteRead } from '../interface/recorded-reads.ts';
import { type ChangeListener, ChangeListeners, type Transaction } from '../interface/transaction.ts';
import { Lanes, type Measurement } from '../scheduling/lanes.ts';
import { FileChangeClock } from './change-clock.ts';
import { knexEngine } from './code-knex.ts';
import { CommitSignal } from './commit-signal.ts';
import { Connection, connect } from './connection.ts';
import { DatabaseFile } from './database-file.ts';
import { sqliteDialect } from './dialect.ts';
import { LANE_TIMES } from './explain.ts';
import { translated } from './failures.ts';
import { LogFlush } from './log-flush.ts';
import { ReaderChild } from './readers/reader-child.ts';
import { Readers } from './readers/readers.ts';
import { KnownSearchIndexes } from './search/indexes.ts';
import { TableSizes } from './table-sizes.ts';
import { KeptTotals } from './totals.ts';
import { Transactions } from './transactions.ts';

/**
 * Pages in the write-ahead log after which they are moved into the database file: 16 MB. With the engine's default of
 * 1000, every thirtieth write would wait for it, and the same pages, those of the newest rows, would be copied
 * repeatedly.
 */
const CHECKPOINT = 4000;
/** Milliseconds to wait for another process while the file is opened. Later the serving thread never waits. */
const OPENING_PATIENCE = 5000;
/** The least and the most reader processes; between them there are as many as cores for this process. */
const FEWEST_READERS = 2;
const MOST_READERS = 4;

export interface SqliteOptions {
  /** The longest time of a read in milliseconds, and of its wait for a turn; 0: unlimited. */
  readonly readTimeout: number;
  readonly log?: StatementLog | undefined;
  /** The number of processes that serve the file, including this one; 1 if left out. */
  readonly writers?: number | undefined;
  /** A file through which these processes notify each other of commits. */
  readonly signal?: string | undefined;
  /** Whether the file is only read; if left out, whether the system permits nothing else. */
  readonly readonly?: boolean | undefined;
}

/**
 * Opens a database file, creating it if it is missing.
 *
 * @throws UsageError in one line if the file cannot be opened, is locked or is not a database.
 */
export function openSqlite(filename: string, options: SqliteOptions): Database {
  const memory = filename === ':memory:';
  const readonly = !memory && (options.readonly === true || isReadOnly(filename));
  try {
    if (!memory && !readonly) fs.mkdirSync(path.dirname(filename), { recursive: true });
    const writer = readonly ? undefined : connect(filename, false, OPENING_PATIENCE);
    const mode = writer?.pragma('journal_mode = wal', { simple: true });
    const reader = memory ? writer! : connect(filename, true, OPENING_PATIENCE);
    const flush = mode === 'wal' ? new LogFlush(filename, reader) : undefined;
    // with a log, each commit is flushed before it is answered (log-flush.ts); otherwise the commit itself has to flush
    writer?.pragma(`synchronous = ${flush ? 'normal' : 'full'}`);
    writer?.pragma(`wal_autocheckpoint = ${CHECKPOINT}`);
    reader.prepare('select count(*) from sqlite_schema').get();
    for (const connection of [writer, reader]) connection?.pragma('busy_timeout = 0');
    return new SqliteDatabase({ filename, reader, writer, flush }, options);
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

export function openFailure(filename: string, error: unknown): Error {
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
  /** Undefined for a read-only file; equal to the reader for a database in memory. */
  readonly writer: Sqlite.Database | undefined;
  /** Undefined if commits are durable by themselves, or in memory. */
  readonly flush: LogFlush | undefined;
}

class SqliteDatabase implements Database {
  readonly dialect: Dialect;
  /** Undefined for a database in memory, whose one connection reads uncommitted changes. */
  readonly changeClock: FileChangeClock | undefined;
  readonly search: KnownSearchIndexes;
  readonly #connections: Connections;
  readonly #reads: Connection;
  readonly #lanes: Lanes;
  /** Undefined for a database in memory, which no other process can read. */
  readonly #readers: Readers | undefined;
  /** Undefined for a read-only file and for a database in memory. */
  readonly separately: Database['separately'];
  /** Processes that currently do separate work. */
  readonly #apart = new Set<ReaderChild>();
  /** Increases when another process commits; this process's own writes announce themselves. */
  readonly #version: Sqlite.Statement<[], unknown>;
  #generation: number | undefined;
  readonly #transactions: Transactions | undefined;
  readonly #log: StatementLog | undefined;
  readonly #listeners = new ChangeListeners();
  readonly #file: DatabaseFile;
  readonly #signal: CommitSignal | undefined;
  readonly #totals: KeptTotals;
  readonly #sizes: TableSizes;
  readonly #timer = new WorkTimer();
  #watcher: ReadWatcher | undefined;

  constructor(connections: Connections, { log, readTimeout, writers = 1, signal }: SqliteOptions) {
    const { filename, reader, writer, flush } = connections;
    // the bytes have the file's encoding, which must be that of answers
    const utf8 = reader.pragma('encoding', { simple: true }) === 'UTF-8';
    this.dialect = utf8 ? sqliteDialect : { ...sqliteDialect, json: { ...sqliteDialect.json, bytes: (json) => json } };
    this.#connections = connections;
    this.#file = new DatabaseFile(filename);
    this.#log = log;
    this.#reads = new Connection(reader, log);
    this.#totals = new KeptTotals(reader);
    this.#sizes = new TableSizes(reader);
    this.#lanes = new Lanes((table) => this.#sizes.of(table), LANE_TIMES);
    if (reader !== writer) {
      const cores = Math.floor(os.availableParallelism() / writers);
      const processes = Math.min(MOST_READERS, Math.max(FEWEST_READERS, cores));
      this.#readers = new Readers({ filename, processes, limit: readTimeout });
      if (writer) this.separately = (work) => this.#workSeparately(work);
    }
    this.#version = (writer ?? reader).prepare<[], unknown>('pragma data_version').pluck();
    this.changeClock =
      reader === writer ? undefined : new FileChangeClock({ reader, writer }, () => this.#askVersion());
    const { dialect, changeClock } = this;
    const [listeners, file] = [this.#listeners, this.#file];
    this.#signal = signal === undefined ? undefined : new CommitSignal(signal);
    this.#transactions =
      writer &&
      new Transactions({
        connection: writer,
        executor: new Connection(writer, log),
        dialect,
        listeners,
        file,
        changeClock,
        flush,
        signal: this.#signal,
        writers,
      });
    this.search = new KnownSearchIndexes(reader, () => this.generation());
  }

  rows(text: string, values: readonly SqlValue[]): Row[] {
    return this.#reads.rows(text, values);
  }

  read(read: Read, account = currentAccount()): Row[] | Promise<Row[]> {
    noteRead(read);
    const readers = this.#readers;
    if (readers === undefined) return this.#reads.rows(read.text, read.values);
    if (this.#lanes.choose(read, account) === 'quick') return this.#readQuickly(read, account);
    const note = (milliseconds: number): void => {
      this.#note(read, { caller: account, lane: 'slow', milliseconds });
      this.#log?.(read.text, milliseconds);
    };
    return onAccountOf(account, () => readers.run(read, note));
  }

  #readQuickly(read: Read, caller: string): Row[] {
    const begun = this.#timer.begin();
    try {
      return this.#reads.rows(read.text, read.values);
    } finally {
      this.#note(read, { caller, lane: 'quick', milliseconds: this.#timer.since(begun) });
    }
  }

  #note(read: Read, measurement: Measurement): void {
    this.#lanes.note(read, measurement);
    this.#watcher?.(read, measurement.milliseconds);
  }

  holdsUpWrites(read: Read): boolean {
    return this.#readers !== undefined && this.#lanes.choose(read, currentAccount()) === 'slow';
  }

  knex(host: KnexHost, own?: HostTransaction): Knex {
    return codeKnex(knexEngine(), host, own);
  }

  async raw(text: string, values: readonly unknown[]): Promise<unknown> {
    if (this.#reads.reads(text)) return this.#reads.raw(text, values);
    return this.transaction(async (tx) => tx.raw(text, values));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    if (!this.#transactions) return Promise.reject(new UsageError('the database file is read-only', 1));
    return this.#transactions.run(work, options);
  }

  /** Works in a separate process: definitions take time in proportion to the rows of a table. */
  async #workSeparately<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    const child = new ReaderChild(this.#connections.filename, true);
    this.#apart.add(child);
    const rows: Executor['rows'] = async (text, values) => {
      const { rows, milliseconds } = await child.run({ text, values }, 0);
      this.#log?.(text, milliseconds);
      return rows;
    };
    try {
      return await work({ rows });
    } finally {
      this.#apart.delete(child);
      child.kill();
    }
  }

  subscribe(listener: ChangeListener): () => void {
    return this.#listeners.add(listener);
  }

  generation(): number {
    // reading it takes a lock on the file, so it is read once per turn of the event loop, whose requests are concurrent
    // anyway
    return this.#generation ?? this.#askVersion();
  }

  rowsOf(table: string): number | undefined {
    // row ids may have large gaps
    return this.#totals.count(table) ?? this.#sizes.of(table);
  }

  watch(watcher: ReadWatcher): void {
    this.#watcher = watcher;
  }

  get confirmsNothing(): boolean {
    return this.#connections.flush?.hasFailed ?? false;
  }

  keepsTotals(table: string): boolean {
    return this.#totals.has(table);
  }

  load(): Readonly<Record<string, number>> {
    const { taken, waiting } = this.#readers?.load ?? { taken: 0, waiting: 0 };
    return { transactions_waiting: this.#transactions?.waiting ?? 0, readers_used: taken, readers_waited_for: waiting };
  }

  async close(): Promise<void> {
    await this.#transactions?.settled();
    this.#readers?.close();
    for (const child of this.#apart) child.kill();
    this.#closeConnections();
    this.#connections.flush?.close();
    this.#signal?.close();
    this.#file.close();
  }

  #closeConnections(): void {
    const { reader, writer } = this.#connections;
    reader.close();
    if (!writer || writer === reader) return;
    try {
      // only the last process that closes the file does this by itself; a copy of the file should be complete
      writer.pragma('wal_checkpoint(truncate)');
    } catch {
      // another process does it, or writes: the log keeps its contents
    }
    writer.close();
  }

  #askVersion(): number {
    if (this.#generation === undefined) this.#file.require();
    try {
      const version = this.#version.get() as number;
      if (this.#generation === undefined) {
        setImmediate(() => {
          this.#generation = undefined;
        });
      }
      // reads later in this turn must not see an older version
      this.#generation = version;
      return version;
    } catch (error) {
      throw translated(error);
    }
  }
}
