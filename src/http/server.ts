/** The HTTP server of a project. A request meets the project's front, then direct reads, then the stages in Fastify. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify';
import { forbidden } from '../errors.ts';
import { createServer, maxHeaderSize, type RequestHandler } from '../node-http.ts';
import { type InnerAnswer, InnerRequests } from './inner-requests.ts';
import type { Upgrades } from './listener.ts';
import { AddressGuard, trustOf } from './protocol/addresses.ts';
import { CommonHeaders } from './protocol/headers.ts';
import { answerError } from './protocol/refusals.ts';
import { CondemnedRequests } from './routes/code/condemned.ts';
import { ProjectRoutes } from './routes/code/project-routes.ts';
import type { HttpContext } from './routes/context.ts';
import { addStages, type Entrance } from './stages.ts';

/** Responds to the requests of a project. */
export interface ProjectServer {
  readonly handler: RequestHandler;
  /** Takes connections that request another protocol; undefined for a project without code. */
  readonly upgrades: Upgrades | undefined;
  /** Responds to a request without a body from this process, as if it had arrived. */
  ask(method: string, target: string): Promise<InnerResponse>;
  /**
   * Answers a request without a body from a second connection; undefined if its answer has no end, or is too long or late.
   * Undefined for a project with code, in which a read may do more.
   */
  readonly read: ((request: IncomingMessage) => Promise<InnerAnswer | undefined>) | undefined;
  /** Ends the event streams. Their clients reconnect, to the project that replaces this one. */
  endStreams(): void;
  /** Ends the server. None of its requests may be in progress. */
  close(): Promise<void>;
}

/** The response to a request from this process. */
export interface InnerResponse {
  readonly status: number;
  readonly body: string;
}

/** Bytes and milliseconds of answers beside requests that wait. */
const READ_LIMITS = { longest: 10_000_000, timeout: 10_000 };

/** Builds the server of a project. It does not listen: requests come from the engine's listener. */
export async function buildServer(context: HttpContext): Promise<ProjectServer> {
  const { promise: created, resolve } = Promise.withResolvers<RequestHandler>();
  const entrance = entranceOf(context);
  const { addresses, headers, condemned, inner } = entrance;
  const server = createFastify(context, entrance, resolve);
  const reads = addStages(server, context, entrance);
  await server.ready();
  const handler = await created;
  await context.running?.serve();
  const hasOriginToAsk = (request: IncomingMessage) => context.config.code.run && headers.isAskedAbout(request);
  const answer: RequestHandler = (request, response) => {
    const isRefused = addresses.refuses(request);
    if (!isRefused && hasOriginToAsk(request)) {
      void askAbout(context, headers, request, response).then(() => handler(request, response));
      return;
    }
    if (isRefused || !reads.respondDirectly(request, response, handler)) handler(request, response);
  };
  const front = context.running?.front;
  context.running?.open(answer);
  const whole: RequestHandler = (request, response) => {
    if (!front?.isTaken) return answer(request, response);
    context.running!.requireStart();
    front.request(request, response);
  };
  const outermost = condemned?.around(whole) ?? answer;
  inner.serve(outermost);
  return {
    handler: outermost,
    upgrades: front && {
      areTaken: () => front.takesUpgrades,
      take: condemned!.aroundUpgrade((...upgrade) => {
        context.running!.requireStart();
        front.upgrade(...upgrade);
      }),
      watch: (changed) => front.whenUpgraded(changed),
    },
    ask: async (method, target) => {
      const { statusCode, body } = await server.inject({ method: method as HTTPMethods, url: target });
      return { status: statusCode, body };
    },
    read: context.running
      ? undefined
      : async (request) => {
          const { method = 'GET', url: target = '/', socket } = request;
          const headers = Object.fromEntries(
            Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
          );
          const asked = { method, target, headers, address: socket.remoteAddress ?? '', isRepeated: true } as const;
          const answer = await inner.send(asked, READ_LIMITS);
          return answer.isCut || answer.status >= 500 ? undefined : answer;
        },
    endStreams: () => {
      context.streams.close();
      context.appChanges.close();
      front?.close();
    },
    close: async () => {
      await server.close();
      await context.running?.close();
    },
  };
}

/** Calls the project's function that allows origins. A function that throws allows none. */
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

function entranceOf({ config, running, http: { log } }: HttpContext): Entrance {
  const headers = new CommonHeaders(config.http);
  return {
    headers,
    addresses: new AddressGuard(config.http),
    projectRoutes: running && new ProjectRoutes(running.answers, (request) => headers.isPreflight(request)),
    condemned: running && new CondemnedRequests(running, log, headers),
    inner: new InnerRequests(),
  };
}

/** Creates the Fastify instance. @param take takes the handler of requests, which listens nowhere by itself. */
function createFastify(
  { config: { http }, http: { log, requestId } }: HttpContext,
  { headers, addresses, projectRoutes }: Entrance,
  take: (handler: RequestHandler) => void,
): FastifyInstance {
  const targetOf = (request: IncomingMessage): string =>
    projectRoutes === undefined || addresses.hasRefused(request) ? request.url! : projectRoutes.targetOf(request);
  return Fastify({
    logger: false,
    // Fastify needs a server for its listeners; this one never listens
    serverFactory: (handler) => {
      take(handler);
      return createServer();
    },
    // a request on a connection that is open while the server ends is served, and the connection closed
    return503OnClosing: false,
    trustProxy: trustOf(http.trustProxy),
    genReqId: requestId,
    ...(projectRoutes ? { rewriteUrl: targetOf } : {}),
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
}

/** @throws Error always: only routes with schemas need a compiler. */
function noCompiler(): never {
  throw new Error('no route has a schema');
}
