/**
 * The current versions of files. The address of a file stays the same when its content is replaced, so requests add a
 * parameter that distinguishes the versions. A replaced file is refreshed wherever it is shown, in other tabs as well.
 */
import { useSyncExternalStore } from 'react';
import type { LibraryFile, MediaFile } from '../../contract/media.ts';

type Dated = Partial<Pick<MediaFile, 'id' | 'updatedAt'>>;

/** Files that were replaced while this page is open, by id. */
const replaced = new Map<number, LibraryFile>();
/** For a file whose details have changed since: the time at which its content last changed. */
const asOf = new Map<string, string>();
const listeners = new Set<() => void>();
let changes = 0;

type Channel = InstanceType<typeof BroadcastChannel>;

/** Opened when the first file is shown. */
let tabs: Channel | undefined;

function otherTabs(): Channel {
  if (tabs) return tabs;
  tabs = new BroadcastChannel('galley-admin-files');
  tabs.onmessage = (event: unknown) => note((event as { readonly data: LibraryFile }).data);
  return tabs;
}

function note(file: LibraryFile): void {
  replaced.set(file.id, file);
  changes += 1;
  for (const listener of listeners) listener();
}

/** Refreshes a replaced file, here and in other tabs. */
export function showReplaced(file: LibraryFile): void {
  note(file);
  otherTabs().postMessage(file);
}

/** Records that only the details of a file have changed, so that its pictures need not be fetched again. */
export function keepBytes(before: Dated, after: Dated): void {
  const { id, updatedAt } = after;
  if (before.id !== id || before.updatedAt === undefined || updatedAt === undefined) return;
  if (before.updatedAt !== updatedAt) asOf.set(`${id} ${updatedAt}`, bytesAt(before)!);
}

/** The time at which the content of a file last changed, as far as it is known. */
function bytesAt({ id, updatedAt }: Dated): string | undefined {
  return asOf.get(`${id} ${updatedAt}`) ?? updatedAt;
}

/**
 * The address of a file or of one of its sizes in its current version. Signed addresses take no additional parameter.
 */
export function addressOf(url: string, file: Dated): string {
  const at = Date.parse(bytesAt(file) ?? '');
  return Number.isNaN(at) || /[?#]|^(?:data|blob):/.test(url) ? url : `${url}?v=${at.toString(36)}`;
}

function subscribe(listener: () => void): () => void {
  otherTabs();
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const useChanges = (): number => useSyncExternalStore(subscribe, () => changes);

/** A file as it was read, or as it was replaced since then. */
export function useCurrent<F extends Dated>(file: F): F {
  useChanges();
  const now = file.id === undefined ? undefined : replaced.get(file.id);
  // A newer answer has the current version, and a signed address that is valid for longer.
  return now && String(file.updatedAt ?? '') < now.updatedAt ? { ...file, ...now } : file;
}

/** An address within a text, in its current version. */
export function useCurrentAddress(url: string): string {
  useChanges();
  for (const file of replaced.values()) {
    const sizes = Object.values(file.formats ?? {}) as readonly { readonly url?: unknown }[];
    if (file.url === url || sizes.some((size) => size?.url === url)) return addressOf(url, file);
  }
  return url;
}
