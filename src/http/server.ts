/** The HTTP server: parsers, error answers, and the routes of every room, all made at boot. */
import { setTimeout as after } from 'node:timers/promises';
import fastifyStatic from '@fastify/static';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { requireSome } from '../access/authorize.ts';
import type { HttpConfig } from '../config/config.ts';
import { onAccountOf } from '../db/account.ts';
import type { Caller } from '../users/sessions/callers.ts';
import { Readiness } from './monitoring/health.ts';
import { Log } from './monitoring/log.ts';
import { Metrics } from './monitoring/metrics.ts';
import { requestIds } from './monitoring/request-id.ts';
import { networkOf } from './protocol/account-limits.ts';
import { Admission } from './protocol/admission.ts';
import { addBodyParsers } from './protocol/body.ts';
import { keepPace } from './protocol/body-pace.ts';
import { accountKey, CallerLimit } from './protocol/caller-limit.ts';
import { Compression } from './protocol/compression.ts';
import { CommonHeaders } from './protocol/headers.ts';
import { maxHeaderSize } from './protocol/node-http.ts';
import { trustOf } from './protocol/proxies.ts';
import { answerError, refuseConnection } from './protocol/refusals.ts';
import { UnreadAnswers } from './protocol/unread-answers.ts';
import { actionRoutes } from './routes/action-routes.ts';
import { authRoutes } from './routes/auth-routes.ts';
import { batchRoutes } from './routes/batch-routes.ts';
import { contentRoutes } from './routes/content-routes.ts';
import type { HttpContext } from './routes/context.ts';
import { fileRoutes, refuseUpload, serveUploads, UPLOAD_OPTIONS } from './routes/file-routes.ts';
import { localeRoutes } from './routes/locale-routes.ts';
import { PathTable } from './routes/path-table.ts';
import { roleRoutes } from './routes/role-routes.ts';
import { addRoutes, type Call, type Guarded, type Handler, type Wrapped } from './routes/routes.ts';
import { answerUnrouted } from './routes/unrouted.ts';
import { uploadRoutes } from './routes/upload-routes.ts';
import { userRoutes } from './routes/user-routes.ts';

/** Builds the server of a project; it does not listen yet. */
export function buildServer(context: HttpContext): FastifyInstance {
  const { http } = context.config;
  const log = new Log(http.logLevel);
  const headers = new CommonHeaders(http);
  const readiness = new Readiness(context.database);
  const server = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    // what arrives on a connection that is still open while the server ends is served, and the connection closed
    return503OnClosing: false,
    trustProxy: trustOf(http.trustProxy),
    genReqId: requestIds(),
    // bodies are timed by body-pace.ts
    requestTimeout: 0,
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
      void answerError(error, request as FastifyRequest, reply as FastifyReply, log);
    },
    clientErrorHandler: refuseConnection,
  });
  server.decorate('fileUrls', context.fileUrls);
  const unread = new UnreadAnswers(http.answers);
  unread.watch(server);
  keepPace(server);
  addBodyParsers(server, http);
  // Their bodies mean nothing and are not read.
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  server.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, log));
  if (http.metrics) new Metrics(http.metrics, context.database, unread).watch(server);
  const routes = [
    ...contentRoutes(context),
    ...fileRoutes(context),
    ...uploadRoutes(context),
    ...localeRoutes(context),
    ...authRoutes(context),
    ...userRoutes(context),
    ...roleRoutes(context),
    ...actionRoutes(context),
    ...batchRoutes(context),
  ];
  const { prefix } = context.config.rest;
  answerUnrouted(server, { paths: new PathTable(prefix, routes), headers, readiness });
  finishAnswers(server, http, readiness, unread);
  keepLog(server, log);
  server.register(fastifyStatic, { root: context.config.publicDir, serve: false, ...UPLOAD_OPTIONS });
  server.get('/uploads/*', { errorHandler: refuseUpload }, serveUploads(context));
  const limit = http.rateLimit && new CallerLimit(http.rateLimit);
  const admission = new Admission();
  addRoutes(server, prefix, routes, (entry) => handle(context, { limit, admission }, entry));
  return server;
}

