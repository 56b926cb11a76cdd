/**
 * Foreign keys of a migration on SQLite. Knex changes a column by making its table anew and dropping the old one, and a
 * table that is dropped takes the rows with it that point to it, where foreign keys are enforced; inside of a
 * transaction that cannot be changed (https://sqlite.org/pragma.html#pragma_foreign_keys). So SQLite enforces none, and
 * this does: after a statement that deletes rows, and for tables that are gone at the end.
 */
import type Sqlite from 'better-sqlite3';

/** Rows that point to nothing: table, rowid, the table pointed to, number of the foreign key. */
type Orphan = readonly [table: string, row: number | null, parent: string, key: number];

const TABLE = `select 1 from sqlite_schema where type = 'table' and lower(name) = lower(?)`;
const KEY = 'select "from" as "column", on_delete from pragma_foreign_key_list(?) where id = ?';
/** A statement that deletes rows. */
const DELETES = /\bdelete\b|\breplace\s+into\b|\bor\s+replace\b/i;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export class ForeignKeys {
  readonly #connection: Sqlite.Database;
  /** Those that were there before. */
  #known: ReadonlySet<string> = new Set();

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
    connection.pragma('foreign_keys = off');
  }

  /** A transaction has begun. */
  begin(): void {
    this.#known = new Set(this.#all().map(name));
  }

  /**
   * Runs a statement, and what foreign keys do where it deletes rows. The statement is run within the call, so that none
   * comes between.
   *
   * @throws Error where a foreign key forbids it.
   */
  async during<T>(text: string, run: () => Promise<T>): Promise<T> {
    if (!DELETES.test(text)) return run();
    this.#refuse(this.#orphans(true));
    this.#connection.exec('savepoint galley_delete');
    try {
      const answer = run();
      this.#follow(true);
      return answer;
    } catch (error) {
      this.#connection.exec('rollback to galley_delete');
      throw error;
    } finally {
      this.#connection.exec('release galley_delete');
    }
  }

  /** The transaction is to be committed. @throws Error for rows that point to nothing. */
  end(): void {
    this.#follow(false);
    this.#refuse(this.#orphans(true));
  }

  #all(): Orphan[] {
    return this.#connection.prepare('pragma foreign_key_check').raw().all() as Orphan[];
  }

  /** @param there whether the table is there that they point to; while a table is made anew it is not. */
  #orphans(there: boolean): Orphan[] {
    const isThere = this.#connection.prepare(TABLE);
    return this.#all().filter((orphan) => {
      return !this.#known.has(name(orphan)) && (isThere.get(orphan[2]) !== undefined) === there;
    });
  }

  /** What the foreign keys say is done to rows that point to one that is deleted, and then to rows that point to those. */
  #follow(there: boolean): void {
    for (let found = this.#orphans(there); found.length > 0; found = this.#orphans(true)) {
      for (const orphan of found) this.#act(orphan);
    }
  }

  #act(orphan: Orphan): void {
    const [table, row, , key] = orphan;
    const columns = this.#connection.prepare(KEY).all(table, key) as { column: string; on_delete: string }[];
    const action = columns[0]?.on_delete;
    if (row === null || (action !== 'CASCADE' && action !== 'SET NULL')) {
      this.#refuse([orphan]);
      return;
    }
    const nulls = columns.map(({ column }) => `${quoted(column)} = null`).join(', ');
    const change = action === 'CASCADE' ? `delete from ${quoted(table)}` : `update ${quoted(table)} set ${nulls}`;
    this.#connection.prepare(`${change} where rowid = ?`).run(row);
  }

  #refuse([orphan]: readonly Orphan[]): void {
    if (orphan) throw new Error(`FOREIGN KEY constraint failed: a row of ${orphan[0]} points to none of ${orphan[2]}`);
  }
}

const name = ([table, row, parent]: Orphan): string => JSON.stringify([table, row, parent]);
