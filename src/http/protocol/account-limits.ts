/**
 * Rate limits of the account endpoints, as the reference's: by endpoint, address and, where the body names one, e-mail
 * address (docs/reference/accounts.md). The endpoint is the route, however its path was spelled. And, ours, by endpoint
 * and address only.
 */
import { isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UsersConfig } from '../../config/config.ts';
import type { RouteLimits } from '../../extend/running/rooms.ts';
import { type Limits, limitRate } from './rate-limit.ts';

type Limit = (endpoint: string, request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The limits of the account endpoints: each throws ContentError 429. */
export interface AccountLimits {
  /** What a request can be refused for before its body is read. */
  readonly before: Limit;
  /** What depends on the body. */
  readonly behind: Limit;
}

/** The endpoint where accounts sign in. */
const SIGN_IN = '/auth/local';
/** Endpoints whose bodies have no address of their own: one that is sent all the same must not open another window. */
const WITHOUT_EMAIL: ReadonlySet<string> = new Set([SIGN_IN, '/auth/reset-password', '/auth/change-password']);

/**
 * Requests to one endpoint from one network, whatever addresses their bodies name, in windows of one address: new
 * addresses cost nothing, and each would open a window of its own.
 */
export const WINDOWS_A_NETWORK = 10;

/** Makes what counts requests, and refuses them. */
export function accountLimits(rule: UsersConfig['rateLimit'], limits: Limits): AccountLimits {
  if (rule === null) return { before: async () => {}, behind: async () => {} };
  const limiter = limits.of('accounts', rule);
  const networks = limits.of('account networks', { ...rule, max: rule.max * WINDOWS_A_NETWORK });
  return {
    before: async (endpoint, request, reply) => {
      // who is beyond the limit of all addresses together opens no more windows
      if (WITHOUT_EMAIL.has(endpoint)) await limitRate(limiter, keyOf(endpoint, request.ip, ''), reply);
      else await limitRate(networks, JSON.stringify([endpoint, networkOf(request.ip)]), reply);
    },
    behind: async (endpoint, request, reply) => {
      if (WITHOUT_EMAIL.has(endpoint)) return;
      await limitRate(limiter, keyOf(endpoint, request.ip, emailOf(request.body)), reply);
    },
  };
}

/**
 * Creates the function that counts a request against the limit of `/auth/local`, for another endpoint that compares the
 * password of an account. It is false beyond the limit, and sets no headers.
 */
export function siteSignIns(
  rule: UsersConfig['rateLimit'],
  limits: Limits,
): (request: FastifyRequest) => Promise<boolean> {
  if (rule === null) return async () => true;
  const limiter = limits.of('accounts', rule);
  return async ({ ip }) => (await limiter.take(keyOf(SIGN_IN, ip, ''))).allowed;
}

/** A request to an endpoint of accounts from one network, with the address that its body names. */
const keyOf = (endpoint: string, ip: string, email: string): string => JSON.stringify([endpoint, networkOf(ip), email]);

/**
 * Makes what limits a route of code as the endpoints of accounts are limited: by path, address and, where the body names
 * one, e-mail address.
 */
export function routeLimits(limits: Limits): RouteLimits {
  return ({ max, windowMs }) => {
    const rule = `${max} in ${windowMs}`;
    const limiter = limits.of(`routes of code, ${rule}`, { max, windowMs });
    const all = limits.of(`routes of code, networks, ${rule}`, { max: max * WINDOWS_A_NETWORK, windowMs });
    return async (path, { ip, body }, reply) => {
      const place = path.toLowerCase().replace(/\/+$/, '');
      const network = networkOf(ip);
      const hasEmail = ![...WITHOUT_EMAIL].some((one) => place.endsWith(one));
      if (hasEmail) await limitRate(all, JSON.stringify([place, network]), reply);
      await limitRate(limiter, JSON.stringify([place, network, hasEmail ? emailOf(body) : '']), reply);
    };
  };
}

/** An address in one spelling. */
function emailOf(body: unknown): string {
  const email = (body as { email?: unknown } | null | undefined)?.email;
  return typeof email === 'string' ? email.normalize('NFKC').trim().toLowerCase() : '';
}

/** Groups of a network that one IPv6 client has to itself: 2^64 addresses count as one. */
const NETWORK_GROUPS = 4;

/**
 * The network of an address: of IPv4 the address, also where it is written as one of IPv6. A closed connection has
 * none.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return '';
  const plain = address.split('%', 1)[0]!;
  if (!isIPv6(plain)) return address;
  const groups = groupsOf(plain);
  const [high = 0, low = 0] = groups.slice(-2);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':');
}

/** The eight groups of an IPv6 address. Every request needs them, and ipaddr.js takes three times as long. */
function groupsOf(address: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
  const hex = address.replace(dotted, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const parts = hex.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const [head = [], tail = []] = parts;
  const zeros = parts.length === 1 ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
