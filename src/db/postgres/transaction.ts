/** Runs one attempt at a transaction on a connection. */
import type { Dialect } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { changesCached } from '../interface/cached-tables.ts';
import type { Row, WritingExecutor } from '../interface/queryable.ts';
import { type ChangeListeners, type LockPlan, mayWrite, Transaction } from '../interface/transaction.ts';
import type { Connection, Patience, Statement } from './connection.ts';
import { isAborted, unconfirmed } from './failures.ts';
import { NOTIFY } from './notifications.ts';
import { type Patiences, UNLIMITED } from './patience.ts';
import type { Answer } from './query.ts';

/** Runs a statement on the connection of an attempt. */
export type Run = (statement: Statement, patience: Patience) => Promise<Answer>;

export interface Attempt {
  readonly connection: Connection;
  readonly run: Run;
  readonly patiences: Patiences;
  readonly lockPlan: LockPlan;
  readonly listeners: ChangeListeners;
  readonly dialect: Dialect;
}

/**
 * Runs `work` between begin and commit.
 *
 * @throws ContentError 503 if the server does not confirm the commit; otherwise the error of the work or the server.
 */
export async function transact<T>(attempt: Attempt, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const { connection, patiences, listeners } = attempt;
  const begun = connection.command('begin', patiences.control, true);
  const state: State = { begun, sent: new Set(), changes: false, failure: undefined, committing: undefined };
  begun.then(
    () => (state.begun = undefined),
    (error) => (state.failure ??= { error }),
  );
  const tx = new Transaction(executorOf(state, attempt), attempt.dialect, attempt.listeners, attempt.lockPlan);
  let result: T;
  try {
    result = await work(tx);
    await state.begun;
    if (!state.committing && tx.changes.length > 0 && listeners.areConcerned) {
      // listeners are not called if a statement has failed
      await Promise.allSettled(state.sent);
      if (state.failure) throw state.failure.error;
      await tx.announce(listeners);
    }
    if (!state.committing) await tx.writeRecords();
    tx.end();
    await (state.committing ?? commit(connection, state, patiences.commit));
  } catch (error) {
    tx.end();
    const refusal = await state.committing?.catch((error: unknown) => ({ error }));
    const isCommitted = state.committing !== undefined && !refusal;
    if (!isCommitted && !connection.isLost) {
      await connection.command('rollback', patiences.control).catch(() => connection.destroy());
    }
    await Promise.allSettled(state.sent);
    if (isCommitted) tx.committed(listeners);
    else tx.rolledBack();
    // the outcome is unknown
    if (refusal && connection.isLost) throw refusal.error;
    // an error of a statement after a failed one only reports that failure
    throw isAborted(error) && state.failure ? state.failure.error : error;
  }
  tx.committed(listeners);
  return result;
}

interface State {
  /** Until the server has confirmed the beginning. */
  begun: Promise<unknown> | undefined;
  /** Statements whose answers are not awaited. */
  readonly sent: Set<Promise<unknown>>;
  /** Whether other processes must be notified. */
  changes: boolean;
  /** The error of the first statement that the server refused. */
  failure: { readonly error: unknown } | undefined;
  /** The commit, once it was sent along with a statement. */
  committing: Promise<void> | undefined;
}

const READS = /^\s*select\b/i;

/** The most statements sent without waiting for an answer: their texts and values are kept in memory until then. */
const SENT = 64;

function executorOf(state: State, { connection, run, patiences, listeners }: Attempt): WritingExecutor {
  const { write, unlimited } = patiences;
  let patience = write;
  const { sent } = state;
  const executor = {
    send(text: string, values: readonly SqlValue[]) {
      const mayFollow = (state.begun === undefined || READS.test(text)) && sent.size < SENT;
      const answer = executor.rows(text, values);
      // only the answer tells whether other processes must be notified
      if (!mayFollow || changesCached(text)) return answer;
      sent.add(answer);
      // the next awaited statement, or the commit, throws its error
      const isAnswered = () => void sent.delete(answer);
      answer.then(isAnswered, isAnswered);
      return undefined;
    },
    async rows(text: string, values: readonly SqlValue[]): Promise<Row[]> {
      if (text === UNLIMITED) patience = unlimited;
      // reads may be sent right after the beginning; a write would take effect even if the transaction had not begun
      if (state.begun && !READS.test(text)) await state.begun;
      try {
        const { rows, count } = await run({ text, values, joins: values.length > 0 }, patience);
        state.changes ||= count > 0 && changesCached(text);
        return rows;
      } catch (error) {
        state.failure ??= { error };
        throw error;
      }
    },
    async raw(text: string, values: readonly unknown[]): Promise<unknown> {
      await state.begun;
      try {
        const answer = await run({ text, values: values as readonly SqlValue[], isRaw: true }, patience);
        state.changes ||= mayWrite(text);
        return answer;
      } catch (error) {
        state.failure ??= { error };
        throw error;
      }
    },
    async attempt<T>(work: () => Promise<T>): Promise<T> {
      // earlier failures are not those of the work
      await Promise.allSettled(sent);
      if (state.failure) throw state.failure.error;
      executor.send('savepoint galley_attempt', []);
      try {
        const result = await work();
        executor.send('release savepoint galley_attempt', []);
        return result;
      } catch (error) {
        await run({ text: 'rollback to savepoint galley_attempt', values: [] }, patience);
        state.failure = undefined;
        throw error;
      }
    },
    commitBehind() {
      // if the beginning is unconfirmed, there might be no transaction, and the writes would stay
      if (state.begun || state.failure || listeners.areConcerned) return false;
      state.committing = commit(connection, state, patiences.commit);
      // its error is thrown when the work is over
      state.committing.catch(() => {});
      return true;
    },
  };
  return executor;
}

async function commit(connection: Connection, state: State, patience: Patience): Promise<void> {
  // a commit is never sent over a connection that was lost before
  const isSent = !connection.isLost;
  const answer = await connection.command(state.changes ? `${NOTIFY}; commit` : 'commit', patience).catch((error) => {
    throw isSent && connection.isLost ? unconfirmed(error) : error;
  });
  if (answer.command === 'COMMIT') return;
  await Promise.allSettled(state.sent);
  // the server rolls back a transaction that went on after a refused statement
  throw state.failure ? state.failure.error : new Error(`the transaction ended with ${answer.command}`);
}
