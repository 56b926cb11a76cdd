/** Knex for a project's code on PostgreSQL. */
import { createRequire } from 'node:module';
import type { KnexEngine } from '../interface/code-knex.ts';
import { parserOf } from './migration-session.ts';
import type { Answer } from './query.ts';

/** How Knex speaks to the engine. Its client is loaded with it. */
export const knexEngine = (): KnexEngine => ({
  name: 'pg',
  Client: createRequire(import.meta.url)('knex/lib/dialects/postgres/index.js'),
  values: (bindings) => bindings.map(parameter),
  answer(query, answer) {
    const { rows, fields = [], command, count } = answer as Answer;
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map(({ name, parse }, n) => [name, row[n] === null ? null : parse(String(row[n]))])),
    );
    query.response = { rows: objects, fields, command, rowCount: count };
  },
});

/** A value as the text that the server reads. Times without a zone are in UTC. */
function parameter(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** An element of an array (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
function element(value: unknown): string {
  const text = parameter(value);
  if (text === null) return 'NULL';
  return Array.isArray(value) ? text : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
