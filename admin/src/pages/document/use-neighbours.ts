/** What is next and previous in the list that a document was opened from, however little of that was seen. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { goneTo, neighboursOf, seeMore } from '../../data/came-from.ts';

export function useNeighbours(uid: string, documentId: string): ReturnType<typeof neighboursOf> {
  const client = useQueryClient();
  const [, setSeen] = useState(0);
  const neighbours = neighboursOf(uid, documentId);
  const isAtEnd = neighbours.previous === undefined || neighbours.next === undefined;
  useEffect(() => goneTo(uid, documentId), [uid, documentId]);
  useEffect(() => {
    if (!isAtEnd) return;
    // what cannot be loaded is not gone to
    seeMore(client, uid, documentId).then(
      (isMore) => isMore && setSeen((times) => times + 1),
      () => undefined,
    );
  }, [client, uid, documentId, isAtEnd]);
  return neighbours;
}
