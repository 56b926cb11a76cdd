/**
 * The change clock of a database file. The engine's counter of commits is kept per connection and does not count the
 * connection's own commits (https://sqlite.org/pragma.html#pragma_data_version): on the connection that writes it
 * counts commits of other processes only. Commits of this process are counted here, by the tables that their statements
 * write to, so that the last use of a token, or a change of another content type, does not invalidate other caches.
 */
import type Sqlite from 'better-sqlite3';
import type { SqlValue } from '../../sql/fragment.ts';
import { TOTALS_TABLE } from '../../sql/totals.ts';
import type { ChangeClock, Sources } from '../interface/change-clock.ts';
import { Programs, type TableNames } from './programs.ts';

export class FileChangeClock implements ChangeClock {
  readonly #reads: Programs;
  readonly #writes: Programs;
  readonly #askVersion: () => number;
  readonly #schemaVersion: Sqlite.Statement<[], unknown>;
  /** The schema version for which the cached tables of statements are valid; undefined: unknown. */
  #schema: unknown;
  #version: number | undefined;
  #now = 0;
  /** The last moment at which any table may have changed. */
  #everything = 0;
  /** The last moment at which each table changed, since then. */
  readonly #changed = new Map<string, number>();
  /** The tables that the current transaction writes to. */
  readonly #pending = new Set<TableNames>();

  /** @param askVersion reads the counter on the connection that writes. */
  constructor(
    { reader, writer }: { readonly reader: Sqlite.Database; readonly writer: Sqlite.Database | undefined },
    askVersion: () => number,
  ) {
    this.#reads = new Programs(reader);
    this.#writes = new Programs(writer ?? reader);
    this.#schemaVersion = (writer ?? reader).prepare<[], unknown>('pragma schema_version').pluck();
    this.#askVersion = askVersion;
  }

  now(): number {
    const version = this.#askVersion();
    if (version !== this.#version) {
      this.#version = version;
      this.#now++;
      this.#changeEverything();
      this.#lookAtSchema();
    }
    return this.#now;
  }

  sourcesOf(text: string, values: readonly SqlValue[]): Sources {
    return { tables: this.#reads.readBy(text, values) };
  }

  unchangedSince(moment: number, { tables }: Sources): boolean {
    if (moment === this.#now) return true;
    if (moment < this.#everything || tables === undefined) return false;
    return tables.every((table) => (this.#changed.get(table) ?? 0) <= moment);
  }

  /** Notes the tables that a statement of the current transaction writes to. */
  note(text: string, values: readonly SqlValue[]): void {
    // every table counts as changed already, as in a migration
    if (this.#pending.has(undefined)) return;
    const tables = this.#writes.writtenBy(text, values);
    if (tables?.length !== 0) this.#pending.add(tables);
  }

  /**
   * Counts the current transaction. Called right before its commit, in the same turn of the event loop, so that nothing
   * read in between counts as read after it.
   */
  committing(): void {
    if (this.#pending.size === 0) return;
    this.#now++;
    if (this.#pending.has(undefined)) {
      this.#changeEverything();
      this.#forgetSchema(undefined);
    } else {
      for (const tables of this.#pending) for (const table of tables!) this.#changed.set(table, this.#now);
      // the totals of a table change only with the table, and whatever reads them reads the table too
      this.#changed.delete(TOTALS_TABLE);
    }
    this.#pending.clear();
  }

  /** Forgets the tables that a rolled back transaction wrote to, and the schema if it may have changed that. */
  rolledBack(): void {
    if (this.#pending.has(undefined)) this.#forgetSchema(undefined);
    this.#pending.clear();
  }

  #changeEverything(): void {
    this.#everything = this.#now;
    this.#changed.clear();
  }

  /** Forgets the cached tables of statements if another process has changed the schema. */
  #lookAtSchema(): void {
    let schema: unknown;
    try {
      schema = this.#schemaVersion.get();
    } catch {
      // the file cannot be read at present
    }
    if (schema === undefined || schema !== this.#schema) this.#forgetSchema(schema);
  }

  /** @param schema its version, as far as it is certain. */
  #forgetSchema(schema: unknown): void {
    this.#schema = schema;
    this.#reads.forget();
    this.#writes.forget();
  }
}
