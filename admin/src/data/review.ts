/** Requests for stages of review and comments. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Stages } from '../../contract/review.ts';
import { request } from './client.ts';

export type Stage = Stages['stages'][number];

/** Which document, in which locale; null on types without locales. */
export interface VersionPlace {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
}

/** The milliseconds between refetches of what others may change. */
const LOOK = 15_000;

const paramsOf = ({ uid, documentId }: VersionPlace) => ({ params: { uid, documentId } });
const localeOf = ({ locale }: Pick<VersionPlace, 'locale'>) => ({ locale: locale ?? undefined });

/** The stages of a type; null for a type without. */
export const stagesQuery = (uid: string) =>
  queryOptions({
    queryKey: ['review', uid, 'stages'],
    queryFn: async ({ signal }) => (await request('GET review/:uid', { params: { uid }, signal })).data,
  });

/** The stage and the assignee of a document. */
export const reviewQuery = (place: VersionPlace) =>
  queryOptions({
    queryKey: ['review', place.uid, 'document', place.documentId, place.locale],
    queryFn: async ({ signal }) =>
      (await request('GET content/:uid/:documentId/review', { ...paramsOf(place), query: localeOf(place), signal }))
        .data,
    refetchInterval: LOOK,
    retry: false,
  });

/** The comments on a document. */
export const commentsQuery = (place: VersionPlace) =>
  queryOptions({
    queryKey: ['comments', place.uid, place.documentId, place.locale],
    queryFn: async ({ signal }) =>
      (await request('GET content/:uid/:documentId/comments', { ...paramsOf(place), query: localeOf(place), signal }))
        .data,
    refetchInterval: LOOK,
    retry: false,
  });

/** The mentions of the administrator that are not read. */
export const mentionsQuery = queryOptions({
  queryKey: ['comments', 'mentions'],
  queryFn: async ({ signal }) => (await request('GET me/mentions', { signal })).data,
  refetchInterval: 4 * LOOK,
});

/** People who may read a document and whose name contains a text. */
export const peopleQuery = (place: VersionPlace, q: string) =>
  queryOptions({
    queryKey: ['people-for', place.uid, place.documentId, place.locale, q],
    queryFn: async ({ signal }) =>
      (
        await request('GET content/:uid/:documentId/people', {
          ...paramsOf(place),
          query: { ...localeOf(place), q },
          signal,
        })
      ).data,
    placeholderData: (before) => before,
  });

/** The parts of a board that its address names. */
export interface BoardView {
  readonly uid: string;
  readonly locale: string | null;
  /** Whether only documents of the administrator are shown. */
  readonly mine: boolean;
}

const boardKey = ({ uid, locale, mine }: BoardView) => ['review', uid, 'board', locale, mine] as const;
const boardParams = ({ locale, mine }: BoardView) => ({ ...localeOf({ locale }), assignee: mine ? 'me' : undefined });

/** The documents in a stage, page by page. */
export const columnQuery = (view: BoardView, stage: number) =>
  infiniteQueryOptions({
    queryKey: [...boardKey(view), stage],
    queryFn: ({ pageParam: cursor, signal }) =>
      request('GET review/:uid/board', {
        params: { uid: view.uid },
        query: { ...boardParams(view), stage: String(stage), cursor },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
  });

/** How many documents are in each stage. */
export const countsQuery = (view: BoardView) =>
  queryOptions({
    queryKey: [...boardKey(view), 'counts'],
    queryFn: async ({ signal }) =>
      (await request('GET review/:uid/counts', { params: { uid: view.uid }, query: boardParams(view), signal })).data,
    refetchInterval: LOOK,
  });

/** Moves a document to a stage. @param from the stage in which it was shown. */
export async function moveTo(place: VersionPlace, stage: number, from: number) {
  const { locale } = place;
  const body = { stage, from, ...(locale === null ? {} : { locale }) };
  return (await request('PUT content/:uid/:documentId/stage', { ...paramsOf(place), body })).data;
}

/** Assigns a document to a person. @param administrator null removes the assignment. */
export async function assignTo(place: VersionPlace, administrator: number | null) {
  const { locale } = place;
  const body = { administrator, ...(locale === null ? {} : { locale }) };
  return (await request('PUT content/:uid/:documentId/assignee', { ...paramsOf(place), body })).data;
}
