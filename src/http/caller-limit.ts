/** Rate limits of the API as a whole, for each caller: off unless `config/api` has one (decisions.md, "rate limits"). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpConfig } from '../config/config.ts';
import { ContentError } from '../errors.ts';
import type { Caller } from '../users/callers.ts';
import { networkOf } from './account-limits.ts';
import { limitRate, RateLimiter } from './rate-limit.ts';

export class CallerLimit {
  readonly #limiter: RateLimiter;

  constructor(rule: NonNullable<HttpConfig['rateLimit']>) {
    this.#limiter = new RateLimiter(rule);
  }

  /**
   * Looks the caller up and counts the request: with the account, whatever the session; with the API token; without
   * either, and with credentials that are refused, with the address. What else a request says, and how it writes its
   * path, plays no part.
   *
   * @throws ContentError 429 beyond the limit, and whatever the lookup throws.
   */
  async identify(request: FastifyRequest, reply: FastifyReply, look: () => Promise<Caller>): Promise<Caller> {
    let caller: Caller;
    try {
      caller = await look();
    } catch (error) {
      if (error instanceof ContentError && error.status === 401) this.#take(`ip ${networkOf(request.ip)}`, reply);
      throw error;
    }
    this.#take(keyOf(request, caller), reply);
    return caller;
  }

  #take(key: string, reply: FastifyReply): void {
    limitRate(this.#limiter, key, reply);
  }
}

function keyOf({ ip }: FastifyRequest, { userId, token }: Caller): string {
  if (userId !== undefined) return `user ${userId}`;
  return token === undefined ? `ip ${networkOf(ip)}` : `token ${token.id}`;
}
