/** Which address shows which page. Pages are loaded when they are gone to, or about to be. */
import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { BASE } from '../data/base.ts';
import { librarySearch } from '../data/library-state.ts';
import { listSearch } from '../data/list-search.ts';
import { schemaQuery } from '../data/schema.ts';
import { canReset, invitedBy, isFirst, presenceQuery } from '../data/session.ts';
import { Broken } from './broken.tsx';
import { Missing } from './missing.tsx';
import { Shell } from './shell.tsx';
import { hrefOf, whence, whereTo } from './whence.ts';

interface Context {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: Missing });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: whence,
  beforeLoad: async ({ context: { client }, search }) => {
    const presence = await client.ensureQueryData(presenceQuery);
    if (presence.signedIn) throw redirect({ href: hrefOf(search.to), replace: true });
  },
  component: lazyRouteComponent(() => import('../pages/signed-out/sign-in.tsx'), 'SignIn'),
});

const first = createRoute({
  getParentRoute: () => root,
  path: '/first',
  // behind the #, so that no log and no other site has seen it
  beforeLoad: async ({ location: { hash: token } }) => ({ token, isOpen: token !== '' && (await isFirst(token)) }),
  component: lazyRouteComponent(() => import('../pages/signed-out/new-account.tsx'), 'FirstAdministrator'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  beforeLoad: async ({ context: { client }, location: { hash: token } }) => {
    const [invited] = await Promise.all([
      token === '' ? undefined : invitedBy(token),
      // accepting replaces the session of this browser
      client.prefetchQuery(presenceQuery),
    ]);
    return { token, invited };
  },
  component: lazyRouteComponent(() => import('../pages/signed-out/new-account.tsx'), 'Invitation'),
});

const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/forgotten',
  component: lazyRouteComponent(() => import('../pages/signed-out/password-reset.tsx'), 'ForgottenPassword'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  beforeLoad: async ({ location: { hash: token } }) => ({ token, isOpen: token !== '' && (await canReset(token)) }),
  component: lazyRouteComponent(() => import('../pages/signed-out/password-reset.tsx'), 'ResetPassword'),
});

/** Everything that takes a session. */
export const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  beforeLoad: async ({ context: { client }, location }) => {
    // what was kept counts until the server has said otherwise: the shell watches for that
    const presence = await client.ensureQueryData({ ...presenceQuery, revalidateIfStale: true });
    if (!presence.signedIn) throw redirect({ to: '/sign-in', search: whereTo(location.href), replace: true });
  },
  loader: ({ context: { client } }) => void client.prefetchQuery(schemaQuery),
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home/home.tsx'), 'Home'),
});

const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account.tsx'), 'Account'),
});

/** What of a document is shown: its locale, and another one beside it. */
interface DocumentSearch {
  readonly locale?: string | undefined;
  readonly beside?: string | undefined;
  /** Which of the new documents that are kept on this device is opened. */
  readonly kept?: string | undefined;
}

const textIn = (search: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const document = createRoute({
  getParentRoute: () => inside,
  path: '/content/$uid/$documentId',
  // said either way: the router keeps what is not spoken of
  validateSearch: (search: Readonly<Record<string, unknown>>): DocumentSearch => ({
    locale: textIn(search, 'locale'),
    beside: textIn(search, 'beside'),
    kept: textIn(search, 'kept'),
  }),
  component: lazyRouteComponent(() => import('../pages/document/document-page.tsx'), 'DocumentPage'),
});

const media = createRoute({
  getParentRoute: () => inside,
  path: '/media',
  validateSearch: librarySearch,
  component: lazyRouteComponent(() => import('../pages/media/media.tsx'), 'Media'),
});

const list = createRoute({
  getParentRoute: () => inside,
  path: '/content/$uid',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('../pages/list/list.tsx'), 'ListPage'),
});

const layout = createRoute({
  getParentRoute: () => inside,
  path: '/layout/$uid',
  component: lazyRouteComponent(() => import('../pages/layout/layout-page.tsx'), 'LayoutPage'),
});

const webhooks = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhooks.tsx'), 'Webhooks'),
});

const webhook = createRoute({
  getParentRoute: () => inside,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
});

const jobs = createRoute({
  getParentRoute: () => inside,
  path: '/jobs',
  component: lazyRouteComponent(() => import('../pages/jobs/jobs.tsx'), 'JobsPage'),
});

/** Below the shell, so that one is lost within sight of the rail. */
const missing = createRoute({ getParentRoute: () => inside, path: '$', component: Missing });

const open = [signIn, first, invitation, forgotten, reset];
const pages = [home, list, document, account, media, layout, webhooks, webhook, jobs];

const routeTree = (more: readonly AnyRoute[]) =>
  // links to these pages are not checked by type
  root.addChildren([...open, inside.addChildren([...pages, ...(more as (typeof missing)[]), missing])]);

/** Milliseconds of pointing at a link before its page is fetched. */
const POINTED = 30;

/**
 * Makes the router, below wherever the app is served from.
 *
 * @param more pages below the shell that the app does not have by itself.
 */
export function makeRouter(client: QueryClient, more: readonly AnyRoute[]) {
  return createRouter({
    routeTree: routeTree(more),
    basepath: BASE,
    context: { client },
    // uids are read in addresses as they are
    pathParamsAllowedCharacters: [':'],
    defaultPreload: 'intent',
    defaultPreloadDelay: POINTED,
    // the cache knows what is fresh
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: Broken,
    defaultNotFoundComponent: Missing,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
