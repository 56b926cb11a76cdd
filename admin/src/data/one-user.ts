/** What one user has seen is not shown to the next one in the same tab. */
import type { QueryClient } from '@tanstack/react-query';

/** The key of the query that says who is signed in. */
export const PRESENCE = 'session';

interface SignedIn {
  readonly session?: { readonly user: { readonly id: number } };
}

/**
 * Empties the cache of all but the session as soon as somebody else is signed in, or nobody, however it is learnt.
 *
 * @param forgetMore forgets what is known elsewhere.
 */
export function forgetWhenOther(client: QueryClient, forgetMore: () => void): void {
  let known: number | undefined;
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== PRESENCE) return;
    const user = (query.state.data as SignedIn | undefined)?.session?.user.id;
    const isOther = known !== undefined && user !== known;
    known = user;
    if (!isOther) return;
    forgetSeen(client);
    forgetMore();
  });
}

export function forgetSeen(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== PRESENCE });
}
