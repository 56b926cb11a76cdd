/**
 * Files as they are by now. The address of a file stays when its bytes are replaced, so it is asked for with what tells
 * one from the other; and what was replaced is shown anew wherever it stands, in other tabs as well, whatever was read of
 * it before.
 */
import { useSyncExternalStore } from 'react';
import type { LibraryFile, MediaFile } from '../../contract/media.ts';

type Dated = Partial<Pick<MediaFile, 'id' | 'updatedAt'>>;

/** Files that were replaced while this page is open, by id. */
const replaced = new Map<number, LibraryFile>();
/** When the bytes of a file were as they are at a later time at which something was written about it. */
const asOf = new Map<string, string>();
const listeners = new Set<() => void>();
let changes = 0;

type Channel = InstanceType<typeof BroadcastChannel>;

/** Opened where something is shown. */
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

/** Has a file whose bytes were replaced shown anew, here and in other tabs. */
export function showReplaced(file: LibraryFile): void {
  note(file);
  otherTabs().postMessage(file);
}

/** Says that something was written about a file whose bytes stayed: pictures of it need not be fetched again. */
export function keepBytes(before: Dated, after: Dated): void {
  const { id, updatedAt } = after;
  if (before.id !== id || before.updatedAt === undefined || updatedAt === undefined) return;
  if (before.updatedAt !== updatedAt) asOf.set(`${id} ${updatedAt}`, bytesAt(before)!);
}

/** When the bytes of a file became what they are, as far as it is known. */
function bytesAt({ id, updatedAt }: Dated): string | undefined {
  return asOf.get(`${id} ${updatedAt}`) ?? updatedAt;
}

/** The address of a file or one of its sizes, as of now. One that is signed takes nothing more. */
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

/** A file as it was read, or as it was replaced since. */
export function useCurrent<F extends Dated>(file: F): F {
  useChanges();
  const now = file.id === undefined ? undefined : replaced.get(file.id);
  // what was read since is as new, and a signed address in it good for longer
  return now && String(file.updatedAt ?? '') < now.updatedAt ? { ...file, ...now } : file;
}

/** An address that stands in a text, as of now. */
export function useCurrentAddress(url: string): string {
  useChanges();
  for (const file of replaced.values()) {
    const sizes = Object.values(file.formats ?? {}) as readonly { readonly url?: unknown }[];
    if (file.url === url || sizes.some((size) => size?.url === url)) return addressOf(url, file);
  }
  return url;
}
