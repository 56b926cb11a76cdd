/**
 * Requests that wait until they can no longer be undone. Deleting or publishing many documents cannot be reverted, so
 * the request is sent only when its notice disappears. Until then pages show the future state. A tab that is closed
 * sends its waiting requests at once.
 */
import { useSyncExternalStore } from 'react';
import { BASE } from './base.ts';
import { bytesOf, canOutlive, withKeepalive } from './keepalive.ts';

/** A change of documents that is going to happen. */
export interface Intent {
  readonly uid: string;
  readonly action: 'publish' | 'unpublish' | 'delete';
  readonly documentIds: ReadonlySet<string>;
  readonly locale: string | undefined;
}

/** Marks documents as requested. Returns those that no other request has taken. */
export type Begin = (documentIds: readonly string[]) => readonly string[];

/** Sends the request. The future state is shown until the promise resolves. */
type Run = (begin: Begin) => Promise<unknown>;

interface Deferred {
  readonly intent: Intent;
  /** Resolves when the request has succeeded or failed. */
  readonly send: () => Promise<void>;
  readonly drop: () => void;
}

/** A request that is being sent. */
interface UnderWay {
  readonly intent: Intent;
  /** Documents that have not been requested yet. */
  readonly remaining: Set<string>;
  /** Whether closing the tab asks for confirmation instead of sending the rest. */
  readonly isGuarded: boolean;
  readonly done: Promise<unknown>;
}

/** The maximum number of documents of one request. */
const MAX_DOCUMENTS = 100;

let waiting: readonly Deferred[] = [];
let underWay: readonly UnderWay[] = [];
/** All requests that wait or are being sent. */
let intents: readonly Intent[] = [];
const listeners = new Set<() => void>();

/** Splits the documents of an intent into one list for each request. */
export function splitByRequest(
  { documentIds }: Pick<Intent, 'documentIds'>,
  size: number = MAX_DOCUMENTS,
): readonly (readonly string[])[] {
  const ids = [...documentIds];
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, n) => ids.slice(n * size, (n + 1) * size));
}

/** Whether two intents have a document in common. */
const overlap = (one: Intent, other: Intent): boolean =>
  one.uid === other.uid && [...one.documentIds].some((id) => other.documentIds.has(id));

/** The number of characters that document ids take in requests. */
const lengthOf = (ids: ReadonlySet<string>): number =>
  [...ids].reduce((sum, id) => sum + id.length + 3, Math.ceil(ids.size / MAX_DOCUMENTS) * MAX_DOCUMENTS);

/** Whether the tab could still send a request when it closes, in addition to all other waiting ones. */
export function canDefer({ documentIds }: Intent): boolean {
  return canOutlive(lengthOf(documentIds) + deferredBytes());
}

/** The bytes of all requests that the tab would send when it closes. */
export function deferredBytes(): number {
  const all = [...waiting.map(({ intent }) => intent.documentIds), ...underWay.map(({ remaining: left }) => left)];
  return all.reduce((sum, ids) => sum + lengthOf(ids), 0);
}

/** Defers a request. Earlier requests for the same documents are sent first and can no longer be undone. */
export function defer(intent: Intent, run: Run): Pick<Deferred, 'send' | 'drop'> {
  const forget = (): boolean => {
    const was = waiting.includes(deferred);
    waiting = waiting.filter((one) => one !== deferred);
    return was;
  };
  const deferred: Deferred = {
    intent,
    send: async () => {
      const earlier = waiting.slice(0, waiting.indexOf(deferred));
      if (forget()) await go(intent, run, earlier, false);
    },
    drop: () => {
      if (forget()) setIntents(intents.filter((one) => one !== intent));
    },
  };
  waiting = [...waiting, deferred];
  setIntents([...intents, intent]);
  return deferred;
}

/** Sends a request that is too large to be deferred. Until it is done, closing the tab asks for confirmation. */
export async function perform(intent: Intent, run: Run): Promise<void> {
  setIntents([...intents, intent]);
  await go(intent, run, waiting, true);
}

async function go(intent: Intent, run: Run, waitingBefore: readonly Deferred[], isGuarded: boolean): Promise<void> {
  const earlier = waitingBefore.filter((one) => overlap(one.intent, intent));
  const before = underWay.filter((one) => overlap(one.intent, intent)).map(({ done }) => done);
  const remaining = new Set(intent.documentIds);
  const begin: Begin = (documentIds) => documentIds.filter((id) => remaining.delete(id));
  const own: UnderWay = {
    intent,
    remaining: remaining,
    isGuarded,
    done: Promise.allSettled([...before, ...earlier.map(({ send }) => send())])
      .then(() => run(begin))
      .finally(() => {
        underWay = underWay.filter((one) => one !== own);
        setIntents(intents.filter((one) => one !== intent));
      }),
  };
  underWay = [...underWay, own];
  await own.done;
}

/** Sends all deferred requests, for example before signing out. */
export async function sendDeferred(): Promise<void> {
  await Promise.allSettled([...waiting.map(({ send }) => send()), ...underWay.map(({ done }) => done)]);
}

/** Cancels a deferred request. What is already being sent continues. */
export function cancelDeferred(intent: Intent): void {
  waiting.find((deferred) => deferred.intent === intent)?.drop();
}

/** The future state of documents, wherever they are shown. */
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

addEventListener('beforeunload', (event: BeforeUnloadEvent) => {
  if (underWay.some(({ isGuarded }) => isGuarded)) event.preventDefault();
});

// A browser drops the requests of a closing page unless they are marked to outlive it.
addEventListener('pagehide', () => {
  const going = underWay.filter(({ isGuarded }) => !isGuarded);
  const last = [
    ...going.map(({ intent, remaining: left }): Intent => ({ ...intent, documentIds: new Set(left) })),
    ...waiting.map(({ intent }) => intent),
  ];
  waiting = [];
  for (const { remaining: left } of going) left.clear();
  for (const [index, intent] of last.entries()) {
    for (const documentIds of splitByRequest(withoutDocumentsOf(last.slice(index + 1), intent))) {
      const named = { documentIds, ...(intent.locale === undefined ? {} : { locale: intent.locale }) };
      const body = JSON.stringify(named);
      const init: RequestInit = {
        method: 'POST',
        keepalive: true,
        credentials: 'same-origin',
        headers: { 'content-type': 'application/json' },
        body,
      };
      const address = `${BASE}api/content/${encodeURIComponent(intent.uid)}/bulk/${intent.action}`;
      void withKeepalive(bytesOf(body), () => fetch(address, init));
    }
  }
  setIntents([]);
});

/**
 * The documents of an intent that no later intent replaces: requests that are sent together may arrive in any order.
 */
function withoutDocumentsOf(later: readonly Intent[], intent: Intent): Intent {
  const over = later.filter(
    ({ uid, locale }) => uid === intent.uid && (locale === undefined || locale === intent.locale),
  );
  const documentIds = [...intent.documentIds].filter((id) => !over.some((one) => one.documentIds.has(id)));
  return { ...intent, documentIds: new Set(documentIds) };
}
