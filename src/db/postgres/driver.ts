/** PostgreSQL through pg: a pool, statements prepared by name, values of all types in one form on every engine. */
import type { Knex } from 'knex';
import type pg from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import { UsageError } from '../../errors.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { onAccountOf } from '../interface/account.ts';
import { codeKnex, type HostTransaction, type KnexHost } from '../interface/code-knex.ts';
import type { Bell, Database, Read, ReadWatcher, TransactionOptions } from '../interface/database.ts';
import type { Executor, Row, StatementLog } from '../interface/queryable.ts';
import {
  type ChangeListener,
  ChangeListeners,
  type LockPlan,
  type Transaction,
  TransactionConflict,
} from '../interface/transaction.ts';
import { knexEngine } from './code-knex.ts';
import type { Connection, Patience, Statement } from './connection.ts';
import { ConnectionTurns } from './connection-turns.ts';
import { type Capabilities, postgresDialect } from './dialect.ts';
import { alwaysConflicting, isOutdated, isReadOnly, readFailure } from './failures.ts';
import { advanceSequences, isPrimaryKey } from './ids.ts';
import { Notifications } from './notifications.ts';
import { type Patiences, patiencesOf, within } from './patience.ts';
import { Pool } from './pool.ts';
import type { Answer } from './query.ts';
import { KnownSearchIndexes } from './search/indexes.ts';
import { SeparateConnections } from './separate-connections.ts';
import { TableSizes } from './table-sizes.ts';
import { type Run, transact } from './transaction.ts';

type PostgresConfig = Extract<DatabaseConfig, { client: 'postgres' }>;

/**
 * Prepared statements are planned once. By default the server plans most reads at each execution, because a plan that
 * knows the limit looks cheaper, and planning a read with everything takes as long as the read
 * (https://www.postgresql.org/docs/current/sql-prepare.html, "Notes").
 */
const PLAN_ONCE = 'plan_cache_mode=force_generic_plan';

/**
 * Settings for connections outside of the pool, whose statements may take any time and wait for others to end, because
 * nothing waits for them. They are startup parameters: settings made later may stay with a pooler, for all clients.
 */
const UNHURRIED = '-c statement_timeout=0 -c lock_timeout=30s';

/** The most attempts at a transaction that conflicts with others. */
const ATTEMPTS = 10;
/** The number of attempts that give way instead of waiting while they hold locks. */
const IMPATIENT = 5;
/** A unique value is taken, such as an id that a sequence has assigned again. */
const TAKEN = '23505';
/** A foreign key refers to a missing row. */
const DANGLING = '23503';
/**
 * The server's errors for one of two transactions that cannot both go on: a serialization failure, a deadlock, a link
 * to a row deleted meanwhile (https://www.postgresql.org/docs/current/errcodes-appendix.html). Nothing of the
 * transaction stays, and the next attempt sees the other's outcome.
 */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01', DANGLING]);

/**
 * Whether the database's `lower` folds all of Unicode, which Turkish does not, whether it turns `İ` into an `i`, and
 * whether it treats only ASCII letters as letters.
 */
const FOLDING = `select lower('ÉΣЖI') = 'éσжi', lower('İ') = 'i', datctype in ('C', 'POSIX')
  from pg_database where datname = current_database()`;

/** Collations that fold all of Unicode, the best first. */
const COLLATIONS = `
  select collname from pg_collation where collname in ('und-x-icu', 'pg_c_utf8', 'C.utf8', 'en_US.utf8')
    and collencoding in (-1, (select encoding from pg_database where datname = current_database()))
  order by array_position(array['und-x-icu', 'pg_c_utf8', 'C.utf8', 'en_US.utf8'], collname::text) limit 1`;

/**
 * Connects to a server.
 *
 * @throws UsageError in one line if it cannot be reached, refuses, or lacks the database.
 */
export async function openPostgres(config: PostgresConfig, log?: StatementLog): Promise<Database> {
  const options: pg.PoolConfig = { ...clientOptions(config), min: config.poolMin, max: config.poolMax };
  const pool = new Pool(options, config.poolMax);
  const patiences = patiencesOf(config);
  try {
    const capabilities = await askCapabilities(pool, patiences);
    if (config.schema) await checkSchema(pool, patiences, config.schema);
    const notifications = new Notifications(options);
    const { poolMax: connections, recheckInterval: recheck } = config;
    const resources = { pool, patiences, capabilities, notifications, log, connections, recheck };
    return new PostgresDatabase({ ...resources, options });
  } catch (error) {
    await pool.end();
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message || (cause as { code?: string }).code : message;
    throw new UsageError(`the PostgreSQL database cannot be opened: ${reason}`, 1);
  }
}

