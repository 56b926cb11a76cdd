/** What commands print about a database that they have created. */
import path from 'node:path';
import type { App } from '../app.ts';

/**
 * The line about a new database, which shows the operator if it is in the wrong place; undefined for an older database.
 */
export function newDatabase({ fresh, config }: Pick<App, 'fresh' | 'config'>): string | undefined {
  const { database, dir } = config;
  if (!fresh || (database.client === 'sqlite' && database.filename === ':memory:')) return undefined;
  if (database.client === 'sqlite') {
    const inside = path.relative(dir, database.filename);
    return `created a new database: ${inside.startsWith('..') ? database.filename : inside}`;
  }
  return 'created the tables in an empty database';
}
