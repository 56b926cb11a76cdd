/**
 * What somebody has written and the server does not have, kept on this device so that a closed tab or a crash loses
 * nothing. It is kept for the user who wrote it, until it is saved, thrown away, or the user signs out; what several pages
 * write in the same place is kept side by side.
 *
 * It is kept twice: `localStorage` takes it while a page is being closed, but browsers write it to the disk only seconds
 * later; IndexedDB has it on the disk at once, but takes it only as long as there is a page.
 */
import { BASE } from './base.ts';
import { deviceStore } from './device-store.ts';
import type { Unsaved } from './unsaved-version.ts';

export interface UnsavedPlace {
  readonly user: number;
  readonly uid: string;
  /** Null: a new document. */
  readonly documentId: string | null;
  readonly locale: string | null;
}

/** What was found of a place. */
export interface Kept extends Unsaved {
  /** The pages that have written it. */
  readonly writers: readonly [string, ...string[]];
}

const PREFIX = `galley${BASE}unsaved `;
/** Milliseconds after which nobody will miss it. */
const OLDEST = 30 * 24 * 3_600_000;
const inStore = deviceStore(`galley${BASE}unsaved`, 'unsaved');

/** What the keys of a user begin with, or those of a place. */
function prefixOf(...parts: readonly (string | number | null)[]): string {
  return `${PREFIX}${JSON.stringify(parts).slice(0, -1)},`;
}

function keyOf({ user, uid, documentId, locale }: UnsavedPlace, writer: string): string {
  return PREFIX + JSON.stringify([user, uid, documentId, locale, writer]);
}

/**
 * What is kept of a place, what was written first before the rest. What several pages have written into other attributes of
 * the same version is one.
 */
export function unsavedOf({ user, uid, documentId, locale }: UnsavedPlace): readonly Kept[] {
  const found = keysOf(prefixOf(user, uid, documentId, locale)).flatMap((key): Kept[] => {
    const unsaved = read(localStorage.getItem(key));
    return unsaved ? [{ ...unsaved, writers: [String(JSON.parse(key.slice(PREFIX.length))[4])] }] : [];
  });
  return found.toSorted((a, b) => a.at - b.at).reduce(withOne, []);
}

function withOne(all: readonly Kept[], one: Kept): readonly Kept[] {
  const fits = (other: Kept): boolean =>
    one.newId === undefined &&
    other.newId === undefined &&
    other.tag === one.tag &&
    !Object.keys(one.values).some((name) => name in other.values);
  const at = all.findIndex(fits);
  const other = all[at];
  if (!other) return [...all, one];
  const both = { ...one, values: { ...other.values, ...one.values } };
  return all.with(at, { ...both, writers: [...other.writers, ...one.writers] });
}

/** How much a user has not saved: versions of documents, each as often as pages have written in it. */
export function countUnsaved(user: number): number {
  return keysOf(prefixOf(user)).filter((key) => read(localStorage.getItem(key))).length;
}

/** Keeps nothing any longer of what was found in a place. */
export function dropUnsaved(place: UnsavedPlace, { writers }: Kept): void {
  for (const writer of writers) keepUnsaved(place, writer, undefined);
}

/** Keeps what is unsaved of a place; undefined: nothing is. */
export function keepUnsaved(place: UnsavedPlace, writer: string, unsaved: Unsaved | undefined): void {
  const key = keyOf(place, writer);
  const text = unsaved && JSON.stringify(unsaved);
  try {
    if (text === undefined && localStorage.getItem(key) === null) return;
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // full or forbidden: the other may have room
  }
  inStore('readwrite', (store) => (text === undefined ? store.delete(key) : store.put(text, key))).catch(() => {
    // as above
  });
}

/** Forgets what a user has not saved on this device: they have signed out. */
export async function forgetUnsaved(user: number): Promise<void> {
  const prefix = prefixOf(user);
  for (const key of keysOf(prefix)) localStorage.removeItem(key);
  await inStore('readwrite', (store) => store.delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`))).catch(() => {
    // forbidden, so that nothing is there
  });
}

/** Brings back what the browser was ended too early to write down where it is looked for. */
export async function restoreUnsaved(): Promise<void> {
  try {
    const [keys, texts] = await Promise.all([
      inStore('readonly', (store) => store.getAllKeys()),
      inStore('readonly', (store) => store.getAll()),
    ]);
    for (const [index, key] of (keys as readonly string[]).entries()) {
      const text = (texts as readonly string[])[index]!;
      const there = read(localStorage.getItem(key));
      if (there && there.at >= (read(text)?.at ?? 0)) continue;
      if (read(text)) localStorage.setItem(key, text);
      else await inStore('readwrite', (store) => store.delete(key));
    }
  } catch {
    // a browser that forbids storage has nothing kept
  }
}

function keysOf(prefix: string): readonly string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

/** Undefined for what is nothing, or too old. */
function read(text: string | null): Unsaved | undefined {
  try {
    const unsaved = text === null ? undefined : (JSON.parse(text) as Unsaved);
    return unsaved && unsaved.at > Date.now() - OLDEST ? unsaved : undefined;
  } catch {
    return undefined;
  }
}
