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
let underWay: readonly { readonly intent: Intent; readonly done: Promise<unknown> }[] = [];
/** What is waiting or on its way. */
let intents: readonly Intent[] = [];
const listeners = new Set<() => void>();

/** Documents of an intent, in as many lists as it takes requests. */
export function inRequests({ documentIds }: Intent): readonly (readonly string[])[] {
  const ids = [...documentIds];
  return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, n) => ids.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
}

/** Whether two are about the same document. */
const meet = (one: Intent, other: Intent): boolean =>
  one.uid === other.uid && [...one.documentIds].some((id) => other.documentIds.has(id));

/**
 * Has something wait. What was asked for earlier of the same documents is sent before it, and not taken back any more.
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
      const earlier = waiting.slice(0, waiting.indexOf(deferred)).filter((one) => meet(one.intent, intent));
      if (!forget()) return;
      const before = underWay.filter((one) => meet(one.intent, intent)).map(({ done }) => done);
      const own = {
        intent,
        done: Promise.allSettled([...before, ...earlier.map(({ send }) => send())])
          .then(run)
          .finally(() => {
            underWay = underWay.filter((one) => one !== own);
            setIntents(intents.filter((one) => one !== intent));
          }),
      };
      underWay = [...underWay, own];
      await own.done;
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

/** Takes back what waits, by what will become of documents: what is on its way already goes on. */
export function takeBack(intent: Intent): void {
  waiting.find((deferred) => deferred.intent === intent)?.drop();
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
  const last = waiting.map(({ intent }) => intent);
  waiting = [];
  for (const [index, intent] of last.entries()) {
    for (const documentIds of inRequests(withoutThoseOf(last.slice(index + 1), intent))) {
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

/** What is left of it where others follow at once: requests that are sent together may arrive in any order. */
function withoutThoseOf(later: readonly Intent[], intent: Intent): Intent {
  const over = later.filter(
    ({ uid, locale }) => uid === intent.uid && (locale === undefined || locale === intent.locale),
  );
  const documentIds = [...intent.documentIds].filter((id) => !over.some((one) => one.documentIds.has(id)));
  return { ...intent, documentIds: new Set(documentIds) };
}
