/** The sizes of tables for the choice of a lane: their highest row ids, which are found at once. */
import type Sqlite from 'better-sqlite3';
import { id, render, sql } from '../../sql/fragment.ts';

/** Milliseconds for which a size counts as current. */
const FRESH = 10_000;

interface Size {
  readonly rows: number | undefined;
  readonly until: number;
}

/** The statement for the highest row id of a table, an upper bound of its rows; null for an empty table. */
export const highestRowId = (table: string): string => render(sql`select max(rowid) from ${id(table)}`, () => '?').text;

export class TableSizes {
  readonly #connection: Sqlite.Database;
  readonly #known = new Map<string, Size>();

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
  }

  /** An upper bound of the number of rows of a table; undefined if it is not known. */
  of(table: string): number | undefined {
    const now = performance.now();
    const known = this.#known.get(table);
    if (known && known.until > now) return known.rows;
    const rows = this.#ask(table);
    this.#known.set(table, { rows, until: now + FRESH });
    return rows;
  }

  #ask(table: string): number | undefined {
    try {
      return Number(this.#connection.prepare(highestRowId(table)).pluck().get() ?? 0);
    } catch {
      // a view, or a locked file: reads of it count as slow
      return undefined;
    }
  }
}