/** What is done with every answer before it is sent; and how the server begins to end. */
function finishAnswers(server: FastifyInstance, http: HttpConfig, readiness: Readiness, unread: UnreadAnswers): void {
  const compression = http.compression && new Compression(http.compression);
  server.addHook('onSend', (request, reply, body, done) => {
    if (readiness.ending) reply.header('connection', 'close');
    try {
      unread.hold(request, reply, body);
    } catch (error) {
      forgetAnswer(reply);
      return done(error as Error);
    }
    const compressed = compression?.apply(request, reply, body);
    if (compressed === undefined) return done(null, body);
    compressed.then((smaller) => {
      if (smaller !== undefined) unread.hold(request, reply, smaller);
      done(null, smaller ?? body);
    }, done);
  });
  // `/_ready` tells it while connections are still taken, so that whoever sends requests here stops
  server.addHook('preClose', async () => {
    readiness.ending = true;
    if (server.server.listening) await after(http.shutdown.delay);
  });
}

/** Headers of an answer that is refused in the end: what they say is not true of the refusal. */
function forgetAnswer(reply: FastifyReply): void {
  for (const name of ['etag', 'cache-control', 'content-length']) reply.removeHeader(name);
}

function keepLog(server: FastifyInstance, log: Log): void {
  server.addHook('onReady', () => log.open());
  // without a listener an accept that fails, such as for want of a file descriptor, would end the process
  server.addHook('onListen', async () => void server.server.on('error', (error) => log.unaccepted(error)));
  if (log.hasRequests) {
    server.addHook('onResponse', (request, reply, done) => {
      log.request(request, reply);
      done();
    });
  }
  server.addHook('onClose', async () => log.close());
}

/** How often connections that have become idle are closed while the server ends, in milliseconds. */
const SWEEP = 50;

/**
 * Ends a server: what is in flight is answered, if it takes no longer than the project allows; connections that are
 * open then are cut off. Node closes idle connections when it begins to end and not those that become idle later,
 * which would be waited for until they time out.
 */
export async function closeServer(server: FastifyInstance, { delay, timeout }: HttpConfig['shutdown']): Promise<void> {
  const started = Date.now();
  const sweep = setInterval(() => {
    const waited = Date.now() - started;
    if (waited >= delay + timeout) server.server.closeAllConnections();
    else if (waited >= delay) server.server.closeIdleConnections();
  }, SWEEP);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
  }
}

interface Gates {
  readonly limit: CallerLimit | undefined;
  readonly admission: Admission;
}

/**
 * Looks the caller up, then runs the handler in the caller's turn. Where there is a body, the caller is looked up before
 * it is read, counted, and refused without the right to send it; and looked up again behind it, since a body may take
 * long to arrive. Refusals go to the error handler.
 */
function handle({ callers }: HttpContext, { limit, admission }: Gates, entry: Handler | Guarded): Wrapped {
  // nobody is known yet: until then it is the address that has its turn
  const lookUp = (request: FastifyRequest) =>
    onAccountOf(`ip ${networkOf(request.ip)}`, () => callers.identify(request.headers.authorization));
  const identify = (request: FastifyRequest, reply: FastifyReply): Promise<Caller> =>
    limit ? onAccountOf(`ip ${networkOf(request.ip)}`, () => limit.identify(request, reply, callers)) : lookUp(request);
  const run = async (handler: Handler, call: Call): Promise<FastifyReply> => {
    const { request, reply, caller } = call;
    const account = accountKey(request, caller);
    const turn = admission.wait(account);
    if (turn) {
      await turn;
      // clients that have disconnected while waiting are not served
      if (request.raw.socket.destroyed) return reply.hijack();
    }
    return onAccountOf(account, () => handler(call));
  };
  if (typeof entry === 'function') {
    return {
      handler: async (request, reply) => run(entry, { request, reply, caller: await identify(request, reply) }),
    };
  }
  const { needs, before, handler } = entry;
  return {
    onRequest: async (request, reply) => {
      requireSome((await identify(request, reply)).grants, needs);
      before?.(request, reply);
    },
    handler: async (request, reply) => {
      const caller = await lookUp(request);
      requireSome(caller.grants, needs);
      return run(handler, { request, reply, caller });
    },
  };
}
