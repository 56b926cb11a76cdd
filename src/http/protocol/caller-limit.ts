/**
 * Rate limits of the API as a whole, for each caller: off unless `config/api` has one (decisions.md, "rate limits").
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpConfig } from '../../config/config.ts';
import { ContentError } from '../../errors.ts';
import type { Caller, KnownCallers } from '../../users/sessions/callers.ts';
import { networkOf } from './account-limits.ts';
import { limitRate, type RateLimiter, RateLimits } from './rate-limit.ts';

export class CallerLimit {
  readonly #limiter: RateLimiter;

  constructor(rule: NonNullable<HttpConfig['rateLimit']>, limits = new RateLimits()) {
    this.#limiter = limits.of('callers', rule);
  }

  /**
   * Looks the caller up and counts the request: with the account, whatever the session; with the API token; without
   * either, and with credentials that are refused, with the address. What else a request says, and how it writes its
   * path, plays no part. Beyond the limit of an address, credentials are refused without being looked up.
   *
   * @throws ContentError 429 beyond the limit, and whatever the lookup throws.
   */
  async identify(request: FastifyRequest, reply: FastifyReply, callers: KnownCallers): Promise<Caller> {
    const { authorization } = request.headers;
    const network = networkOf(request.ip);
    const refused = `refused ${network}`;
    // who guesses on is not even looked up; others at the same address are
    if (this.#limiter.isSpent(refused) && !(await callers.mayBeGood(authorization))) this.#take(refused, reply);
    let caller: Caller;
    try {
      caller = await callers.identify(authorization);
    } catch (error) {
      if (error instanceof ContentError && error.status === 401) {
        this.#take(refused, reply);
        this.#take(`ip ${network}`, reply);
      }
      throw error;
    }
    this.count(request, reply, caller);
    return caller;
  }

  /**
   * Counts a request of a caller who is known.
   *
   * @throws ContentError 429 beyond the limit.
   */
  count(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
    this.#take(accountKey(request, caller), reply);
  }

  #take(key: string, reply: FastifyReply): void {
    limitRate(this.#limiter, key, reply);
  }
}

/** The key that a request is counted under: the account, the API token, or the address. */
export function accountKey({ ip }: FastifyRequest, { userId, token }: Caller): string {
  if (userId !== undefined) return `user ${userId}`;
  return token === undefined ? `ip ${networkOf(ip)}` : `token ${token.id}`;
}
