/**
 * Rate limits of the account endpoints, as the reference's: by endpoint, address and, where the body names one, e-mail
 * address (behaviour-media-access.md, "Users"). The endpoint is the route, however its path was spelled.
 */
import { isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UsersConfig } from '../config/config.ts';
import { limitRate, RateLimiter } from './rate-limit.ts';

export type LimitAccount = (endpoint: string, request: FastifyRequest, reply: FastifyReply) => void;

/** Endpoints whose bodies have no address of their own: one that is sent all the same must not open another window. */
const WITHOUT_EMAIL: ReadonlySet<string> = new Set(['/auth/local', '/auth/reset-password', '/auth/change-password']);

/**
 * Makes what counts a request, and refuses it.
 *
 * @throws ContentError 429, from the function that it gives.
 */
export function accountLimits(rule: UsersConfig['rateLimit']): LimitAccount {
  if (rule === null) return () => {};
  const limiter = new RateLimiter(rule);
  return (endpoint, request, reply) => {
    const email = WITHOUT_EMAIL.has(endpoint) ? '' : emailOf(request.body);
    limitRate(limiter, JSON.stringify([endpoint, networkOf(request.ip), email]), reply);
  };
}

/** An address in one spelling. */
function emailOf(body: unknown): string {
  const email = (body as { email?: unknown } | null | undefined)?.email;
  return typeof email === 'string' ? email.normalize('NFKC').trim().toLowerCase() : '';
}

/** An IPv6 client has a network of 2^64 addresses to itself: they count as one. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.split('%', 1)[0]!;
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(8 - groups.length - last.length, 0)).fill('0');
  const network = [...groups, ...zeros, ...last].slice(0, 4);
  return network.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
