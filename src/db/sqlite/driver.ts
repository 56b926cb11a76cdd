/** SQLite through better-sqlite3: one connection that reads, one that writes, in write-ahead mode. */
import fs from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { UsageError } from '../../errors.ts';
import { Recent } from '../../recent.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Database, Executor, Row } from '../database.ts';
import type { StatementLog } from '../statement-log.ts';
import { FOLD_FUNCTION, fold, sqliteDialect } from './dialect.ts';

/** Prepared statements kept per connection. */
const STATEMENTS = 500;
/** How long a writer waits for another process, in milliseconds. */
const BUSY_TIMEOUT = 5000;

/**
 * Opens a database file, making it where it is not there.
 *
 * @throws UsageError in one line when the file cannot be opened, is locked or is no database.
 */
export function openSqlite(filename: string, log?: StatementLog): Database {
  const memory = filename === ':memory:';
  const readonly = !memory && isReadOnly(filename);
  try {
    if (!memory && !readonly) fs.mkdirSync(path.dirname(filename), { recursive: true });
    const writer = readonly ? undefined : connect(filename, false);
    writer?.pragma('journal_mode = wal');
    // with a write-ahead log, FULL makes every commit durable before it is answered
    writer?.pragma('synchronous = full');
    const reader = memory ? writer! : connect(filename, true);
    reader.prepare('select count(*) from sqlite_schema').get();
    return new SqliteDatabase(reader, writer, log);
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

function connect(filename: string, readonly: boolean): Sqlite.Database {
  const connection = new Sqlite(filename, { readonly, timeout: BUSY_TIMEOUT });
  connection.pragma('foreign_keys = on');
  connection.function(FOLD_FUNCTION, { deterministic: true }, (text: unknown) =>
    text === null ? null : fold(String(text)),
  );
  return connection;
}

function openFailure(filename: string, error: unknown): Error {
  const code = (error as { code?: string }).code ?? '';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new UsageError(`${filename}: the database is locked by another program`, 1);
  }
  if (code === 'SQLITE_NOTADB') return new UsageError(`${filename}: the file is not an SQLite database`, 1);
  return new UsageError(`${filename}: the database cannot be opened: ${(error as Error).message}`, 1);
}

/** A connection with its prepared statements. */
class Connection implements Executor {
  readonly #connection: Sqlite.Database;
  readonly #statements = new Recent<string, Sqlite.Statement<unknown[], unknown>>(STATEMENTS);
  readonly #log: StatementLog | undefined;

  constructor(connection: Sqlite.Database, log: StatementLog | undefined) {
    this.#connection = connection;
    this.#log = log;
  }

  rows(text: string, values: readonly SqlValue[]): Row[] {
    const start = this.#log ? performance.now() : 0;
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#connection.prepare(text);
      if (statement.reader) statement.raw();
      this.#statements.set(text, statement);
    }
    let rows: Row[] = [];
    if (statement.reader) rows = statement.all(...values.map(encodeParameter)) as Row[];
    else statement.run(...values.map(encodeParameter));
    this.#log?.(text, performance.now() - start);
    return rows;
  }

  run(text: string): void {
    this.rows(text, []);
  }
}

function encodeParameter(value: SqlValue): string | number | bigint | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly #reader: Sqlite.Database;
  readonly #writer: Sqlite.Database | undefined;
  readonly #reads: Connection;
  readonly #writes: Connection | undefined;
  /** Writers take turns: each waits for the one before. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(reader: Sqlite.Database, writer: Sqlite.Database | undefined, log: StatementLog | undefined) {
    this.#reader = reader;
    this.#writer = writer;
    this.#reads = new Connection(reader, log);
    this.#writes = writer && new Connection(writer, log);
  }

  rows(text: string, values: readonly SqlValue[]): Row[] {
    return this.#reads.rows(text, values);
  }

  transaction<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    const result = this.#turn.then(() => this.#transact(work));
    this.#turn = result.catch(() => {});
    return result;
  }

  async #transact<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    const connection = this.#writes;
    if (!connection) throw new UsageError('the database file is read-only', 1);
    connection.run('begin immediate');
    try {
      const result = await work(connection);
      connection.run('commit');
      return result;
    } catch (error) {
      if (this.#writer!.inTransaction) connection.run('rollback');
      throw error;
    }
  }

  generation(): number {
    // grows when another process commits; this process's own writes announce themselves
    const connection = this.#writer ?? this.#reader;
    return connection.pragma('data_version', { simple: true }) as number;
  }

  async close(): Promise<void> {
    await this.#turn;
    this.#reader.close();
    if (this.#writer && this.#writer !== this.#reader) this.#writer.close();
  }
}
