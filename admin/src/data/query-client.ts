/** The cache of what the server has said, shared by all pages. */

import { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../contract/contract.ts';
import { BASE } from './base.ts';
import { RefusedError, UnreachableError, whenSignedOut } from './client.ts';
import { forgetCopiedUids } from './copied-uids.ts';
import { forget, keep } from './kept.ts';
import { forgetSeen, forgetWhenOther } from './one-user.ts';
import { type Presence, presenceOf, presenceQuery } from './session.ts';
import { forgetTab } from './tab-store.ts';
import { forgetUnsaved } from './unsaved.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Kept on this device for the next visit (`kept.ts`). */
      readonly kept?: boolean;
    };
  }
}

/** How often a request without an answer is repeated before the page says so. */
const REPEATS = 2;
/** Milliseconds before it is repeated for the first time. */
const REPEATED = 250;

/** The same, once it has said so. */
const LATER = 10_000;

/** Whether it may be answered soon: the server is away, or busy. */
const isPassing = (error: Error | null): boolean =>
  error instanceof UnreachableError || (error instanceof RefusedError && error.status === 503);

/** Notifies other tabs of this browser that their user has signed out. */
const tabs = new BroadcastChannel(`galley${BASE}signed-out`);

/** Notifies other tabs of this browser of the user who has signed in: all tabs share one session. */
const arrivals = new BroadcastChannel(`galley${BASE}signed-in`);

/** Makes the cache. What has been seen is shown while it is asked for again. */
export function makeQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 30 * 60_000,
        // what the server refuses it refuses again
        retry: (count, error) => isPassing(error) && count < REPEATS,
        retryDelay: (count, error) =>
          error instanceof RefusedError ? (error.retryAfter ?? 1) * 1_000 : REPEATED * 2 ** count,
        // what could not be shown is shown as soon as it can be
        refetchInterval: ({ state: { error } }) => isPassing(error) && LATER,
        // a browser only believes to know that it is offline
        networkMode: 'offlineFirst',
      },
      mutations: { networkMode: 'always' },
    },
  });
  keep(client, () => userOf(client));
  forgetWhenOther(client, forgetTab);
  whenSignedOut(() => void leave(client, false));
  tabs.onmessage = ({ data }) => {
    if (data === userOf(client)) void leave(client, true);
    // the session that somebody else has ended here may have been the one of this tab
    else void client.invalidateQueries({ queryKey: presenceQuery.queryKey });
  };
  arrivals.onmessage = ({ data }) => {
    const user = userOf(client);
    if (user === undefined) void client.invalidateQueries({ queryKey: presenceQuery.queryKey });
    // drafts of this tab would be saved in the name of the new user: they stay on the device, and this tab asks to sign in
    else if (user !== data) void leave(client, false);
  };
  return client;
}

/** Begins a session that the server has just returned. Tabs of another user end theirs, without saving any more. */
export function signedIn(client: QueryClient, session: Session): void {
  arrivals.postMessage(session.user.id);
  client.setQueryData(presenceQuery.queryKey, presenceOf(session));
}

/** Forgets everything that was seen, here and in other tabs, because somebody has signed out. */
export async function signedOut(client: QueryClient): Promise<void> {
  const user = userOf(client);
  await leave(client, true);
  tabs.postMessage(user);
}

async function leave(client: QueryClient, onPurpose: boolean): Promise<void> {
  await client.cancelQueries();
  const user = userOf(client);
  const out: Presence = { signedIn: false, firstAdministrator: false, onPurpose };
  client.setQueryData(presenceQuery.queryKey, out);
  forgetSeen(client);
  forgetTab();
  if (onPurpose) forgetCopiedUids();
  if (onPurpose && user !== undefined) await forgetUnsaved(user);
  await forget();
}

/** The id of who is signed in, as far as is known here. */
export function userOf(client: QueryClient): number | undefined {
  const presence = client.getQueryData(presenceQuery.queryKey);
  return presence?.signedIn ? presence.session.user.id : undefined;
}
