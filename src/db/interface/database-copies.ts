/** Whole databases in files, for backups. */
import type { Queryable } from './queryable.ts';

/** The number of rows of each table by its name. */
export type TableRows = Readonly<Record<string, number>>;

/** How a database is copied into a file, and out of it. */
export interface DatabaseCopies {
  /** The name of the form, which backups record. */
  readonly form: string;
  /**
   * Writes the state of the database at one moment into a new file, while others write to the database.
   *
   * @param during reads the same state, which has these rows.
   * @returns the number of rows at that moment.
   */
  create(file: string, during: (snapshot: Queryable, rows: TableRows) => Promise<void>): Promise<TableRows>;
  /** Reads a whole copy and counts its rows. @throws Error if it is damaged. */
  check(file: string): Promise<TableRows>;
  /**
   * Replaces the database by a copy, as a whole or not at all.
   *
   * @throws UsageError in one line if the database is in use, or the copy does not fit it.
   */
  restore(file: string): Promise<void>;
}
