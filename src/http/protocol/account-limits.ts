/**
 * Rate limits of the account endpoints (docs/reference/accounts.md): as in the reference by endpoint, address and the
 * e-mail address in the body, if there is one; and, in addition, by endpoint and address only. The endpoint is the
 * route, in any spelling of the path.
 */
import { isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UsersConfig } from '../../config/config.ts';
import type { RouteLimits } from '../../runtime/runtime-context.ts';
import { type Limits, limitRate } from './rate-limit.ts';

type Limit = (endpoint: string, request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The limits of the account endpoints: each throws ContentError 429. */
export interface AccountLimits {
  /** Checks before the body is read. */
  readonly before: Limit;
  /** Checks that need the body. */
  readonly behind: Limit;
}

/** The endpoint where accounts sign in. */
const SIGN_IN = '/auth/local';
/** Endpoints whose bodies have no e-mail address: one that is sent anyway must not open another window. */
const WITHOUT_EMAIL: ReadonlySet<string> = new Set([SIGN_IN, '/auth/reset-password', '/auth/change-password']);

/**
 * Requests to one endpoint from one network with any e-mail addresses, as a multiple of the limit of one address: new
 * addresses are free, and each would open a window of its own.
 */
const WINDOWS_A_NETWORK = 10;

/** Creates the limits. */
export function accountLimits(rule: UsersConfig['rateLimit'], limits: Limits): AccountLimits {
  if (rule === null) return { before: async () => {}, behind: async () => {} };
  const limiter = limits.of('accounts', rule);
  const networks = limits.of('account networks', { ...rule, max: rule.max * WINDOWS_A_NETWORK });
  return {
    before: async (endpoint, request, reply) => {
      // beyond the limit of all addresses together no more windows are opened
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

/** The key of a request to an account endpoint: its network and the e-mail address in the body. */
const keyOf = (endpoint: string, ip: string, email: string): string => JSON.stringify([endpoint, networkOf(ip), email]);

/**
 * Creates the limit of a route of project code, like that of an account endpoint: by path, address and the e-mail
 * address in the body, if there is one.
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

/** Groups of an IPv6 network that belongs to one client: 2^64 addresses count as one. */
const NETWORK_GROUPS = 4;

/** The network of an address: for IPv4 the address, also in IPv6 notation. A closed connection has none. */
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

/** The eight groups of an IPv6 address. Every request needs them; ipaddr.js takes three times as long. */
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
