/** The Fastify instance of a project: parsers, error answers, and the routes of every room, all made at once. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { requireSome } from '../access/authorize.ts';
import { chain } from '../chain.ts';
import { onAccountOf } from '../db/scheduling/account.ts';
import { forbidden } from '../errors.ts';
import { createServer, maxHeaderSize } from '../node-http.ts';
import type { Caller, ContextOf } from '../users/sessions/callers.ts';
import { addAdministration, adminPaths } from './admin/admin-server.ts';
import { PublicFiles } from './files/public-files.ts';
import { refuseUpload } from './files/send-file.ts';
import type { RequestHandler, UpgradeHandler } from './listener.ts';
import type { Log } from './monitoring/log.ts';
import { labelOf } from './monitoring/route-label.ts';
import { networkOf } from './protocol/account-limits.ts';
import { AddressGuard } from './protocol/address-guard.ts';
import type { Admission } from './protocol/admission.ts';
import { addBodyParsers } from './protocol/body.ts';
import { keepPace } from './protocol/body-pace.ts';
import { accountKey, CallerLimit } from './protocol/caller-limit.ts';
import { Compression } from './protocol/compression.ts';
import { CommonHeaders } from './protocol/headers.ts';
import { addressesOf, trustOf } from './protocol/proxies.ts';
import { answerError } from './protocol/refusals.ts';
import { AnswerCache } from './reads/answer-cache.ts';
import { ContentReads } from './reads/content-reads.ts';
import { RepeatedTargets } from './reads/repeated-targets.ts';
import { actionRoutes } from './routes/action-routes.ts';
import { authRoutes } from './routes/auth-routes.ts';
import { batchRoutes } from './routes/batch-routes.ts';
import { CondemnedRequests, isCondemned } from './routes/code/condemned.ts';
import { innerRoutes, withoutWithdrawn } from './routes/code/inner-routes.ts';
import { contextOf, ProjectRoutes, type ProjectRoutesContext } from './routes/code/project-routes.ts';
import { contentRoutes } from './routes/content-routes.ts';
import type { HttpContext } from './routes/context.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { fileRoutes, serveUploads } from './routes/file-routes.ts';
import { localeRoutes } from './routes/locale-routes.ts';
import { NearPaths } from './routes/near-paths.ts';
import { openApiRoutes } from './routes/openapi-routes.ts';
import { PathTable } from './routes/path-table.ts';
import { addRoutes, type Call, type ContentRead, type Guarded, type Handler, type Wrapped } from './routes/routes.ts';
import { schemaRoutes } from './routes/schema-routes.ts';
import { answerUnrouted } from './routes/unrouted.ts';
import { roleRoutes, userRoutes } from './routes/user-routes.ts';

/** What answers the requests of a project. */
export interface ProjectServer {
  readonly handler: RequestHandler;
  /** What takes connections that ask for another protocol; undefined where nobody does. */
  readonly upgrade: UpgradeHandler | undefined;
  /** Answers a request without a body that comes from this process, as if it had arrived. */
  ask(method: string, target: string): Promise<Asked>;
  /** Ends the streams of those who listen: they come back, to whatever takes the project's place. */
  endStreams(): void;
  /** Runs what ends with the project. None of its requests may be under way. */
  close(): Promise<void>;
}

/** The answer to a request of this process. */
export interface Asked {
  readonly status: number;
  readonly body: string;
}

/** Builds the server of a project. It does not listen: requests come from the engine's listener. */
export async function buildServer(context: HttpContext): Promise<ProjectServer> {
  const { promise: made, resolve } = Promise.withResolvers<RequestHandler>();
  const { server, reads, addresses, headers, condemned } = makeServer(context, resolve);
  await server.ready();
  const handler = await made;
  await context.running?.serve();
  const asksAbout = (request: IncomingMessage) => context.config.code.run && headers.isAskedAbout(request);
  const answer: RequestHandler = (request, response) => {
    const isRefused = addresses.refuses(request);
    if (!isRefused && asksAbout(request)) {
      void askAbout(context, headers, request, response).then(() => handler(request, response));
      return;
    }
    const mayRepeat = !isRefused && (context.running?.answers.areSettled ?? true);
    if (!mayRepeat || !reads.respondDirectly(request, response, handler)) handler(request, response);
  };
  const front = context.running?.front;
  front?.open(answer);
  const whole: RequestHandler = (request, response) =>
    front?.isTaken ? front.request(request, response) : answer(request, response);
  return {
    handler: condemned?.around(whole) ?? answer,
    upgrade: front?.takesUpgrades ? front.upgrade.bind(front) : undefined,
    ask: async (method, target) => {
      const { statusCode, body } = await server.inject({ method: method as HTTPMethods, url: target });
      return { status: statusCode, body };
    },
    endStreams: () => {
      context.streams.close();
      front?.close();
    },
    close: async () => {
      await server.close();
      await context.running?.close();
    },
  };
}

