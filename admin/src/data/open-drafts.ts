/** What is being written in the pages of this browser: all of it is saved before its writer signs out. */

/** Asks other tabs to save. */
const tabs = new BroadcastChannel('galley-admin-drafts');
const drafts = new Set<() => Promise<void>>();

/** Milliseconds that other tabs have to note down what they have not saved, and that all have to save it. */
const NOTED = 200;
const PATIENCE = 5_000;
const LOOK = 50;

/** Has `save` called before somebody signs out; what it gives ends that. */
export function whileWritten(save: () => Promise<void>): () => void {
  drafts.add(save);
  return () => void drafts.delete(save);
}

/** Saves in every tab what can be saved, as far as there is time. @param isSaved whether nothing is kept as unsaved. */
export async function saveDrafts(isSaved: () => boolean): Promise<void> {
  const start = performance.now();
  tabs.postMessage('save');
  await Promise.race([saveOwn(), pause(PATIENCE)]);
  while (performance.now() < start + NOTED || (!isSaved() && performance.now() < start + PATIENCE)) await pause(LOOK);
}

tabs.onmessage = () => void saveOwn();

async function saveOwn(): Promise<void> {
  await Promise.allSettled([...drafts].map((save) => save()));
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
