/** Uploads that are going on: they outlive the page that began them. */
import { useSyncExternalStore } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { uploadFile } from './upload-files.ts';

export interface Upload {
  readonly id: number;
  readonly file: File;
  /** Id of the folder that it goes to; null: to none. */
  readonly folder: number | null;
  readonly state: 'waiting' | 'sending' | 'storing' | 'done' | 'failed' | 'cancelled';
  /** From 0 to 1. */
  readonly sent: number;
  readonly error: unknown;
  /** What it has become. */
  readonly stored: LibraryFile | undefined;
}

interface Job {
  readonly controller: AbortController;
  readonly onStored: ((file: LibraryFile) => void) | undefined;
}

/** Requests at a time. */
const AT_ONCE = 2;

let all: readonly Upload[] = [];
let lastId = 0;
const jobs = new Map<number, Job>();
const listeners = new Set<() => void>();
const onChanged = new Set<() => void>();

/** All uploads since the list was put away. */
export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(subscribe, () => all);
}

/** Begins to upload files. `onStored` is called with each that is. */
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

/** Calls an upload off; one that is stored stays. */
export function cancelUpload(id: number): void {
  const upload = all.find((other) => other.id === id);
  if (!upload || !isGoing(upload)) return;
  change(id, { state: 'cancelled' });
  jobs.get(id)?.controller.abort();
}

/** Tries a failed one again. */
export function retryUpload(id: number): void {
  const upload = all.find((other) => other.id === id);
  if (upload?.state !== 'failed') return;
  jobs.set(id, { controller: new AbortController(), onStored: jobs.get(id)?.onStored });
  change(id, { state: 'waiting', sent: 0, error: undefined });
  next();
}

/** Puts away what is over. */
export function clearUploads(): void {
  for (const { id } of all.filter((upload) => !isGoing(upload))) jobs.delete(id);
  set(all.filter(isGoing));
}

export const isGoing = ({ state }: Upload): boolean =>
  state === 'waiting' || state === 'sending' || state === 'storing';

/** Has `listener` called when something was stored, until the function that it gives is called. */
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

/** Leaving would end them. */
function warn(event: BeforeUnloadEvent): void {
  if (all.some(isGoing)) event.preventDefault();
}
addEventListener('beforeunload', warn);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notes what has become of a file that was uploaded. */
export function tellUploads(file: LibraryFile): void {
  set(all.map((upload) => (upload.stored?.id === file.id ? { ...upload, stored: file } : upload)));
}
