/** The connection on which migrations of a project run on a PostgreSQL server. */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import pg from 'pg';
import { CHANGES_TABLES, type KnexClientClass, knexOn, Term } from '../migration/knex.ts';
import type { MigrationSession } from '../migration/project-migrations.ts';
import { ALONE } from './schema-engine.ts';

const TABLE = `select 1 from pg_class
  where relname = $1 and relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`;
/** Galley's own indexes and triggers. Unique indexes are constraints, and belong only to Galley's own tables. */
const OWN = `
  select format('drop index if exists %s', x.oid::regclass) as statement
  from pg_index i join pg_class x on x.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where x.relname like 'galley\\_%' and not i.indisunique and t.relnamespace = current_schema()::regnamespace
    and t.relname not like 'galley\\_%'
  union all
  select format('drop trigger if exists %I on %s', g.tgname, t.oid::regclass)
  from pg_trigger g join pg_class t on t.oid = g.tgrelid
  where g.tgname like 'galley\\_%total%' and t.relnamespace = current_schema()::regnamespace`;

const { builtins } = pg.types;
const asText = (text: string): string => text;
/** Parses values as the reference does; here times without a zone are in UTC. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.DATE]: asText,
  [builtins.JSONB]: asText,
  [builtins.NUMERIC]: Number.parseFloat,
  [builtins.TIMESTAMP]: (text) => new Date(`${text.replace(' ', 'T')}Z`),
};

/** Parses a value of a type of the server's catalogue as the reference does. */
export const parserOf = (type: number): ((text: string) => unknown) =>
  PARSERS[type] ?? (pg.types.getTypeParser(type) as (text: string) => unknown);

/**
 * Opens a connection beside those of the server.
 *
 * @param options of the server's connections.
 */
export async function openSession(options: pg.ClientConfig): Promise<MigrationSession> {
  const types = { getTypeParser: parserOf };
  const client = new pg.Client({ ...options, types: types as pg.CustomTypesConfig });
  // the failing statement reports the error
  client.on('error', () => {});
  await client.connect();
  const term = new Term();
  let knex: Promise<Knex> | undefined;
  const rows = async (text: string, values: readonly unknown[]): Promise<unknown[][]> =>
    (await client.query({ text, values: [...values], rowMode: 'array' })).rows as unknown[][];
  const run = async <T>(text: string, ask: () => Promise<T>): Promise<T> => {
    term.admit(text);
    if (CHANGES_TABLES.test(text)) {
      // Galley's own indexes and triggers would follow a renamed table; the next migration to the layout creates them
      // again
      for (const [drop] of await rows(OWN, [])) await client.query(String(drop));
      term.admit(text);
    }
    return ask();
  };
  return {
    knex: () => {
      knex ??= knexOn({ name: 'pg', Client: clientOf(), connection: client, run });
      return knex;
    },
    rows,
    script: (text) => run(text, async () => void (await client.query(text))),
    hasTable: async (name) => (await rows(TABLE, [name])).length > 0,
    begin: async (limit) => {
      await client.query(`set timezone = 'UTC'`);
      await client.query('begin');
      await client.query(`set local statement_timeout = ${limit}`);
      await client.query(ALONE);
      term.begin(limit);
    },
    commit: async () => {
      term.end();
      await client.query('commit');
    },
    rollback: async () => {
      term.end();
      await client.query('rollback').catch(() => {});
    },
    close: async () => client.end().catch(() => {}),
  };
}

/** Knex's client. Times without a zone are stored in UTC, whatever the time zone of the process. */
function clientOf(): KnexClientClass {
  const Client: KnexClientClass = createRequire(import.meta.url)('knex/lib/dialects/postgres/index.js');
  return class extends Client {
    override prepBindings(bindings: readonly unknown[] | undefined): readonly unknown[] | undefined {
      return bindings?.map((value) => (value instanceof Date ? value.toISOString() : value));
    }
  };
}
