/** Triggers that other programs have made: with them a table may hold other rows than those that were inserted. */
import type Sqlite from 'better-sqlite3';

/** What the names of Galley's own triggers begin with. */
const PREFIX = 'galley_';
/** Every table that has a trigger of others. */
const FOREIGN = `select distinct tbl_name from sqlite_schema where type = 'trigger' and substr(name, 1, ${PREFIX.length}) <> '${PREFIX}'`;

/** Which tables have such triggers: known anew when the file's schema has changed, by whomever. */
export class ForeignTriggers {
  readonly #connection: Sqlite.Database;
  readonly #version: Sqlite.Statement<[], unknown>;
  #known: unknown;
  #tables: ReadonlySet<unknown> = new Set();

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
    this.#version = connection.prepare<[], unknown>('pragma schema_version').pluck();
  }

  /** To be called once a transaction has begun, in which nobody else changes the schema. */
  look(): void {
    const version = this.#version.get();
    if (version === this.#known) return;
    this.#tables = new Set(this.#connection.prepare(FOREIGN).pluck().all());
    this.#known = version;
  }

  /** Whether a table had such a trigger at the last look. */
  has(table: string): boolean {
    return this.#tables.has(table);
  }
}
