/** The cache of answers that all pages share. */

import { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../contract/contract.ts';
import { BASE } from './base.ts';
import { RefusedError, UnreachableError, whenFactorDue, whenSignedOut } from './client.ts';
import { clearCopiedUids } from './copied-uids.ts';
import { clearAnswers, clearWhenUserChanges } from './one-user.ts';
import { type Presence, presenceOf, presenceQuery } from './session.ts';
import { deleteAnswers, storeAnswers } from './stored-answers.ts';
import { clearTab } from './tab-store.ts';
import { deleteUnsavedOf } from './unsaved.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Stored on this device for the next visit (`stored-answers.ts`). */
      readonly isStored?: boolean;
    };
  }
}

/** The number of retries before the page reports that the server does not respond. */
const RETRIES = 2;
/** The milliseconds before the first retry. */
const RETRY_DELAY = 250;

/** The milliseconds between retries after the report. */
const REFETCH_INTERVAL = 10_000;

/** Whether a retry may succeed: the server is down or busy. */
const isTemporary = (error: Error | null): boolean =>
  error instanceof UnreachableError || (error instanceof RefusedError && error.status === 503);

/** Notifies other tabs of this browser that their user has signed out. */
const tabs = new BroadcastChannel(`galley${BASE}signed-out`);

/** Notifies other tabs of this browser of the user who has signed in: all tabs share one session. */
const arrivals = new BroadcastChannel(`galley${BASE}signed-in`);

/** Creates the cache. Cached data is shown while it is refetched. */
export function makeQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 30 * 60_000,
        // Retrying does not help if the server refuses the request.
        retry: (count, error) => isTemporary(error) && count < RETRIES,
        retryDelay: (count, error) =>
          error instanceof RefusedError ? (error.retryAfter ?? 1) * 1_000 : RETRY_DELAY * 2 ** count,
        // A failed query is repeated until it succeeds.
        refetchInterval: ({ state: { error } }) => isTemporary(error) && REFETCH_INTERVAL,
        // Browsers can be wrong about being offline.
        networkMode: 'offlineFirst',
      },
      mutations: { networkMode: 'always' },
    },
  });
  storeAnswers(client, () => currentUser(client));
  clearWhenUserChanges(client, clearTab);
  whenSignedOut(() => void leave(client, false));
  whenFactorDue(() => void client.invalidateQueries({ queryKey: presenceQuery.queryKey }));
  tabs.onmessage = ({ data }) => {
    if (data === currentUser(client)) void leave(client, true);
    // The ended session may have been the one of this tab.
    else void client.invalidateQueries({ queryKey: presenceQuery.queryKey });
  };
  arrivals.onmessage = ({ data }) => {
    const user = currentUser(client);
    if (user === undefined) void client.invalidateQueries({ queryKey: presenceQuery.queryKey });
    // Drafts of this tab would be saved as the new user. They stay on the device, and this tab shows the sign-in page.
    else if (user !== data) void leave(client, false);
  };
  return client;
}

/** Begins a session that the server has just returned. Tabs of another user end theirs without saving. */
export function signedIn(client: QueryClient, session: Session): void {
  arrivals.postMessage(session.user.id);
  client.setQueryData(presenceQuery.queryKey, presenceOf(session));
}

/** Deletes all data, here and in other tabs, after signing out. */
export async function signedOut(client: QueryClient): Promise<void> {
  const user = currentUser(client);
  await leave(client, true);
  tabs.postMessage(user);
}

async function leave(client: QueryClient, onPurpose: boolean): Promise<void> {
  await client.cancelQueries();
  const user = currentUser(client);
  const out: Presence = { signedIn: false, firstAdministrator: false, onPurpose };
  client.setQueryData(presenceQuery.queryKey, out);
  clearAnswers(client);
  clearTab();
  if (onPurpose) clearCopiedUids();
  if (onPurpose && user !== undefined) await deleteUnsavedOf(user);
  await deleteAnswers();
}

/** The id of the signed-in user, as far as the cache has it. */
export function currentUser(client: QueryClient): number | undefined {
  const presence = client.getQueryData(presenceQuery.queryKey);
  return presence?.signedIn ? presence.session.user.id : undefined;
}
