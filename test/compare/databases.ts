/** The content of a database as it once was, to be put back while a server runs on it. */
import Sqlite from 'better-sqlite3';

export class Snapshot {
  readonly #file: string;
  readonly #copy: string;

  private constructor(file: string, copy: string) {
    this.#file = file;
    this.#copy = copy;
  }

  /** Copies the database of `file` to `copy`, which must not be there. */
  static take(file: string, copy: string): Snapshot {
    const database = new Sqlite(file);
    try {
      database.prepare('vacuum into ?').run(copy);
    } finally {
      database.close();
    }
    return new Snapshot(file, copy);
  }

  /** Puts every row back, in one transaction: the server sees either content as a whole. */
  restore(): void {
    const database = new Sqlite(this.#file, { timeout: 10_000 });
    try {
      database.pragma('foreign_keys = off');
      database.prepare('attach ? as origin').run(this.#copy);
      database.exec('begin immediate');
      for (const table of tablesOf(database)) {
        const columns = columnsOf(database, table);
        database.exec(`delete from main."${table}"`);
        database.exec(`insert into main."${table}" (${columns}) select ${columns} from origin."${table}"`);
      }
      database.exec('commit');
    } finally {
      database.close();
    }
  }
}

/** Names of the tables, the one with the last row ids included. */
function tablesOf(database: Sqlite.Database): string[] {
  const query = database.prepare(
    "select name from origin.sqlite_master where type = 'table' and (name not like 'sqlite_%' or name = 'sqlite_sequence')",
  );
  return query.all().map((row) => (row as { name: string }).name);
}

/** Columns that can be written, as SQL. */
function columnsOf(database: Sqlite.Database, table: string): string {
  const columns = database.prepare('select name, hidden from pragma_table_xinfo(?)').all(table);
  const written = (columns as { name: string; hidden: number }[]).filter(({ hidden }) => hidden === 0);
  return written.map(({ name }) => `"${name}"`).join(', ');
}
