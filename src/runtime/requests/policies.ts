/** Policies and middlewares of routes, resolved by name and created with their configuration. */
import type { CodeConfig } from '../../config/config.ts';
import { isOwnMiddleware } from '../../config/ignored-settings.ts';
import { Mistake, MistakeInFile } from '../../errors.ts';
import { choices } from '../../nearest.ts';
import { isPlain } from '../documents/plain-params.ts';
import { unsupported } from '../guarded.ts';
import { LeftOut, type Registry } from '../registry.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import { type Context, policyContext } from './context.ts';
import { guardUids } from './routes.ts';
import { PolicyError } from './strapi-errors.ts';

export type Next = () => Promise<unknown>;
export type Middleware = (ctx: Context, next: Next) => unknown;
/** Creates a middleware from its configuration. */
type Factory = (config: unknown, tools: object) => unknown;
type PolicyHandler = (ctx: object, config: unknown, tools: object) => unknown;

export interface Namespaces {
  readonly policies: Registry<unknown>;
  readonly middlewares: Registry<unknown>;
  /** `{ strapi }`. */
  readonly tools: object;
  /** Loads a file of the project by a path from its folder, for `resolve`. */
  readonly resolve: (path: string) => unknown;
  /** Whether guards that `config/galley` leaves out are passed over: it serves the action without them. */
  readonly leavesOut?: boolean;
}

/**
 * One middleware for the policies of a route.
 *
 * @param space the prefix of full names of the route's API or plugin: `api::article`.
 * @throws Mistake for a policy that is not there.
 */
export function policiesOf(written: unknown, space: string, namespaces: Namespaces): Middleware | undefined {
  const { policies, tools } = namespaces;
  const list = eachOf(listOf(written, 'policies'), namespaces, (entry) => {
    const { name, config } = typeof entry === 'string' ? { name: entry, config: undefined } : named(entry);
    const policy = typeof name === 'function' ? name : byName(policies, String(name), space, 'policy');
    if (policy === undefined) throw unfound('Policy', String(name), space, policies);
    const { handler, validator } = (typeof policy === 'function' ? { handler: policy } : policy) as {
      handler?: unknown;
      validator?: (config: unknown) => unknown;
    };
    if (typeof handler !== 'function') {
      throw new Mistake(`Policy ${String(name)} has no handler: it must be a function, or an object with one`, [
        String(name),
      ]);
    }
    validator?.(config);
    return { handler: handler as PolicyHandler, config: config ?? {} };
  });
  if (list.length === 0) return undefined;
  return async (ctx, next) => {
    const context = policyContext(ctx);
    for (const { handler, config } of list) {
      const result = await UnitOfWork.call(handler, undefined, context, config, tools);
      if (result !== true && result !== undefined) throw new PolicyError();
    }
    return next();
  };
}

function named(entry: unknown): { name: unknown; config: unknown } {
  if (typeof entry === 'function') return { name: entry, config: undefined };
  if (isPlain(entry)) return { name: entry['name'], config: entry['config'] };
  throw new Mistake('a policy must be a name, a function, or an object with a name');
}

/**
 * The middlewares of a route, or of `config/middlewares`, in their order.
 *
 * @throws Mistake for a middleware that is not there; UsageError for a file that `resolve` means and that is not.
 */
export function middlewaresOf(written: unknown, space: string, namespaces: Namespaces): readonly Middleware[] {
  const { middlewares, tools, resolve } = namespaces;
  return eachOf(listOf(written, 'middlewares'), namespaces, (entry): Middleware => {
    if (typeof entry === 'function') return calling(entry as Middleware);
    const {
      name,
      resolve: path,
      config = {},
    } = typeof entry === 'string' ? { name: entry } : (entry as Record<string, unknown>);
    const factory =
      name === undefined && typeof path === 'string'
        ? resolve(path)
        : byName(middlewares, String(name), space, 'middleware');
    if (name === undefined && typeof path === 'string' && typeof factory !== 'function') {
      throw new Mistake(`${path} exports no function, as a middleware must`, [path]);
    }
    if (factory === undefined) throw unfound('Middleware', String(name), space, middlewares);
    if (typeof factory !== 'function') {
      throw new Mistake(`Middleware ${String(name)} must be a function of its configuration`, [String(name)]);
    }
    const created = madeBy(factory as Factory, { config, tools, name: String(name ?? path) });
    return calling(UnitOfWork.share(created, factory));
  });
}

/** A middleware that is called as code which decides about requests. */
function calling(middleware: Middleware): Middleware {
  const called: Middleware = (ctx, next) => UnitOfWork.call(middleware, undefined, ctx, next);
  return Object.defineProperty(called, 'name', { value: middleware.name });
}

/**
 * Creates a middleware. A factory that returns nothing stands for a middleware that passes on, as in the reference.
 *
 * @throws Mistake for anything else: the reference does not start with it, and routes that it should guard would be
 *   open.
 */
