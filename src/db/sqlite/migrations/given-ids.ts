/**
 * Which ids were given: a table that Knex makes anew knows those of its rows alone, and would give that of the last row
 * again when it was deleted, with whatever elsewhere still belongs to it (https://sqlite.org/autoinc.html).
 */
import type Sqlite from 'better-sqlite3';

const KEPT = `select 1 from sqlite_schema where name = 'sqlite_sequence'`;
const ALL = 'select name, seq from sqlite_sequence';
const RAISE = 'update sqlite_sequence set seq = max(seq, :seq) where name = :name';
const ADD = `insert into sqlite_sequence (name, seq) select name, :seq from sqlite_schema
  where type = 'table' and name = :name and name not in (select name from sqlite_sequence)`;

export class GivenIds {
  readonly #connection: Sqlite.Database;
  #known: readonly unknown[] = [];

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
  }

  /** A transaction has begun. */
  begin(): void {
    this.#known = this.#connection.prepare(KEPT).get() ? this.#connection.prepare(ALL).all() : [];
  }

  /** The transaction is to be committed. */
  end(): void {
    for (const last of this.#known) {
      this.#connection.prepare(RAISE).run(last);
      this.#connection.prepare(ADD).run(last);
    }
  }
}
