/** The cookie of a refresh token, which scripts cannot read, with the reference's name and options. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CorsConfig, SessionsConfig } from '../../config/config.ts';

/** True where refresh tokens are sent in a cookie: by configuration, or at the client's request. */
export function usesCookie(request: FastifyRequest, { httpOnly }: SessionsConfig): boolean {
  return httpOnly || request.headers['x-strapi-refresh-cookie'] === 'httpOnly';
}

/** The origins whose pages may send the cookie. */
export interface CookieSenders {
  /** The public address of the server; undefined: the one that clients claim. */
  readonly publicUrl: string | undefined;
  readonly cors: CorsConfig | undefined;
}

/**
 * The refresh token of a request's cookie. Browsers add it by themselves, so it counts only for requests that come from
 * no page, from the server's own origin, or from a configured origin. `*` configures none, and `null` is the origin of
 * every page that hides its own.
 */
export function cookieOf(
  request: FastifyRequest,
  { cookie: { name } }: SessionsConfig,
  senders: CookieSenders,
): string | undefined {
  if (!mayCome(request, senders)) return undefined;
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = pair.split(/=(.*)/s);
    if (key.trim() === name) return value.trim() || undefined;
  }
  return undefined;
}

function mayCome(request: FastifyRequest, { publicUrl, cors }: CookieSenders): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return true;
  if (origin === 'null') return false;
  if (cors?.origins instanceof Set && cors.origins.has(origin)) return true;
  const page = URL.parse(origin);
  if (page?.protocol !== 'http:' && page?.protocol !== 'https:') return false;
  const own = publicUrl === undefined ? null : URL.parse(publicUrl);
  if (own?.host === page.host) return own.origin === page.origin;
  if (request.protocol === 'https' && page.protocol !== 'https:') return false;
  // a proxy may terminate TLS: both schemes of the host are the server's own
  return URL.parse(`${page.protocol}//${request.host}`)?.origin === page.origin;
}

/**
 * Sets the cookie; without a token, removes it.
 *
 * @param isProduction whether the cookie is for encrypted connections only, unless configured otherwise.
 */
export function setCookie(
  reply: FastifyReply,
  { cookie }: SessionsConfig,
  isProduction: boolean,
  token: string | undefined,
): void {
  const { name, secure, sameSite, path, domain, maxAge } = cookie;
  const seconds = token === undefined ? 0 : maxAge === undefined ? undefined : Math.floor(maxAge / 1000);
  const parts = [
    `${name}=${token ?? ''}`,
    `Path=${path}`,
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    ...(seconds === undefined ? [] : [`Max-Age=${seconds}`]),
    ...((secure ?? isProduction) ? ['Secure'] : []),
    'HttpOnly',
    `SameSite=${sameSite[0]!.toUpperCase()}${sameSite.slice(1)}`,
  ];
  reply.header('set-cookie', parts.join('; '));
}
