/** The cookie that a refresh token is kept in where scripts must not read it, with the reference's name and options. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionsConfig } from '../config/config.ts';

/** Whether refresh tokens go into a cookie: by configuration, or because the client asks for it. */
export function usesCookie(request: FastifyRequest, { httpOnly }: SessionsConfig): boolean {
  return httpOnly || request.headers['x-strapi-refresh-cookie'] === 'httpOnly';
}

/** The refresh token of a request's cookie. */
export function cookieOf(request: FastifyRequest, { cookie: { name } }: SessionsConfig): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = pair.split(/=(.*)/s);
    if (key.trim() === name) return value.trim();
  }
  return undefined;
}

/**
 * Sets the cookie; without a token, removes it.
 *
 * @param isProduction whether the cookie is for encrypted connections alone, where the configuration does not say.
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
