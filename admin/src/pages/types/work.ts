/** The unsaved changes of content types. They belong to this tab, survive a reload, and can be undone step by step. */
import { useSyncExternalStore } from 'react';
import { tabValue } from '../../data/tab-store.ts';
import type { WorkingType } from './working-type.ts';

/** Changed, new and removed types by uid. */
export type Edits = Readonly<Record<string, WorkingType>>;

interface Work {
  readonly edits: Edits;
  readonly past: readonly Edits[];
  readonly future: readonly Edits[];
}

/** The number of steps that can be undone. */
const STEPS = 50;
const NOTHING: Work = { edits: {}, past: [], future: [] };

const stored = tabValue<Work>('content-types');
const listeners = new Set<() => void>();

const current = (): Work => stored.get() ?? NOTHING;

function put(next: Work): void {
  stored.set(next);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Makes a step. */
export function setEdits(edits: Edits): void {
  const { edits: before, past } = current();
  put({ edits, past: [...past, before].slice(-STEPS), future: [] });
}

/** Forgets all changes and steps, after they were applied or discarded. */
export function clearWork(): void {
  put(NOTHING);
}

/** Replaces changes without a step, and forgets the steps, which started from older files. */
export function rebase(edits: Edits): void {
  put({ edits, past: [], future: [] });
}

export function undoStep(): void {
  const { edits, past, future } = current();
  const last = past.at(-1);
  if (last) put({ edits: last, past: past.slice(0, -1), future: [edits, ...future] });
}

export function redoStep(): void {
  const { edits, past, future } = current();
  const [next, ...rest] = future;
  if (next) put({ edits: next, past: [...past, edits], future: rest });
}

export function useWork(): Work {
  return useSyncExternalStore(subscribe, current);
}
