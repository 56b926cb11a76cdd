/** What is known of a database file's schema until the schema changes. */
import type Sqlite from 'better-sqlite3';

/** A value that is read from the schema, anew whenever the schema has changed, by whomever. */
export class PerSchema<T> {
  readonly #version: Sqlite.Statement<[], unknown>;
  readonly #read: () => T;
  #known: { readonly version: unknown; readonly value: T } | undefined;

  constructor(connection: Sqlite.Database, read: () => T) {
    this.#version = connection.prepare<[], unknown>('pragma schema_version').pluck();
    this.#read = read;
  }

  /** @throws SqliteError where the file cannot be read at present, for instance because it is locked. */
  get(): T {
    const version = this.#version.get();
    if (this.#known?.version !== version) this.#known = { version, value: this.#read() };
    return this.#known!.value;
  }
}

/** What the names of Galley's own triggers begin with. */
const PREFIX = 'galley_';
/** Every table that has a trigger of others. */
const FOREIGN = `select distinct tbl_name from sqlite_schema where type = 'trigger' and substr(name, 1, ${PREFIX.length}) <> '${PREFIX}'`;

/** Which tables have such triggers. */
export class ForeignTriggers {
  readonly #known: PerSchema<ReadonlySet<unknown>>;
  #tables: ReadonlySet<unknown> = new Set();

  constructor(connection: Sqlite.Database) {
    this.#known = new PerSchema(connection, () => new Set(connection.prepare(FOREIGN).pluck().all()));
  }

  /** To be called once a transaction has begun, in which nobody else changes the schema. */
  look(): void {
    this.#tables = this.#known.get();
  }

  /** Whether a table had such a trigger at the last look. */
  has(table: string): boolean {
    return this.#tables.has(table);
  }
}
