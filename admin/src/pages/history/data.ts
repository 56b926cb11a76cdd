/** Requests for the recorded versions of a document. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { VersionWithValues } from '../../../contract/documents.ts';
import { request } from '../../data/client.ts';

/** Versions of a page of the timeline. */
const PAGE = 50;

/** @param documentId `single` for a single type. @param locale null for types without locales. */
export function versionsQuery(uid: string, documentId: string, locale: string | null) {
  return infiniteQueryOptions({
    queryKey: ['document', uid, documentId, locale, 'versions'],
    queryFn: ({ pageParam, signal }) =>
      request('GET content/:uid/:documentId/versions', {
        params: { uid, documentId },
        query: { locale: locale ?? undefined, page: String(pageParam), pageSize: String(PAGE) },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ meta: { pagination } }) =>
      pagination.page < pagination.pageCount ? pagination.page + 1 : undefined,
  });
}

export function versionQuery(uid: string, documentId: string, id: string) {
  return queryOptions({
    queryKey: ['document', uid, documentId, 'version', id],
    queryFn: async ({ signal }): Promise<VersionWithValues> =>
      (await request('GET content/:uid/:documentId/versions/:id', { params: { uid, documentId, id }, signal })).data,
  });
}

/** In place of the id of a version: the version that is published now. */
export const PUBLISHED = 'published';
