/**
 * `strapi.server.router` and `strapi.server.app`: routes and middlewares that code adds as with Koa and its router. The
 * routes have whole paths, are tried before all others, and identify no caller.
 */
import type { EventEmitter } from 'node:events';
import { guarded, unsupported } from '../guarded.ts';
import { Context } from '../requests/context.ts';
import { composed, type Middleware, type Next } from '../requests/policies.ts';
import { addedRoutes, type ListedRoute } from '../requests/routes.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import type { AppMiddlewares } from './app-middlewares.ts';
import type { Settings } from './settings.ts';

/** The additions of code to the server. */
export interface Added {
  readonly routes: ListedRoute[];
  readonly middlewares: AppMiddlewares;
  /** Emits `error` for errors that leave the middlewares. */
  readonly errors: EventEmitter;
}

const METHODS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete', 'del', 'all'] as const;

/** `strapi.server` itself. @param members its other members. */
export function codeServer(added: Added, settings: Settings, members: object): object {
  const server: object = guarded('strapi.server', {
    ...members,
    routes: (routes: unknown) => {
      added.routes.push(...addedRoutes(routes, 'strapi.server.routes'));
      return server;
    },
    use: (...middlewares: Middleware[]) => {
      added.middlewares.use(...middlewares.map(requireFunction));
      return server;
    },
    router: codeRouter(added),
    app: codeApp(added, settings),
  });
  return server;
}

function codeRouter(added: Added): object {
  const ofMethod =
    (method: string) =>
    (...args: unknown[]): object => {
      const { name, paths, handlers } = taken(args);
      if (handlers.length === 0) throw new Error(`strapi.server.router.${method} wants a path and a handler`);
      const routes = paths.map((path) => ({
        method: method === 'del' ? 'delete' : method,
        path,
        // the result of a Koa handler is not a body
        handler: async (ctx: Context, next: Next) => void (await composed(handlers)(ctx, next)),
        config: { auth: false },
      }));
      const listed = addedRoutes(routes, 'strapi.server.router');
      added.routes.push(...(name === undefined ? listed : listed.map((route) => ({ ...route, name }))));
      return router;
    };
  const router: object = guarded('strapi.server.router', {
    ...Object.fromEntries(METHODS.map((method) => [method, ofMethod(method)])),
    /** Puts middlewares around all requests, or those at and below some paths. */
    use: (...args: unknown[]): object => {
      const hasPaths = typeof args[0] === 'string' || Array.isArray(args[0]);
      const paths = hasPaths ? [args[0]].flat().map(plainPath) : undefined;
      const around = composed(args.slice(hasPaths ? 1 : 0).map(handler));
      added.middlewares.useBehind((ctx, next) => {
        const isMeant = !paths || paths.some((path) => isBelow(ctx.request.path, path));
        return isMeant ? around(ctx, next) : next();
      });
      return router;
    },
  });
  return router;
}

interface Taken {
  readonly name: string | undefined;
  readonly paths: readonly string[];
  readonly handlers: Middleware[];
}

/** The arguments of a route: an optional name, its paths, and functions. */
function taken(args: readonly unknown[]): Taken {
  const hasName = typeof args[0] === 'string' && typeof args[1] === 'string';
  const [path, ...handlers] = hasName ? args.slice(1) : args;
  const paths = [path].flat().map((one) => {
    return typeof one === 'string'
      ? one
      : unsupported(`a path of strapi.server.router that is no text (${String(one)})`);
  });
  return { name: hasName ? String(args[0]) : undefined, paths, handlers: handlers.flat().map(handler) };
}

function requireFunction(middleware: unknown): Middleware {
  if (typeof middleware !== 'function') throw new TypeError('middleware must be a function!');
  return middleware as Middleware;
}

/** A function of code that decides about requests. */
function handler(given: unknown): Middleware {
  const middleware = requireFunction(given);
  return (ctx, next) => UnitOfWork.call(middleware, undefined, ctx, next);
}

/** A path without parameters, so that it is certain which requests a guard covers. */
function plainPath(path: unknown): string {
  if (typeof path !== 'string' || /[:*?+(){}[\]\\]/.test(path)) {
    return unsupported(`a path with parameters of strapi.server.router.use (${String(path)})`);
  }
  return path.toLowerCase().replace(/\/+$/, '');
}

/** Whether a path is at or below another one in any spelling; an undecodable path counts as such. */
function isBelow(path: string, root: string): boolean {
  try {
    const decoded = decodeURIComponent(path).toLowerCase();
    return decoded === root || decoded.startsWith(`${root}/`);
  } catch {
    return true;
  }
}

/** Koa's application, as far as code adds to it and listens to it. */
function codeApp({ middlewares, errors }: Added, settings: Settings): object {
  type Listener = (error: unknown, ctx?: Context) => void;
  const chained =
    (work: (name: string, listener: Listener) => void) =>
    (name: string, listener: Listener): object => {
      if (name !== 'error') unsupported(`strapi.server.app.on('${name}')`);
      work(name, listener);
      return app;
    };
  const members = {
    use: (middleware: Middleware) => {
      middlewares.use(requireFunction(middleware));
      return app;
    },
    on: chained((name, listener) => void errors.on(name, listener)),
    once: chained((name, listener) => void errors.once(name, listener)),
    off: chained((name, listener) => void errors.off(name, listener)),
    listenerCount: (name: string) => errors.listenerCount(name),
    emit: (name: string, ...values: unknown[]) => errors.listenerCount(name) > 0 && errors.emit(name, ...values),
    env: process.env['NODE_ENV'] || 'development',
    get middleware(): Middleware[] {
      return middlewares.list;
    },
    set middleware(list: unknown) {
      middlewares.list = list;
    },
    keys: settings.get('server.app.keys'),
    proxy: settings.get('server.proxy.koa') ?? false,
    /** Members that code adds to the contexts of later requests. */
    context: Object.create(Context.prototype) as object,
  };
  const app: object = guarded('strapi.server.app', members, { changeable: ['proxy', 'middleware'] });
  return app;
}
