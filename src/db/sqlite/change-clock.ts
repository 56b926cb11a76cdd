/**
 * Moments of a database file. Commits of others are known by the engine's own counter, which each connection has for
 * itself and which does not count its own (https://sqlite.org/pragma.html#pragma_data_version): asked on the connection
 * that writes it tells of other processes alone. Commits of this process are counted here, by the tables that their
 * statements write to, so that a token's last use or another content type changes nothing that does not read it.
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
  /** The version that what is known of statements is of; undefined where it is not known. */
  #schema: unknown;
  #version: number | undefined;
  #now = 0;
  /** The last moment at which anything may have changed. */
  #everything = 0;
  /** The last moment at which a table changed, since then. */
  readonly #changed = new Map<string, number>();
  /** What the transaction under way writes to. */
  readonly #pending = new Set<TableNames>();

  /** @param askVersion the counter, asked on the connection that writes. */
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

  /** Takes down what a statement of the transaction under way writes to. */
  note(text: string, values: readonly SqlValue[]): void {
    // it makes no difference any more, as in a migration
    if (this.#pending.has(undefined)) return;
    const tables = this.#writes.writtenBy(text, values);
    if (tables?.length !== 0) this.#pending.add(tables);
  }

  /**
   * Counts the transaction under way. To be called right before its commit, in the same turn: nothing that is read in
   * between may count as of afterwards.
   */
  committing(): void {
    if (this.#pending.size === 0) return;
    this.#now++;
    if (this.#pending.has(undefined)) {
      this.#changeEverything();
      this.#forgetSchema(undefined);
    } else {
      for (const tables of this.#pending) for (const table of tables!) this.#changed.set(table, this.#now);
      // the totals of a table change with it alone, and what reads them reads the table as well
      this.#changed.delete(TOTALS_TABLE);
    }
    this.#pending.clear();
  }

  /** Forgets what a transaction wrote to that was rolled back, and the schema if it may have changed that. */
  rolledBack(): void {
    if (this.#pending.has(undefined)) this.#forgetSchema(undefined);
    this.#pending.clear();
  }

  #changeEverything(): void {
    this.#everything = this.#now;
    this.#changed.clear();
  }

  /** Forgets what is known of statements if another process has changed the schema. */
  #lookAtSchema(): void {
    let schema: unknown;
    try {
      schema = this.#schemaVersion.get();
    } catch {
      // it cannot be read at present
    }
    if (schema === undefined || schema !== this.#schema) this.#forgetSchema(schema);
  }

  /** @param schema its version, as far as that is certain. */
  #forgetSchema(schema: unknown): void {
    this.#schema = schema;
    this.#reads.forget();
    this.#writes.forget();
  }
}
