/** Values derived from a database file's schema, cached until the schema changes. */
import type Sqlite from 'better-sqlite3';

/** A value that is read again whenever any process has changed the schema. */
export class PerSchema<T> {
  readonly #version: Sqlite.Statement<[], unknown>;
  readonly #read: () => T;
  #known: { readonly version: unknown; readonly value: T } | undefined;

  constructor(connection: Sqlite.Database, read: () => T) {
    this.#version = connection.prepare<[], unknown>('pragma schema_version').pluck();
    this.#read = read;
  }

  /** @throws SqliteError if the file cannot be read at present, for example because it is locked. */
  get(): T {
    const version = this.#version.get();
    if (this.#known?.version !== version) this.#known = { version, value: this.#read() };
    return this.#known!.value;
  }
}

/** The prefix of the names of Galley's own triggers. */
const PREFIX = 'galley_';
/** The tables with triggers of other programs. */
const FOREIGN = `select distinct tbl_name from sqlite_schema where type = 'trigger' and substr(name, 1, ${PREFIX.length}) <> '${PREFIX}'`;

/** Triggers of other programs: with them a table may contain other rows than those that were inserted. */
export class ForeignTriggers {
  readonly #known: PerSchema<ReadonlySet<unknown>>;
  #tables: ReadonlySet<unknown> = new Set();

  constructor(connection: Sqlite.Database) {
    this.#known = new PerSchema(connection, () => new Set(connection.prepare(FOREIGN).pluck().all()));
  }

  /** Called when a transaction has begun, during which no other process changes the schema. */
  look(): void {
    this.#tables = this.#known.get();
  }

  /** Whether a table had such a trigger at the last call of `look`. */
  has(table: string): boolean {
    return this.#tables.has(table);
  }
}
