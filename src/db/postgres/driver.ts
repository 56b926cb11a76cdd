/** PostgreSQL through pg: a pool, statements prepared by name, values of all types in one form on every engine. */
import pg from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import { tooLarge, UsageError } from '../../errors.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { type Database, type Executor, type Holdings, Overtaken, type Row } from '../database.ts';
import type { StatementLog } from '../statement-log.ts';
import { type Capabilities, postgresDialect } from './dialect.ts';

type PostgresConfig = Extract<DatabaseConfig, { client: 'postgres' }>;

/** Texts that get a prepared statement per connection; rarer ones beyond the cap are parsed each time. */
const STATEMENTS = 500;

/** Times that a transaction is tried which another one made impossible. */
const ATTEMPTS = 10;
/** Attempts that give way rather than wait while they hold something. */
const IMPATIENT = 5;
/**
 * What the server says to one of two transactions that cannot both go on: a serialisation failure, a deadlock, a link
 * to a row that was deleted meanwhile (https://www.postgresql.org/docs/current/errcodes-appendix.html). Nothing of it
 * stays, and it sees the other's outcome when it is tried again.
 */
const OVERTAKEN: ReadonlySet<string> = new Set(['40001', '40P01', '23503']);

/** Type ids of the server's catalogue, and how their texts become values. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text),
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  1700: Number,
  // a wall clock in UTC, as epoch milliseconds
  1114: (text) => Date.parse(`${text.replace(' ', 'T')}Z`),
};
const types = { getTypeParser: (oid: number) => PARSERS[oid] ?? String } as unknown as pg.CustomTypesConfig;

/**
 * Connects to a server.
 *
 * @throws UsageError in one line when it cannot be reached, refuses, or the database is not there.
 */
export async function openPostgres(config: PostgresConfig, log?: StatementLog): Promise<Database> {
  const settings = ['timezone=UTC', 'datestyle=ISO', 'jit=off'];
  if (config.schema) settings.push(`search_path="${config.schema.replaceAll('"', '""')}"`);
  const pool = new pg.Pool({
    ...(config.connectionString ? { connectionString: config.connectionString } : {}),
    ...(config.host ? { host: config.host } : {}),
    ...(config.port ? { port: config.port } : {}),
    ...(config.database ? { database: config.database } : {}),
    ...(config.user ? { user: config.user } : {}),
    ...(config.password === undefined ? {} : { password: config.password }),
    ...(config.ssl ? { ssl: config.ssl } : {}),
    min: config.poolMin,
    max: config.poolMax,
    options: settings.map((setting) => `-c ${setting.replaceAll(' ', '\\ ')}`).join(' '),
    connectionTimeoutMillis: 10_000,
  });
  // an idle connection that breaks is replaced by the pool; without a listener it would end the process
  pool.on('error', () => {});
  try {
    return new PostgresDatabase(pool, await askCapabilities(pool), log);
  } catch (error) {
    await pool.end();
    throw new UsageError(
      `the PostgreSQL database cannot be opened: ${(error as Error).message || (error as { code?: string }).code}`,
      1,
    );
  }
}

async function askCapabilities(pool: pg.Pool): Promise<Capabilities> {
  const { rows: folding } = await pool.query({ text: `select lower('ÉΣЖ') = 'éσж'`, rowMode: 'array' });
  if (folding[0]?.[0] === true) return { foldingCollation: undefined };
  const { rows } = await pool.query({
    text: `select collname from pg_collation where collname in ('und-x-icu', 'pg_c_utf8', 'C.utf8', 'en_US.utf8')
           and collencoding in (-1, (select encoding from pg_database where datname = current_database()))
           order by array_position(array['und-x-icu', 'pg_c_utf8', 'C.utf8', 'en_US.utf8'], collname::text) limit 1`,
    rowMode: 'array',
  });
  return { foldingCollation: rows[0]?.[0] as string | undefined };
}

class Names {
  readonly #names = new Map<string, string>();
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= STATEMENTS) return known;
    const name = `galley_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** Class 54 of the server's error codes: "program limit exceeded". */
function refuse(error: Error & { code?: string }): never {
  throw error.code?.startsWith('54') ? tooLarge() : error;
}

class PostgresDatabase implements Database {
  readonly dialect;
  readonly #pool: pg.Pool;
  readonly #names = new Names();
  readonly #log: StatementLog | undefined;

  constructor(pool: pg.Pool, capabilities: Capabilities, log: StatementLog | undefined) {
    this.#pool = pool;
    this.dialect = postgresDialect(capabilities);
    this.#log = log;
  }

  rows(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#query(this.#pool, text, values);
  }

  async #query(client: pg.Pool | pg.PoolClient, text: string, values: readonly SqlValue[]): Promise<Row[]> {
    const start = this.#log ? performance.now() : 0;
    const name = this.#names.of(text);
    const query = { text, values: values as unknown[], rowMode: 'array' as const, types };
    const result = await client.query<unknown[]>(name === undefined ? query : { ...query, name }).catch(refuse);
    this.#log?.(text, performance.now() - start);
    return result.rows;
  }

  async transaction<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    const wanted = new Map<string, boolean>();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transact(work, { held: new Map(), wanted, patient: attempt > IMPATIENT });
      } catch (error) {
        const overtaken = error instanceof Overtaken || OVERTAKEN.has((error as { code?: string }).code ?? '');
        if (attempt === ATTEMPTS || !overtaken) throw error;
      }
    }
  }

  async #transact<T>(work: (tx: Executor) => Promise<T>, holdings: Holdings): Promise<T> {
    const client = await this.#pool.connect();
    let broken = false;
    try {
      await client.query('begin');
      const result = await work({ rows: (text, values) => this.#query(client, text, values), holdings });
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  generation(): number {
    return Math.floor(Date.now() / 1000);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
