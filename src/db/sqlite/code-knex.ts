/** Knex for a project's code on SQLite. */
import { createRequire } from 'node:module';
import type { KnexEngine } from '../interface/code-knex.ts';

/** How Knex speaks to the engine. Its client is loaded with it. */
export const knexEngine = (): KnexEngine => ({
  name: 'better-sqlite3',
  Client: createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3/index.js'),
  values: (bindings) => bindings.map(parameter),
  answer(query, answer) {
    query.response = answer;
    if (Array.isArray(answer)) return;
    const { lastInsertRowid, changes } = answer as { readonly lastInsertRowid: unknown; readonly changes: unknown };
    query.context = { lastID: lastInsertRowid, changes };
  },
});

function parameter(value: unknown): unknown {
  if (value instanceof Date) return value.valueOf();
  return typeof value === 'boolean' ? Number(value) : value;
}
