/** The list from which a document was opened: its neighbours in it, and the way back. */
import { useQueryClient } from '@tanstack/react-query';
import { defaultParseSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { loadMore, neighboursOf, originListOf, recordOpened } from '../../data/origin-list.ts';

export function useNeighbours(uid: string, documentId: string): ReturnType<typeof neighboursOf> {
  const client = useQueryClient();
  const [, setSeen] = useState(0);
  const neighbours = neighboursOf(uid, documentId);
  const isAtEnd = neighbours.previous === undefined || neighbours.next === undefined;
  useEffect(() => recordOpened(uid, documentId), [uid, documentId]);
  useEffect(() => {
    if (!isAtEnd) return;
    // Documents that cannot be loaded are skipped.
    loadMore(client, uid, documentId).then(
      (isMore) => isMore && setSeen((times) => times + 1),
      () => undefined,
    );
  }, [client, uid, documentId, isAtEnd]);
  return neighbours;
}

/** The list from which a document was opened, in its previous state. */
export function listOf(uid: string) {
  const [, query = ''] = originListOf(uid)?.href.split('?') ?? [];
  return { to: '/content/$uid', params: { uid }, search: defaultParseSearch(query) } as const;
}
