/** Requests for releases. */
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { request } from '../../data/client.ts';
import { refetchSchedule } from '../../data/schedule.ts';

export type ReleaseState = 'pending' | 'done';

const KEY = ['releases'] as const;

export const releasesQuery = (state: ReleaseState) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', state],
    queryFn: ({ pageParam: cursor, signal }) => request('GET releases', { query: { state, cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
  });

export const releaseQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id],
    queryFn: async ({ signal }) => (await request('GET releases/:id', { params: { id }, signal })).data,
    retry: false,
  });

export const itemsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, id, 'items'],
    queryFn: ({ pageParam: cursor, signal }) =>
      request('GET releases/:id/actions', { params: { id }, query: { cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
  });

/** What prevents a release. */
export const problemsQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id, 'problems'],
    queryFn: async ({ signal }) => (await request('POST releases/:id/validate', { params: { id }, signal })).data,
  });

/** What reverting a release would do, as the server finds it now. */
export const reversalQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id, 'reversal'],
    queryFn: async ({ signal }) => (await request('GET releases/:id/reversal', { params: { id }, signal })).data,
    staleTime: 0,
    gcTime: 0,
  });

/** The unpublished documents outside of a release to which it links. */
export const missingQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id, 'missing'],
    queryFn: ({ signal }) => request('GET releases/:id/missing', { params: { id }, signal }),
  });

/** Reads releases again, and everything that shows when they run. */
export async function refreshReleases(client: QueryClient): Promise<void> {
  await Promise.all([client.invalidateQueries({ queryKey: KEY }), refetchSchedule(client)]);
}

/** The releases with a document that have not run. */
export const holdingQuery = (uid: string, documentId: string) =>
  queryOptions({
    queryKey: [...KEY, 'of', uid, documentId],
    queryFn: async ({ signal }) =>
      (await request('GET content/:uid/:documentId/releases', { params: { uid, documentId }, signal })).data,
  });

/** A document of a release, as requests name it. */
export interface Item {
  readonly type: 'publish' | 'unpublish';
  readonly contentType: string;
  readonly documentId: string;
  readonly locale: string | null;
}
