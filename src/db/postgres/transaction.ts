/** One attempt at a transaction on a connection. */
import type { Dialect } from '../../sql/dialect.ts';
import type { Executor } from '../queryable.ts';
import { type ChangeListeners, type LockPlan, Transaction } from '../transaction.ts';
import { changesCached } from './changes.ts';
import type { Answer, Connection, Patience, Statement } from './connection.ts';
import { unconfirmed } from './failures.ts';
import { NOTIFY } from './notifications.ts';
import { type Patiences, UNLIMITED } from './patience.ts';

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
  const state: State = { changes: false, failure: undefined };
  const tx = new Transaction(executorOf(state, attempt), attempt.dialect, attempt.lockPlan);
  let result: T;
  try {
    await connection.command('begin', patiences.control);
    result = await work(tx);
    await tx.announce(listeners);
    tx.end();
    await commit(connection, state, patiences.commit);
  } catch (error) {
    tx.end();
    if (!connection.isLost) await connection.command('rollback', patiences.control).catch(() => connection.destroy());
    throw error;
  }
  tx.committed(listeners);
  return result;
}

interface State {
  /** Whether other processes are to be told. */
  changes: boolean;
  /** What the server said of the first statement that it refused. */
  failure: { readonly error: unknown } | undefined;
}

function executorOf(state: State, { run, patiences: { write, unlimited } }: Attempt): Executor {
  let patience = write;
  return {
    async rows(text, values) {
      if (text === UNLIMITED) patience = unlimited;
      try {
        const { rows, count } = await run({ text, values }, patience);
        state.changes ||= count > 0 && changesCached(text);
        return rows;
      } catch (error) {
        state.failure ??= { error };
        throw error;
      }
    },
  };
}

async function commit(connection: Connection, { changes, failure }: State, patience: Patience): Promise<void> {
  // never sent over a connection that was lost before
  const isSent = !connection.isLost;
  const answer = await connection.command(changes ? `${NOTIFY}; commit` : 'commit', patience).catch((error) => {
    throw isSent && connection.isLost ? unconfirmed(error) : error;
  });
  if (answer.command === 'COMMIT') return;
  // the server rolls a transaction back whose work went on after a refusal
  throw failure ? failure.error : new Error(`the transaction ended with ${answer.command}`);
}
