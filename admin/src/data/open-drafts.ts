/** What is being written in the pages of this browser: all of it is saved before its writer signs out. */
import { BASE } from './base.ts';

/** Saves what can be saved without anybody saying so. Gives whether that was all. */
type Save = () => Promise<boolean>;

interface Written {
  readonly user: number;
  readonly save: Save;
}

/** Asks other tabs in which a user writes to save. */
const tabs = new BroadcastChannel(`galley${BASE}drafts`);
const drafts = new Set<Written>();

/** Milliseconds that other tabs have to note down what they have not saved, and that all have to save it. */
const NOTED = 200;
const PATIENCE = 5_000;
const LOOK = 50;

/** Has `save` called before a user signs out; what it gives ends that. */
export function whileWritten(user: number, save: Save): () => void {
  const written = { user, save };
  drafts.add(written);
  return () => void drafts.delete(written);
}

/**
 * Saves in every tab what can be saved, as far as there is time. Gives how many drafts of this tab are not saved.
 *
 * @param isSaved whether nothing is kept as unsaved.
 */
export async function saveDrafts(user: number, isSaved: () => boolean): Promise<number> {
  const start = performance.now();
  tabs.postMessage(user);
  const unsaved = await Promise.race([saveOwn(user), pause(PATIENCE).then(() => drafts.size)]);
  while (performance.now() < start + NOTED || (!isSaved() && performance.now() < start + PATIENCE)) await pause(LOOK);
  return unsaved;
}

tabs.onmessage = ({ data }) => void saveOwn(data as number);

async function saveOwn(user: number): Promise<number> {
  const own = [...drafts].filter((draft) => draft.user === user);
  const saved = await Promise.allSettled(own.map(({ save }) => save()));
  return saved.filter((one) => one.status === 'rejected' || !one.value).length;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
