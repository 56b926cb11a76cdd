/** One attempt at a transaction on a connection. */
import type { Executor, HeldLocks } from '../database.ts';
import { changesCached } from './changes.ts';
import type { Answer, Connection, Patience, Statement } from './connection.ts';
import { unconfirmed } from './failures.ts';
import { NOTIFY } from './notifications.ts';
import { type Patiences, UNLIMITED } from './patience.ts';

type Run = (statement: Statement, patience: Patience) => Promise<Answer>;

/**
 * Runs `work` between begin and commit. Its executor ends with the transaction.
 *
 * @param run runs statements of the work on the connection.
 * @throws ContentError 503 when the server does not say whether it has committed; else what the work or server says.
 */
export async function transact<T>(
  connection: Connection,
  patiences: Patiences,
  locks: HeldLocks,
  work: (tx: Executor) => Promise<T>,
  run: Run,
): Promise<T> {
  const state: State = { isOver: false, changes: false, failure: undefined };
  const executor = executorOf(state, patiences, locks, run);
  try {
    await connection.command('begin', patiences.control);
    const result = await work(executor);
    state.isOver = true;
    await commit(connection, state, patiences.commit);
    return result;
  } catch (error) {
    state.isOver = true;
    if (!connection.isLost) await connection.command('rollback', patiences.control).catch(() => connection.destroy());
    throw error;
  }
}

interface State {
  isOver: boolean;
  /** Whether other processes are to be told. */
  changes: boolean;
  /** What the server said of the first statement that it refused. */
  failure: { readonly error: unknown } | undefined;
}

function executorOf(state: State, { write, unlimited }: Patiences, locks: HeldLocks, run: Run): Executor {
  let patience = write;
  return {
    locks,
    async rows(text, values) {
      if (state.isOver) throw new Error('the transaction has ended');
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
