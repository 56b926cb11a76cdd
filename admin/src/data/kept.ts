/**
 * What was last seen, kept on this device so that pages appear at once and are corrected silently.
 *
 * Queries with `meta: { kept: true }` are kept in IndexedDB for the user who made them. Another user, another build and a
 * sign-out forget everything.
 */
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { BASE, BUILD } from './base.ts';
import { deviceStore } from './device-store.ts';

const inStore = deviceStore(`galley${BASE}`, 'seen', { keyPath: 'hash' });
/** The user whose things are kept, by id. */
const OWNER = `galley${BASE}owner`;
/** Most of what is restored: pages seen longest ago are forgotten first. */
const MOST = 200;
/** Characters of JSON of the largest answer that is kept. */
const LARGEST = 500_000;
/** Milliseconds after which it is no longer shown. */
const OLDEST = 14 * 24 * 3_600_000;
/** Milliseconds that changes are gathered for before they are written. */
const GATHERED = 500;

interface Seen {
  readonly hash: string;
  readonly key: QueryKey;
  readonly data: unknown;
  readonly at: number;
}

/** Puts what was kept into the cache. A browser that forbids storage has nothing kept. */
export async function restore(client: QueryClient): Promise<void> {
  try {
    if (localStorage.getItem(OWNER)?.endsWith(`@${BUILD}`) !== true) return await forget();
    const all = (await inStore('readonly', (store) => store.getAll())) as readonly Seen[];
    const young = all.filter((seen) => seen.at > Date.now() - OLDEST).sort((a, b) => b.at - a.at);
    for (const seen of young.slice(0, MOST)) client.setQueryData(seen.key, seen.data, { updatedAt: seen.at });
    // however young it is, what it says may have changed between the visits
    await client.invalidateQueries({ refetchType: 'none' });
    const old = [...all].filter((seen) => !young.slice(0, MOST).includes(seen));
    if (old.length) {
      await inStore('readwrite', (store) => {
        for (const { hash } of old) store.delete(hash);
        return undefined;
      });
    }
  } catch {
    // storage may be full, forbidden or broken: then everything is asked for
  }
}

/** Keeps what the client learns, for a user, from now on. */
export function keep(client: QueryClient, user: () => number | undefined): void {
  const changed = new Map<string, Query>();
  /** When what was written of a query had come. */
  const written = new WeakMap<Query, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const owner = user();
    // what has been removed meanwhile was of somebody else
    const isKept = (query: Query) =>
      query.meta?.['kept'] === true && client.getQueryCache().get(query.queryHash) === query;
    const queries = [...changed.values()].filter(isKept);
    changed.clear();
    if (owner === undefined || queries.length === 0) return;
    for (const query of queries) written.set(query, query.state.dataUpdatedAt);
    void save(`${owner}@${BUILD}`, queries);
  };
  client.getQueryCache().subscribe(({ type, query }) => {
    // that the answer to a document's creation is kept is known once a page asks for it: until then nobody has said so
    const isUnwritten = !query.state.isInvalidated && written.get(query) !== query.state.dataUpdatedAt;
    const isNews = type === 'updated' || (type === 'observerAdded' && isUnwritten);
    if (!isNews || query.state.status !== 'success') return;
    changed.set(query.queryHash, query);
    timer ??= setTimeout(write, GATHERED);
  });
  addEventListener('pagehide', write);
}

async function save(owner: string, queries: readonly Query[]): Promise<void> {
  try {
    if (localStorage.getItem(OWNER) !== owner) {
      await forget();
      localStorage.setItem(OWNER, owner);
    }
    await inStore('readwrite', (store) => {
      for (const { queryHash, queryKey, state } of queries) {
        if (JSON.stringify(state.data).length > LARGEST) continue;
        store.put({ hash: queryHash, key: queryKey, data: state.data, at: state.dataUpdatedAt } satisfies Seen);
      }
      return undefined;
    });
  } catch {
    // as above: keeping is a comfort
  }
}

/** Forgets everything that is kept, whoever it is of. */
export async function forget(): Promise<void> {
  try {
    localStorage.removeItem(OWNER);
    await inStore('readwrite', (store) => store.clear());
  } catch {
    // what cannot be reached is not restored either
  }
}