/** Has a function of the project say whether the origin of a request is allowed: one that throws allows none. */
async function askAbout(
  { config: { http }, http: { log } }: HttpContext,
  headers: CommonHeaders,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { bareContext } = await import('./routes/code/bare-context.ts');
    await headers.askAbout(request, bareContext(request, response, http));
  } catch (error) {
    log.code('error', 'origin of strapi::cors failed', error);
  }
}

interface Made {
  readonly headers: CommonHeaders;
  readonly server: FastifyInstance;
  readonly reads: ContentReads;
  readonly addresses: AddressGuard;
  readonly condemned: CondemnedRequests | undefined;
}

function makeServer(context: HttpContext, take: (handler: RequestHandler) => void): Made {
  const { http } = context.config;
  const { log, readiness, unread, metrics, requestId, limits, admission } = context.http;
  const headers = new CommonHeaders(http);
  const addresses = new AddressGuard(http);
  const own = context.running && new ProjectRoutes(context.running.answers, (request) => headers.isPreflight(request));
  const condemned = context.running && new CondemnedRequests(context.running, log, headers);
  const targetOf = (request: IncomingMessage): string =>
    own === undefined || addresses.hasRefused(request) ? request.url! : own.targetOf(request);
  const server = Fastify({
    logger: false,
    // Fastify asks for a server to add its listeners to; this one never listens
    serverFactory: (handler) => {
      take(handler);
      return createServer();
    },
    // what arrives on a connection that is still open while the server ends is served, and the connection closed
    return503OnClosing: false,
    trustProxy: trustOf(http.trustProxy),
    genReqId: requestId,
    ...(own ? { rewriteUrl: targetOf } : {}),
    // no route has a schema of Fastify's: its own compilers would be loaded all the same, a hundred modules
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    routerOptions: {
      ignoreTrailingSlash: true,
      caseSensitive: false,
      // as long as a target can be: an id that is too long for any document is a 404 like others, after 401 and 403
      maxParamLength: maxHeaderSize,
      // the query string is parsed by query/params.ts, in the route that needs it
      querystringParser: (text) => ({ text }),
    },
    // a target that cannot be decoded reaches no hook
    frameworkErrors: (error, request, reply) => {
      headers.add(request as FastifyRequest, reply as FastifyReply);
      const refusal = addresses.hasRefused(request.raw) ? forbidden() : error;
      void answerError(refusal, request as FastifyRequest, reply as FastifyReply, log);
    },
  });
  server.decorate('fileUrls', context.fileUrls);
  unread.watch(server);
  keepPace(server);
  addBodyParsers(server, http);
  // Their bodies mean nothing and are not read.
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  server.setErrorHandler((error: FastifyError, request, reply) =>
    isCondemned() ? reply.send() : answerError(error, request, reply, log),
  );
  metrics?.watch(server);
  server.addHook('onRequest', (request, reply, done) => {
    if (!addresses.hasRefused(request.raw)) return done();
    headers.add(request, reply);
    done(forbidden());
  });
  const ofServer = [
    ...contentRoutes(context),
    ...fileRoutes(context),
    ...localeRoutes(context),
    ...authRoutes(context),
    ...userRoutes(context),
    ...roleRoutes(context),
    ...schemaRoutes(context),
    ...actionRoutes(context),
    ...batchRoutes(context),
    ...eventRoutes(context),
    ...openApiRoutes(context),
  ];
  const { prefix } = context.config.rest;
  const routes = withoutWithdrawn(ofServer, context.running?.withdrawn ?? new Set());
  const administration = adminPaths(context);
  const paths = new PathTable(context.running?.answers.paths ?? [], { prefix, routes }, administration);
  const files = new PublicFiles(context.config, [prefix, context.config.admin.path], context.code.publicClosed);
  const limit = http.rateLimit && new CallerLimit(http.rateLimit, limits);
  const near = new NearPaths(prefix, context.catalog, paths, routes);
  answerUnrouted(server, { paths, near, identify: identifier(context, limit), headers, readiness, files });
  condemned?.watch(server, (request) => own!.isInner(request));
  finishAnswers(server, context);
  keepLog(server, log, own);
  server.get('/uploads/*', { errorHandler: refuseUpload }, serveUploads(context));
  const cache = openCache(context);
  if (cache) server.addHook('onClose', async () => cache.close());
  // metrics, lines for requests and limits take a look at every request
  const repeats = !metrics && !log.hasRequests && !limit;
  const repeated = repeats ? new RepeatedTargets(http.compression !== undefined) : undefined;
  const reads = new ContentReads({ ...context, cache, repeated, addressOf: addressesOf(http.trustProxy) });
  own?.add(server, projectContext(context, { limit, admission, reads }));
  const wrap = (entry: Handler | Guarded | ContentRead) => handle(context, { limit, admission, reads }, entry);
  addRoutes(server, prefix, routes, wrap);
  if (own) addRoutes(server, own.innerPrefix, innerRoutes(ofServer, prefix), wrap);
  addAdministration(server, context, administration);
  return { headers, server, reads, addresses, condemned };
}

