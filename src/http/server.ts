/** The HTTP server: parsers, error answers, and the routes of every room, all made at boot. */
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastifyStatic from '@fastify/static';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ContentError, validation } from '../errors.ts';
import { actionRoutes } from './action-routes.ts';
import { batchRoutes } from './batch-routes.ts';
import { addBodyParsers } from './body.ts';
import { contentRoutes } from './content-routes.ts';
import type { HttpContext } from './context.ts';
import { discardBody } from './discard.ts';
import { fileRoutes, refuseUpload, serveUploads, UPLOAD_OPTIONS } from './file-routes.ts';
import { addCommonHeaders } from './headers.ts';
import { localeRoutes } from './locale-routes.ts';
import { PathTable } from './path-table.ts';
import { errorBody, sendError } from './reply.ts';
import { addRoutes, type Handler } from './routes.ts';
import { answerUnrouted } from './unrouted.ts';
import { userRoutes } from './user-routes.ts';

const BODY_TOO_LARGE = 'FST_ERR_CTP_BODY_TOO_LARGE';

/** Milliseconds in which a request must have arrived with its body. */
const REQUEST_TIMEOUT = 60_000;

/** Builds the server of a project; it does not listen yet. */
export function buildServer(context: HttpContext): FastifyInstance {
  const server = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_TIMEOUT,
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
      addCommonHeaders(request as FastifyRequest, reply as FastifyReply);
      answerError(error, reply as FastifyReply);
    },
    clientErrorHandler: refuseConnection,
  });
  addBodyParsers(server);
  // Their bodies mean nothing and are not read.
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  server.setErrorHandler(async (error: FastifyError, request, reply) => {
    if (error.code === BODY_TOO_LARGE) await discardBody(request.raw);
    return answerError(error, reply);
  });
  const routes = [
    ...contentRoutes(context),
    ...fileRoutes(context),
    ...localeRoutes(context),
    ...userRoutes(context),
    ...actionRoutes(context),
    ...batchRoutes(context),
  ];
  const { prefix } = context.config.rest;
  answerUnrouted(server, new PathTable(prefix, routes));
  server.register(fastifyStatic, { root: context.config.publicDir, serve: false, ...UPLOAD_OPTIONS });
  server.get('/uploads/*', { errorHandler: refuseUpload }, serveUploads(context.config.publicDir));
  addRoutes(server, prefix, routes, (handler) => handle(context, handler));
  return server;
}

/** How often connections that have become idle are closed while the server ends, in milliseconds. */
const SWEEP = 50;

/**
 * Ends a server: what is in flight is answered. Node closes idle connections when it begins to end and not those that
 * become idle later, which would be waited for until they time out.
 */
export async function closeServer(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
  }
}

/** Looks the caller up, then runs the handler. Refusals go to the error handler. */
function handle(context: HttpContext, handler: Handler) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = await context.callers.identify(request.headers.authorization);
    return handler({ request, reply, caller });
  };
}

/** Turns whatever was thrown into an answer. Nothing of an unknown error reaches the client. */
function answerError(error: FastifyError | ContentError, reply: FastifyReply): FastifyReply {
  if (error instanceof ContentError) return sendError(reply, error);
  if (error.code === BODY_TOO_LARGE) {
    return sendError(reply, new ContentError('PayloadTooLargeError', 'request entity too large'));
  }
  if (error.code === 'FST_ERR_BAD_URL') return sendError(reply, validation('The URL is not percent-encoded UTF-8'));
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return sendError(reply, validation('The request cannot be read'));
  }
  process.stderr.write(`error: ${error.stack ?? error.message}\n`);
  return sendError(reply, new ContentError('InternalServerError', 'Internal Server Error', {}));
}

/** Refuses what is not HTTP, or has headers beyond Node's limit (431), in the same envelope. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (socket.destroyed || !socket.writable) return;
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ContentError('HeadersTooLargeError', 'The request line and headers are too long')
      : validation('The request is not HTTP');
  const body = errorBody(refusal);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
