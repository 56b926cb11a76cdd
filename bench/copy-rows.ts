/** The rows of an SQLite database of the fixture's layout, in a PostgreSQL database of the same layout. */
import Database from 'better-sqlite3';
import pg from 'pg';

/** Characters that are sent at a time. */
const CHUNK = 1 << 18;

/** SQL that gives a column of SQLite as a field of CSV that the other engine takes for its type. */
function asField(column: string, type: string): string {
  const name = `"${column}"`;
  const text = type.startsWith('timestamp')
    ? `datetime(${name} / 1000.0, 'unixepoch', 'subsec')`
    : type === 'double precision' || type === 'numeric'
      ? `printf('%!.17g', ${name})`
      : name;
  return `case when ${name} is null then '' else '"' || replace(${text}, '"', '""') || '"' end`;
}

/** What of pg's connection is needed for a COPY from here; its documented interface has no such thing. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  readonly stream: NodeJS.WritableStream & { readonly writableNeedDrain: boolean };
}

/** A query of pg's client that copies text into a table. */
class CopyIn {
  readonly done: Promise<void>;
  readonly #statement: string;
  readonly #chunks: Iterable<string>;
  #settle: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(statement: string, chunks: Iterable<string>) {
    this.#statement = statement;
    this.#chunks = chunks;
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  submit(connection: CopyConnection): void {
    connection.query(this.#statement);
  }

  async handleCopyInResponse(connection: CopyConnection): Promise<void> {
    for (const chunk of this.#chunks) {
      connection.sendCopyFromChunk(Buffer.from(chunk));
      if (connection.stream.writableNeedDrain) {
        await new Promise<void>((resolve) => void connection.stream.once('drain', () => resolve()));
      }
    }
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#settle?.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settle?.resolve();
  }
}

/** Lines, together until they are enough to be sent. */
function* inChunks(lines: Iterable<unknown>): Iterable<string> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/**
 * Replaces the rows of the tables that both databases have by those of the SQLite file, and has statistics made, as the
 * server does by itself after a while where autovacuum is on. `copied` is told of each table, how many are done and of
 * how many.
 */
export async function copyRows(
  source: string,
  url: string,
  copied: (table: string, done: number, of: number) => void = () => {},
): Promise<void> {
  const db = new Database(source, { readonly: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // rows come table by table, so links may come before what they point at
    await client.query('set session_replication_role = replica');
    await client.query("set maintenance_work_mem = '512MB'");
    const { rows } = await client.query<{ table: string; column: string; type: string }>(`
      select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname, a.attnum`);
    const tables = Map.groupBy(rows, (row) => row.table);
    await client.query(`truncate ${[...tables.keys()].map((table) => `"${table}"`).join()}`);
    // to make them at the end takes a fraction of the time
    const { rows: indexes } = await client.query<{ name: string; sql: string }>(`
      select i.relname as name, pg_get_indexdef(i.oid) as sql
      from pg_index x join pg_class i on i.oid = x.indexrelid
      where i.relnamespace = 'public'::regnamespace
        and not exists (select from pg_constraint c where c.conindid = i.oid)`);
    for (const { name } of indexes) await client.query(`drop index "${name}"`);
    let done = 0;
    for (const [table, columns] of tables) {
      copied(table, done++, tables.size);
      const fields = columns.map(({ column, type }) => asField(column, type)).join(" || ',' || ");
      const lines = db.prepare(`select ${fields} from "${table}"`).pluck().iterate();
      const names = columns.map(({ column }) => `"${column}"`).join();
      const copy = new CopyIn(`copy "${table}" (${names}) from stdin with (format csv)`, inChunks(lines));
      client.query(copy as unknown as pg.Submittable);
      await copy.done;
      if (columns.some(({ column }) => column === 'id')) {
        await client.query(`select setval(pg_get_serial_sequence('"${table}"', 'id'), max(id)) from "${table}"`);
      }
    }
    copied('indexes', done, tables.size);
    for (const { sql } of indexes) await client.query(sql);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
    db.close();
  }
}
