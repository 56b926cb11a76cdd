/**
 * Requests that are sent only when nobody has taken them back: what deletes or publishes many documents cannot be undone
 * once it is done. Until then the pages show what will be. A tab that closes sends them at once: they were asked for, and
 * said to be done.
 */
import { useSyncExternalStore } from 'react';
import { BASE } from './base.ts';

/** What will become of documents. */
export interface Intent {
  readonly uid: string;
  readonly action: 'publish' | 'unpublish' | 'delete';
  readonly documentIds: ReadonlySet<string>;
  readonly locale: string | undefined;
}

interface Deferred {
  readonly intent: Intent;
  /** Resolves when it is done, or refused. */
  readonly send: () => Promise<void>;
  readonly drop: () => void;
}

/** Documents that one request may name. */
export const AT_ONCE = 100;

let waiting: readonly Deferred[] = [];
/** What is waiting or on its way. */
let intents: readonly Intent[] = [];
const listeners = new Set<() => void>();

/** Documents of an intent, in as many lists as it takes requests. */
export function inRequests({ documentIds }: Intent): readonly (readonly string[])[] {
  const ids = [...documentIds];
  return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, n) => ids.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
}

/**
 * Has something wait.
 *
 * @param run sends it; what will be is shown until it has resolved.
 */
export function defer(intent: Intent, run: () => Promise<unknown>): Pick<Deferred, 'send' | 'drop'> {
  const forget = (): boolean => {
    const was = waiting.includes(deferred);
    waiting = waiting.filter((one) => one !== deferred);
    return was;
  };
  const deferred: Deferred = {
    intent,
    send: async () => {
      if (!forget()) return;
      await run().finally(() => setIntents(intents.filter((one) => one !== intent)));
    },
    drop: () => {
      if (forget()) setIntents(intents.filter((one) => one !== intent));
    },
  };
  waiting = [...waiting, deferred];
  setIntents([...intents, intent]);
  return deferred;
}

/** Sends everything that waits, before nobody is signed in any more who might. */
export async function sendDeferred(): Promise<void> {
  await Promise.allSettled(waiting.map(({ send }) => send()));
}

/** What will become of documents, wherever they are shown. */
export function useIntents(): readonly Intent[] {
  return useSyncExternalStore(subscribe, () => intents);
}

function setIntents(next: readonly Intent[]): void {
  intents = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// requests of a page that goes are dropped by the browser, unless they are said to outlive it
addEventListener('pagehide', () => {
  const last = waiting;
  waiting = [];
  for (const { intent } of last) {
    for (const documentIds of inRequests(intent)) {
      void fetch(`${BASE}api/content/${encodeURIComponent(intent.uid)}/bulk/${intent.action}`, {
        method: 'POST',
        keepalive: true,
        credentials: 'same-origin',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ documentIds, ...(intent.locale === undefined ? {} : { locale: intent.locale }) }),
      });
    }
  }
  setIntents([]);
});
