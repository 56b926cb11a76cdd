/**
 * Rate limits of the API as a whole, for each caller: off unless `config/api` has one (docs/reference/http.md, "Rate
 * limits").
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpConfig } from '../../config/config.ts';
import type { Actor } from '../../db/interface/actor.ts';
import { ContentError } from '../../errors.ts';
import type { Caller, ContextOf, KnownCallers } from '../../users/sessions/callers.ts';
import { networkOf } from './account-limits.ts';
import { type Limiter, type Limits, limitRate, RateLimits } from './rate-limit.ts';

export class CallerLimit {
  readonly #limiter: Limiter;

  constructor(rule: NonNullable<HttpConfig['rateLimit']>, limits: Limits = new RateLimits()) {
    this.#limiter = limits.of('callers', rule);
  }

  /**
   * Looks the caller up and counts the request by account, whatever the session, by API token, or by address for
   * callers with neither and for refused credentials. Nothing else in the request matters, nor the spelling of its
   * path. Beyond the limit of an address, credentials are refused without a lookup.
   *
   * @throws ContentError 429 beyond the limit, and errors of the lookup.
   */
  async identify(
    request: FastifyRequest,
    reply: FastifyReply,
    callers: KnownCallers,
    contextOf?: ContextOf,
  ): Promise<Caller> {
    const { authorization } = request.headers;
    const network = networkOf(request.ip);
    const refused = `refused ${network}`;
    // an address that keeps guessing gets no lookup; other callers at the address do
    if (!(await callers.mayBeGood(authorization)) && (await this.#limiter.isSpent(refused))) {
      await this.#take(refused, reply);
    }
    let caller: Caller;
    try {
      caller = await callers.identify(authorization, contextOf);
    } catch (error) {
      if (error instanceof ContentError && error.status === 401) {
        await this.#take(refused, reply);
        await this.#take(`ip ${network}`, reply);
      }
      throw error;
    }
    await this.#take(
      accountKey(caller, () => request.ip),
      reply,
    );
    return caller;
  }

  /**
   * Counts a request by its address, where its caller is not looked up.
   *
   * @throws ContentError 429 beyond the limit.
   */
  count({ ip }: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.#take(`ip ${networkOf(ip)}`, reply);
  }

  async #take(key: string, reply: FastifyReply): Promise<void> {
    await limitRate(this.#limiter, key, reply);
  }
}

/** Who makes the changes of a request. */
export function actorOf(
  { userId, token }: Pick<Caller, 'userId' | 'token'>,
  { ip: address }: Pick<FastifyRequest, 'ip'>,
): Actor {
  if (userId !== undefined) return { kind: 'user', id: userId, name: null, address };
  if (token !== undefined) return { kind: 'token', id: token.id, name: token.name, address };
  return { kind: 'public', id: null, name: null, address };
}

/** The key of a request's counter: the account, the API token, or the address. */
export function accountKey({ userId, token }: Caller, addressOf: () => string): string {
  if (userId !== undefined) return `user ${userId}`;
  return token === undefined ? `ip ${networkOf(addressOf())}` : `token ${token.id}`;
}
