/** `plugin::users-permissions.rateLimit`: the middleware that routes of code take from the plugin. */
import { isPlain } from '../documents/plain-params.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Context } from './context.ts';
import type { Middleware } from './policies.ts';

/** Milliseconds of the units that an interval has. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, sec: 1000, min: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Creates the middleware. The configuration of a route overrides that of `config/plugins`, which may turn limits off.
 *
 * @returns a factory for routes. Its middlewares throw ContentError 429 beyond the limit.
 */
export function rateLimit({ config, routeLimits }: Pick<RuntimeContext, 'config' | 'routeLimits'>) {
  const general = config.users.rateLimit;
  return (own: { readonly max?: unknown; readonly interval?: unknown } = {}): Middleware => {
    if (general === null) return (_ctx, next) => next();
    const max = typeof own.max === 'number' ? own.max : general.max;
    const take = routeLimits({ max, windowMs: millisecondsOf(own.interval) ?? general.windowMs });
    return async (ctx: Context, next) => {
      const { ip, body, path } = ctx.request;
      await take(path, { ip, body }, { header: (name, value) => ctx.response.set(name, value) });
      return next();
    };
  };
}

/** Milliseconds, or the reference's object form: `{ min: 5 }`. */
function millisecondsOf(interval: unknown): number | undefined {
  if (typeof interval === 'number' && interval >= 1) return interval;
  if (!isPlain(interval)) return undefined;
  const parts = Object.entries(interval).map(([unit, amount]) => (UNITS[unit] ?? Number.NaN) * Number(amount));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  return whole >= 1 ? whole : undefined;
}
