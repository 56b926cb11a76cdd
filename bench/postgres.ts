/** The grown database once more, in a PostgreSQL server of the bench's own. */
import Database from 'better-sqlite3';
import pg from 'pg';
import { databaseUrl, FIXTURE_TEMPLATE, runSql, startCluster } from '../test/support/databases/cluster.ts';

const NAME = 'galley_bench';
/** Rows that are handed over at a time. */
const CHUNK = 500;

/** SQL that gives a column of SQLite as the JSON that the other engine takes for its type. */
function asJson(column: string, type: string): string {
  const name = `"${column}"`;
  if (type === 'jsonb') return `json(${name})`;
  if (type.startsWith('timestamp')) return `datetime(${name} / 1000.0, 'unixepoch', 'subsec')`;
  if (type === 'boolean') return `case ${name} when 1 then json('true') when 0 then json('false') end`;
  return name;
}

export interface LoadedServer {
  /** The database with the rows. */
  readonly url: string;
  /** Makes another one of the same rows and gives its URL. Nobody may be connected to the first. */
  copy(name: string): Promise<string>;
}

/** Starts a server with the rows of an SQLite database of the fixture's layout. */
export async function loadPostgres(source: string): Promise<LoadedServer> {
  const cluster = await startCluster();
  await runSql(cluster.url, `create database ${NAME} template ${FIXTURE_TEMPLATE} strategy file_copy`);
  const url = databaseUrl(cluster.url, NAME);
  const db = new Database(source, { readonly: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // rows come table by table, so links may come before what they point at
  await client.query('set session_replication_role = replica');
  const { rows } = await client.query<{ table: string; column: string; type: string }>(`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname, a.attnum`);
  const tables = Map.groupBy(rows, (row) => row.table);
  await client.query(`truncate ${[...tables.keys()].map((table) => `"${table}"`).join()}`);
  for (const [table, columns] of tables) {
    const pairs = columns.map(({ column, type }) => `'${column}', ${asJson(column, type)}`);
    const page = db
      .prepare(`select json_group_array(json_object(${pairs.join()})) from (select * from "${table}" limit ? offset ?)`)
      .pluck();
    for (let offset = 0; ; offset += CHUNK) {
      const chunk = page.get(CHUNK, offset) as string;
      if (chunk === '[]') break;
      await client.query(`insert into "${table}" select * from json_populate_recordset(null::"${table}", $1)`, [chunk]);
    }
    if (columns.some(({ column }) => column === 'id')) {
      await client.query(`select setval(pg_get_serial_sequence('"${table}"', 'id'), max(id)) from "${table}"`);
    }
  }
  // what the server does by itself after a while: the tests' server has it off
  await client.query('vacuum analyze');
  await client.end();
  db.close();
  return {
    url,
    async copy(name) {
      await runSql(cluster.url, `create database ${name} template ${NAME} strategy file_copy`);
      return databaseUrl(cluster.url, name);
    },
  };
}
