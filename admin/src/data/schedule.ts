/** Requests for scheduled publication. */
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { ScheduledItem } from '../../contract/schedule.ts';
import { request } from './client.ts';

/** The milliseconds between two reads while nothing is due, and the least before what is due next. */
const LATER = 60_000;
const SOON = 1000;

/** The milliseconds until the next item is due, when its state changes. */
function untilNext(items: readonly ScheduledItem[] = []): number {
  const times = items.filter(({ state }) => state === 'waiting').map(({ at }) => Date.parse(at));
  return Math.max(SOON, Math.min(LATER, ...times.map((time) => time + SOON - Date.now())));
}

/** What is scheduled for a document, the latest first. */
export const ofDocumentQuery = (uid: string, documentId: string) =>
  queryOptions({
    queryKey: ['schedule', uid, documentId],
    queryFn: async ({ signal }) =>
      (await request('GET content/:uid/:documentId/schedule', { params: { uid, documentId }, signal })).data,
    refetchInterval: ({ state: { data } }) => untilNext(data),
  });

/** The most items of a month that the calendar shows. */
const MONTH = '500';

/** What is scheduled between two times. */
export const betweenQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ['schedule', 'between', from, to],
    queryFn: ({ signal }) => request('GET schedule', { query: { from, to, pageSize: MONTH }, signal }),
    refetchInterval: ({ state: { data } }) => untilNext(data?.data),
  });

/** What is coming, the next first. */
export const comingQuery = infiniteQueryOptions({
  queryKey: ['schedule', 'coming'],
  queryFn: ({ pageParam: after, signal }) =>
    request('GET schedule', { query: { state: 'waiting', pageSize: '50', after }, signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ meta }) => meta.next ?? undefined,
});

/** What has failed and was neither repeated nor dismissed, the latest first. */
export const failedQuery = queryOptions({
  queryKey: ['schedule', 'failed'],
  queryFn: ({ signal }) =>
    request('GET schedule', { query: { state: 'failed', order: 'desc', pageSize: '20' }, signal }),
  refetchInterval: LATER,
});

/** What is planned for some documents: in the schedule, and by releases. */
export const plannedQuery = (uid: string, documentIds: readonly string[]) =>
  queryOptions({
    queryKey: ['schedule', 'planned', uid, documentIds],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams(documentIds.map((documentId) => ['documentId', documentId]));
      return (await request('GET planned/:uid', { params: { uid }, query, signal })).data;
    },
  });

/** Reads everything again that shows scheduled items. */
export const refetchSchedule = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: ['schedule'] });
