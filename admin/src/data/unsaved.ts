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
export interface StoredUnsaved extends Unsaved {
  /** The pages that have written it, and when each has last. */
  readonly writers: readonly [Writer, ...Writer[]];
}

interface Writer {
  readonly id: string;
  readonly at: number;
}

const PREFIX = `galley${BASE}unsaved `;
/** Milliseconds after which nobody will miss it. */
const OLDEST = 30 * 24 * 3_600_000;
const inStore = deviceStore(`galley${BASE}unsaved`, 'unsaved');

/** What IndexedDB has of it. */
interface Stored {
  readonly key: string;
  readonly text: string;
}

/** Texts by key for which `localStorage` has no room. */
const beyond = new Map<string, string>();

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
export function unsavedOf({ user, uid, documentId, locale }: UnsavedPlace): readonly StoredUnsaved[] {
  const found = keysOf(prefixOf(user, uid, documentId, locale)).flatMap((key): StoredUnsaved[] => {
    const unsaved = newestOf(key);
    const [, , , , id] = JSON.parse(key.slice(PREFIX.length)) as readonly unknown[];
    return unsaved ? [{ ...unsaved, writers: [{ id: String(id), at: unsaved.at }] }] : [];
  });
  return found.toSorted((a, b) => a.at - b.at).reduce(withOne, []);
}

function withOne(all: readonly StoredUnsaved[], one: StoredUnsaved): readonly StoredUnsaved[] {
  const fits = (other: StoredUnsaved): boolean =>
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

/** A new document that the server does not have, and where it is kept. */
export interface UnsavedNew {
  readonly place: UnsavedPlace;
  readonly kept: StoredUnsaved;
}

/** The documents that a user has begun on this device and the server does not have, those of single types among them. */
export function unsavedNew(user: number): readonly UnsavedNew[] {
  return keysOf(prefixOf(user))
    .flatMap((key): UnsavedNew[] => {
      const [, uid, documentId, locale, id] = JSON.parse(key.slice(PREFIX.length)) as [
        number,
        string,
        string | null,
        string | null,
        string,
      ];
      const unsaved = documentId === null ? newestOf(key) : undefined;
      if (!unsaved) return [];
      return [{ place: { user, uid, documentId, locale }, kept: { ...unsaved, writers: [{ id, at: unsaved.at }] } }];
    })
    .toSorted((a, b) => b.kept.at - a.kept.at);
}

const listeners = new Set<() => void>();

/** For `useSyncExternalStore`: called when something is kept or no longer kept, by other tabs as well. */
export function subscribeToUnsaved(listener: () => void): () => void {
  const elsewhere = ({ key }: StorageEvent): void => {
    if (key === null || key.startsWith(PREFIX)) listener();
  };
  listeners.add(listener);
  addEventListener('storage', elsewhere);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', elsewhere);
  };
}

/** How many versions of documents a user has not saved. */
export function countUnsaved(user: number): number {
  const keys = keysOf(prefixOf(user)).filter((key) => newestOf(key));
  return new Set(keys.map((key) => key.slice(0, key.lastIndexOf(',')))).size;
}

/** Keeps nothing any longer of what was found in a place. What a page has written there since stays. */
export function dropUnsaved(place: UnsavedPlace, { writers }: StoredUnsaved): void {
  for (const { id, at } of writers) if (newestOf(keyOf(place, id))?.at === at) keepUnsaved(place, id, undefined);
}

/** Keeps what is unsaved of a place; undefined: nothing is. */
export function keepUnsaved(place: UnsavedPlace, writer: string, unsaved: Unsaved | undefined): void {
  const key = keyOf(place, writer);
  const text = unsaved && JSON.stringify(unsaved);
  if (text === undefined && newestOf(key) === undefined) return;
  putLocal(key, text);
  inStore('readwrite', (store) =>
    text === undefined ? store.delete(key) : store.put({ key, text } satisfies Stored, key),
  ).catch(() => {
    // forbidden or full as well
  });
}

/** Forgets what a user has not saved on this device: they have signed out. */
export async function forgetUnsaved(user: number): Promise<void> {
  const prefix = prefixOf(user);
  for (const key of keysOf(prefix)) putLocal(key, undefined);
  await inStore('readwrite', (store) => store.delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`))).catch(() => {
    // forbidden, so that nothing is there
  });
}

/** Brings back what the browser was ended too early to write down where it is looked for; what is too old goes. */
export async function restoreUnsaved(): Promise<void> {
  for (const key of keysOf(PREFIX)) if (!newestOf(key)) putLocal(key, undefined);
  try {
    for (const { key, text } of (await inStore('readonly', (store) => store.getAll())) as readonly Stored[]) {
      const kept = read(text);
      if (!kept) await inStore('readwrite', (store) => store.delete(key));
      else if (kept.at > (newestOf(key)?.at ?? 0)) putLocal(key, text);
    }
  } catch {
    // a browser that forbids storage has nothing kept
  }
}

/** Puts a text where it is looked for; undefined: nothing is there. */
function putLocal(key: string, text: string | undefined): void {
  beyond.delete(key);
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // full or forbidden
    if (text !== undefined) beyond.set(key, text);
  }
  for (const listener of listeners) listener();
}

/** What is kept under a key; of two the newer one. */
function newestOf(key: string): Unsaved | undefined {
  const [one, other] = [read(local(key)), read(beyond.get(key) ?? null)];
  return one && other ? (one.at > other.at ? one : other) : (one ?? other);
}

function local(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keysOf(prefix: string): readonly string[] {
  let keys: readonly string[] = [];
  try {
    keys = Object.keys(localStorage);
  } catch {
    // forbidden
  }
  return [...new Set([...keys, ...beyond.keys()])].filter((key) => key.startsWith(prefix));
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
