/** A `Database` on a test database, without a project around it. */
import type { DatabaseConfig } from '../../../src/config/config.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import type { SchemaEngine } from '../../../src/db/migration/schema-engine.ts';
import { openPostgres } from '../../../src/db/postgres/driver.ts';
import { postgresSchema } from '../../../src/db/postgres/schema-engine.ts';
import { openSqlite } from '../../../src/db/sqlite/driver.ts';
import { sqliteSchema } from '../../../src/db/sqlite/schema-engine.ts';
import type { TestDatabase } from './databases.ts';

export interface PlainDatabase {
  readonly database: Database;
  readonly engine: SchemaEngine;
}

const NO_PARTS = {
  host: undefined,
  port: undefined,
  database: undefined,
  user: undefined,
  password: undefined,
  ssl: false,
  schema: undefined,
} as const;

type PostgresConfig = Extract<DatabaseConfig, { client: 'postgres' }>;

/** Opens the database that a test database's environment names. */
export async function openPlain(
  { env }: Pick<TestDatabase, 'env'>,
  settings: Partial<PostgresConfig> = {},
): Promise<PlainDatabase> {
  const file = env['DATABASE_FILENAME'];
  if (file !== undefined)
    return { database: openSqlite(file, { readTimeout: settings.readTimeout ?? 5000 }), engine: sqliteSchema };
  const connectionString = env['DATABASE_URL'];
  const config = {
    client: 'postgres',
    connectionString,
    ...NO_PARTS,
    poolMin: 0,
    poolMax: 6,
    readTimeout: 5000,
    statementTimeout: 30_000,
    recheckInterval: 1000,
    ...settings,
  } as const;
  return { database: await openPostgres(config), engine: postgresSchema };
}
