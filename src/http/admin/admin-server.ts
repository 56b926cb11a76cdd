/** The administration below its path: its API, the files of its app, and the root of the server. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import Negotiator from 'negotiator';
import { onAccount } from '../../db/interface/account.ts';
import { ContentError, notFound } from '../../errors.ts';
import { reason } from '../../reasons.ts';
import { actorOf } from '../../users/administrators/administrator-rows.ts';
import type { Administrator } from '../../users/administrators/administrators.ts';
import type { InnerRequests } from '../inner-requests.ts';
import { networkOf } from '../protocol/account-limits.ts';
import { addVary } from '../protocol/headers.ts';
import { sendError, sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { requireOwnBody, requireOwnOrigin, setToken, tokenOf } from './admin-cookie.ts';
import type { AdminHandler, AdminRoute, OpenHandler } from './admin-route.ts';
import { auditRoutes } from './audit-routes.ts';
import { contentTypeRoutes } from './content-type-routes.ts';
import { documentRoutes } from './document-routes.ts';
import { exploreRoutes } from './explore-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { homeRoutes } from './home-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { libraryRoutes } from './library-routes.ts';
import { linkRoutes } from './link-routes.ts';
import { listRoutes } from './list-routes.ts';
import { localeRoutes } from './locale-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { permissionRoutes, tokenRoutes } from './permission-routes.ts';
import { releaseRoutes } from './release-routes.ts';
import { reviewRoutes } from './review-routes.ts';
import { rowsRoutes } from './rows-routes.ts';
import { scheduleRoutes } from './schedule-routes.ts';
import { schemaRoutes } from './schema-routes.ts';
import { missing, sessionRoutes } from './session-routes.ts';
import { siteRoutes } from './site-routes.ts';
import { siteUserRoutes } from './site-user-routes.ts';
import { APP_FOLDER, AppServer } from './static-files.ts';
import { trashRoutes } from './trash-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** The paths and methods of the API. */
export interface AdminPaths {
  readonly prefix: string;
  readonly routes: readonly AdminRoute[];
}

/** The routes of the API below its prefix; none where the administration is switched off. @param inner sends requests. */
export function adminPaths(context: HttpContext, inner: InnerRequests): AdminPaths {
  const { enabled, path } = context.config.admin;
  const content = [
    ...schemaRoutes(context),
    ...listRoutes(context),
    ...documentRoutes(context),
    ...rowsRoutes(context),
    ...trashRoutes(context),
    ...releaseRoutes(context),
    ...scheduleRoutes(context),
    ...reviewRoutes(context),
  ];
  const machinery = [
    ...webhookRoutes(context),
    ...jobRoutes(context),
    ...healthRoutes(context),
    ...auditRoutes(context),
    ...exploreRoutes(context, inner),
    ...contentTypeRoutes(context),
  ];
  const site = [...siteRoutes(context), ...siteUserRoutes(context), ...localeRoutes(context)];
  const routes = [
    ...sessionRoutes(context),
    ...linkRoutes(context),
    ...content,
    ...libraryRoutes(context),
    ...homeRoutes(context),
    ...machinery,
    ...site,
    ...peopleRoutes(context),
    ...permissionRoutes(context),
    ...tokenRoutes(context),
  ];
  return { prefix: `${path}/api`, routes: enabled ? routes : [] };
}

/** Adds the administration to a server, unless it is disabled. Routes of the project at its paths take precedence. */
export function addAdministration(server: FastifyInstance, context: HttpContext, { prefix, routes }: AdminPaths): void {
  const { admin } = context.config;
  if (!admin.enabled) return;
  for (const { path, methods, multipart = false, isForSetUp = false } of routes) {
    for (const [method, handler] of Object.entries(methods)) {
      const route = { method: method as HTTPMethods, url: prefix + path };
      server.route({ ...route, ...wrap(context, handler, isForSetUp), config: { multipart, tellsReasons: true } });
    }
  }
  const app = new AppServer(context.config, { folder: APP_FOLDER, frames: admin.preview.origins });
  const page = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | FastifyReply => {
    const name = (request.params as { '*'?: string })['*'] ?? '';
    if (/^api(?:\/|$)/i.test(name)) return sendError(reply, notFound());
    return app.answer(request, reply, name);
  };
  const pages = [
    [admin.path, page],
    [`${admin.path}/*`, page],
    ['/', rootOf(context)],
  ] as const;
  for (const [url, handler] of pages) if (!server.hasRoute({ method: 'GET', url })) server.get(url, handler);
}

