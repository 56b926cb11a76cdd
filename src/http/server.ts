/** The HTTP server: parsers, error answers, and the routes of every room, all made at boot. */
import fastifyStatic from '@fastify/static';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ContentError, notFound, validation } from '../errors.ts';
import { addBodyParsers } from './body.ts';
import { contentRoutes } from './content-routes.ts';
import type { HttpContext } from './context.ts';
import { fileRoutes, serveUploads } from './file-routes.ts';
import { localeRoutes } from './locale-routes.ts';
import { errorBody, sendError } from './reply.ts';
import { addRoutes, type Handler } from './routes.ts';
import { userRoutes } from './user-routes.ts';

/** Builds the server of a project; it does not listen yet. */
export function buildServer(context: HttpContext): FastifyInstance {
  const server = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    routerOptions: {
      ignoreTrailingSlash: true,
      caseSensitive: false,
      // the query string is parsed by query/params.ts, in the route that needs it
      querystringParser: (text) => ({ text }),
    },
    frameworkErrors: (error, _request, reply) => void answerError(error, reply as FastifyReply),
    clientErrorHandler: refuseConnection,
  });
  addBodyParsers(server);
  server.setErrorHandler((error: FastifyError, _request, reply) => answerError(error, reply));
  server.setNotFoundHandler((_request, reply) => sendError(reply, notFound()));
  server.register(fastifyStatic, {
    root: context.config.publicDir,
    serve: false,
    index: false,
    etag: false,
    maxAge: 0,
    dotfiles: 'ignore',
  });
  server.all('/_health', (_request, reply) => reply.code(204).send());
  server.get('/uploads/*', serveUploads(context.config.publicDir));
  const routes = [...contentRoutes(context), ...fileRoutes(context), ...localeRoutes(context), ...userRoutes(context)];
  addRoutes(server, context.config.rest.prefix, routes, (handler) => handle(context, handler));
  return server;
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
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return sendError(reply, new ContentError('PayloadTooLargeError', 'request entity too large', undefined));
  }
  if (error.code === 'FST_ERR_BAD_URL') return sendError(reply, validation('The URL is not percent-encoded UTF-8'));
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return sendError(reply, validation('The request cannot be read'));
  }
  process.stderr.write(`error: ${error.stack ?? error.message}\n`);
  return sendError(reply, new ContentError('InternalServerError', 'An error occurred', {}));
}

/** Refuses what is not HTTP, or has headers beyond Node's limit (431), in the same envelope. */
function refuseConnection(error: Error & { code?: string }, socket: import('node:net').Socket): void {
  if (socket.destroyed || !socket.writable) return;
  const [status, phrase, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'The request line and headers are too long']
      : [400, 'Bad Request', 'The request is not HTTP'];
  const known = new ContentError('ValidationError', message);
  const body = errorBody(known).replace('"status":400', `"status":${status}`);
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
