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
