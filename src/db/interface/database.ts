/** The database interface: what content, media and users see of an engine. */
import type { Knex } from 'knex';
import type { ReadCost } from '../../plan/cost.ts';
import type { ReadPlan, SearchIndexes, SlotKind } from '../../plan/read-plan.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { ChangeClock } from './change-clock.ts';
import type { HostTransaction, KnexHost } from './code-knex.ts';
import type { Executor, Queryable, Row } from './queryable.ts';
import type { ChangeListener, Transaction } from './transaction.ts';

/** A read that a caller asks for, with what decides where it runs and when. */
export interface Read {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Whether long texts may come as their bytes. */
  readonly bytes?: boolean;
  /** Made once for each plan, which it stands for. */
  readonly cost: ReadCost;
  /** The table whose rows are listed. */
  readonly table: string;
  /** The page of a list. */
  readonly page: { readonly limit: number; readonly offset: number } | undefined;
  /** Milliseconds that it may take, where that is less than reads may take anyway. */
  readonly limit?: number;
  /** What it was made from, worked out anew: for whoever looks into a read. */
  readonly origin?: (() => ReadOrigin) | undefined;
}

/** What a read was made from. */
export interface ReadOrigin {
  readonly plan: ReadPlan;
  /** What each of its values is. Slots below zero are operands of conditions that the caller does not know of. */
  readonly parameters: readonly { readonly slot: number; readonly kind: SlotKind }[];
}

export type ReadWatcher = (read: Read, milliseconds: number) => void;

export interface TransactionOptions {
  /** False: rejects at once where another process is writing. */
  readonly waits?: boolean;
  /** True: the work may do what cannot be rolled back, and is not run again: what would have it run again is a 503. */
  readonly once?: boolean;
  /** True: the work takes locks and reads, and writes nothing. */
  readonly onlyReads?: boolean;
}

/** How processes tell one another that the log of changes has grown, where looking for it would take a statement. */
export interface Bell {
  /** Tells the others. What cannot be told is found by looking. */
  ring(): void;
  /** Has somebody called whenever it rings, in this process as well, until the function that it gives is called. */
  heard(listener: () => void): () => void;
  /** As `heard`, of transactions that have changed what caches depend on (`Database.generation`). */
  changed(listener: () => void): () => void;
}

/** A transaction that somebody has begun, and that what is asked at the moment takes part in. */
export interface Joined {
  readonly tx: Transaction;
  /** Has something done outside of it once it is over, at once where it is over already. */
  onEnd(run: (isCommitted: boolean) => unknown): void;
}

export interface Database extends Queryable {
  /** The transaction that what is asked at the moment takes part in; undefined where `transaction` begins one. */
  readonly current?: Joined | undefined;
  /**
   * Runs a read in the turn of the caller on whose account it is (`account.ts`): what may be slow apart from what is
   * quick, so that it can be ended and nobody else waits for it. An engine within the process returns the rows of a quick
   * read at once.
   *
   * @param account of the caller, where it is not the current one: to make it the current one takes as long as some reads.
   * @throws ContentError 503 for one that takes too long, or would have to wait too long.
   */
  read(read: Read, account?: string): Row[] | Promise<Row[]>;
  /** Whether a read that may be slow would hold up all other writes, were it made inside a transaction. */
  holdsUpWrites(read: Read): boolean;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. It is run again when another
   * transaction made this one impossible: it must do nothing that cannot be rolled back, or say so (`once`). Where the
   * engine lets several writers in at once they take turns by their locks (`Dialect.lock`); where it does not, several
   * share a commit, and are rolled back together where one of them fails that cannot be rolled back alone.
   *
   * @throws ContentError 503 when the transaction does not get its turn in time.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Knex for the code of a project (https://knexjs.org/guide): `strapi.db.connection`.
   *
   * @param host runs its statements and its transactions.
   * @param own the transaction that all statements run in; when left out, the current one at each statement.
   */
  knex(host: KnexHost, own?: HostTransaction): Knex;
  /** Runs a statement of such code that is in no transaction (`WritingExecutor.raw`). */
  raw(text: string, values: readonly unknown[]): Promise<unknown>;
  /** Has a listener told of the changes of every transaction from now on, until the function that it gives is called. */
  subscribe(listener: ChangeListener): () => void;
  /**
   * A number that grows when another process has changed the database, or may have, for caches of tokens, roles,
   * accounts and locales.
   */
  generation(): number;
  /** About how many rows a table has, or an upper bound of it; undefined when that is not known. */
  rowsOf(table: string): number | undefined;
  /** Has a watcher told of each read: how many milliseconds it took, without waiting for its turn. */
  watch(watcher: ReadWatcher): void;
  /** Learns of changes of tables by this process at once, where it would otherwise learn of them in time. */
  refresh?(): Promise<void>;
  /** Whether the numbers of a table's rows are kept (`sql/totals.ts`), as far as is known at the moment. */
  keepsTotals(table: string): boolean;
  /**
   * What tells whether something that was read is still so. Only where that is known without asking a server, and where
   * reads see nothing before it is committed.
   */
  readonly changeClock?: ChangeClock | undefined;
  /** Whether no write can be confirmed any more until the process is started anew, though reads are answered. */
  readonly confirmsNothing?: boolean;
  /** Undefined where `generation` tells of commits by other processes at once, without a statement. */
  readonly bell?: Bell | undefined;
  /** The search indexes that are there; none where it is left out. `refresh`: has those looked for that are new. */
  readonly search?: (SearchIndexes & { refresh(): Promise<void> }) | undefined;
  /** What the engine is busy with, for monitoring: numbers by name, such as connections in use and work that waits. */
  load?(): Readonly<Record<string, number>>;
  /**
   * Gives `work` a connection of its own, on which each statement takes effect by itself and may take any time, for
   * definitions that no transaction can contain, or that take as long as a table has rows. Undefined where nothing else
   * can write to the database: one in memory, and one that can only be read.
   *
   * @throws ContentError 503 when the connection cannot be had, or is lost.
   */
  readonly apart?: (<T>(work: (executor: Executor) => Promise<T>) => Promise<T>) | undefined;
  close(): Promise<void>;
}
