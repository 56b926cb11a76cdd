/**
 * A word for a database, the same for all programs that reach it by the same address. It does not reveal the address.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { DatabaseConfig } from '../config.ts';

export function databaseName(database: DatabaseConfig): string {
  return createHash('sha256').update(placeOf(database)).digest('hex').slice(0, 16);
}

function placeOf(database: DatabaseConfig): string {
  if (database.client === 'sqlite') return `sqlite ${path.resolve(database.filename)}`;
  const { connectionString, schema } = database;
  const url = connectionString !== undefined && URL.canParse(connectionString) ? new URL(connectionString) : undefined;
  const place = url ? [url.host, url.pathname] : [database.host, database.port, database.database];
  return ['postgres', ...place, schema].join(' ');
}
