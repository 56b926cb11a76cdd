/** The number of workers, and the share of each worker in connections and memory. */
import { availableParallelism } from 'node:os';
import type { Config, DatabaseConfig } from '../../config/config.ts';
import { UsageError } from '../../errors.ts';

/** The connections that a worker needs to keep slow and quick work apart. */
const FEW_CONNECTIONS = 3;

/**
 * The number of workers of a configuration. `auto` means one for each core, limited by the connections to the database.
 *
 * @throws UsageError for several workers on a database in memory, which other processes cannot open.
 */
export function workerCount({ workers, database }: Pick<Config, 'workers' | 'database'>): number {
  const most = mostWorkers(database);
  if (workers === 'auto') return Math.min(availableParallelism(), most);
  if (workers > 1 && most === 1 && database.client === 'sqlite') {
    throw new UsageError('only one process can use a database in memory: several workers need a database file');
  }
  return workers;
}

function mostWorkers(database: DatabaseConfig): number {
  if (database.client === 'sqlite') return database.filename === ':memory:' ? 1 : Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(database.poolMax / FEW_CONNECTIONS));
}

/** The warning if workers have too few connections. */
export function warningOf({ database }: Pick<Config, 'database'>, workers: number): string | undefined {
  if (database.client === 'sqlite' || database.poolMax >= workers * FEW_CONNECTIONS) return undefined;
  const { poolMax } = database;
  return `connection.pool.max is ${poolMax}: each of ${workers} workers needs at least ${FEW_CONNECTIONS} connections.`;
}

/** The configuration of one of several workers, with its share of the connections and of the memory for answers. */
export function shareOf(config: Config, workers: number): Config {
  const { database, http, rest } = config;
  const { timeout, memory } = http.answers;
  const answers = { timeout, memory: Math.ceil(memory / workers) };
  return Object.freeze({
    ...config,
    database: Object.freeze(database.client === 'sqlite' ? database : partOf(database, workers)),
    http: Object.freeze({ ...http, answers }),
    rest: Object.freeze({
      ...rest,
      answerCache: { ...rest.answerCache, size: Math.floor(rest.answerCache.size / workers) },
    }),
  });
}

function partOf(database: Extract<DatabaseConfig, { client: 'postgres' }>, workers: number): DatabaseConfig {
  const poolMax = Math.max(1, Math.floor(database.poolMax / workers));
  return { ...database, poolMax, poolMin: Math.min(poolMax, Math.floor(database.poolMin / workers)) };
}
