/** Requests for deleted documents, files and folders. */
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

/** The types of files and of folders. */
export const FILE = 'plugin::upload.file';
export const FOLDER = 'plugin::upload.folder';

/** Restores what was deleted. A request restores a part of the files of a large folder. Returns the restored locales. */
export async function restoreDeletion({ id }: Deletion): Promise<readonly (string | null)[]> {
  for (;;) {
    const { data } = await request('POST trash/:id/restore', { params: { id: String(id) } });
    if (data.left === 0) return data.locales;
  }
}
