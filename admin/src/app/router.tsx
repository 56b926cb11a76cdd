/** Maps addresses to pages. A page is loaded when it is opened, or when its link is hovered. */
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
import { auditSearch } from '../data/audit-search.ts';
import { BASE } from '../data/base.ts';
import { exploreSearch } from '../data/explore-search.ts';
import { librarySearch } from '../data/library-state.ts';
import { listSearch } from '../data/list-search.ts';
import { schemaQuery } from '../data/schema.ts';
import { canCreateFirst, canReset, invitedBy, isFactorDue, presenceQuery } from '../data/session.ts';
import { Broken } from './error-page.tsx';
import { Missing } from './not-found.tsx';
import { Shell } from './shell.tsx';
import { hrefOf, returnTo, signInReturn } from './sign-in-return.ts';

interface Context {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: Missing });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInReturn,
  beforeLoad: async ({ context: { client }, search }) => {
    const presence = await client.ensureQueryData(presenceQuery);
    if (presence.signedIn) throw redirect({ href: hrefOf(search.to), replace: true });
  },
  component: lazyRouteComponent(() => import('../pages/signed-out/sign-in.tsx'), 'SignIn'),
});

const first = createRoute({
  getParentRoute: () => root,
  path: '/first',
  // The token follows the #, which browsers send neither to servers nor to other sites.
  beforeLoad: async ({ location: { hash: token } }) => ({
    token,
    isOpen: token !== '' && (await canCreateFirst(token)),
  }),
  component: lazyRouteComponent(() => import('../pages/signed-out/new-account.tsx'), 'FirstAdministrator'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  beforeLoad: async ({ context: { client }, location: { hash: token } }) => {
    const [invited] = await Promise.all([
      token === '' ? undefined : invitedBy(token),
      // Accepting an invitation replaces the session of this browser.
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

const requiredFactor = createRoute({
  getParentRoute: () => root,
  path: '/second-factor',
  validateSearch: signInReturn,
  beforeLoad: async ({ context: { client }, search }) => {
    const presence = await client.ensureQueryData(presenceQuery);
    if (!presence.signedIn) throw redirect({ to: '/sign-in', search, replace: true });
    if (!isFactorDue(presence.session)) throw redirect({ href: hrefOf(search.to), replace: true });
  },
  component: lazyRouteComponent(() => import('../pages/signed-out/required-factor.tsx'), 'RequiredFactor'),
});

/** All pages that require a session. */
export const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  beforeLoad: async ({ context: { client }, location }) => {
    // The stored session counts until the server answers; the shell reacts to that answer.
    const presence = await client.ensureQueryData({ ...presenceQuery, revalidateIfStale: true });
    if (!presence.signedIn) throw redirect({ to: '/sign-in', search: returnTo(location.href), replace: true });
    if (isFactorDue(presence.session)) {
      throw redirect({ to: '/second-factor', search: returnTo(location.href), replace: true });
    }
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

/** What the page of a document shows: its locale, and a second locale beside it. */
interface DocumentSearch {
  readonly locale?: string | undefined;
  readonly beside?: string | undefined;
  /** Whether the comments are shown: `all`. */
  readonly comments?: string | undefined;
  /** The unsaved new document of this device that is opened. */
  readonly kept?: string | undefined;
}

/** The view of the calendar, and the chosen day. */
interface CalendarSearch {
  readonly view?: 'month' | 'list' | undefined;
  readonly day?: string | undefined;
}

const textIn = (search: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The router reads digits as a number. */
const idIn = (search: Readonly<Record<string, unknown>>, name: string): string | undefined =>
  typeof search[name] === 'number' ? String(search[name]) : textIn(search, name);

interface HistorySearch {
  readonly locale?: string | undefined;
  readonly version?: string | undefined;
  readonly against?: string | undefined;
}

const document = createRoute({
  getParentRoute: () => inside,
  path: '/content/$uid/$documentId',
  // Every key is present, because the router keeps the previous value of an absent one.
  validateSearch: (search: Readonly<Record<string, unknown>>): DocumentSearch => ({
    locale: textIn(search, 'locale'),
    beside: textIn(search, 'beside'),
    comments: textIn(search, 'comments'),
    kept: textIn(search, 'kept'),
  }),
  component: lazyRouteComponent(() => import('../pages/document/document-page.tsx'), 'DocumentPage'),
});

const history = createRoute({
  getParentRoute: () => inside,
  path: '/content/$uid/$documentId/history',
  // The ids of the compared versions.
  validateSearch: (search: Readonly<Record<string, unknown>>): HistorySearch => ({
    locale: textIn(search, 'locale'),
    version: idIn(search, 'version'),
    against: idIn(search, 'against'),
  }),
  component: lazyRouteComponent(() => import('../pages/history/history-page.tsx'), 'HistoryPage'),
});

const calendar = createRoute({
  getParentRoute: () => inside,
  path: '/calendar',
  validateSearch: (search: Readonly<Record<string, unknown>>): CalendarSearch => ({
    view: search['view'] === 'list' ? 'list' : undefined,
    day: /^\d{4}-\d\d-\d\d$/.test(String(search['day'])) ? String(search['day']) : undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/calendar/calendar.tsx'), 'CalendarPage'),
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

const board = createRoute({
  getParentRoute: () => inside,
  path: '/board/$uid',
  validateSearch: (
    search: Readonly<Record<string, unknown>>,
  ): { readonly locale?: string | undefined; readonly mine?: boolean | undefined } => ({
    locale: textIn(search, 'locale'),
    mine: search['mine'] === true || undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/board/board.tsx'), 'BoardPage'),
});

const workflows = createRoute({
  getParentRoute: () => inside,
  path: '/workflows',
  component: lazyRouteComponent(() => import('../pages/workflows/workflows.tsx'), 'WorkflowsPage'),
});

const layout = createRoute({
  getParentRoute: () => inside,
  path: '/layout/$uid',
  component: lazyRouteComponent(() => import('../pages/layout/layout-page.tsx'), 'LayoutPage'),
});

const trash = createRoute({
  getParentRoute: () => inside,
  path: '/trash',
  component: lazyRouteComponent(() => import('../pages/trash/trash.tsx'), 'TrashPage'),
});

const releases = createRoute({
  getParentRoute: () => inside,
  path: '/releases',
  component: lazyRouteComponent(() => import('../pages/releases/releases.tsx'), 'Releases'),
});

const release = createRoute({
  getParentRoute: () => inside,
  path: '/releases/$releaseId',
  component: lazyRouteComponent(() => import('../pages/releases/release-page.tsx'), 'ReleasePage'),
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

const health = createRoute({
  getParentRoute: () => inside,
  path: '/health',
  component: lazyRouteComponent(() => import('../pages/health/health-page.tsx'), 'HealthPage'),
});

const audit = createRoute({
  getParentRoute: () => inside,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../pages/audit/audit.tsx'), 'AuditPage'),
});

const locales = createRoute({
  getParentRoute: () => inside,
  path: '/locales',
  component: lazyRouteComponent(() => import('../pages/locales/locales.tsx'), 'LocalesPage'),
});

const site = createRoute({
  getParentRoute: () => inside,
  path: '/site',
  component: lazyRouteComponent(() => import('../pages/site/site.tsx'), 'SitePage'),
});

const people = createRoute({
  getParentRoute: () => inside,
  path: '/people',
  component: lazyRouteComponent(() => import('../pages/people/people.tsx'), 'People'),
});

const person = createRoute({
  getParentRoute: () => inside,
  path: '/people/$administratorId',
  component: lazyRouteComponent(() => import('../pages/people/person-page.tsx'), 'PersonPage'),
});

const roles = createRoute({
  getParentRoute: () => inside,
  path: '/roles',
  component: lazyRouteComponent(() => import('../pages/roles/roles.tsx'), 'Roles'),
});

const permissions = createRoute({
  getParentRoute: () => inside,
  path: '/permissions',
  component: lazyRouteComponent(() => import('../pages/permissions/permissions.tsx'), 'Permissions'),
});

const role = createRoute({
  getParentRoute: () => inside,
  path: '/roles/$roleId',
  component: lazyRouteComponent(() => import('../pages/roles/role-page.tsx'), 'RolePage'),
});

const siteRole = createRoute({
  getParentRoute: () => inside,
  path: '/permissions/$roleId',
  component: lazyRouteComponent(() => import('../pages/permissions/role-page.tsx'), 'RolePage'),
});

const tokens = createRoute({
  getParentRoute: () => inside,
  path: '/tokens',
  component: lazyRouteComponent(() => import('../pages/tokens/tokens.tsx'), 'Tokens'),
});

const token = createRoute({
  getParentRoute: () => inside,
  path: '/tokens/$tokenId',
  component: lazyRouteComponent(() => import('../pages/tokens/token-page.tsx'), 'TokenPage'),
});

const explore = createRoute({
  getParentRoute: () => inside,
  path: '/explore',
  validateSearch: exploreSearch,
  component: lazyRouteComponent(() => import('../pages/explore/explore.tsx'), 'Explore'),
});

const types = createRoute({
  getParentRoute: () => inside,
  path: '/types',
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly view?: 'diagram' | undefined } => ({
    view: search['view'] === 'diagram' ? 'diagram' : undefined,
  }),
  component: lazyRouteComponent(() => import('../pages/types/types-page.tsx'), 'TypesPage'),
});

const type = createRoute({
  getParentRoute: () => inside,
  path: '/types/$uid',
  // The attribute whose panel is open.
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly attribute?: string | undefined } => ({
    attribute: textIn(search, 'attribute'),
  }),
  component: lazyRouteComponent(() => import('../pages/types/type-page.tsx'), 'TypePage'),
});

/** Inside the shell, so that the main navigation remains visible. */
const missing = createRoute({ getParentRoute: () => inside, path: '$', component: Missing });

const open = [signIn, first, invitation, forgotten, reset, requiredFactor];
const work = [home, calendar, list, board, document, history, account, media, trash, layout];
const project = [types, type, explore, webhooks, webhook, jobs, health, releases, release];
const settings = [permissions, siteRole, tokens, token, people, person, roles, role, workflows, audit, locales, site];
const pages = [...work, ...project, ...settings];

const routeTree = (more: readonly AnyRoute[]) =>
  // Links to these pages are not type-checked.
  root.addChildren([...open, inside.addChildren([...pages, ...(more as (typeof missing)[]), missing])]);

/** The milliseconds for which a link is hovered before its page is loaded. */
const POINTED = 30;

/**
 * Creates the router, below the address from which the app is served.
 *
 * @param more additional pages inside the shell.
 */
export function makeRouter(client: QueryClient, more: readonly AnyRoute[]) {
  return createRouter({
    routeTree: routeTree(more),
    basepath: BASE,
    context: { client },
    // Uids appear in addresses unescaped.
    pathParamsAllowedCharacters: [':'],
    defaultPreload: 'intent',
    defaultPreloadDelay: POINTED,
    // The query cache decides what is fresh.
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
