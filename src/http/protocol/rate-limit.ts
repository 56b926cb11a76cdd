/**
 * Rate limits: fixed windows in memory, one counter per key (docs/reference/accounts.md). The number of counters is
 * capped, and requests with other keys never reset a counter.
 */
import { hash } from 'node:crypto';
import { ContentError } from '../../errors.ts';

/** Counters that a limiter keeps. */
const RATE_LIMIT_KEYS = 50_000;
/** Milliseconds between two removals of expired windows. */
const SWEEP = 1000;

export interface RateLimitRule {
  /** Requests that a key may make in one window. */
  readonly max: number;
  readonly windowMs: number;
}

/** The result for one request. */
export interface RateLimitOutcome {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds at which the window ends. */
  readonly resetAt: number;
}

/** Counts requests by key. Where other processes count the same keys, the results are promises. */
export interface Limiter {
  /** Counts one request of a key, and returns whether it is within the limit. Keys may be of any length. */
  take(key: string): RateLimitOutcome | Promise<RateLimitOutcome>;
  /** Whether the next request of a key would be refused. It counts nothing. */
  isSpent(key: string): boolean | Promise<boolean>;
  /** Uncounts a request while its window, which ends at `resetAt`, is open. */
  giveBack(key: string, resetAt: number): void;
}

/** Limiters by name. */
export interface Limits {
  /** The limiter of a name. A changed rule resets its counters. */
  of(name: string, rule: RateLimitRule): Limiter;
}

interface Counter {
  count: number;
  readonly resetAt: number;
}

/**
 * Counts requests by key. A window begins with the first request of its key. When all counters are in use, a new key
 * takes over the smallest counter with its count ("Space-Saving": Metwally, Agrawal, El Abbadi 2005). A count can then
 * be too high but never too low, so sending many other keys does not reset a counter. To harm other callers this way,
 * an attacker has to fill every counter first, which takes `max` requests each.
 */
export class RateLimiter implements Limiter {
  readonly #rule: RateLimitRule;
  readonly #cap: number;
  readonly #counters = new Map<string, Counter>();
  /** Keys by their count, oldest first; counts stop one above `max`. */
  readonly #levels = new Map<number, Set<string>>();
  /** A lower bound of all counts. */
  #lowest = 1;
  #sweepAt = 0;

  constructor(rule: RateLimitRule, cap: number = RATE_LIMIT_KEYS) {
    this.#rule = rule;
    this.#cap = cap;
  }

  take(key: string, now: number = Date.now()): RateLimitOutcome {
    const { max } = this.#rule;
    const name = hash('sha1', key, 'base64url');
    const counter = this.#counterOf(name, now);
    if (counter.count <= max) this.#move(name, counter, counter.count + 1);
    return {
      allowed: counter.count <= max,
      limit: max,
      remaining: Math.max(max - counter.count, 0),
      resetAt: counter.resetAt,
    };
  }

  isSpent(key: string, now: number = Date.now()): boolean {
    const counter = this.#counters.get(hash('sha1', key, 'base64url'));
    return counter !== undefined && counter.resetAt > now && counter.count >= this.#rule.max;
  }

  giveBack(key: string, resetAt: number): void {
    const name = hash('sha1', key, 'base64url');
    const counter = this.#counters.get(name);
    if (counter?.resetAt !== resetAt || counter.count === 0) return;
    this.#move(name, counter, counter.count - 1);
    this.#lowest = Math.min(this.#lowest, counter.count);
  }

  /** The number of counters in use. */
  get size(): number {
    return this.#counters.size;
  }

  #counterOf(name: string, now: number): Counter {
    const known = this.#counters.get(name);
    if (known && known.resetAt > now) return known;
    if (known) this.#remove(name, known);
    else if (this.#counters.size >= this.#cap) this.#sweep(now);
    const counter = this.#counters.size < this.#cap ? this.#fresh(now) : this.#takeOver();
    this.#counters.set(name, counter);
    this.#levelOf(counter.count).add(name);
    return counter;
  }

  #fresh(now: number): Counter {
    this.#lowest = 0;
    return { count: 0, resetAt: now + this.#rule.windowMs };
  }

  /** Gives the smallest counter to another key. */
  #takeOver(): Counter {
    while (!this.#levels.has(this.#lowest)) this.#lowest++;
    const [name] = this.#levels.get(this.#lowest)!;
    const counter = this.#counters.get(name!)!;
    this.#remove(name!, counter);
    return { ...counter };
  }

  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP;
    for (const [name, counter] of this.#counters) if (counter.resetAt <= now) this.#remove(name, counter);
  }

  #move(name: string, counter: Counter, count: number): void {
    this.#leaveLevel(name, counter.count);
    counter.count = count;
    this.#levelOf(count).add(name);
  }

  #remove(name: string, counter: Counter): void {
    this.#counters.delete(name);
    this.#leaveLevel(name, counter.count);
  }

  #levelOf(count: number): Set<string> {
    const known = this.#levels.get(count);
    if (known) return known;
    const level = new Set<string>();
    this.#levels.set(count, level);
    return level;
  }

  #leaveLevel(name: string, count: number): void {
    const level = this.#levels.get(count);
    level?.delete(name);
    if (level?.size === 0) this.#levels.delete(count);
  }
}

/** The limiters of a process. They keep counting when the project is replaced, unless their rules change. */
export class RateLimits implements Limits {
  readonly #limiters = new Map<string, { readonly rule: RateLimitRule; readonly limiter: RateLimiter }>();

  of(name: string, rule: RateLimitRule): RateLimiter {
    const known = this.#limiters.get(name);
    if (known?.rule.max === rule.max && known.rule.windowMs === rule.windowMs) return known.limiter;
    const limiter = new RateLimiter(rule);
    this.#limiters.set(name, { rule, limiter });
    return limiter;
  }
}

/**
 * Counts a request and sets the reference's headers: `X-RateLimit-Limit`, `-Remaining`, `-Reset` (epoch seconds), and
 * `Retry-After` (seconds) on the refusal.
 *
 * @returns a function that uncounts the request.
 * @throws ContentError 429 beyond the limit of the key; 503 where another process counts and does not answer.
 */
export async function limitRate(
  limiter: Limiter,
  key: string,
  reply: { header(name: string, value: unknown): unknown },
): Promise<() => void> {
  const { allowed, limit, remaining, resetAt } = await limiter.take(key);
  reply.header('x-ratelimit-limit', String(limit));
  reply.header('x-ratelimit-remaining', String(remaining));
  reply.header('x-ratelimit-reset', String(Math.ceil(resetAt / 1000)));
  if (allowed) {
    return () => {
      limiter.giveBack(key, resetAt);
      reply.header('x-ratelimit-remaining', String(remaining + 1));
    };
  }
  reply.header('retry-after', String(Math.max(1, Math.ceil((resetAt - Date.now()) / 1000))));
  throw new ContentError('RateLimitError', 'Too many requests, please try again later.');
}
