/** The cookie of administrators, which counts only for requests of the app's own pages. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdminConfig } from '../../config/config.ts';
import { ContentError, forbidden } from '../../errors.ts';
import type { BrowserToken } from '../../users/administrators/administrator-sessions.ts';

const NAME = 'galley_admin';

/** The token of a request; undefined where there is none. */
export function tokenOf({ headers }: FastifyRequest): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = pair.split(/=(.*)/s);
    if (key.trim() === NAME) return value.trim() || undefined;
  }
  return undefined;
}

/** Sets the token; without one, removes it. */
export function setToken(
  request: FastifyRequest,
  reply: FastifyReply,
  { path }: AdminConfig,
  token: BrowserToken | undefined,
): void {
  const maxAge = token === undefined ? 0 : token.maxAge;
  const parts = [
    `${NAME}=${token?.token ?? ''}`,
    `Path=${path}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(isSecure(request) ? ['Secure'] : []),
    'HttpOnly',
    'SameSite=Strict',
  ];
  reply.header('set-cookie', parts.join('; '));
}

/** An untrusted proxy does not reveal the scheme, but the page does: its origin was checked before. */
function isSecure({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || (headers.origin?.startsWith('https:') ?? false);
}

/**
 * Refuses requests of pages of other origins, before anything else. Browsers send their origin in `Sec-Fetch-Site`
 * (Fetch Metadata) or in `Origin` (RFC 6454); programs send nothing, and have no foreign cookie.
 *
 * @throws ContentError 403.
 */
export function requireOwnOrigin(request: FastifyRequest, { origin: own }: AdminConfig): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw forbidden();
  if (origin === undefined) return;
  const page = URL.parse(origin);
  if (page?.protocol !== 'http:' && page?.protocol !== 'https:') throw forbidden();
  if (own !== undefined && page.origin === own) return;
  if (request.protocol === 'https' && page.protocol !== 'https:') throw forbidden();
  // a proxy may terminate TLS: both schemes of the host are the server's own
  if (URL.parse(`${page.protocol}//${request.host}`)?.origin !== page.origin) throw forbidden();
}

/**
 * Refuses bodies that a form of another page could send.
 *
 * @throws ContentError 415 for a body that is neither JSON nor a form with files.
 */
export function requireOwnBody({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  if (!hasBody || /^\s*(?:application\/json|multipart\/form-data)\s*(?:;|$)/i.test(type)) return;
  throw new ContentError('UnsupportedMediaTypeError', 'The body must be JSON');
}