function madeBy(
  factory: Factory,
  { config, tools, name }: { readonly config: unknown; readonly tools: object; readonly name: string },
): Middleware {
  const created = factory(config, tools);
  if (typeof created === 'function') return created as Middleware;
  if (created === undefined || created === null) return (_ctx, next) => next();
  const isPromise = typeof (created as PromiseLike<unknown>).then === 'function';
  // a rejection of that promise has no meaning
  if (isPromise) (created as PromiseLike<unknown>).then(undefined, () => {});
  const kind = Array.isArray(created) ? 'a list' : typeof created === 'object' ? 'an object' : `a ${typeof created}`;
  const gives = isPromise ? 'a promise, as an async function does' : kind;
  throw new Mistake(
    `Middleware ${name} gives ${gives}: it must be a function of its configuration that returns the middleware, such as (config, { strapi }) => async (ctx, next) => { … }`,
    [name],
  );
}

/** `strapi::responses`: functions for answers of some statuses. */
const responses =
  ({ handlers }: { readonly handlers?: Readonly<Record<number, unknown>> }): Middleware =>
  async (ctx, next) => {
    await next();
    const handler = handlers?.[ctx.response.status];
    if (typeof handler === 'function') await handler(ctx, next);
  };

/**
 * The middlewares of `config/middlewares`.
 *
 * @throws MistakeInFile for one that is not there.
 */
export function globalMiddlewares(
  list: readonly unknown[],
  { middlewaresFile }: CodeConfig,
  namespaces: Namespaces,
): readonly Middleware[] {
  return inFile(middlewaresFile, [], () => middlewaresOf(list, '', namespaces));
}

/**
 * Runs work that reads the content of a file.
 *
 * @param trail the keys that lead to the content. @param place the name of the content in messages.
 * @throws MistakeInFile for a Mistake.
 */
export function inFile<T>(file: string, trail: readonly string[], work: () => T, place?: string): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    const message = place === undefined ? error.message : `${place}: ${error.message}`;
    throw new MistakeInFile(file, new Mistake(message, [...trail, ...error.trail], { cause: error }));
  }
}

/** An entry of `config/middlewares`. */
interface GlobalEntry {
  readonly entry: unknown;
  /** Whether the project has the middleware. */
  readonly own: boolean;
}

/**
 * The entries of `config/middlewares`: those of the project as they are, those of Strapi by name.
 *
 * @param isLeftOut whether `config/galley` leaves a middleware out, by its name or its file.
 */
export function globalEntries(list: unknown, isLeftOut: (name: string) => boolean): GlobalEntry[] {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return entries.flatMap((entry): readonly GlobalEntry[] => {
    const { name, resolve } = (isPlain(entry) ? entry : { name: entry }) as Record<string, unknown>;
    if (!isOwnMiddleware(entry)) return [{ entry: String(name), own: false }];
    return isLeftOut(String(name ?? resolve ?? '')) ? [] : [{ entry, own: true }];
  });
}

/** A mistake for an unknown name, with the file that it would have and the known names. */
function unfound(noun: 'Policy' | 'Middleware', name: string, space: string, { uids }: Registry<unknown>): Mistake {
  const folder = noun === 'Policy' ? 'policies' : 'middlewares';
  const api = /^api::(.+)$/.exec(space)?.[1];
  const [, prefix, own = name] = /^(?:(?:api::([^.]+)\.)|global::)?(.*)$/.exec(name) ?? [];
  const isFull = name.includes('::');
  const places = [
    ...(isFull ? [] : api === undefined ? [] : [`src/api/${api}/${folder}/${own}`]),
    prefix === undefined ? `src/${folder}/${own}` : `src/api/${prefix}/${folder}/${own}`,
  ];
  const short = (uid: string): string => (uid.startsWith(`${space}.`) ? uid.slice(space.length + 1) : uid);
  const known = uids.map((uid) => (isFull ? uid : short(uid)));
  return new Mistake(`${noun} ${name} not found in ${places.join(' or ')}${choices(name, known)}`, [name]);
}

/** A policy or middleware by its full name, or by a short one in an API or a plugin. @throws Unsupported for one of a plugin or the panel that is missing. */
function byName(registry: Registry<unknown>, name: string, space: string, noun: string): unknown {
  if (noun === 'middleware' && name === 'strapi::responses') return responses;
  let found: unknown;
  for (const uid of guardUids(name, space)) found ??= registry.get(uid);
  return found === undefined && /^(?:plugin|admin)::/.test(name) ? unsupported(`the ${noun} ${name}`) : found;
}

/** Creates each entry of a list, apart from the entries that `config/galley` declares safe to leave out. */
function eachOf<T>(
  list: readonly unknown[],
  { leavesOut = false }: Namespaces,
  make: (entry: unknown) => T,
): readonly T[] {
  return list.flatMap((entry) => {
    try {
      return [UnitOfWork.attempt(() => make(entry))];
    } catch (error) {
      if (error instanceof LeftOut && (leavesOut || error.isSafe)) return [];
      throw error;
    }
  });
}

function listOf(written: unknown, noun: string): readonly unknown[] {
  if (written === undefined || written === null) return [];
  if (!Array.isArray(written)) throw new Mistake(`${noun} must be a list`, [noun]);
  return written;
}

/** Middlewares as one function, each around the ones after it. */
export function composed(middlewares: readonly Middleware[]): (ctx: Context, last: Next) => Promise<unknown> {
  if (middlewares.length === 0) return async (_ctx, last) => last();
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
