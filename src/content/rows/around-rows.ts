/**
 * Project code around rows that are not documents, such as those of files: it is notified before and after each write, and
 * each read that the server performs by itself, under the names that the reference has for it.
 */
import type { Transaction } from '../../db/interface/transaction.ts';

export type RowOperation = 'create' | 'update' | 'delete' | 'deleteMany';

/** The rows and the data of a write, as project code receives them: by attribute. */
export interface AnnouncedWrite {
  readonly where?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Attributes that project code receives with their stored values where the data has none. */
  readonly kept?: readonly string[];
}

/** A write that project code has been notified of and that is about to happen. */
export interface StartedWrite {
  /**
   * Reports that the write has happened. Changes that project code made to the data are written first.
   *
   * @param result the id of the row; the number of rows where there may be several.
   * @returns a function that puts the row's values after project code has changed them into an answer.
   * @throws any error with which project code refuses the write.
   */
  end(result: number): Promise<(answer: string) => string>;
}

export type ReadOperation = 'findMany' | 'findOne' | 'count';

/** A read, as project code receives it. */
export interface AnnouncedRead<T> {
  readonly params: Readonly<Record<string, unknown>>;
  /** True if the parameters are those of a query string, which project code receives as those of rows. */
  readonly isQuery?: true;
  /** The ids of the rows of an answer, or the counted number. */
  readonly found: (answer: T) => readonly number[] | number;
}

export interface AroundRows {
  /** Whether project code listens to writes of a type at present. */
  isListening(uid: string): boolean;
  /** Runs the work of a transaction in which project code takes part. The work runs once. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Notifies project code of a write, within such a transaction.
   *
   * @throws any error with which project code refuses the write.
   */
  begin(uid: string, operation: RowOperation, write: AnnouncedWrite): Promise<StartedWrite>;
  /** Whether project code listens to a kind of reads of a type at present. */
  isReading(uid: string, operation: ReadOperation): boolean;
  /**
   * Performs a read, with notices to project code before and after it.
   *
   * @throws any error with which project code refuses the read; an error if it changes parameters or result.
   */
  read<T>(uid: string, operation: ReadOperation, announced: AnnouncedRead<T>, work: () => Promise<T>): Promise<T>;
}

const UNTOLD: StartedWrite = { end: async () => (answer) => answer };

/** Runs the work of a transaction that writes rows of some types. */
export function transactionOf<T>(
  { database, around }: { readonly database: Transacting; readonly around?: AroundRows | undefined },
  uids: readonly string[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return around && uids.some((uid) => around.isListening(uid)) ? around.transaction(work) : database.transaction(work);
}

interface Transacting {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Notifies project code of a write if it listens to the type; only then is `described` called. */
export async function beginRow(
  around: AroundRows | undefined,
  uid: string,
  operation: RowOperation,
  described: () => AnnouncedWrite,
): Promise<StartedWrite> {
  return around?.isListening(uid) ? around.begin(uid, operation, described()) : UNTOLD;
}

/** The row ids in an answer. */
export const idsIn = (data: string): number[] =>
  (JSON.parse(data) as readonly { readonly id: number }[]).map(({ id }) => id);

/** Performs a read of the server, with project code around it if it listens; only then is `announced` called. */
export async function readRows<T>(
  around: AroundRows | undefined,
  uid: string,
  operation: ReadOperation,
  announced: () => AnnouncedRead<T>,
  work: () => Promise<T>,
): Promise<T> {
  return around?.isReading(uid, operation) ? around.read(uid, operation, announced(), work) : work();
}
