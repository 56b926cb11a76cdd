/** SQLite through better-sqlite3: one connection that reads, one that writes, in write-ahead mode. */
import fs from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { tooLarge, tooMany, UsageError } from '../../errors.ts';
import { Recent, textWeight } from '../../recent.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Database, Executor, Row } from '../database.ts';
import type { StatementLog } from '../statement-log.ts';
import { COUNT_FUNCTION, FOLD_FUNCTION, fold, sqliteDialect } from './dialect.ts';
import { Transactions } from './transactions.ts';

/** Prepared statements kept per connection. */
const STATEMENTS = 500;
/**
 * Pages in the write-ahead log after which they go into the database file: 16 MB. The engine's own 1000 would have every
 * thirtieth write wait for it, and the same pages, those of the newest rows, be copied again and again.
 */
const CHECKPOINT = 4000;
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
    writer?.pragma(`wal_autocheckpoint = ${CHECKPOINT}`);
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
  // sorted subqueries are small and many: a temporary file for each costs more than the sorting
  connection.pragma('temp_store = memory');
  connection.function(FOLD_FUNCTION, { deterministic: true }, (text: unknown) =>
    text === null ? null : fold(String(text)),
  );
  connection.function(COUNT_FUNCTION, (rows: unknown) => {
    populated += Number(rows);
    if (populated > POPULATED_ROWS) throw tooMany(POPULATED_ROWS);
    return 1;
  });
  return connection;
}

/** Rows that one statement may populate in lists within lists within lists. */
const POPULATED_ROWS = 100_000;
/** Rows that the statement under way has populated: statements run one at a time. */
let populated = 0;

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

/** A connection with its prepared statements. */
class Connection implements Executor {
  readonly #connection: Sqlite.Database;
  readonly #statements = new Recent<string, Sqlite.Statement<unknown[], unknown>>(
    STATEMENTS,
    textWeight((text) => text.length),
  );
  readonly #log: StatementLog | undefined;

  constructor(connection: Sqlite.Database, log: StatementLog | undefined) {
    this.#connection = connection;
    this.#log = log;
  }

  rows(text: string, values: readonly SqlValue[]): Row[] {
    const start = this.#log ? performance.now() : 0;
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = prepare(this.#connection, text);
      if (statement.reader) statement.raw();
      this.#statements.set(text, statement);
    }
    let rows: Row[] = [];
    populated = 0;
    try {
      if (statement.reader) rows = statement.all(...values.map(encodeParameter)) as Row[];
      else statement.run(...values.map(encodeParameter));
    } catch (error) {
      throw (error as { code?: string }).code === TOO_BIG ? tooLarge() : error;
    } finally {
      this.#log?.(text, performance.now() - start);
    }
    return rows;
  }

  run(text: string): void {
    this.rows(text, []);
  }
}

/** What SQLite says of a statement beyond its limits (https://sqlite.org/limits.html); all have the code ERROR. */
const BEYOND_LIMITS =
  /^(?:Expression tree is too large|Recursion limit|at most \d+ tables|too many |parser stack overflow)/;

/** The code of a text longer than the engine holds: of a value, of an answer or of a statement. */
const TOO_BIG = 'SQLITE_TOOBIG';

function prepare(connection: Sqlite.Database, text: string): Sqlite.Statement<unknown[], unknown> {
  try {
    return connection.prepare(text);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    throw code === TOO_BIG || BEYOND_LIMITS.test(message) ? tooLarge() : error;
  }
}

function encodeParameter(value: SqlValue): string | number | bigint | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

class SqliteDatabase implements Database {
  readonly dialect: Dialect;
  readonly #reader: Sqlite.Database;
  readonly #writer: Sqlite.Database | undefined;
  readonly #reads: Connection;
  /** Grows when another process commits; this process's own writes announce themselves. */
  readonly #version: Sqlite.Statement<[], unknown>;
  #generation: number | undefined;
  readonly #transactions: Transactions | undefined;

  constructor(reader: Sqlite.Database, writer: Sqlite.Database | undefined, log: StatementLog | undefined) {
    // bytes are those of the file's own encoding, which answers must not be in unless it is theirs
    const utf8 = reader.pragma('encoding', { simple: true }) === 'UTF-8';
    this.dialect = utf8 ? sqliteDialect : { ...sqliteDialect, bytes: (json) => json };
    this.#reader = reader;
    this.#writer = writer;
    this.#reads = new Connection(reader, log);
    this.#transactions = writer && new Transactions(writer, new Connection(writer, log));
    this.#version = (writer ?? reader).prepare<[], unknown>('pragma data_version').pluck();
  }

  rows(text: string, values: readonly SqlValue[]): Row[] {
    return this.#reads.rows(text, values);
  }

  transaction<T>(work: (tx: Executor) => Promise<T>, waits = true): Promise<T> {
    if (!this.#transactions) return Promise.reject(new UsageError('the database file is read-only', 1));
    return this.#transactions.run(work, waits);
  }

  generation(): number {
    // asking takes a lock on the file: once a turn of the event loop, whose requests are concurrent anyway
    if (this.#generation === undefined) {
      this.#generation = this.#version.get() as number;
      setImmediate(() => {
        this.#generation = undefined;
      });
    }
    return this.#generation;
  }

  load(): Readonly<Record<string, number>> {
    return { transactions_waiting: this.#transactions?.waiting ?? 0 };
  }

  async close(): Promise<void> {
    await this.#transactions?.settled();
    this.#reader.close();
    if (this.#writer && this.#writer !== this.#reader) this.#writer.close();
  }
}