/** @throws Error always: what it would make is asked for by routes with schemas only. */
function noCompiler(): never {
  throw new Error('no route has a schema');
}

/** What keeps answers; undefined where nothing tells that one is current, and where the configuration allows none. */
function openCache({ database, config, http }: HttpContext): AnswerCache | undefined {
  const { answerCache } = config.rest;
  if (database.changeClock === undefined || answerCache.size === 0) return undefined;
  return new AnswerCache(database.changeClock, answerCache, http.answers);
}

/** What is done with every answer before it is sent. */
function finishAnswers(server: FastifyInstance, { config, http: { readiness, unread } }: HttpContext): void {
  const compression = config.http.compression && new Compression(config.http.compression);
  server.addHook('onSend', (request, reply, body, done) => {
    if (readiness.ending) reply.header('connection', 'close');
    try {
      unread.hold(request.raw, reply.raw, body);
    } catch (error) {
      forgetAnswer(reply);
      return done(error as Error);
    }
    const compressed = compression?.apply(request, reply, body);
    if (compressed === undefined) return done(null, body);
    compressed.then((smaller) => {
      if (smaller !== undefined) unread.hold(request.raw, reply.raw, smaller);
      done(null, smaller ?? body);
    }, done);
  });
}

/** Headers of an answer that is refused in the end: what they say is not true of the refusal. */
function forgetAnswer(reply: FastifyReply): void {
  for (const name of ['etag', 'cache-control', 'content-length']) reply.removeHeader(name);
}

function keepLog(server: FastifyInstance, log: Log, own: ProjectRoutes | undefined): void {
  if (!log.hasRequests) return;
  server.addHook('onResponse', (request, reply, done) => {
    if (!own?.isInner(request)) log.request(request, reply);
    done();
  });
}

interface Gates {
  readonly limit: CallerLimit | undefined;
  readonly admission: Admission;
  readonly reads: ContentReads;
}

/** What the server gives to requests that the project's code answers. */
function projectContext(context: HttpContext, { limit, admission }: Gates): ProjectRoutesContext {
  const { callers, views, media, http } = context;
  const addressOf = (request: FastifyRequest): string => `ip ${networkOf(request.ip)}`;
  return {
    log: http.log,
    media,
    identify: async (request, reply, as) => {
      const contextOf = contextMaker(context, request, reply);
      const identify = (): Promise<Caller> => {
        if (as === 'public') return callers.identify(undefined);
        if (limit) return limit.identify(request, reply, callers, contextOf);
        return callers.identify(request.headers.authorization, contextOf);
      };
      const caller = await identify();
      return { caller, viewer: views.viewer(caller.grants, { userId: caller.userId }) };
    },
    count: async (request, reply) => limit?.count(request, reply),
    inTurn: async (request, reply, work) => {
      await admission.wait(addressOf(request));
      if (request.raw.socket.destroyed) return reply.hijack();
      return onAccountOf(addressOf(request), work);
    },
  };
}

