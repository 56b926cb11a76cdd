/** Triggers that other programs have made: with them a table may hold other rows than those that were inserted. */
import type Sqlite from 'better-sqlite3';
import { PerSchema } from './per-schema.ts';

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
