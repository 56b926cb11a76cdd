/** Running uploads. They continue when another page is opened. */
import { useSyncExternalStore } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { uploadFile } from './upload-files.ts';

export interface Upload {
  readonly id: number;
  readonly file: File;
  /** The id of the target folder; null for the top. */
  readonly folder: number | null;
  readonly state: 'waiting' | 'sending' | 'storing' | 'done' | 'failed' | 'cancelled';
  /** From 0 to 1. */
  readonly sent: number;
  readonly error: unknown;
  /** The stored file. */
  readonly stored: LibraryFile | undefined;
}

interface Job {
  readonly controller: AbortController;
  readonly onStored: ((file: LibraryFile) => void) | undefined;
}

/** The number of simultaneous requests. */
const AT_ONCE = 2;

let all: readonly Upload[] = [];
let lastId = 0;
const jobs = new Map<number, Job>();
const listeners = new Set<() => void>();
const onChanged = new Set<() => void>();

/** All uploads since the list was cleared. */
export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(subscribe, () => all);
}

/** Starts uploading files. `onStored` is called with each stored file. */
export function startUploads(
  files: readonly File[],
  folder: number | null,
  onStored?: (file: LibraryFile) => void,
): void {
  const begun = files.map((file): Upload => {
    lastId += 1;
    jobs.set(lastId, { controller: new AbortController(), onStored });
    return { id: lastId, file, folder, state: 'waiting', sent: 0, error: undefined, stored: undefined };
  });
  set([...all, ...begun]);
  next();
}

/** Cancels an upload. A stored file stays. */
export function cancelUpload(id: number): void {
  const upload = all.find((other) => other.id === id);
  if (!upload || !isGoing(upload)) return;
  change(id, { state: 'cancelled' });
  jobs.get(id)?.controller.abort();
}

/** Retries a failed upload. */
export function retryUpload(id: number): void {
  const upload = all.find((other) => other.id === id);
  if (upload?.state !== 'failed') return;
  jobs.set(id, { controller: new AbortController(), onStored: jobs.get(id)?.onStored });
  change(id, { state: 'waiting', sent: 0, error: undefined });
  next();
}

/** Clears the list of finished uploads. */
export function clearUploads(): void {
  for (const { id } of all.filter((upload) => !isGoing(upload))) jobs.delete(id);
  set(all.filter(isGoing));
}

export const isGoing = ({ state }: Upload): boolean =>
  state === 'waiting' || state === 'sending' || state === 'storing';

/** Calls `listener` when a file was stored. Returns a function that unregisters it. */
export function whenStored(listener: () => void): () => void {
  onChanged.add(listener);
  return () => onChanged.delete(listener);
}

function next(): void {
  const busy = all.filter(({ state }) => state === 'sending' || state === 'storing').length;
  for (const upload of all.filter(({ state }) => state === 'waiting').slice(0, AT_ONCE - busy)) void run(upload);
}

async function run({ id, file, folder }: Upload): Promise<void> {
  const job = jobs.get(id)!;
  const { signal } = job.controller;
  change(id, { state: 'sending' });
  try {
    const stored = await uploadFile(file, {
      folder,
      signal,
      onProgress: (sent, total) => {
        if (!signal.aborted)
          change(id, { sent: total === 0 ? 1 : sent / total, state: sent < total ? 'sending' : 'storing' });
      },
    });
    change(id, { state: 'done', sent: 1, stored });
    job.onStored?.(stored);
    for (const listener of onChanged) listener();
  } catch (error) {
    if (!signal.aborted) change(id, { state: 'failed', error });
  }
  next();
}

function change(id: number, to: Partial<Upload>): void {
  set(all.map((upload) => (upload.id === id ? { ...upload, ...to } : upload)));
}

function set(uploads: readonly Upload[]): void {
  all = uploads;
  for (const listener of listeners) listener();
}

/** Closing the tab would end the uploads. */
function warn(event: BeforeUnloadEvent): void {
  if (all.some(isGoing)) event.preventDefault();
}
addEventListener('beforeunload', warn);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Updates a file that was uploaded. */
export function tellUploads(file: LibraryFile): void {
  set(all.map((upload) => (upload.stored?.id === file.id ? { ...upload, stored: file } : upload)));
}