/** The options of connections to a server. */
export function clientOptions(config: PostgresConfig): pg.ClientConfig {
  // columns with a time zone, which other programs create, are then read and written like those without
  const settings = ['jit=off', 'timezone=UTC', PLAN_ONCE, `statement_timeout=${config.statementTimeout}`];
  if (config.schema) settings.push(`search_path=${quoted(config.schema)}`);
  return {
    ...(config.connectionString ? { connectionString: config.connectionString } : {}),
    ...(config.host ? { host: config.host } : {}),
    ...(config.port ? { port: config.port } : {}),
    ...(config.database ? { database: config.database } : {}),
    ...(config.user ? { user: config.user } : {}),
    ...(config.password === undefined ? {} : { password: config.password }),
    ...(config.ssl ? { ssl: config.ssl } : {}),
    options: settings.map((setting) => `-c ${setting.replaceAll(' ', '\\ ')}`).join(' '),
  };
}

/** A name as it is quoted in settings of a connection, and by the programs of the engine. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function askCapabilities(pool: Pool, { write }: Patiences): Promise<Capabilities> {
  return pool.lend(async (connection) => {
    const folding = await connection.run({ text: FOLDING, values: [] }, write);
    const [folds, dotted, isAscii] = folding.rows[0]!;
    const asciiTrigrams = isAscii === true;
    if (folds === true) return { foldingCollation: undefined, foldsDotted: dotted === true, asciiTrigrams };
    const { rows } = await connection.run({ text: COLLATIONS, values: [] }, write);
    return { foldingCollation: rows[0]?.[0] as string | undefined, foldsDotted: false, asciiTrigrams };
  });
}

/** @throws Error if tables are looked up in another schema, for example because a pooler drops unknown parameters. */
async function checkSchema(pool: Pool, { write }: Patiences, schema: string): Promise<void> {
  const text = `select current_setting('search_path')`;
  const { rows } = await pool.lend((connection) => connection.run({ text, values: [] }, write));
  const path = String(rows[0]?.[0]);
  if (path === schema || path === quoted(schema)) return;
  throw new Error(
    `its connections look for tables in ${path}, not in the schema ${schema} (alter role … set search_path)`,
  );
}

interface PostgresResources {
  /** The options of connections outside of the pool. */
  readonly options: pg.ClientConfig;
  readonly pool: Pool;
  readonly patiences: Patiences;
  readonly capabilities: Capabilities;
  readonly notifications: Notifications;
  readonly log: StatementLog | undefined;
  readonly connections: number;
  /** Milliseconds after which caches are read again. */
  readonly recheck: number;
}

class PostgresDatabase implements Database {
  readonly dialect;
  readonly search: KnownSearchIndexes;
  readonly #resources: PostgresResources;
  readonly #turns: ConnectionTurns;
  readonly #listeners = new ChangeListeners();
  readonly #sizes: TableSizes;
  /** Whether violated constraints are primary keys, by table and name. */
  readonly #primaryKeys = new Map<string, boolean>();
  readonly #separate: SeparateConnections;