/** @param isForSetUp whether administrators may use it who must set up a second factor first. */
function wrap(context: HttpContext, handler: AdminHandler | OpenHandler, isForSetUp: boolean) {
  const { administrators, http, config } = context;
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header('cache-control', 'no-store');
    requireOwnOrigin(request, config.admin);
    requireOwnBody(request);
  };
  // the administrator is not known yet, so the turn is that of the address
  const asAddress = <T>({ ip }: FastifyRequest, work: () => T): T =>
    onAccount({ key: `ip ${networkOf(ip)}`, actor: { kind: 'public', id: null, name: null, address: ip } }, work);
  const inTurn = async (account: string, request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    await http.admission.wait(account);
    if (!request.raw.socket.destroyed) return true;
    reply.hijack();
    return false;
  };
  if (typeof handler !== 'function') {
    return {
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        await onRequest(request, reply);
        await handler.before?.(request, reply);
      },
      handler: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        if (!(await inTurn(`ip ${networkOf(request.ip)}`, request, reply))) return reply;
        return asAddress(request, () => handler.open(request, reply));
      },
    };
  }
  const identify = async (request: FastifyRequest, renews: boolean) => {
    const signedIn = await asAddress(request, () => administrators.identify(tokenOf(request), renews));
    if (!signedIn) throw await missing(administrators, config.dir);
    if (signedIn.administrator.isSecondFactorDue && !isForSetUp) {
      const details = { secondFactorRequired: true };
      throw new ContentError('ForbiddenError', 'Set up a second factor first', details, {
        reason: reason('factorFirst'),
      });
    }
    return signedIn;
  };
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      await onRequest(request, reply);
      // the body is read only for a signed-in administrator
      if (request.method === 'POST' || request.method === 'PUT') await identify(request, false);
    },
    handler: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { administrator, given: token } = await identify(request, true);
      if (token !== undefined) setToken(request, reply, config.admin, token);
      const { row } = administrator;
      const key = `administrator ${row.id}`;
      if (!(await inTurn(key, request, reply))) return reply;
      const viewer = (operation: Parameters<typeof administrators.viewer>[1]) =>
        administrators.viewer(administrator, operation);
      const libraryViewer = (operation: Parameters<typeof administrators.libraryViewer>[1]) =>
        administrators.libraryViewer(administrator, operation);
      const work = async () => handler({ request, reply, administrator, viewer, libraryViewer });
      const actor = { ...actorOf(row), address: request.ip };
      return onAccount({ key, actor }, () => withCode(context, request, reply, administrator, work));
    },
  };
}

/** Runs a request in a context for project code, where any runs. */
function withCode<T>(
  { running }: HttpContext,
  { method, originalUrl: url, headers, ip, protocol, host, body, raw }: FastifyRequest,
  reply: FastifyReply,
  administrator: Administrator,
  work: () => Promise<T>,
): Promise<T> {
  if (!running) return work();
  const parts = { method, url, headers, ip, protocol, host, body: body ?? {}, raw };
  return running.administration.answer({ parts, response: reply.raw, administrator }, work);
}

/** At the root of the server, browsers are redirected to the app; other clients get a short text. */
function rootOf({ config: { admin, rest } }: HttpContext) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    addVary(reply, 'Accept');
    reply.header('cache-control', 'no-cache');
    const wanted = new Negotiator(request.raw).mediaType(['application/json', 'text/html']);
    const isBrowser = wanted === 'text/html' && /text\/html/i.test(request.headers.accept ?? '');
    if (isBrowser) return reply.redirect(`${admin.path}/`, 302);
    return sendJson(reply, JSON.stringify({ name: 'galley', api: rest.prefix || '/', administration: admin.path }));
  };
}
