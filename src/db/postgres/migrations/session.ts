/** The connection of migrations to a PostgreSQL server. */
import pg from 'pg';
import {
  late,
  type MigrationSession,
  type NamedRow,
  type SessionAnswer,
  type SessionWords,
} from '../../knex/session.ts';
import { postgresSchema } from '../introspect.ts';

const COLUMNS = `
  select a.attname::text as name from pg_attribute a join pg_class t on t.oid = a.attrelid
  where t.relname = $1 and t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace
    and a.attnum > 0 and not a.attisdropped
  order by a.attnum`;
/** Unique ones are constraints, and of our own tables alone. */
const OWN = `
  select format('drop index if exists %s', x.oid::regclass) as statement
  from pg_index i join pg_class x on x.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where x.relname like 'galley\\_%' and not i.indisunique and t.relnamespace = current_schema()::regnamespace
    and t.relname not like 'galley\\_%' and ($1::text is null or t.relname = $1)
  union all
  select format('drop trigger if exists %I on %s', g.tgname, t.oid::regclass)
  from pg_trigger g join pg_class t on t.oid = g.tgrelid
  where g.tgname like 'galley\\_%total%' and t.relnamespace = current_schema()::regnamespace
    and ($1::text is null or t.relname = $1)`;

const TYPES: Readonly<Record<string, string>> = {
  ...{ increments: 'serial primary key', bigIncrements: 'bigserial primary key' },
  ...{ integer: 'integer', tinyint: 'smallint', smallint: 'smallint', bigInteger: 'bigint', bigint: 'bigint' },
  ...{ text: 'text', float: 'real', double: 'double precision', boolean: 'boolean', date: 'date', time: 'time' },
  ...{ json: 'json', jsonb: 'jsonb', uuid: 'uuid' },
};

const words: SessionWords = {
  columnType: (type, args) => {
    const [first, second] = args;
    if (type === 'string') return `varchar(${Number(first ?? 255)})`;
    if (type === 'decimal') return `decimal(${Number(first ?? 8)}, ${Number(second ?? 2)})`;
    if (/^(?:datetime|timestamp)$/i.test(type)) return timeType(first, second);
    return TYPES[type]!;
  },
  placeholder: (n) => `$${n}`,
  missing: 'default',
  uniqueIsConstraint: true,
};

/** With a time zone unless the migration says otherwise: `{ useTz: false, precision: 6 }`, or both behind one another. */
function timeType(first: unknown, second: unknown): string {
  const given = typeof first === 'object' && first !== null ? (first as { useTz?: boolean; precision?: number }) : {};
  const precision = given.precision ?? second;
  const isZoned = given.useTz ?? first !== true;
  return `timestamp${isZoned ? 'tz' : ''}${precision === undefined ? '' : `(${Number(precision)})`}`;
}

const { builtins } = pg.types;
const asText = (text: string): string => text;
/** As the reference has values read; times without a zone are in UTC here. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.DATE]: asText,
  [builtins.JSONB]: asText,
  [builtins.NUMERIC]: Number.parseFloat,
  [builtins.TIMESTAMP]: (text) => new Date(`${text.replace(' ', 'T')}Z`),
};

/**
 * Connects beside the server's own connections.
 *
 * @param options what those are made with.
 */
export async function openSession(options: pg.ClientConfig): Promise<MigrationSession> {
  const types = { getTypeParser: (oid: number) => PARSERS[oid] ?? pg.types.getTypeParser(oid) };
  const client = new pg.Client({ ...options, types: types as pg.CustomTypesConfig });
  // what it fails with is said of the statement
  client.on('error', () => {});
  await client.connect();
  let end = Number.POSITIVE_INFINITY;
  const query = async (text: string, values: readonly unknown[]) => {
    if (performance.now() > end) throw late();
    return client.query(text, values.map(sent));
  };
  const ask = async (text: string, values: readonly unknown[]): Promise<SessionAnswer> => {
    const native = await query(text, values);
    return { rows: native.rows as NamedRow[], count: native.rowCount ?? 0, inserted: native, native };
  };
  const rows = async (text: string, values: readonly unknown[]): Promise<unknown[][]> =>
    (await client.query({ text, values: values.map(sent), rowMode: 'array' })).rows as unknown[][];
  return {
    client: 'postgres',
    words,
    ask,
    rows,
    script: async (text) => void (await query(text, [])),
    columns: async (table) => (await query(COLUMNS, [table])).rows.map((row) => String((row as NamedRow)['name'])),
    loosen: async (table) => {
      const drops = await query(OWN, [table ?? null]);
      for (const row of drops.rows as NamedRow[]) await query(String(row['statement']), []);
    },
    begin: async (until) => {
      await client.query(`set timezone = 'UTC'`);
      await client.query('begin');
      await postgresSchema.lock({ rows });
      // waiting for another process is not what the time is for
      end = until;
      await client.query(`set local statement_timeout = ${Math.max(1, Math.ceil(until - performance.now()))}`);
    },
    commit: async () => void (await client.query('commit')),
    rollback: async () => void (await client.query('rollback').catch(() => {})),
    close: async () => client.end().catch(() => {}),
  };
}

/** Times without a zone are stored in UTC, whatever that of the process is. */
const sent = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);
