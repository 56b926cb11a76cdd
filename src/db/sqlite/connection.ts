/** A connection to an SQLite file, with its functions and its prepared statements. */
import Sqlite from 'better-sqlite3';
import { tooLarge, tooLong, tooMany } from '../../errors.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Executor, Row, StatementLog } from '../interface/queryable.ts';
import {
  COUNT_FUNCTION,
  FOLD_FUNCTION,
  NOTE_FUNCTION,
  NOTED_FUNCTION,
  NUMBER_FUNCTION,
  SIZE_FUNCTION,
} from './dialect.ts';
import { translated } from './failures.ts';
import { fold } from './search/letters.ts';

type Statement = Sqlite.Statement<unknown[], unknown>;

/** Prepared statements cached per connection. */
const STATEMENTS = 500;

/** The factor by which an estimated size must exceed the limit before the answer is refused. */
const CERTAINLY = 2;
/** Bytes by which the estimate for short answers may be wrong. */
const DOUBT = 4 * 1024 * 1024;

/**
 * The length of the current statement's answer, as far as SQLite reports it while building it. Statements run one at a
 * time.
 */
export class AnswerSize {
  #reported = 0;

  /** Defines the SQL function on a connection. */
  define(connection: Sqlite.Database): void {
    connection.function(SIZE_FUNCTION, (bytes: unknown, longest: unknown) => {
      this.#reported += Number(bytes);
      if (this.#reported > CERTAINLY * Number(longest) + DOUBT) throw tooLong();
      return 1;
    });
  }

  reset(): void {
    this.#reported = 0;
  }
}

/**
 * Opens a connection.
 *
 * @param patience milliseconds to wait for another process that has locked the file; the thread waits as well.
 */
export function connect(filename: string, readonly: boolean, patience: number): Sqlite.Database {
  const connection = new Sqlite(filename, { readonly, timeout: patience });
  connection.pragma('foreign_keys = on');
  // sorted subqueries are small and numerous: a temporary file for each costs more than the sorting
  connection.pragma('temp_store = memory');
  connection.function(FOLD_FUNCTION, { deterministic: true }, (text: unknown) =>
    text === null ? null : fold(String(text)),
  );
  connection.function(NUMBER_FUNCTION, { deterministic: true }, (number: unknown) =>
    number === null ? null : String(number),
  );
  connection.function(COUNT_FUNCTION, (rows: unknown) => {
    populated += Number(rows);
    if (populated > POPULATED_ROWS) throw tooMany(POPULATED_ROWS);
    return 1;
  });
  connection.function(NOTE_FUNCTION, (place: unknown, text: unknown) => {
    notes.set(Number(place), String(text));
    return 1;
  });
  connection.function(NOTED_FUNCTION, (place: unknown) => {
    const text = notes.get(Number(place));
    if (text === undefined) throw new Error('a statement reads a result before it is noted');
    return text;
  });
  answerSize.define(connection);
  return connection;
}

/** The most rows that one statement may populate in lists within lists within lists. */
const POPULATED_ROWS = 100_000;
/** The rows that the current statement has populated. */
let populated = 0;
/** What the current statement has noted. */
const notes = new Map<number, string>();
const answerSize = new AnswerSize();

type Run<T> = (statement: Statement, parameters: readonly SqlValue[]) => T;

const rowsOf: Run<Row[]> = (statement, parameters) => {
  if (statement.reader) return statement.all(...parameters) as Row[];
  statement.run(...parameters);
  return [];
};

const lastIdOf: Run<number> = (statement, parameters) => Number(statement.run(...parameters).lastInsertRowid);

export class Connection implements Executor {
  readonly #connection: Sqlite.Database;
  readonly #statements = new LruCache<string, Statement>(
    STATEMENTS,
    textWeight((text) => text.length),
  );
  readonly #log: StatementLog | undefined;
  /** The number of executed statements that may write. */
  writes = 0;

  constructor(connection: Sqlite.Database, log?: StatementLog) {
    this.#connection = connection;
    this.#log = log;
  }

  /** @throws ContentError if the engine refuses the statement for its size, or the file fails (`failures.ts`). */
  rows(text: string, values: readonly SqlValue[]): Row[] {
    return this.#run(text, values, rowsOf);
  }

  /** Inserts rows and returns the last id. Throws as `rows`. */
  insert(text: string, values: readonly SqlValue[]): number {
    return this.#run(text, values, lastIdOf);
  }

  /**
   * Runs a statement that a project's code has written. Throws as `rows`.
   *
   * @returns the rows of a statement that gives some, as objects; else the number of changed rows.
   */
  raw(text: string, values: readonly unknown[]): unknown {
    const start = this.#log ? performance.now() : 0;
    try {
      const statement = this.#connection.prepare<unknown[], unknown>(text);
      if (!statement.readonly) this.writes++;
      return statement.reader ? statement.all(...values) : statement.run(...values);
    } catch (error) {
      throw translated(error);
    } finally {
      this.#log?.(text, performance.now() - start);
    }
  }

  /** Whether a statement only reads. */
  reads(text: string): boolean {
    const { readonly, reader } = this.#connection.prepare(text);
    return readonly && reader;
  }

  #run<T>(text: string, values: readonly SqlValue[], run: Run<T>): T {
    const start = this.#log ? performance.now() : 0;
    populated = 0;
    notes.clear();
    answerSize.reset();
    try {
      const statement = this.#statement(text);
      if (!statement.readonly) this.writes++;
      return run(statement, values.some(isBoolean) ? values.map(encodeParameter) : values);
    } catch (error) {
      throw translated(error);
    } finally {
      this.#log?.(text, performance.now() - start);
    }
  }

  run(text: string): void {
    this.rows(text, []);
  }

  #statement(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = prepare(this.#connection, text);
      if (statement.reader) statement.raw();
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** SQLite's messages about its limits (https://sqlite.org/limits.html), which all have the code ERROR. */
const BEYOND_LIMITS =
  /^(?:Expression tree is too large|Recursion limit|at most \d+ tables|VIEWs and\/or subqueries nested too deep|too many |parser stack overflow)/;

function prepare(connection: Sqlite.Database, text: string): Statement {
  try {
    return connection.prepare(text);
  } catch (error) {
    throw BEYOND_LIMITS.test((error as Error).message) ? tooLarge() : error;
  }
}

const isBoolean = (value: SqlValue): boolean => typeof value === 'boolean';

function encodeParameter(value: SqlValue): string | number | bigint | null {
  return typeof value === 'boolean' ? Number(value) : value;
}
