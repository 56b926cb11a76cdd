/**
 * What stands around rows that are not written as documents, such as those of files: code of the project, which is told
 * before and after they are written, under the names that the reference has for it.
 */
import type { Transaction } from '../../db/interface/transaction.ts';

export type RowOperation = 'create' | 'update' | 'delete' | 'deleteMany';

/** What is told of a write: the rows that it names, and its data by attributes. */
export interface ToldWrite {
  readonly where?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Attributes that are told as the row has them where the data does not. */
  readonly kept?: readonly string[];
}

/** A write that has been told of and is about to be made. */
export interface BegunWrite {
  /**
   * Tells that it is made. What those who were told have changed in the data is written first.
   *
   * @param result the id of the row; the number of rows where there may be several.
   * @returns what puts into an answer that shows the row what those who were told have made of it.
   * @throws whatever refuses it.
   */
  end(result: number): Promise<(answer: string) => string>;
}

export interface AroundRows {
  /** Whether anybody is told of writes of a type at present. */
  isTold(uid: string): boolean;
  /** Runs the work of a transaction in which those who are told take part. It is run once. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Tells of a write, within such a transaction.
   *
   * @throws whatever refuses it.
   */
  begin(uid: string, operation: RowOperation, told: ToldWrite): Promise<BegunWrite>;
}

const UNTOLD: BegunWrite = { end: async () => (answer) => answer };

/** Runs the work of a transaction that writes rows of some types. */
export function transactionOf<T>(
  { database, around }: { readonly database: Transacting; readonly around?: AroundRows | undefined },
  uids: readonly string[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return around && uids.some((uid) => around.isTold(uid)) ? around.transaction(work) : database.transaction(work);
}

interface Transacting {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Tells of a write where anybody is to be told of it. @param told is asked then only. */
export async function beginRow(
  around: AroundRows | undefined,
  uid: string,
  operation: RowOperation,
  told: () => ToldWrite,
): Promise<BegunWrite> {
  return around?.isTold(uid) ? around.begin(uid, operation, told()) : UNTOLD;
}
