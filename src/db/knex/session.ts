/** A connection of its own, on which the migrations of a project run. */
import type { Knex } from 'knex';
import type { Executor } from '../interface/queryable.ts';

export interface MigrationSession extends Executor {
  /** Knex on this connection, loaded when it is first asked for. Its transactions are savepoints in that of `begin`. */
  knex(): Promise<Knex>;
  /** Runs a text of any number of statements. */
  script(text: string): Promise<void>;
  hasTable(name: string): Promise<boolean>;
  /**
   * Begins a transaction once no other process migrates.
   *
   * @param limit milliseconds that it may take, and as many to wait for the other.
   * @throws Error where the other takes longer.
   */
  begin(limit: number): Promise<void>;
  /** @throws Error where what was done must not be kept. */
  commit(): Promise<void>;
  /** Never fails. */
  rollback(): Promise<void>;
  close(): Promise<void>;
}
