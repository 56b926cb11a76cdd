/** Waiting until a server does nothing any more that nobody has asked for, such as making indexes. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from '../processes.ts';
import type { RunDatabase } from './databases.ts';

/** Seconds in which nothing may happen, and the share of one processor that counts as nothing. */
const WINDOW = 3;
const IDLE = 0.05;
/** The same when the end of a few statements is waited for. */
const SHORT = 0.4;
/**
 * Waits until, for some seconds, the server and its children have taken next to no processor time, it has printed
 * nothing, and no table, index or trigger has appeared, gone or been in the making. Nobody may send requests. Gives
 * whether that came about within `limit` seconds, and the names of all that the database holds.
 */
export async function settled(
  target: Target,
  database: RunDatabase,
  limit: number,
): Promise<{ readonly isSettled: boolean; readonly names: readonly string[] }> {
  const end = performance.now() + limit * 1000;
  let before = await database.made();
  for (;;) {
    const [output, used, began] = [target.output(), target.processorTime(), performance.now()];
    await pause(WINDOW * 1000);
    const share = (target.processorTime() - used) / ((performance.now() - began) / 1000);
    const after = await database.made();
    const isSame = after.names.join() === before.names.join();
    if (isSame && !after.isBusy && share < IDLE && target.output() === output) {
      return { isSettled: true, names: after.names };
    }
    if (performance.now() > end) return { isSettled: false, names: after.names };
    before = after;
  }
}

/** Waits until the server has ended what was asked for and is not wanted any more, for so many seconds at most. */
export async function idle(target: Target, database: RunDatabase, limit: number): Promise<void> {
  const end = performance.now() + limit * 1000;
  while (performance.now() < end) {
    const used = target.processorTime();
    await pause(SHORT * 1000);
    if (target.processorTime() - used < SHORT * 2 * IDLE && !(await database.made()).isBusy) return;
  }
}
