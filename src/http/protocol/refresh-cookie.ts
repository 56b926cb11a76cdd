/** The cookie that a refresh token is kept in where scripts must not read it, with the reference's name and options. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CorsConfig, SessionsConfig } from '../../config/config.ts';

/** Whether refresh tokens go into a cookie: by configuration, or because the client asks for it. */
export function usesCookie(request: FastifyRequest, { httpOnly }: SessionsConfig): boolean {
  return httpOnly || request.headers['x-strapi-refresh-cookie'] === 'httpOnly';
}

/** Whose pages may send the cookie. */
export interface CookieSenders {
  /** Where clients reach the server; undefined: wherever they say that they do. */
  readonly publicUrl: string | undefined;
  readonly cors: CorsConfig | undefined;
}

/**
 * The refresh token of a request's cookie. Browsers add it by themselves, so it counts only where the request comes
 * from no page, from one of the server's own origin, or of an origin that the configuration names. `*` names none, and
 * `null` is the origin of every page that hides its own.
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
  // whether a proxy in front takes encrypted connections is not known: either scheme of the host is its own
  return URL.parse(`${page.protocol}//${request.host}`)?.origin === page.origin;
}

/**
 * Sets the cookie; without a token, removes it.
 *
 * @param isProduction whether the cookie is for encrypted connections only, unless the configuration says so.
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
