/**
 * Unsaved changes that are stored on this device, so that a closed tab or a crash loses nothing. They are stored for
 * their user until they are saved or discarded, or the user signs out. Changes that several pages make to the same
 * version are stored separately.
 *
 * They are stored twice. `localStorage` accepts them while a page is being closed, but browsers write it to disk only
 * seconds later. IndexedDB is on disk at once, but works only while the page exists.
 */
import { BASE } from './base.ts';
import { deviceStore } from './device-store.ts';
import type { Unsaved } from './unsaved-version.ts';

export interface UnsavedPlace {
  readonly user: number;
  readonly uid: string;
  /** Null for a new document. */
  readonly documentId: string | null;
  readonly locale: string | null;
}

/** The stored changes of a place. */
export interface StoredUnsaved extends Unsaved {
  /** The pages that have written the changes, each with the time of its last change. */
  readonly writers: readonly [Writer, ...Writer[]];
}

interface Writer {
  readonly id: string;
  readonly at: number;
}

const PREFIX = `galley${BASE}unsaved `;
/** The age in milliseconds from which changes are deleted. */
const MAX_AGE = 30 * 24 * 3_600_000;
const inStore = deviceStore(`galley${BASE}unsaved`, 'unsaved');

/** An entry of IndexedDB. */
interface Stored {
  readonly key: string;
  readonly text: string;
}

/** The texts by key for which `localStorage` has no room. */
const overflow = new Map<string, string>();

/** The prefix of the keys of a user, or of a place. */
function prefixOf(...parts: readonly (string | number | null)[]): string {
  return `${PREFIX}${JSON.stringify(parts).slice(0, -1)},`;
}

function keyOf({ user, uid, documentId, locale }: UnsavedPlace, writer: string): string {
  return PREFIX + JSON.stringify([user, uid, documentId, locale, writer]);
}

/**
 * The stored changes of a place, oldest first. Changes of several pages to different attributes of one version are
 * merged.
 */
export function storedUnsavedOf({ user, uid, documentId, locale }: UnsavedPlace): readonly StoredUnsaved[] {
  const found = keysOf(prefixOf(user, uid, documentId, locale)).flatMap((key): StoredUnsaved[] => {
    const unsaved = newerCopy(key);
    const [, , , , id] = JSON.parse(key.slice(PREFIX.length)) as readonly unknown[];
    return unsaved ? [{ ...unsaved, writers: [{ id: String(id), at: unsaved.at }] }] : [];
  });
  return found.toSorted((a, b) => a.at - b.at).reduce(merged, []);
}

function merged(all: readonly StoredUnsaved[], one: StoredUnsaved): readonly StoredUnsaved[] {
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

/** A new document that the server does not have, and its place. */
export interface UnsavedNew {
  readonly place: UnsavedPlace;
  readonly kept: StoredUnsaved;
}

/** The new documents of a user on this device that the server does not have, including those of single types. */
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
      const unsaved = documentId === null ? newerCopy(key) : undefined;
      if (!unsaved) return [];
      return [{ place: { user, uid, documentId, locale }, kept: { ...unsaved, writers: [{ id, at: unsaved.at }] } }];
    })
    .toSorted((a, b) => b.kept.at - a.kept.at);
}

const listeners = new Set<() => void>();

/** For `useSyncExternalStore`: called when changes are stored or removed, by other tabs as well. */
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

/** The number of versions with unsaved changes of a user. */
export function countUnsaved(user: number): number {
  const keys = keysOf(prefixOf(user)).filter((key) => newerCopy(key));
  return new Set(keys.map((key) => key.slice(0, key.lastIndexOf(',')))).size;
}

/** Removes stored changes of a place. Changes that a page has stored since then remain. */
export function removeUnsaved(place: UnsavedPlace, { writers }: StoredUnsaved): void {
  for (const { id, at } of writers) if (newerCopy(keyOf(place, id))?.at === at) storeUnsaved(place, id, undefined);
}

/** Stores the unsaved changes of a page; undefined removes them. */
export function storeUnsaved(place: UnsavedPlace, writer: string, unsaved: Unsaved | undefined): void {
  const key = keyOf(place, writer);
  const text = unsaved && JSON.stringify(unsaved);
  if (text === undefined && newerCopy(key) === undefined) return;
  putLocal(key, text);
  inStore('readwrite', (store) =>
    text === undefined ? store.delete(key) : store.put({ key, text } satisfies Stored, key),
  ).catch(() => {
    // IndexedDB is forbidden or full as well.
  });
}

/** Deletes the unsaved changes of a user who has signed out. */
export async function deleteUnsavedOf(user: number): Promise<void> {
  const prefix = prefixOf(user);
  for (const key of keysOf(prefix)) putLocal(key, undefined);
  await inStore('readwrite', (store) => store.delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`))).catch(() => {
    // Forbidden, so there is nothing to delete.
  });
}

/** Copies changes to `localStorage` that it lost because the browser was closed too early, and deletes old ones. */
export async function restoreUnsaved(): Promise<void> {
  for (const key of keysOf(PREFIX)) if (!newerCopy(key)) putLocal(key, undefined);
  try {
    for (const { key, text } of (await inStore('readonly', (store) => store.getAll())) as readonly Stored[]) {
      const stored = read(text);
      if (!stored) await inStore('readwrite', (store) => store.delete(key));
      else if (stored.at > (newerCopy(key)?.at ?? 0)) putLocal(key, text);
    }
  } catch {
    // A browser that forbids storage has stored nothing.
  }
}

/** Writes a text to `localStorage`; undefined removes it. */
function putLocal(key: string, text: string | undefined): void {
  overflow.delete(key);
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Full or forbidden.
    if (text !== undefined) overflow.set(key, text);
  }
  for (const listener of listeners) listener();
}

/** The newer one of the two copies of a key. */
function newerCopy(key: string): Unsaved | undefined {
  const [one, other] = [read(local(key)), read(overflow.get(key) ?? null)];
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
    // Forbidden.
  }
  return [...new Set([...keys, ...overflow.keys()])].filter((key) => key.startsWith(prefix));
}

/** Undefined for invalid and old entries. */
function read(text: string | null): Unsaved | undefined {
  try {
    const unsaved = text === null ? undefined : (JSON.parse(text) as Unsaved);
    return unsaved && unsaved.at > Date.now() - MAX_AGE ? unsaved : undefined;
  } catch {
    return undefined;
  }
}
