/** A connection of its own, on which the migrations of a project run: rows have names, as whoever wrote them expects. */
import type { Executor } from '../queryable.ts';

/** A row by the names of its columns. */
export type NamedRow = Record<string, unknown>;

export interface SessionAnswer {
  /** Those of a statement that gives rows. */
  readonly rows: NamedRow[];
  /** Rows given or changed. */
  readonly count: number;
  /** What an insert without `returning` gives, and `knex.raw`. */
  readonly inserted: unknown;
  readonly native: unknown;
}

/** How an engine writes what a migration asks for; types of columns by their names in Knex. */
export interface SessionWords {
  /** @param args what is said behind the column's name. */
  columnType(type: string, args: readonly unknown[]): string;
  placeholder(n: number): string;
  /** What a row gets for a column that another row of the same insert names and it does not. */
  readonly missing: 'null' | 'default';
  /** A unique index is a constraint of its table. */
  readonly uniqueIsConstraint: boolean;
}

export interface MigrationSession extends Executor {
  /** What Knex calls the engine's client. */
  readonly client: string;
  readonly words: SessionWords;
  /** Runs one statement. @throws Error when the time of the migration is over, else what the engine says. */
  ask(text: string, values: readonly unknown[]): Promise<SessionAnswer>;
  /** Runs a text of any number of statements. */
  script(text: string): Promise<void>;
  /** The columns of a table in its order; none where there is no such table. */
  columns(table: string): Promise<readonly string[]>;
  /**
   * Drops our own indexes and triggers of a table, or of all: they would stand in the way of its change, or follow it
   * under their old names. They are made anew when the database is brought up to the layout.
   *
   * @param dropped columns that are about to be dropped, whose other indexes go with them.
   */
  loosen(table?: string, dropped?: readonly string[]): Promise<void>;
  /** Begins a transaction once no other process migrates. @param until when the time is over, by `performance.now()`. */
  begin(until: number): Promise<void>;
  commit(): Promise<void>;
  /** Never fails. */
  rollback(): Promise<void>;
  close(): Promise<void>;
}

/** Time is over. */
export function late(): Error {
  return new Error('it has taken longer than a migration may take');
}
