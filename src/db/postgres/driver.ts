/** PostgreSQL through pg: a pool, statements prepared by name, values of all types in one form on every engine. */
import pg from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import { UsageError } from '../../errors.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { currentAccount } from '../account.ts';
import { type Database, type Executor, type Holdings, Overtaken, type Read, type Row } from '../database.ts';
import { Lanes } from '../lanes.ts';
import type { StatementLog } from '../statement-log.ts';
import { Turns } from '../turns.ts';
import { type Capabilities, postgresDialect } from './dialect.ts';
import { alwaysOvertaken, translated } from './failures.ts';
import { Prepared } from './prepared.ts';
import { TableSizes } from './table-sizes.ts';

type PostgresConfig = Extract<DatabaseConfig, { client: 'postgres' }>;

/**
 * A prepared statement is planned once. Left to itself the server plans most reads at each execution, since a plan that
 * knows the limit looks cheaper, and the planning of a read with everything takes as long as the read
 * (https://www.postgresql.org/docs/current/sql-prepare.html, "Notes").
 */
const PLAN_ONCE = 'plan_cache_mode=force_generic_plan';

/** Times that a transaction is tried which another one made impossible. */
const ATTEMPTS = 10;
/** Attempts that give way rather than wait while they hold something. */
const IMPATIENT = 5;
/** A link to a row that is not there. */
const DANGLING = '23503';
/**
 * What the server says to one of two transactions that cannot both go on: a serialisation failure, a deadlock, a link
 * to a row that was deleted meanwhile (https://www.postgresql.org/docs/current/errcodes-appendix.html). Nothing of it
 * stays, and it sees the other's outcome when it is tried again.
 */
const OVERTAKEN: ReadonlySet<string> = new Set(['40001', '40P01', DANGLING]);

/** What counts as quick, in milliseconds, the way to the server included. */
const LANE_TIMES = { small: 5, quick: 50, surprise: 300 };
/** Requests that may wait for a connection, of one caller and of all, and how many milliseconds. */
const WAITING = { waitingEach: 200, waiting: 1000, patience: 10_000 };

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
  const settings = [
    'timezone=UTC',
    'datestyle=ISO',
    'jit=off',
    PLAN_ONCE,
    `statement_timeout=${config.statementTimeout}`,
  ];
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
    return new PostgresDatabase({ pool, capabilities: await askCapabilities(pool), config, log });
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

interface Opened {
  readonly pool: pg.Pool;
  readonly capabilities: Capabilities;
  readonly config: Pick<PostgresConfig, 'poolMax'>;
  readonly log: StatementLog | undefined;
}

/** How many connections reads that may be slow, and transactions, have at most: at least one is left for what is quick. */
function placesOf(connections: number): { readonly slow: number; readonly writes: number } {
  const slow = Math.max(1, Math.floor((connections - 1) / 2));
  return { slow, writes: Math.max(1, connections - 1 - slow) };
}

class PostgresDatabase implements Database {
  readonly dialect;
  readonly #pool: pg.Pool;
  readonly #prepared = new Prepared();
  readonly #log: StatementLog | undefined;
  readonly #lanes: Lanes;
  readonly #slowReads: Turns;
  readonly #writes: Turns;

  constructor({ pool, capabilities, config, log }: Opened) {
    this.#pool = pool;
    this.dialect = postgresDialect(capabilities);
    this.#log = log;
    const sizes = new TableSizes((text) => this.rows(text, []));
    this.#lanes = new Lanes((table) => sizes.of(table), LANE_TIMES);
    const { slow, writes } = placesOf(config.poolMax);
    this.#slowReads = new Turns({ places: slow, share: Math.max(1, slow - 1), ...WAITING });
    this.#writes = new Turns({ places: writes, share: Math.max(1, writes - 1), ...WAITING });
  }

  rows(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#connected((client) => this.#query(client, text, values));
  }

  read(read: Read): Promise<Row[]> {
    const caller = currentAccount();
    const lane = this.#lanes.choose(read, caller);
    const run = async () => {
      const started = performance.now();
      try {
        return await this.rows(read.text, read.values);
      } finally {
        this.#lanes.note(read, { caller, lane, milliseconds: performance.now() - started });
      }
    };
    return lane === 'slow' ? this.#slowReads.run(read.table, run) : run();
  }

  isSlow(read: Read): boolean {
    return this.#lanes.choose(read, currentAccount()) === 'slow';
  }

  /** Lends a connection. One that fails in use is not used again. */
  async #connected<T>(use: (client: pg.PoolClient, lose: () => void) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined;
    let broken = false;
    // a connection that is lost while nothing is asked of it would end the process without a listener
    const lose = () => {
      broken = true;
    };
    try {
      client = await this.#pool.connect();
      client.on('error', lose);
      return await use(client, lose);
    } catch (error) {
      const told = translated(error);
      broken ||= told !== error;
      throw told;
    } finally {
      client?.release(broken);
      client?.off('error', lose);
    }
  }

  async #query(client: pg.PoolClient, text: string, values: readonly SqlValue[]): Promise<Row[]> {
    const start = this.#log ? performance.now() : 0;
    const name = this.#prepared.nameOf(client, text);
    const query = { text, values: values as unknown[], rowMode: 'array' as const, types };
    try {
      return (await client.query<unknown[]>(name === undefined ? query : { ...query, name })).rows;
    } finally {
      this.#log?.(text, performance.now() - start);
    }
  }

  transaction<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    return this.#writes.run(undefined, () => this.#attempts(work));
  }

  async #attempts<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    const wanted = new Map<string, boolean>();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transact(work, { held: new Map(), wanted, patient: attempt > IMPATIENT });
      } catch (error) {
        const { code } = error as { code?: string };
        if (!(error instanceof Overtaken) && !OVERTAKEN.has(code ?? '')) throw error;
        if (attempt === ATTEMPTS) throw code === DANGLING ? error : alwaysOvertaken();
      }
    }
  }

  #transact<T>(work: (tx: Executor) => Promise<T>, holdings: Holdings): Promise<T> {
    return this.#connected(async (client, lose) => {
      try {
        await client.query('begin');
        const result = await work({ rows: (text, values) => this.#query(client, text, values), holdings });
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(lose);
        throw error;
      }
    });
  }

  generation(): number {
    return Math.floor(Date.now() / 1000);
  }

  load(): Readonly<Record<string, number>> {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return {
      connections_used: totalCount - idleCount,
      connections_idle: idleCount,
      connections_waited_for: waitingCount + this.#slowReads.load.waiting + this.#writes.load.waiting,
    };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
