/** Requests for deleted documents. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Deletion } from '../../../contract/trash.ts';
import { request } from '../../data/client.ts';

/** The key of all requests for the trash. */
export const TRASH = ['trash'] as const;

export const trashQuery = (type: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...TRASH, 'list', type ?? 'any'],
    queryFn: ({ pageParam: cursor, signal }) => request('GET trash', { query: { type, cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.pagination.next ?? undefined,
  });

export const deletionQuery = (id: number) =>
  queryOptions({
    queryKey: [...TRASH, id],
    queryFn: async ({ signal }) => (await request('GET trash/:id', { params: { id: String(id) }, signal })).data,
    staleTime: 0,
  });

/** The last deletion of a document; undefined if it is not in the trash, or if that is not known. */
export async function deletionOf(type: string, documentId: string): Promise<Deletion | undefined> {
  try {
    return (await request('GET trash', { query: { type, documentId, pageSize: '1' } })).data[0];
  } catch {
    // the document is deleted all the same
    return undefined;
  }
}

export async function restoreDeletion({ id }: Deletion): Promise<void> {
  await request('POST trash/:id/restore', { params: { id: String(id) } });
}
