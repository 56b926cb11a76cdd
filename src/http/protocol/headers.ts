/** Headers of every response, errors included (docs/reference/http.md), and cross-origin requests. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CorsConfig, HttpConfig } from '../../config/config.ts';
import { UnitOfWork } from '../../runtime/unit-of-work.ts';

/** The headers that a cross-origin request may have, in the reference's order. */
const ALLOWED = 'Content-Type,Authorization,Origin,Accept';
/**
 * Further headers with a meaning here, allowed where a browser requests them and the project has no list of its own.
 */
const ALSO_ALLOWED = ['If-Match', 'If-None-Match', 'Range', 'Strapi-Response-Format', 'X-Request-Id'];

/**
 * Sets the headers of every response and answers preflight requests, as `strapi::cors` and `strapi::security` say.
 * `@fastify/cors` sends credentials and headers to origins that are not allowed, and skips responses to targets that
 * cannot be decoded, which run no hooks.
 */
export class CommonHeaders {
  readonly #cors: CorsConfig | undefined;
  readonly #security: Readonly<Record<string, string>>;
  /** Requests whose origin a function of the project allows. */
  readonly #allowed = new WeakSet<IncomingMessage>();

  constructor({ cors, securityHeaders }: Pick<HttpConfig, 'cors' | 'securityHeaders'>) {
    this.#cors = cors;
    this.#security = securityHeaders;
  }

  /** True where a function of the project decides about the origin of a request. */
  isAskedAbout({ headers }: IncomingMessage): boolean {
    return headers.origin !== undefined && typeof this.#cors?.origins === 'function';
  }

  /**
   * Calls that function. Rejects with its error; the origin is then not allowed.
   *
   * @param ctx the request as project code sees it.
   */
  async askAbout(request: IncomingMessage, ctx: object): Promise<void> {
    const origins = UnitOfWork.call(this.#cors!.origins as (ctx: object) => unknown, undefined, ctx);
    if (isAmong(await origins, request.headers.origin!)) this.#allowed.add(request);
  }

  /** Sets the headers of every response. */
  add(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(this.of(request));
  }

  /**
   * The headers of every response. By default every origin gets them, as in the reference: callers are identified
   * by a header that no browser adds by itself, so another site can do no more than any program. The cookie of a
   * refresh token, which browsers do add, counts for the server's own pages and for configured origins
   * (refresh-cookie.ts).
   */
  of({ id, headers: { origin }, raw }: FastifyRequest): Record<string, string> {
    const cors = this.#cors;
    const isAllowed = cors !== undefined && origin !== undefined && this.#isAllowed(origin, raw);
    return {
      ...this.#security,
      'x-request-id': id,
      ...(cors && { vary: 'Origin' }),
      ...(isAllowed && { 'access-control-allow-origin': origin }),
      ...(isAllowed && cors.credentials && { 'access-control-allow-credentials': 'true' }),
      ...(isAllowed && cors.expose !== '' && { 'access-control-expose-headers': cors.expose }),
    };
  }

  /** True for a preflight request of an allowed origin. */
  isPreflight(request: IncomingMessage): boolean {
    const { method, headers } = request;
    return (
      method === 'OPTIONS' &&
      headers['access-control-request-method'] !== undefined &&
      headers.origin !== undefined &&
      this.#isAllowed(headers.origin, request)
    );
  }

  /** Answers a preflight request for any path. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { methods, headers, maxAge } = this.#cors!;
    reply.removeHeader('access-control-expose-headers');
    reply.header('access-control-allow-methods', methods);
    const allowed = headers ?? allowedHeaders(request.headers['access-control-request-headers']);
    if (allowed !== '') reply.header('access-control-allow-headers', allowed);
    if (maxAge !== undefined) reply.header('access-control-max-age', maxAge);
    return reply.code(204).send();
  }

  #isAllowed(origin: string, request: IncomingMessage): boolean {
    const { origins } = this.#cors ?? {};
    if (origins === undefined || typeof origins === 'function') return this.#allowed.has(request);
    return origins === '*' || origins.has(origin);
  }
}

/**
 * True where the result of such a function contains an origin: a list, or a text with commas; no value means all, as in
 * the reference.
 */
function isAmong(origins: unknown, origin: string): boolean {
  const listed = Array.isArray(origins) ? origins : String(origins ?? '*').split(',');
  return listed.some((one) => ['*', origin].includes(String(one).trim()));
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

/** Adds a request header to `Vary` (RFC 9110, section 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const known = String(reply.getHeader('vary') ?? '')
    .split(/, */)
    .filter((one) => one !== '');
  if (known.some((one) => one.toLowerCase() === name.toLowerCase())) return;
  reply.header('vary', [...known, name].join(', '));
}
