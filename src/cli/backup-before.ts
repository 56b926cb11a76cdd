/** The backup that commands make before they replace content. */
import { copyFile } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { openDatabase } from '../open-database.ts';

/**
 * Copies the database file. Returns the path of the copy.
 *
 * @throws UsageError for a database that is no file.
 */
export async function backUpBefore({ database, logSql }: Pick<Config, 'database' | 'logSql'>): Promise<string> {
  if (database.client !== 'sqlite' || database.filename === ':memory:') {
    throw new UsageError('--replace makes a backup only of SQLite files: use pg_dump, then empty the database', 1);
  }
  // closing the database moves everything into the file
  await (await openDatabase({ database, logSql })).database.close();
  const copy = `${database.filename}.before-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  await copyFile(database.filename, copy);
  return copy;
}
