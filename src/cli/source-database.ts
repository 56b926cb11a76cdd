/** Databases of Strapi, and of Galley, as sources of `galley import`. */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { MIGRATIONS_TABLE, STRAPI_SCHEMA_TABLE, USER_MIGRATIONS } from '../db/migration/bookkeeping.ts';
import { isVersion5 } from '../db/migration/migrate.ts';
import { refuseUnknownLayout } from '../db/migration/migration-plan.ts';
import { UsageError } from '../errors.ts';
import { openSnapshotAt } from '../open-database.ts';
import type { Layout } from '../schema/layout/layout.ts';
import type { TableDefinition } from '../schema/layout/table.ts';
import { SERVERS_TABLE } from '../sql/settings.ts';
import { DatabaseSource } from '../transfer/database/database-source.ts';
import { chooseTables } from '../transfer/database/source-tables.ts';
import { WallClock } from '../transfer/database/wall-clock.ts';

/** The beginning of every SQLite file (https://sqlite.org/fileformat.html#the_database_header). */
const HEADER = 'SQLite format 3\0';

/** The address of a database: `postgres://…`, or a path of an SQLite file. Undefined for an archive. */
export async function databaseAddress(place: string): Promise<string | undefined> {
  if (/^[a-z][a-z0-9]+:/i.test(place)) return place;
  if (!existsSync(place)) return undefined;
  const file = await open(place);
  try {
    const { buffer, bytesRead } = await file
      .read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0)
      .catch(() => ({ buffer: Buffer.alloc(0), bytesRead: 0 }));
    return buffer.toString('latin1', 0, bytesRead) === HEADER ? `sqlite:${path.resolve(place)}` : undefined;
  } finally {
    await file.close();
  }
}

/** Written anew in every database. */
const ANEW: ReadonlySet<string> = new Set([
  ...[MIGRATIONS_TABLE, STRAPI_SCHEMA_TABLE, USER_MIGRATIONS.name, SERVERS_TABLE],
]);
/** Tables of the reference's own features, and of Galley's, which are brought although the target lacks them. */
const OF_SYSTEM = /^(?:strapi|admin|up|upload|i18n|galley)_/;

export interface SourceRequest {
  readonly address: string;
  readonly layout: Layout;
  /** The tables that the target has, or will have. */
  readonly wanted: readonly TableDefinition[];
  /** The time zone of the process that wrote times without a zone. */
  readonly timezone: string | undefined;
}

/**
 * Opens a database as a source.
 *
 * @returns the source, and the tables that the target needs besides its own.
 * @throws UsageError for a database that is not of Strapi 5, or cannot be read.
 */
export async function openSourceDatabase({ address, layout, wanted, timezone }: SourceRequest): Promise<{
  readonly source: DatabaseSource;
  readonly added: readonly TableDefinition[];
}> {
  const wallClock = timezone === undefined ? undefined : new WallClock(timezone);
  const snapshot = await openSnapshotAt('.', address);
  try {
    const existing = await snapshot.tables();
    const isOfStrapi = await isVersion5(snapshot, existing);
    refuseUnknownLayout(layout, existing, isOfStrapi);
    if (!isOfStrapi) throw new UsageError('the source is no database of Strapi 5', 1);
    const unknownTable = (name: string) => (ANEW.has(name) ? 'ignored' : OF_SYSTEM.test(name) ? 'brought' : 'reported');
    const own = wanted.filter(({ name }) => !ANEW.has(name));
    const choice = { snapshot, existing, wanted: own, unknownTable, unknownColumns: 'reported' } as const;
    const { tables, left } = await chooseTables(choice);
    const names = new Set(wanted.map(({ name }) => name));
    const added = tables.map(({ definition }) => definition).filter(({ name }) => !names.has(name));
    return { source: new DatabaseSource({ snapshot, tables, left, wallClock }), added };
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}
