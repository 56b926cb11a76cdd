/** The times for which the runs of releases are planned. */
import type { Transaction } from '../db/interface/transaction.ts';
import { addItems, cancelItem, type ItemState, listItems, moveItem, type ScheduledItem } from '../schedule/items.ts';
import { RELEASE_UID } from './release-names.ts';

/** The kind of this work. */
export const RELEASE_WORK = 'release';

/** Runs of one release that wait or have failed: there are few. */
const MOST = 10;

/** The runs of a release in a state. */
export const runsOf = (tx: Transaction, release: number, state: ItemState): Promise<ScheduledItem[]> =>
  listItems(tx, { kinds: [RELEASE_WORK], targets: [String(release)], states: [state], most: MOST });

/** Plans when a release runs, for the current actor: at a time, or not at all (null). Its failures are over then. */
export async function planRun(tx: Transaction, release: number, at: number | null, now: number): Promise<void> {
  for (const item of await runsOf(tx, release, 'failed')) await cancelItem(tx, item, now);
  const waiting = await runsOf(tx, release, 'waiting');
  for (const item of waiting) await (at === null ? cancelItem(tx, item, now) : moveItem(tx, item, at));
  if (at === null || waiting.length > 0) return;
  const item = { kind: RELEASE_WORK, contentType: RELEASE_UID, target: String(release), subject: {}, dueAt: at };
  await addItems(tx, [item], now);
}
