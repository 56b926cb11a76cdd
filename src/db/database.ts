/** The database interface: what content, media and users see of an engine. */
import type { Dialect } from '../sql/dialect.ts';
import type { SqlValue } from '../sql/fragment.ts';

/** A row as the driver gives it, columns in the order of the select list. */
export type Row = readonly unknown[];

/** Runs statements. Texts are prepared once and kept, with a cap. */
export interface Executor {
  /** All rows of a statement; for a write without `returning`, none. */
  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]>;
  /** Of a transaction, where the engine lets several writers in at once. */
  readonly holdings?: Holdings;
}

/** What a transaction holds until its end, so that others that name the same keys take turns with it. */
export interface Holdings {
  /** Keys held, and whether shared. */
  readonly held: Map<string, boolean>;
  /** Keys that an earlier attempt found taken when it held others already: to be taken first of all. */
  readonly wanted: Map<string, boolean>;
  /** Whether to wait for a key while holding others, at the risk of a deadlock, which the engine resolves. */
  readonly patient: boolean;
}

/** Thrown by a transaction that gives way to another one: it is to be run again. */
export class Overtaken extends Error {}

export interface Database extends Executor {
  readonly dialect: Dialect;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. Where the engine lets
   * several writers in at once they take turns by what they hold (`Dialect.hold`), and `work` is run again when another
   * transaction made this one impossible: it must do nothing that cannot be rolled back.
   *
   * @param waits false rejects at once where the whole process would have to wait for another one that is writing.
   */
  transaction<T>(work: (tx: Executor) => Promise<T>, waits?: boolean): Promise<T>;
  /**
   * A number that grows when another process may have changed the database, for caches of tokens and roles: exact on
   * engines that can tell, else once a second.
   */
  generation(): number;
  /** What the engine is busy with, for monitoring: numbers by name, such as connections in use and work that waits. */
  load?(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}
