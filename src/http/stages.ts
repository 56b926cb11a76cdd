/** The stages of a server, in the order in which a request meets them: each adds its hooks or routes to Fastify. */
import type { IncomingMessage } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { forbidden, unavailable } from '../errors.ts';
import { type AdminPaths, addAdministration, adminPaths } from './admin/admin-server.ts';
import { PublicFiles } from './files/public-files.ts';
import { refuseUpload } from './files/send-file.ts';
import type { InnerRequests } from './inner-requests.ts';
import { type AddressGuard, addressesOf } from './protocol/addresses.ts';
import { addBodyParsers, keepPace } from './protocol/body.ts';
import { CallerLimit } from './protocol/caller-limit.ts';
import { Compression } from './protocol/compression.ts';
import type { CommonHeaders } from './protocol/headers.ts';
import { answerError } from './protocol/refusals.ts';
import { sendError } from './protocol/reply.ts';
import { AnswerCache } from './reads/answer-cache.ts';
import { ContentReads } from './reads/content-reads.ts';
import { RepeatedTargets } from './reads/repeated-targets.ts';
import { Calls } from './routes/calls.ts';
import { type CondemnedRequests, isCondemned } from './routes/code/condemned.ts';
import { innerRoutes, withoutWithdrawn } from './routes/code/inner-routes.ts';
import type { ProjectRoutes } from './routes/code/project-routes.ts';
import type { HttpContext } from './routes/context.ts';
import { serveUploads } from './routes/file-routes.ts';
import { NearPaths, PathTable } from './routes/near-paths.ts';
import { addRoutes, type Route } from './routes/routes.ts';
import { serverRoutes } from './routes/server-routes.ts';
import { answerUnrouted } from './routes/unrouted.ts';

/** What looks at requests before Fastify does. */
export interface Entrance {
  readonly headers: CommonHeaders;
  readonly addresses: AddressGuard;
  /** Routes of project code; undefined where none runs. */
  readonly projectRoutes: ProjectRoutes | undefined;
  readonly condemned: CondemnedRequests | undefined;
  /** Requests of this process. */
  readonly inner: InnerRequests;
}

/** What stages share. */
interface Staging extends HttpContext, Entrance {
  readonly calls: Calls;
  readonly reads: ContentReads;
  /** The server's routes, and those of them that project code has not taken away. */
  readonly allRoutes: readonly Route[];
  readonly routes: readonly Route[];
  readonly administration: AdminPaths;
}

type Stage = (server: FastifyInstance, staging: Staging) => void;

/** Adds all stages to a server. @returns the reads of content, which respond to some requests without Fastify. */
export function addStages(server: FastifyInstance, context: HttpContext, entrance: Entrance): ContentReads {
  const { rateLimit } = context.config.http;
  const allRoutes = serverRoutes(context);
  const staging: Staging = {
    ...context,
    ...entrance,
    calls: new Calls(context, rateLimit && new CallerLimit(rateLimit, context.http.limits)),
    reads: contentReadsOf(context),
    allRoutes,
    routes: withoutWithdrawn(allRoutes, context.running?.withdrawn ?? new Set()),
    administration: adminPaths(context, entrance.inner),
  };
  for (const stage of STAGES) stage(server, staging);
  return staging.reads;
}

/** Reads of content with their caches. */
function contentReadsOf(context: HttpContext): ContentReads {
  const { database, config, http, running } = context;
  const { answerCache } = config.rest;
  const { changeClock } = database;
  const cache =
    changeClock && answerCache.size > 0 ? new AnswerCache(changeClock, answerCache, http.answers) : undefined;
  // metrics, log lines and limits look at every request
  const mayRepeat = !http.metrics && !http.log.hasRequests && !config.http.rateLimit;
  const repeated = mayRepeat ? new RepeatedTargets(config.http.compression !== undefined) : undefined;
  const isSettled = (request: IncomingMessage): boolean => running?.answers.isSettled(request) ?? true;
  return new ContentReads({ ...context, cache, repeated, isSettled, addressOf: addressesOf(config.http.trustProxy) });
}

const signAddresses: Stage = (server, { fileUrls }) => {
  server.decorate('fileUrls', fileUrls);
};

const endUnreadResponses: Stage = (server, { http }) => http.unread.watch(server);

const endSlowBodies: Stage = (server) => keepPace(server);

