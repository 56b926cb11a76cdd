/** Clears the cache when another user signs in in the same tab. */
import type { QueryClient } from '@tanstack/react-query';

/** The key of the query for the session. */
export const PRESENCE = 'session';

interface SignedIn {
  readonly session?: { readonly user: { readonly id: number } };
}

/**
 * Clears the cache, except for the session, as soon as another user or no user is signed in.
 *
 * @param clearMore deletes the data that is stored elsewhere.
 */
export function clearWhenUserChanges(client: QueryClient, clearMore: () => void): void {
  let previous: number | undefined;
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== PRESENCE) return;
    const user = (query.state.data as SignedIn | undefined)?.session?.user.id;
    const isOther = previous !== undefined && user !== previous;
    previous = user;
    if (!isOther) return;
    clearAnswers(client);
    clearMore();
  });
}

export function clearAnswers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== PRESENCE });
}
