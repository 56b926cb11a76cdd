/**
 * Enforces foreign keys during a migration. Knex changes a column by creating the table anew and dropping the old one.
 * With foreign keys on, SQLite would delete the rows that refer to it, and inside a transaction that cannot be changed
 * (https://sqlite.org/pragma.html#pragma_foreign_keys). So SQLite enforces none, and this class does: after each
 * statement that deletes rows, and at the end for tables that are gone.
 */
import type Sqlite from 'better-sqlite3';

/** A row that refers to a missing row: table, rowid, the referenced table, number of the foreign key. */
type Orphan = readonly [table: string, row: number | null, parent: string, key: number];

const TABLE = `select 1 from sqlite_schema where type = 'table' and lower(name) = lower(?)`;
const KEY = 'select "from" as "column", on_delete from pragma_foreign_key_list(?) where id = ?';
const DELETES = /\bdelete\b|\breplace\s+into\b|\bor\s+replace\b/i;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export class ForeignKeys {
  readonly #connection: Sqlite.Database;
  /** Rows that referred to missing rows before the migration. */
  #known: ReadonlySet<string> = new Set();

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
    connection.pragma('foreign_keys = off');
  }

  /** Called when a transaction has begun. */
  begin(): void {
    this.#known = new Set(this.#all().map(name));
  }

  /**
   * Runs a statement, and applies foreign keys if it deletes rows. The statement runs synchronously, so that no other
   * comes between.
   *
   * @throws Error if a foreign key forbids it.
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

  /**
   * Called before the commit.
   *
   * @throws Error for rows that refer to missing rows.
   */
  end(): void {
    this.#follow(false);
    this.#refuse(this.#orphans(true));
  }

  #all(): Orphan[] {
    return this.#connection.prepare('pragma foreign_key_check').raw().all() as Orphan[];
  }

  /** @param there whether the referenced table exists; it does not while a table is created anew. */
  #orphans(there: boolean): Orphan[] {
    const isThere = this.#connection.prepare(TABLE);
    return this.#all().filter((orphan) => {
      return !this.#known.has(name(orphan)) && (isThere.get(orphan[2]) !== undefined) === there;
    });
  }

  /** Applies the actions of foreign keys to rows that refer to deleted rows, and then to rows that refer to those. */
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
    if (orphan)
      throw new Error(`FOREIGN KEY constraint failed: a row of ${orphan[0]} refers to a missing row of ${orphan[2]}`);
  }
}

const name = ([table, row, parent]: Orphan): string => JSON.stringify([table, row, parent]);
