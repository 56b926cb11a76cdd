/**
 * Requests that are sent only when nobody has taken them back: what deletes or publishes many documents cannot be undone
 * once it is done. Until then the pages show what will be. A tab that closes sends them at once: they were asked for, and
 * said to be done.
 */
import { useSyncExternalStore } from 'react';
import { BASE } from './base.ts';
import { bytesOf, canOutlive, outliving } from './outliving.ts';

/** What will become of documents. */
export interface Intent {
  readonly uid: string;
  readonly action: 'publish' | 'unpublish' | 'delete';
  readonly documentIds: ReadonlySet<string>;
  readonly locale: string | undefined;
}

/** Notes documents as they are asked for, and gives those of them that nobody has asked for yet. */
export type Begin = (documentIds: readonly string[]) => readonly string[];

/** Sends it; what will be is shown until it has resolved. */
type Run = (begin: Begin) => Promise<unknown>;

interface Deferred {
  readonly intent: Intent;
  /** Resolves when it is done, or refused. */
  readonly send: () => Promise<void>;
  readonly drop: () => void;
}

/** What is on its way. */
interface UnderWay {
  readonly intent: Intent;
  /** Documents that are not asked for yet. */
  readonly left: Set<string>;
  /** Whether the tab asks before it goes, instead of sending what is left. */
  readonly isGuarded: boolean;
  readonly done: Promise<unknown>;
}

/** Documents that one request may name. */
export const AT_ONCE = 100;

let waiting: readonly Deferred[] = [];
let underWay: readonly UnderWay[] = [];
/** What is waiting or on its way. */
let intents: readonly Intent[] = [];
const listeners = new Set<() => void>();

/** Documents of an intent, in as many lists as it takes requests. */
export function inRequests(
  { documentIds }: Pick<Intent, 'documentIds'>,
  size: number = AT_ONCE,
): readonly (readonly string[])[] {
  const ids = [...documentIds];
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, n) => ids.slice(n * size, (n + 1) * size));
}

/** Whether two are about the same document. */
const meet = (one: Intent, other: Intent): boolean =>
  one.uid === other.uid && [...one.documentIds].some((id) => other.documentIds.has(id));

/** Characters of requests for documents. */
const lengthOf = (ids: ReadonlySet<string>): number =>
  [...ids].reduce((sum, id) => sum + id.length + 3, Math.ceil(ids.size / AT_ONCE) * AT_ONCE);

/** Whether what an intent asks for could still be sent when the tab closes, beside all else that waits. */
export function canWait({ documentIds }: Intent): boolean {
  return canOutlive(lengthOf(documentIds) + deferredBytes());
}

/** Bytes that a tab sends when it closes, for all that waits. */
export function deferredBytes(): number {
  const all = [...waiting.map(({ intent }) => intent.documentIds), ...underWay.map(({ left }) => left)];
  return all.reduce((sum, ids) => sum + lengthOf(ids), 0);
}

/** Has something wait. What was asked for earlier of the same documents is sent before it, and not taken back any more. */
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

/** Sends something at once that is too much to wait: until it is done, the tab asks before it closes. */
export async function perform(intent: Intent, run: Run): Promise<void> {
  setIntents([...intents, intent]);
  await go(intent, run, waiting, true);
}

async function go(intent: Intent, run: Run, waitingBefore: readonly Deferred[], isGuarded: boolean): Promise<void> {
  const earlier = waitingBefore.filter((one) => meet(one.intent, intent));
  const before = underWay.filter((one) => meet(one.intent, intent)).map(({ done }) => done);
  const left = new Set(intent.documentIds);
  const begin: Begin = (documentIds) => documentIds.filter((id) => left.delete(id));
  const own: UnderWay = {
    intent,
    left,
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

/** Sends everything that waits, before nobody is signed in any more who might. */
export async function sendDeferred(): Promise<void> {
  await Promise.allSettled([...waiting.map(({ send }) => send()), ...underWay.map(({ done }) => done)]);
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

addEventListener('beforeunload', (event: BeforeUnloadEvent) => {
  if (underWay.some(({ isGuarded }) => isGuarded)) event.preventDefault();
});

// requests of a page that goes are dropped by the browser, unless they are said to outlive it
addEventListener('pagehide', () => {
  const going = underWay.filter(({ isGuarded }) => !isGuarded);
  const last = [
    ...going.map(({ intent, left }): Intent => ({ ...intent, documentIds: new Set(left) })),
    ...waiting.map(({ intent }) => intent),
  ];
  waiting = [];
  for (const { left } of going) left.clear();
  for (const [index, intent] of last.entries()) {
    for (const documentIds of inRequests(withoutThoseOf(last.slice(index + 1), intent))) {
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
      void outliving(bytesOf(body), () => fetch(address, init));
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
