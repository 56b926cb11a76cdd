/** One attempt at a transaction on a connection. */
import type { Dialect } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Row, WritingExecutor } from '../interface/queryable.ts';
import { type ChangeListeners, type LockPlan, Transaction } from '../interface/transaction.ts';
import type { Connection, Patience, Statement } from './connection.ts';
import { isAborted, unconfirmed } from './failures.ts';
import { changesCached, NOTIFY } from './notifications.ts';
import { type Patiences, UNLIMITED } from './patience.ts';
import type { Answer } from './query.ts';

/** Runs a statement on the connection of an attempt. */
export type Run = (statement: Statement, patience: Patience) => Promise<Answer>;

/** What an attempt is made with. */
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
 * @throws ContentError 503 when the server does not say whether it has committed; else what the work or server says.
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
      // listeners hear of nothing that has failed already
      await Promise.allSettled(state.sent);
      if (state.failure) throw state.failure.error;
      await tx.announce(listeners);
    }
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
    // whether it was made is not known
    if (refusal && connection.isLost) throw refusal.error;
    // what fails behind a failed statement only says that it does
    throw isAborted(error) && state.failure ? state.failure.error : error;
  }
  tx.committed(listeners);
  return result;
}

interface State {
  /** Until it is known that the transaction has begun. */
  begun: Promise<unknown> | undefined;
  /** Statements whose answers nobody waits for. */
  readonly sent: Set<Promise<unknown>>;
  /** Whether other processes are to be told. */
  changes: boolean;
  /** What the server said of the first statement that it refused. */
  failure: { readonly error: unknown } | undefined;
  /** Once the commit was sent along with a statement. */
  committing: Promise<void> | undefined;
}

const READS = /^\s*select\b/i;

/** Statements sent without waiting for an answer: what they ask must be held in memory here until then. */
const SENT = 64;

function executorOf(state: State, { connection, run, patiences, listeners }: Attempt): WritingExecutor {
  const { write, unlimited } = patiences;
  let patience = write;
  const { sent } = state;
  const executor = {
    send(text: string, values: readonly SqlValue[]) {
      const mayFollow = (state.begun === undefined || READS.test(text)) && sent.size < SENT;
      const answer = executor.rows(text, values);
      // whether others are to be told is known by the answer
      if (!mayFollow || changesCached(text)) return answer;
      sent.add(answer);
      // what it fails with is thrown by the statement that is waited for next, or by the commit
      const isAnswered = () => void sent.delete(answer);
      answer.then(isAnswered, isAnswered);
      return undefined;
    },
    async rows(text: string, values: readonly SqlValue[]): Promise<Row[]> {
      if (text === UNLIMITED) patience = unlimited;
      // what only reads may be sent behind the beginning; a write would stay, were there no transaction after all
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
        state.changes ||= !READS.test(text);
        return answer;
      } catch (error) {
        state.failure ??= { error };
        throw error;
      }
    },
    async attempt<T>(work: () => Promise<T>): Promise<T> {
      // what has failed already is no matter of the work
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
      // without a beginning that is known there might be nothing to commit, and what was written would stay
      if (state.begun || state.failure || listeners.areConcerned) return false;
      state.committing = commit(connection, state, patiences.commit);
      // what it fails with is told when the work is over
      state.committing.catch(() => {});
      return true;
    },
  };
  return executor;
}

async function commit(connection: Connection, state: State, patience: Patience): Promise<void> {
  // never sent over a connection that was lost before
  const isSent = !connection.isLost;
  const answer = await connection.command(state.changes ? `${NOTIFY}; commit` : 'commit', patience).catch((error) => {
    throw isSent && connection.isLost ? unconfirmed(error) : error;
  });
  if (answer.command === 'COMMIT') return;
  await Promise.allSettled(state.sent);
  // the server rolls a transaction back whose work went on after a refusal
  throw state.failure ? state.failure.error : new Error(`the transaction ended with ${answer.command}`);
}
