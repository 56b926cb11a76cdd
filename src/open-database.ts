/** Opens the database of a configuration. Only its own engine and client library are loaded: each takes time and memory. */
import { existsSync } from 'node:fs';
import type { Config } from './config/config.ts';
import type { Database } from './db/interface/database.ts';
import type { StatementLog } from './db/interface/queryable.ts';
import type { MigrationSession } from './db/migration/project-migrations.ts';
import type { SchemaEngine } from './db/migration/schema-engine.ts';
import { UsageError } from './errors.ts';

export interface OpenDatabase {
  readonly database: Database;
  /** The database's words for definitions, and how it tells what it holds. */
  readonly schema: SchemaEngine;
}

/** How a database is used. */
export interface DatabaseUse {
  /** Processes that serve an SQLite file together, this one included; 1 when left out. */
  readonly writers?: number | undefined;
  /** A file by which these tell one another of commits. */
  readonly signal?: string | undefined;
  /** Whether an SQLite file is only read: it stays as it is, to the byte. */
  readonly readonly?: boolean | undefined;
}

/** @throws UsageError in one line when the database cannot be opened. */
export async function openDatabase(
  { database, logSql }: Pick<Config, 'database' | 'logSql'>,
  use: DatabaseUse = {},
): Promise<OpenDatabase> {
  const log: StatementLog | undefined = logSql ? logStatement : undefined;
  if (database.client === 'sqlite') {
    const { openSqlite } = await import('./db/sqlite/driver.ts');
    const { sqliteSchema } = await import('./db/sqlite/schema-engine.ts');
    const { filename, readTimeout } = database;
    return { database: openSqlite(filename, { readTimeout, log, ...use }), schema: sqliteSchema };
  }
  const { openPostgres } = await import('./db/postgres/driver.ts');
  const { postgresSchema } = await import('./db/postgres/schema-engine.ts');
  return { database: await openPostgres(database, log), schema: postgresSchema };
}

/**
 * Reads a database before anything is created or changed in it. Gives undefined where there is no database yet.
 *
 * @throws UsageError in one line when the database cannot be opened.
 */
export async function lookIntoDatabase<T>(
  database: Config['database'],
  work: (open: OpenDatabase) => Promise<T>,
): Promise<T | undefined> {
  if (database.client === 'sqlite' && !existsSync(database.filename)) return undefined;
  const open = await openDatabase({ database, logSql: false }, { readonly: true });
  try {
    return await work(open);
  } finally {
    await open.database.close();
  }
}

/** Opens a connection for migrations. @throws UsageError for a database in memory, which no second connection leads to. */
export async function openMigrationSession(database: Config['database']): Promise<MigrationSession> {
  if (database.client === 'sqlite') {
    if (database.filename === ':memory:') throw new UsageError('migrations cannot be run in a database in memory', 1);
    const { openSession } = await import('./db/sqlite/migration-session.ts');
    return openSession(database.filename);
  }
  const { clientOptions } = await import('./db/postgres/driver.ts');
  const { openSession } = await import('./db/postgres/migration-session.ts');
  return openSession(clientOptions(database));
}

/** `GALLEY_LOG=sql`: each statement with its time. Values are not shown, they may be secret. */
function logStatement(text: string, milliseconds: number): void {
  process.stderr.write(`sql ${milliseconds.toFixed(2)} ms ${text.replaceAll(/\s+/g, ' ')}\n`);
}