/**
 * Looks the caller up, then runs the handler in the caller's turn. Where there is a body, the caller is looked up
 * before it is read, counted, and refused without the right to send it; and looked up again behind it, since a body may
 * take long to arrive. Refusals go to the error handler.
 */
function handle(
  context: HttpContext,
  { limit, admission, reads }: Gates,
  entry: Handler | Guarded | ContentRead,
): Wrapped {
  const { views } = context;
  const lookUp = identifier(context, undefined);
  const identify = identifier(context, limit);
  const run = (
    handler: Handler,
    { request, reply, caller }: Omit<Call, 'viewer'>,
  ): FastifyReply | Promise<FastifyReply> => {
    const account = accountKey(caller, () => request.ip);
    const begin = () => {
      const viewer = views.viewer(caller.grants, { userId: caller.userId });
      const call = { request, reply, caller, viewer };
      return onAccountOf(account, () => withCode(context, call, () => handler(call)));
    };
    const turn = admission.wait(account);
    // clients that have disconnected while waiting are not served
    return turn ? turn.then(() => (request.raw.socket.destroyed ? reply.hijack() : begin())) : begin();
  };
  if (typeof entry === 'function' || 'respond' in entry) {
    const handler: Handler = typeof entry === 'function' ? entry : (call) => reads.respond(entry, call);
    return {
      handler: (request, reply) => {
        const sent = chain(identify(request, reply), (caller) => run(handler, { request, reply, caller }));
        return sent instanceof Promise ? sent : undefined;
      },
    };
  }
  const { needs, before, handler } = entry;
  return {
    onRequest: async (request, reply) => {
      requireSome((await identify(request, reply)).grants, needs);
      await before?.(request, reply);
    },
    handler: async (request, reply) => {
      const caller = await lookUp(request, reply);
      requireSome(caller.grants, needs);
      return run(handler, { request, reply, caller });
    },
  };
}

/**
 * Looks callers up, counting their requests against a limit if there is one. The caller is unknown until then: the lookup
 * is done in the turn of the address.
 */
function identifier(context: HttpContext, limit: CallerLimit | undefined) {
  const { callers } = context;
  return (request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller> => {
    const { authorization } = request.headers;
    const known = limit ? undefined : callers.known(authorization);
    if (known) return known;
    const contextOf = contextMaker(context, request, reply);
    return onAccountOf(`ip ${networkOf(request.ip)}`, () =>
      limit ? limit.identify(request, reply, callers, contextOf) : callers.identify(authorization, contextOf),
    );
  };
}

/** What makes the context of a request for code that looks callers up; undefined where no code runs. */
function contextMaker(
  { running }: Pick<HttpContext, 'running'>,
  request: FastifyRequest,
  reply: FastifyReply,
): ContextOf | undefined {
  return running && (() => contextOf(request, reply, { body: request.body ?? {}, ...running.answers.ofContexts }));
}

/** Does the work of a request in a context that code of the project knows, where any may run around it. */
function withCode(
  { running, config }: HttpContext,
  { request, reply, caller, viewer }: Call,
  work: () => FastifyReply | Promise<FastifyReply>,
): FastifyReply | Promise<FastifyReply> {
  if (!running) return work();
  const { method, originalUrl: url, headers, ip, protocol, host, body = {}, raw } = request;
  const parts = { method, url, headers, ip, protocol, host, body, raw, ...running.answers.ofContexts };
  const path = (labelOf(request) ?? '').slice(config.rest.prefix.length);
  const params = request.params as Record<string, string>;
  return running.builtIn.answer({ parts, response: reply.raw, params, path, calling: { caller, viewer } }, async () =>
    work(),
  );
}
