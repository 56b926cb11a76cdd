/** The database interface: the part of an engine that other modules use. */
import type { Knex } from 'knex';
import type { ReadCost } from '../../plan/cost.ts';
import type { ReadPlan, SearchIndexes, SlotKind } from '../../plan/read-plan.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { ChangeClock } from './change-clock.ts';
import type { HostTransaction, KnexHost } from './code-knex.ts';
import type { Executor, Queryable, Row } from './queryable.ts';
import type { ChangeListener, Transaction } from './transaction.ts';

/** A read, with the values that decide where and when it runs. */
export interface Read {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Whether long texts may be returned as bytes. */
  readonly bytes?: boolean;
  /** Identifies the plan: the same object for all reads of one plan. */
  readonly cost: ReadCost;
  /** The table of the listed rows. */
  readonly table: string;
  /** The page, if the read is a list. */
  readonly page: { readonly limit: number; readonly offset: number } | undefined;
  /** A time limit in milliseconds, if it is less than the general limit of reads. */
  readonly limit?: number;
  /** Plans the read again, for tools that inspect it. */
  readonly origin?: (() => ReadOrigin) | undefined;
}

/** The plan and the parameters of a read. */
export interface ReadOrigin {
  readonly plan: ReadPlan;
  /** The slot and kind of each value. Slots below zero are operands of conditions that are hidden from the caller. */
  readonly parameters: readonly { readonly slot: number; readonly kind: SlotKind }[];
}

export type ReadWatcher = (read: Read, milliseconds: number) => void;

export interface TransactionOptions {
  /** False: rejects at once if another process is writing. */
  readonly waits?: boolean;
  /**
   * True: the work may have effects that cannot be rolled back, so it is not repeated; a conflict is answered with 503.
   */
  readonly once?: boolean;
  /** True: the work only takes locks and reads. */
  readonly onlyReads?: boolean;
}

/** Notifies other processes that the log of changes has grown, where finding out would otherwise take a statement. */
export interface Bell {
  /** Notifies the other processes. If a notification is lost, they find the changes by looking. */
  ring(): void;
  /** Calls a listener at each ring, also of this process, until the returned function is called. */
  onRing(listener: () => void): () => void;
  /**
   * Calls a listener after each transaction with changes that caches depend on (`Database.generation`), until the
   * returned function is called.
   */
  onChange(listener: () => void): () => void;
  /** Whether `onChange` reports the transactions of all processes at the moment. */
  isListening(): boolean;
}

/** The transaction in which current work takes part. */
export interface CurrentTransaction {
  readonly tx: Transaction;
  /** Runs a callback outside of the transaction after its end; at once if it has ended. */
  onEnd(run: (isCommitted: boolean) => unknown): void;
}

export interface Database extends Queryable {
  /** The transaction in which current work takes part; undefined if `transaction` begins a new one. */
  readonly current?: CurrentTransaction | undefined;
  /**
   * Runs a read in the turn of a caller. Reads that may be slow run apart from quick ones, so that they can be stopped and
   * delay no other caller. An engine within the process returns the rows of a quick read at once.
   *
   * @param account of the caller, if it is not the current one (`interface/account.ts`): switching to it would take as
   * long as some reads.
   * @throws ContentError 503 if the read takes too long, or would have to wait too long.
   */
  read(read: Read, account?: string): Row[] | Promise<Row[]>;
  /** Whether a read inside a transaction would delay all other writes, because it may be slow. */
  holdsUpWrites(read: Read): boolean;
  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. It is repeated if a conflict
   * with another transaction makes it impossible, so it must not have effects that cannot be rolled back, unless `once`
   * is set. On an engine with several writers, transactions take turns by locks (`Dialect.lock`); on an engine with
   * one, several share a commit, and are rolled back together if one fails that cannot be rolled back alone.
   *
   * @throws ContentError 503 if the transaction does not get its turn in time.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Knex for the code of a project (https://knexjs.org/guide): `strapi.db.connection`.
   *
   * @param host runs its statements and its transactions.
   * @param own the transaction of all statements; if left out, each statement runs in the current one.
   */
  knex(host: KnexHost, own?: HostTransaction): Knex;
  /** Runs a statement of a project's code outside of a transaction (`WritingExecutor.raw`). */
  raw(text: string, values: readonly unknown[]): Promise<unknown>;
  /** Notifies a listener of the changes of every transaction, until the returned function is called. */
  subscribe(listener: ChangeListener): () => void;
  /**
   * A number that increases when another process has changed the database, or may have, for caches of tokens, roles,
   * accounts and locales.
   */
  generation(): number;
  /** The approximate number of rows of a table, or an upper bound; undefined if it is not known. */
  rowsOf(table: string): number | undefined;
  /** Calls a watcher with each read and its milliseconds, without the wait for its turn. */
  watch(watcher: ReadWatcher): void;
  /** Learns of this process's changes of tables at once, where it would otherwise learn of them later. */
  refresh?(): Promise<void>;
  /** Whether the totals of a table are stored (`sql/totals.ts`), as far as is known at the moment. */
  keepsTotals(table: string): boolean;
  /**
   * Tells whether something that was read outside of `current` is still current. Undefined for engines that would have to
   * ask a server, and for those whose reads see uncommitted changes.
   */
  readonly changeClock?: ChangeClock | undefined;
  /** Whether writes can no longer be confirmed until the process restarts, although reads still work. */
  readonly confirmsNothing?: boolean;
  /** Undefined if `generation` notices commits of other processes at once, without a statement. */
  readonly bell?: Bell | undefined;
  /** The complete search indexes; undefined: none. `refresh` looks for new ones. */
  readonly search?: (SearchIndexes & { refresh(): Promise<void> }) | undefined;
  /** The load of the engine for monitoring: numbers by name, such as connections in use and requests that wait. */
  load?(): Readonly<Record<string, number>>;
  /**
   * Gives `work` a connection of its own, on which each statement commits by itself and may take any time: for
   * definitions that no transaction can contain, or that take time in proportion to the rows of a table. Undefined for
   * databases to which no second connection can write: one in memory, and a read-only one.
   *
   * @throws ContentError 503 if there is no connection, or it is lost.
   */
  readonly separately?: (<T>(work: (executor: Executor) => Promise<T>) => Promise<T>) | undefined;
  close(): Promise<void>;
}
