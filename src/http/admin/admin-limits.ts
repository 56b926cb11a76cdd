/** Limits of attempts to guess secrets of administrators, counted for all workers together. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdminConfig } from '../../config/config.ts';
import type { CountAttempt } from '../../users/administrators/administrators.ts';
import { networkOf } from '../protocol/account-limits.ts';
import { type Limits, limitRate } from '../protocol/rate-limit.ts';

/** Multiples of the limit: attempts from one network, and at one account from all networks. */
const WIDER = 10;
/** Attempts at codes, and at passwords of signed-in administrators: their clients know a secret already. */
const SECRETS = { max: 5, windowMs: 15 * 60_000 };

type Limit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Each throws ContentError 429. */
export interface AdminLimits {
  /** Checks before the body of a sign-in is read. */
  readonly before: Limit;
  /** Checks of the address in the body. */
  readonly behind: Limit;
  /** Checks of the address of a request for a mail. */
  readonly mails: Limit;
  readonly codes: (reply: FastifyReply) => CountAttempt;
  readonly passwords: (reply: FastifyReply) => CountAttempt;
}

export function adminLimits({ rateLimit: rule }: AdminConfig, limits: Limits): AdminLimits {
  if (rule === null) {
    const none = async (): Promise<void> => {};
    const uncounted = (): CountAttempt => async () => () => {};
    return { before: none, behind: none, mails: none, codes: uncounted, passwords: uncounted };
  }
  const wide = { ...rule, max: rule.max * WIDER };
  const [networks, accounts] = [limits.of('administrator networks', wide), limits.of('administrators', wide)];
  const pairs = limits.of('administrators by network', rule);
  const mails = limits.of('administrator mails', rule);
  const counted = (name: string) => {
    const limiter = limits.of(name, SECRETS);
    return (reply: FastifyReply): CountAttempt =>
      (id) =>
        limitRate(limiter, String(id), reply);
  };
  return {
    before: async ({ ip }, reply) => {
      await limitRate(networks, networkOf(ip), reply);
    },
    behind: async ({ ip, body }, reply) => {
      const account = accountIn(body);
      await limitRate(pairs, JSON.stringify([networkOf(ip), account]), reply);
      await limitRate(accounts, account, reply);
    },
    mails: async ({ ip, body }, reply) => {
      await limitRate(mails, JSON.stringify([networkOf(ip), accountIn(body)]), reply);
    },
    codes: counted('administrator codes'),
    passwords: counted('administrator passwords'),
  };
}

/** The address in a body, as a key. */
function accountIn(body: unknown): string {
  const { email } = (body ?? {}) as { email?: unknown };
  return typeof email === 'string' ? email.normalize('NFKC').trim().toLowerCase() : '';
}
