/**
 * Answers that are stored on this device, so that pages appear at once and are refreshed silently.
 *
 * Queries with `meta: { isStored: true }` are stored in IndexedDB for the user who made them. Another user, another build
 * and signing out delete them.
 */
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { BASE, BUILD } from './base.ts';
import { deviceStore } from './device-store.ts';

const inStore = deviceStore(`galley${BASE}`, 'seen', { keyPath: 'hash' });
/** The id of the user to whom the stored data belongs. */
const OWNER = `galley${BASE}owner`;
/** The number of answers that are restored. The oldest ones are dropped. */
const MAX_ANSWERS = 200;
/** The largest answer that is stored, in characters of JSON. */
const MAX_SIZE = 500_000;
/** The age in milliseconds from which an answer is no longer shown. */
const MAX_AGE = 14 * 24 * 3_600_000;
/** The milliseconds for which changes are collected before they are written. */
const WRITE_DELAY = 500;

interface StoredAnswer {
  readonly hash: string;
  readonly key: QueryKey;
  readonly data: unknown;
  readonly at: number;
}

/** Puts the stored answers into the cache. There are none if the browser forbids storage. */
export async function restoreAnswers(client: QueryClient): Promise<void> {
  try {
    if (localStorage.getItem(OWNER)?.endsWith(`@${BUILD}`) !== true) return await deleteAnswers();
    const all = (await inStore('readonly', (store) => store.getAll())) as readonly StoredAnswer[];
    const young = all.filter((seen) => seen.at > Date.now() - MAX_AGE).sort((a, b) => b.at - a.at);
    for (const seen of young.slice(0, MAX_ANSWERS)) client.setQueryData(seen.key, seen.data, { updatedAt: seen.at });
    // Even a recent answer may be outdated by now.
    await client.invalidateQueries({ refetchType: 'none' });
    const old = [...all].filter((seen) => !young.slice(0, MAX_ANSWERS).includes(seen));
    if (old.length) {
      await inStore('readwrite', (store) => {
        for (const { hash } of old) store.delete(hash);
        return undefined;
      });
    }
  } catch {
    // Storage may be full, forbidden or broken: then everything is requested again.
  }
}

/** Stores the answers of the client for a user from now on. */
export function storeAnswers(client: QueryClient, user: () => number | undefined): void {
  const changed = new Map<string, Query>();
  /** The time of the answer that was last written, by query. */
  const written = new WeakMap<Query, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const owner = user();
    // A query that has been removed belonged to another user.
    const isKept = (query: Query) =>
      query.meta?.['isStored'] === true && client.getQueryCache().get(query.queryHash) === query;
    const queries = [...changed.values()].filter(isKept);
    changed.clear();
    if (owner === undefined || queries.length === 0) return;
    for (const query of queries) written.set(query, query.state.dataUpdatedAt);
    void save(`${owner}@${BUILD}`, queries);
  };
  client.getQueryCache().subscribe(({ type, query }) => {
    // The answer to creating a document is stored only when a page requests it: before, no query has asked for storage.
    const isUnwritten = !query.state.isInvalidated && written.get(query) !== query.state.dataUpdatedAt;
    const isNews = type === 'updated' || (type === 'observerAdded' && isUnwritten);
    if (!isNews || query.state.status !== 'success') return;
    changed.set(query.queryHash, query);
    timer ??= setTimeout(write, WRITE_DELAY);
  });
  addEventListener('pagehide', write);
}

async function save(owner: string, queries: readonly Query[]): Promise<void> {
  try {
    if (localStorage.getItem(OWNER) !== owner) {
      await deleteAnswers();
      localStorage.setItem(OWNER, owner);
    }
    await inStore('readwrite', (store) => {
      for (const { queryHash, queryKey, state } of queries) {
        if (JSON.stringify(state.data).length > MAX_SIZE) continue;
        store.put({ hash: queryHash, key: queryKey, data: state.data, at: state.dataUpdatedAt } satisfies StoredAnswer);
      }
      return undefined;
    });
  } catch {
    // Storing is optional, as above.
  }
}

/** Deletes all stored data of any user. */
export async function deleteAnswers(): Promise<void> {
  try {
    localStorage.removeItem(OWNER);
    await inStore('readwrite', (store) => store.clear());
  } catch {
    // Data that cannot be accessed is not restored either.
  }
}