const parseBodies: Stage = (server, { config }) => {
  addBodyParsers(server, config.http);
  // bodies of DELETE mean nothing and are not read
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
};

const answerErrors: Stage = (server, { http: { log }, inner }) => {
  server.setErrorHandler((error: FastifyError, request, reply) => {
    if (isCondemned()) return reply.send();
    if (inner.isRepeated(request.raw)) return sendError(reply, unavailable('The request is repeated'));
    return answerError(error, request, reply, log);
  });
};

const countRequests: Stage = (server, { http }) => http.metrics?.watch(server);

const refuseAddresses: Stage = (server, { addresses, headers }) => {
  server.addHook('onRequest', (request, reply, done) => {
    if (!addresses.hasRefused(request.raw)) return done();
    headers.add(request, reply);
    done(forbidden());
  });
};

const answerWithoutRoute: Stage = (server, staging) => {
  const { config, catalog, running, code, calls, headers, http, routes, administration } = staging;
  const { prefix } = config.rest;
  const own = running?.answers.paths ?? [];
  const paths = new PathTable(own, { prefix, routes }, administration);
  const served = [{ prefix, routes }, administration].flatMap((part) =>
    part.routes.map(({ path }) => part.prefix + path),
  );
  http.names.replace(catalog, [...own.map(({ path }) => path), ...served], config.admin.path);
  answerUnrouted(server, {
    paths,
    near: new NearPaths(prefix, catalog, paths, routes),
    identify: (request, reply) => calls.identify(request, reply),
    headers,
    readiness: http.readiness,
    files: new PublicFiles(config, [prefix, config.admin.path], code.publicClosed),
  });
};

const replaceCondemned: Stage = (server, { condemned, projectRoutes }) =>
  condemned?.watch(server, (request) => projectRoutes!.isInner(request));

/** Limits the memory of responses, compresses them, and closes connections while the server ends. */
const finishResponses: Stage = (server, { config, http: { readiness, unread } }) => {
  const compression = config.http.compression && new Compression(config.http.compression);
  server.addHook('onSend', (request, reply, body, done) => {
    if (readiness.ending) reply.header('connection', 'close');
    try {
      unread.hold(request.raw, reply.raw, body);
    } catch (error) {
      removeContentHeaders(reply);
      return done(error as Error);
    }
    const compressed = compression?.apply(request, reply, body);
    if (compressed === undefined) return done(null, body);
    compressed.then((smaller) => {
      if (smaller !== undefined) unread.hold(request.raw, reply.raw, smaller);
      done(null, smaller ?? body);
    }, done);
  });
};

/** Removes the headers of a response that a refusal replaces. */
function removeContentHeaders(reply: FastifyReply): void {
  for (const name of ['etag', 'cache-control', 'content-length']) reply.removeHeader(name);
}

const logRequests: Stage = (server, { http: { log }, projectRoutes }) => {
  if (!log.hasRequests) return;
  server.addHook('onResponse', (request, reply, done) => {
    if (!projectRoutes?.isInner(request)) log.request(request, reply);
    done();
  });
};

const serveStoredFiles: Stage = (server, staging) => {
  server.get('/uploads/*', { errorHandler: refuseUpload }, serveUploads(staging));
};

const answerProjectRoutes: Stage = (server, { projectRoutes, calls }) =>
  projectRoutes?.add(server, calls.forProjectRoutes());

const answerServerRoutes: Stage = (server, { config, calls, reads, routes, allRoutes, projectRoutes }) => {
  const { prefix } = config.rest;
  server.addHook('onClose', async () => reads.close());
  addRoutes(server, prefix, routes, (entry) => calls.wrap(entry, reads));
  if (!projectRoutes) return;
  addRoutes(server, projectRoutes.innerPrefix, innerRoutes(allRoutes, prefix), (entry) => calls.wrap(entry, reads));
};

const answerAdministration: Stage = (server, staging) => addAdministration(server, staging, staging.administration);

const STAGES: readonly Stage[] = [
  signAddresses,
  endUnreadResponses,
  endSlowBodies,
  parseBodies,
  answerErrors,
  countRequests,
  refuseAddresses,
  answerWithoutRoute,
  replaceCondemned,
  finishResponses,
  logRequests,
  serveStoredFiles,
  answerProjectRoutes,
  answerServerRoutes,
  answerAdministration,
];
