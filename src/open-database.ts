/** Opens the database of a configuration. Only its own engine and client library are loaded: each takes time and memory. */
import { existsSync } from 'node:fs';
import type { Config } from './config/config.ts';
import { databaseAt } from './config/database-config.ts';
import type { CanonicalRows } from './db/interface/canonical-rows.ts';
import type { Database } from './db/interface/database.ts';
import type { DatabaseCopies } from './db/interface/database-copies.ts';
import type { Executor, StatementLog } from './db/interface/queryable.ts';
import type { Snapshot } from './db/interface/snapshot.ts';
import { query } from './db/interface/statements.ts';
import { MIGRATIONS_TABLE, SEEDED_TABLES, STRAPI_SCHEMA_TABLE, USER_MIGRATIONS } from './db/migration/bookkeeping.ts';
import type { MigrationSession } from './db/migration/project-migrations.ts';
import type { SchemaEngine } from './db/migration/schema-engine.ts';
import { UsageError } from './errors.ts';
import { compileAnyRow } from './sql/doctor/leftovers.ts';
import { CORE_STORE_TABLE } from './sql/settings.ts';

export interface OpenDatabase {
  readonly database: Database;
  /** Reads and writes definitions of the database. */
  readonly schema: SchemaEngine;
}

/** How a database is used. */
export interface DatabaseUse {
  /** The number of processes that serve an SQLite file, including this one; default 1. */
  readonly writers?: number | undefined;
  /** A file with which these processes notify each other of commits. */
  readonly signal?: string | undefined;
  /** Whether an SQLite file is only read and not changed by a byte. */
  readonly readonly?: boolean | undefined;
}

/** @throws UsageError in one line if the database cannot be opened. */
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
 * Reads a database before anything in it is created or changed; undefined if there is none.
 *
 * @throws UsageError in one line if it cannot be opened.
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

/** How an engine gives and takes rows in values that are the same for every engine. */
export async function canonicalRows({ client }: Pick<Config['database'], 'client'>): Promise<CanonicalRows> {
  return client === 'sqlite'
    ? (await import('./db/sqlite/canonical-rows.ts')).sqliteRows
    : (await import('./db/postgres/canonical-rows.ts')).postgresRows;
}

/** Galley's own tables, and those of SQLite. */
const OWN_TABLES = /^(?:galley|sqlite)_/;
/** Other tables that may have rows in a database without content. */
const WITHOUT_CONTENT: ReadonlySet<string> = new Set([
  ...[...SEEDED_TABLES, CORE_STORE_TABLE, MIGRATIONS_TABLE, STRAPI_SCHEMA_TABLE, USER_MIGRATIONS.name],
  ...['strapi_api_tokens', 'strapi_api_token_permissions', 'strapi_api_token_permissions_token_lnk'],
]);

/** Whether a database has documents, files or people. */
export async function hasContent(config: Config['database']): Promise<boolean> {
  const found = await lookIntoDatabase(config, async ({ database, schema }) => {
    for (const name of (await schema.introspect(database)).keys()) {
      if (OWN_TABLES.test(name) || WITHOUT_CONTENT.has(name)) continue;
      if ((await query(database, compileAnyRow(name))).length > 0) return true;
    }
    return false;
  });
  return found ?? false;
}

/** The forms in which a database is backed up, the best first. */
export async function databaseCopies(database: Config['database']): Promise<readonly DatabaseCopies[]> {
  if (database.client === 'sqlite') return [(await import('./db/sqlite/copying.ts')).sqliteCopies(database.filename)];
  const { clientOptions } = await import('./db/postgres/driver.ts');
  const { canDump, dumpCopies, EMPTY } = await import('./db/postgres/dumping.ts');
  const { rowCopies } = await import('./transfer/database/row-copies.ts');
  const { postgresDialect } = await import('./db/postgres/dialect.ts');
  const options = clientOptions(database);
  // for statements that compare no text
  const dialect = postgresDialect({ foldingCollation: undefined, foldsDotted: false, asciiTrigrams: false });
  const rows = rowCopies({
    openSnapshot: () => openSnapshot(database),
    queryable: (snapshot) => ({ rows: (text, values) => snapshot.rows(text, values), dialect }),
    withTarget: async (work) => {
      const { database: target, schema: engine } = await openDatabase({ database, logSql: false });
      try {
        const empty = async (tx: Executor) => void (await tx.rows(EMPTY, []));
        return await work({ database: target, engine, form: await canonicalRows(database), empty });
      } finally {
        await target.close();
      }
    },
  });
  const dump = dumpCopies(options);
  return (await canDump(options)) ? [dump, rows] : [rows, dump];
}

/** Opens a snapshot of a database. @throws UsageError in one line for one that cannot be read, and for one in memory. */
export async function openSnapshot(database: Config['database']): Promise<Snapshot> {
  if (database.client === 'sqlite') {
    if (database.filename === ':memory:') throw new UsageError('a database in memory cannot be read from outside', 1);
    const { openSnapshot } = await import('./db/sqlite/snapshot.ts');
    return openSnapshot(database.filename);
  }
  const { clientOptions } = await import('./db/postgres/driver.ts');
  const { openSnapshot } = await import('./db/postgres/snapshot.ts');
  return openSnapshot(clientOptions(database));
}

/**
 * Opens a snapshot of the database at an address, which may be one of MySQL or MariaDB.
 *
 * @param dir the folder of relative paths.
 * @throws UsageError for an address of another form, and as `openSnapshot`.
 */
export async function openSnapshotAt(dir: string, address: string): Promise<Snapshot> {
  if (!/^(?:mysql|mariadb):/i.test(address)) return openSnapshot(databaseAt(dir, address));
  const { openSnapshot: openMysql } = await import('./db/mysql/snapshot.ts');
  return openMysql(address);
}

/** Opens a connection for migrations. @throws UsageError for a database in memory, which has only one connection. */
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

/** `GALLEY_LOG=sql`: logs each statement with its time, without values, which may be secret. */
function logStatement(text: string, milliseconds: number): void {
  process.stderr.write(`sql ${milliseconds.toFixed(2)} ms ${text.replaceAll(/\s+/g, ' ')}\n`);
}
