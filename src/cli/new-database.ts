/** What is said of a database that was empty or not there: whoever meant another one, or another folder, sees it. */
import path from 'node:path';
import type { App } from '../app.ts';

/** A sentence about the database of a project; undefined for one that was there before. */
export function newDatabase({ fresh, config }: Pick<App, 'fresh' | 'config'>): string | undefined {
  const { database, dir } = config;
  if (!fresh || (database.client === 'sqlite' && database.filename === ':memory:')) return undefined;
  if (database.client === 'sqlite') {
    const inside = path.relative(dir, database.filename);
    return `made a new database: ${inside.startsWith('..') ? database.filename : inside}`;
  }
  return 'the database was empty: made its tables';
}
