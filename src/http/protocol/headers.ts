/**
 * Headers that every answer carries, errors included (docs/reference/http.md), and what browsers of other sites ask.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CorsConfig, HttpConfig } from '../../config/config.ts';

/** The headers that a request of another origin may have, in the reference's order. */
const ALLOWED = 'Content-Type,Authorization,Origin,Accept';
/** Others that mean something here: allowed where a browser asks for them and the project does not say otherwise. */
const ALSO_ALLOWED = ['If-Match', 'If-None-Match', 'Range', 'Strapi-Response-Format', 'X-Request-Id'];

/**
 * Sets the headers of every answer and answers preflight requests, as `strapi::cors` and `strapi::security` say.
 * `@fastify/cors` tells origins that are not allowed of credentials and headers, and does not reach answers to targets
 * that cannot be decoded, which run no hooks.
 */
export class CommonHeaders {
  readonly #cors: CorsConfig | undefined;
  readonly #security: Readonly<Record<string, string>>;

  constructor({ cors, securityHeaders }: Pick<HttpConfig, 'cors' | 'securityHeaders'>) {
    this.#cors = cors;
    this.#security = securityHeaders;
  }

  /**
   * Sets the headers of every answer. By default any origin is answered, as the reference does: callers are known by a
   * header that no browser adds by itself, so another site can do no more than any program. What browsers do add, the
   * cookie of a refresh token, counts for the server's own pages and for origins that are named (refresh-cookie.ts).
   */
  add(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(this.#security).header('x-request-id', request.id);
    const cors = this.#cors;
    if (cors === undefined) return;
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !this.#isAllowed(origin)) return;
    reply.header('access-control-allow-origin', origin);
    if (cors.credentials) reply.header('access-control-allow-credentials', 'true');
    if (cors.expose !== '') reply.header('access-control-expose-headers', cors.expose);
  }

  /**
   * Whether a request asks, for a browser, what another site may do. One from an origin that is not allowed does not
   * count.
   */
  isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
    return (
      method === 'OPTIONS' &&
      headers['access-control-request-method'] !== undefined &&
      headers.origin !== undefined &&
      this.#isAllowed(headers.origin)
    );
  }

  /** Answers such a request, whatever its path. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { methods, headers, maxAge } = this.#cors!;
    reply.removeHeader('access-control-expose-headers');
    reply.header('access-control-allow-methods', methods);
    const allowed = headers ?? allowedHeaders(request.headers['access-control-request-headers']);
    if (allowed !== '') reply.header('access-control-allow-headers', allowed);
    if (maxAge !== undefined) reply.header('access-control-max-age', maxAge);
    return reply.code(204).send();
  }

  #isAllowed(origin: string): boolean {
    return this.#cors !== undefined && (this.#cors.origins === '*' || this.#cors.origins.has(origin));
  }
}

function allowedHeaders(requested = ''): string {
  const names = new Set(
    requested
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  return [ALLOWED, ...ALSO_ALLOWED.filter((name) => names.has(name.toLowerCase()))].join();
}

/** Adds a header of requests to those that an answer depends on (RFC 9110, section 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const known = String(reply.getHeader('vary') ?? '')
    .split(/, */)
    .filter((one) => one !== '');
  if (known.some((one) => one.toLowerCase() === name.toLowerCase())) return;
  reply.header('vary', [...known, name].join(', '));
}
