/** Headers that every answer carries, errors included (specification, "HTTP"), and what browsers of other sites ask. */
import type { FastifyReply, FastifyRequest } from 'fastify';

const SECURITY = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-permitted-cross-domain-policies': 'none',
} as const;

/** The answer to a preflight request; a year is kept by no browser, each cuts it to what it allows. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
  'access-control-allow-headers': 'Content-Type,Authorization,Origin,Accept',
  'access-control-max-age': '31536000',
} as const;

/**
 * Sets the headers of every answer. Any origin is answered, as the reference does by default: callers are known by a
 * header that no browser adds by itself, so another site can do no more than any program.
 */
export function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SECURITY);
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined) return;
  reply.header('access-control-allow-origin', origin).header('access-control-allow-credentials', 'true');
}

/** Whether a request asks, for a browser, what another site may do. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Answers such a request, whatever its path. */
export function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply.headers(PREFLIGHT).code(204).send();
}