  constructor(resources: PostgresResources) {
    this.#resources = resources;
    this.dialect = postgresDialect(resources.capabilities);
    this.search = new KnownSearchIndexes(this.dialect, (text) => this.rows(text, []));
    const { options, patiences } = resources;
    this.#separate = new SeparateConnections({
      options: { ...options, options: `${options.options} ${UNHURRIED}` },
      run: (connection, statement) => this.#run(connection, statement, patiences.unlimited),
    });
    this.#sizes = new TableSizes((text) => this.rows(text, []));
    this.#turns = new ConnectionTurns(resources.connections, (table) => this.#sizes.of(table));
  }

  async rows(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#turns.lookUp(() => this.#read({ text, values }));
  }

  read(read: Read, account?: string): Promise<Row[]> {
    const run = () => this.#turns.read(read, (kind) => this.#read(read, kind));
    return account === undefined ? run() : onAccountOf(account, run);
  }

  /** @param kind reads of one kind may share a connection. */
  #read(read: Statement & Pick<Read, 'limit'>, kind?: string): Promise<Row[]> {
    const { text, values, bytes = false } = read;
    const { pool, patiences } = this.#resources;
    const patience = within(patiences.read, read.limit);
    const statement: Statement = { text, values, bytes, isShared: kind !== undefined };
    return pool.lendFor(text, kind, async (connection) => {
      const read = async () => (await this.#run(connection, statement, patience)).rows;
      return read()
        .catch((error) => {
          if (!isOutdated(error)) throw error;
          return read();
        })
        .catch((error) => {
          throw readFailure(error);
        });
    });
  }

  holdsUpWrites(): boolean {
    return false;
  }

  subscribe(listener: ChangeListener): () => void {
    return this.#listeners.add(listener);
  }

  knex(host: KnexHost, own?: HostTransaction): Knex {
    return codeKnex(knexEngine(), host, own);
  }

  raw(text: string, values: readonly unknown[]): Promise<unknown> {
    return this.transaction(async (tx) => tx.raw(text, values));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, { once = false }: TransactionOptions = {}): Promise<T> {
    return this.#turns.write(() => this.#attempts(work, once ? ATTEMPTS : 1));
  }

  /** @param first the number of the first attempt. */
  async #attempts<T>(work: (tx: Transaction) => Promise<T>, first: number): Promise<T> {
    const wanted = new Map<string, boolean>();
    for (let attempt = first; ; attempt++) {
      try {
        return await this.#transact(work, { wanted, isPatient: attempt > IMPATIENT });
      } catch (error) {
        const { code, cause } = error as { code?: string; cause?: unknown };
        // the pool has found the server that accepts writes by now
        if (attempt === 1 && isReadOnly(cause)) continue;
        if (code === TAKEN) {
          if (attempt === ATTEMPTS || !(await this.#advanceIds(cause))) throw error;
          continue;
        }
        if (!(error instanceof TransactionConflict) && !CONFLICTS.has(code ?? '') && !isOutdated(error)) throw error;
        if (attempt === ATTEMPTS) throw code === DANGLING ? error : alwaysConflicting(error);
      }
    }
  }

  /**
   * Moves the sequence of a table beyond the ids of its rows, after a row could not be inserted.
   *
   * @param cause the server's error.
   * @returns whether an id was taken: by now its sequence is ahead, whichever transaction moved it.
   */
  async #advanceIds(cause: unknown): Promise<boolean> {
    const { table, constraint } = cause as { table?: string; constraint?: string };
    if (table === undefined || constraint === undefined) return false;
    const key = JSON.stringify([table, constraint]);
    const isId = this.#primaryKeys.get(key) ?? (await isPrimaryKey(this, table, constraint));
    this.#primaryKeys.set(key, isId);
    if (!isId) return false;
    const wanted = new Map<string, boolean>();
    await this.#transact((tx) => advanceSequences(tx, table), { wanted, isPatient: true });
    return true;
  }

  async #transact<T>(work: (tx: Transaction) => Promise<T>, lockPlan: LockPlan): Promise<T> {
    const { pool, patiences } = this.#resources;
    const listeners = this.#listeners;
    return pool.lend((connection) => {
      const run: Run = (statement, patience) => this.#run(connection, statement, patience);
      return transact({ connection, run, patiences, lockPlan, listeners, dialect: this.dialect }, work);
    });
  }

  async #run(connection: Connection, statement: Statement, patience: Patience): Promise<Answer> {
    const { log } = this.#resources;
    const start = log ? performance.now() : 0;
    try {
      return await connection.run(statement, patience);
    } finally {
      log?.(statement.text, performance.now() - start);
    }
  }

  generation(): number {
    const { notifications, recheck } = this.#resources;
    notifications.start();
    return Math.floor(performance.now() / recheck) + notifications.heard;
  }

  get bell(): Bell {
    return this.#resources.notifications.bell;
  }

  rowsOf(table: string): number | undefined {
    return this.#sizes.of(table);
  }

  watch(watcher: ReadWatcher): void {
    this.#turns.watch(watcher);
  }

  refresh(): Promise<void> {
    this.#resources.pool.renewStatements();
    return this.#sizes.refresh();
  }

  keepsTotals(table: string): boolean {
    return this.#sizes.keepsTotals(table);
  }

  load(): Readonly<Record<string, number>> {
    const { pool, notifications } = this.#resources;
    const turns = this.#turns.waiting;
    return { ...pool.load, turns_waited_for: turns, listening: Number(notifications.isListening) };
  }

  /** Uses no connection of the pool: work that takes minutes would occupy the place of many reads. */
  separately<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    return this.#separate.work(work);
  }

  async close(): Promise<void> {
    this.#separate.close();
    await this.#resources.notifications.close();
    await this.#resources.pool.end();
  }
}
