/** The open drafts of this browser, which are saved before their user signs out. */
import { BASE } from './base.ts';

/** Saves a draft as far as possible without confirmation. Returns whether everything was saved. */
type Save = () => Promise<boolean>;

interface OpenDraft {
  readonly user: number;
  readonly save: Save;
}

/** Asks other tabs to save their drafts of a user. */
const tabs = new BroadcastChannel(`galley${BASE}drafts`);
const drafts = new Set<OpenDraft>();

/** The milliseconds that other tabs get to store unsaved drafts on the device, and that all tabs get to save them. */
const STORE_TIME = 200;
const SAVE_TIME = 5_000;
const POLL_INTERVAL = 50;

/** Registers `save`, which is called before the user signs out. Returns a function that unregisters it. */
export function registerDraft(user: number, save: Save): () => void {
  const written = { user, save };
  drafts.add(written);
  return () => void drafts.delete(written);
}

/**
 * Saves the drafts of all tabs as far as time allows. Returns the number of unsaved drafts of this tab.
 *
 * @param isSaved whether nothing is stored as unsaved.
 */
export async function saveDrafts(user: number, isSaved: () => boolean): Promise<number> {
  const start = performance.now();
  tabs.postMessage(user);
  const unsaved = await Promise.race([saveOwn(user), pause(SAVE_TIME).then(() => drafts.size)]);
  while (performance.now() < start + STORE_TIME || (!isSaved() && performance.now() < start + SAVE_TIME))
    await pause(POLL_INTERVAL);
  return unsaved;
}

tabs.onmessage = ({ data }) => void saveOwn(data as number);

async function saveOwn(user: number): Promise<number> {
  const own = [...drafts].filter((draft) => draft.user === user);
  const saved = await Promise.allSettled(own.map(({ save }) => save()));
  return saved.filter((one) => one.status === 'rejected' || !one.value).length;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
