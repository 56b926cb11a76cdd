/** Where the way back from a document leads. */
import { defaultParseSearch } from '@tanstack/react-router';
import { cameFrom } from '../../data/came-from.ts';

/** The list that somebody came from, as it was there. */
export function listOf(uid: string) {
  const [, query = ''] = cameFrom(uid)?.href.split('?') ?? [];
  return { to: '/content/$uid', params: { uid }, search: defaultParseSearch(query) } as const;
}
