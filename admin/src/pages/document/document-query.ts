/** Requests for a document. */
import { queryOptions } from '@tanstack/react-query';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { request } from '../../data/client.ts';
import { deferredBytes } from '../../data/deferred.ts';
import { bytesOf, canOutlive } from '../../data/keepalive.ts';
import type { Values } from '../../form/values/model.ts';
import type { DraftSetup } from './draft-state.ts';

/** In place of the id: of a new document, and of the document of a single type. */
export const NEW = 'new';
export const SINGLE = 'single';

/** Reads a document in a locale. */
export async function readDocument(
  uid: string,
  documentId: string,
  locale: string | null,
  signal: AbortSignal,
): Promise<DocumentAnswer> {
  const query = { locale: locale ?? undefined };
  return (await request('GET content/:uid/:documentId', { params: { uid, documentId }, query, signal })).data;
}

/** A document in a locale; null for types without locales. */
export function documentQuery(uid: string, documentId: string, locale: string | null) {
  return queryOptions({
    queryKey: ['document', uid, documentId, locale],
    queryFn: ({ signal }) => readDocument(uid, documentId, locale, signal),
    meta: { isStored: true },
  });
}

/** An action on a document, in the locale of its page. */
export type DocumentMove = 'publish' | 'unpublish' | 'discard';

export interface DocumentRequests {
  readonly write: DraftSetup['write'];
  readonly canOutlive: DraftSetup['canOutlive'];
  readonly move: (transition: DocumentMove, server: DocumentAnswer) => Promise<DocumentAnswer>;
  readonly duplicate: (server: DocumentAnswer) => Promise<DocumentAnswer>;
  /** @param whole whether all versions are deleted, or only the one of the locale. */
  readonly remove: (server: DocumentAnswer, whole: boolean) => Promise<void>;
}

/** The requests for documents of a type. Those that change a version name its entity tag. */
export function requestsFor({ uid, kind }: ContentType): DocumentRequests {
  const paramsOf = ({ documentId }: DocumentAnswer) => ({
    uid,
    documentId: kind === 'singleType' ? SINGLE : (documentId ?? ''),
  });
  const localeOf = ({ locale }: DocumentAnswer) => (locale === null ? {} : { locale });
  const matching = ({ tag }: DocumentAnswer) => (tag === null ? {} : { ifMatch: tag });
  const isMade = ({ documentId }: DocumentAnswer): boolean => documentId === null && kind !== 'singleType';
  const bodyOf = (server: DocumentAnswer, data: Values, newId: string) => ({
    data,
    ...localeOf(server),
    ...(isMade(server) && { documentId: newId }),
  });
  return {
    canOutlive: (server, data, newId) =>
      canOutlive(bytesOf(JSON.stringify(bodyOf(server, data, newId))) + deferredBytes()),
    write: async (server, data, { newId, outlives }) => {
      const body = bodyOf(server, data, newId);
      if (isMade(server)) return (await request('POST content/:uid', { params: { uid }, body, outlives })).data;
      const options = { params: paramsOf(server), body, outlives, ...matching(server) };
      return (await request('PUT content/:uid/:documentId', options)).data;
    },
    move: async (transition, server) => {
      const options = { params: paramsOf(server), body: localeOf(server), ...matching(server) };
      return (await request(`POST content/:uid/:documentId/${transition}`, options)).data;
    },
    duplicate: async (server) => {
      const options = { params: paramsOf(server), body: localeOf(server) };
      return (await request('POST content/:uid/:documentId/duplicate', options)).data;
    },
    remove: async (server, whole) => {
      const query = whole ? {} : localeOf(server);
      const options = { params: paramsOf(server), query, ...matching(server) };
      await request('DELETE content/:uid/:documentId', options);
    },
  };
}
