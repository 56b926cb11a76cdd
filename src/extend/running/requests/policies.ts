/** Policies and middlewares of routes: found by name, made ready with their configuration. */
import { UsageError } from '../../../errors.ts';
import { isPlain } from '../documents/plain-params.ts';
import type { Registry } from '../registry.ts';
import { unsupported } from '../strapi/guarded.ts';
import { type Context, policyContext } from './context.ts';
import { PolicyError } from './strapi-errors.ts';

export type Next = () => Promise<unknown>;
export type Middleware = (ctx: Context, next: Next) => unknown;
type PolicyHandler = (ctx: Context, config: unknown, tools: object) => unknown;

export interface Namespaces {
  readonly policies: Registry<unknown>;
  readonly middlewares: Registry<unknown>;
  /** `{ strapi }`. */
  readonly tools: object;
  /** Loads a file of the project by a path from its folder, for `resolve`. */
  readonly resolve: (path: string) => unknown;
}

/**
 * One middleware for the policies of a route.
 *
 * @param space what the full names of the route's API or plugin begin with: `api::article`.
 * @throws UsageError for a policy that is not there.
 */
export function policiesOf(written: unknown, space: string, { policies, tools }: Namespaces): Middleware | undefined {
  const list = listOf(written, 'policies').map((entry) => {
    const { name, config } = typeof entry === 'string' ? { name: entry, config: undefined } : named(entry);
    const policy = typeof name === 'function' ? name : byName(policies, String(name), space, 'policy');
    if (policy === undefined) throw new UsageError(`Policy ${String(name)} not found.`, 1);
    const { handler, validator } = (typeof policy === 'function' ? { handler: policy } : policy) as {
      handler?: unknown;
      validator?: (config: unknown) => unknown;
    };
    if (typeof handler !== 'function') throw new UsageError(`Policy ${String(name)} has no handler`, 1);
    validator?.(config);
    return { handler: handler as PolicyHandler, config: config ?? {} };
  });
  if (list.length === 0) return undefined;
  return async (ctx, next) => {
    const context = policyContext(ctx);
    for (const { handler, config } of list) {
      const result = await handler(context, config, tools);
      if (result !== true && result !== undefined) throw new PolicyError();
    }
    return next();
  };
}

function named(entry: unknown): { name: unknown; config: unknown } {
  if (typeof entry === 'function') return { name: entry, config: undefined };
  if (isPlain(entry)) return { name: entry['name'], config: entry['config'] };
  throw new UsageError('a policy must be a name, a function, or an object with a name', 1);
}

/**
 * The middlewares of a route, or of `config/middlewares`, in their order.
 *
 * @throws UsageError for a middleware that is not there.
 */
export function middlewaresOf(written: unknown, space: string, namespaces: Namespaces): Middleware[] {
  const { middlewares, tools, resolve } = namespaces;
  return listOf(written, 'middlewares').map((entry): Middleware => {
    if (typeof entry === 'function') return entry as Middleware;
    const {
      name,
      resolve: path,
      config = {},
    } = typeof entry === 'string' ? { name: entry } : (entry as Record<string, unknown>);
    const factory =
      name === undefined && typeof path === 'string'
        ? resolve(path)
        : byName(middlewares, String(name), space, 'middleware');
    if (typeof factory !== 'function') throw new UsageError(`Middleware ${String(name ?? path)} not found.`, 1);
    const made: unknown = factory(config, tools);
    return typeof made === 'function' ? (made as Middleware) : (_ctx, next) => next();
  });
}

/** The entries of `config/middlewares` that are the project's. */
export interface OwnGlobals {
  /** Outside the handling of errors, and within it. */
  readonly outer: readonly unknown[];
  readonly inner: readonly unknown[];
  /** How many of the inner ones stand before what reads bodies. */
  readonly ahead: number;
}

/** @param skipped names of those that are not run. */
export function ownGlobals(list: unknown, skipped: ReadonlySet<string>): OwnGlobals {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  const nameOf = (entry: unknown): unknown => (isPlain(entry) ? entry['name'] : entry);
  const placeOf = (name: string): number =>
    Math.max(
      entries.findIndex((entry) => nameOf(entry) === name),
      0,
    );
  const boundary = placeOf('strapi::errors');
  const isOwn = (entry: unknown): boolean => {
    const name = String(nameOf(entry) ?? (isPlain(entry) ? entry['resolve'] : ''));
    return !name.startsWith('strapi::') && !skipped.has(name);
  };
  return {
    outer: entries.slice(0, boundary).filter(isOwn),
    inner: entries.slice(boundary).filter(isOwn),
    ahead: entries.slice(boundary, placeOf('strapi::body')).filter(isOwn).length,
  };
}

/** What has a full name, or a short one in an API or a plugin. @throws Unsupported for what is a plugin's or the panel's. */
function byName(registry: Registry<unknown>, name: string, space: string, what: string): unknown {
  const found = registry.get(name) ?? registry.get(`${space}.${name}`) ?? registry.get(`global::${name}`);
  return found === undefined && /^(?:plugin|admin)::/.test(name) ? unsupported(`the ${what} ${name}`) : found;
}

function listOf(written: unknown, what: string): readonly unknown[] {
  if (written === undefined || written === null) return [];
  if (!Array.isArray(written)) throw new UsageError(`${what} of a route must be a list`, 1);
  return written;
}

/** Middlewares as one, each around those behind it. */
export function composed(middlewares: readonly Middleware[]): (ctx: Context, last: Next) => Promise<unknown> {
  return (ctx, last) => {
    let reached = -1;
    const dispatch = async (index: number): Promise<unknown> => {
      if (index <= reached) throw new Error('next() called multiple times');
      reached = index;
      const middleware = middlewares[index];
      return middleware ? middleware(ctx, () => dispatch(index + 1)) : last();
    };
    return dispatch(0);
  };
}
