/** The routes of a project's APIs, in the order in which the reference tries them. */
import { coreNames, coreRoute } from '../../access/actions.ts';
import { UsageError } from '../../errors.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { CodeFile } from '../code-files.ts';
import type { CoreRoutes } from '../core-routes.ts';
import { isPlain } from '../documents/plain-params.ts';
import type { CoreRouter } from '../strapi/packages.ts';
import { type PathPattern, pathPattern } from './path-pattern.ts';

/** A route as code writes it. */
export interface WrittenRoute {
  readonly method: string;
  readonly path: string;
  /** `article.find`, a full uid with the action, a function, or a list of functions. */
  readonly handler: unknown;
  readonly config?: RouteConfig;
  readonly info?: unknown;
  /** Schemas of zod: those of `params` and `query` by name, those of `body` by its type. */
  readonly request?: unknown;
  /** A schema of zod. */
  readonly response?: unknown;
}

/** The requirements of a route for its caller. */
export interface RouteAuth {
  /** Actions that the caller needs. */
  readonly scope?: string | readonly string[];
  /** Strategies that identify the caller in place of API tokens and accounts: names, and strategies of the project. */
  readonly strategies?: unknown;
}

export interface RouteConfig {
  readonly auth?: boolean | RouteAuth;
  readonly policies?: unknown;
  readonly middlewares?: unknown;
  readonly prefix?: string;
}

/** The action that a core route performs. */
export interface CoreAction {
  readonly type: ContentType;
  readonly name: string;
}

export interface ListedRoute {
  /** Upper case; `ALL` for every method. */
  readonly method: string;
  /** With the router's prefix, below the API's. */
  readonly path: string;
  /** Whether the path is the whole one. */
  readonly isAtRoot?: true;
  /** Its name in Koa's router. */
  readonly name?: string;
  /** True for a route of the server itself that runs behind guards of the code. */
  readonly ofServer?: true;
  /** Whether responses contain the messages of refusals: in Strapi's routes 401 and 403 have no messages of their own. */
  readonly tellsRefusals?: true;
  readonly pattern: PathPattern;
  readonly api: string;
  /** Where it is written. */
  readonly file: string;
  /** The prefix of its actions' names: `api::article`. */
  readonly space: string;
  readonly written: WrittenRoute;
  /** Undefined for routes of the project's own. */
  readonly core: CoreAction | undefined;
}

/** The path of a route in URLs. @param prefix that of the API. */
export const wholePath = ({ isAtRoot, path }: Pick<ListedRoute, 'isAtRoot' | 'path'>, prefix: string): string =>
  isAtRoot ? path : prefix + (path === '/' ? '' : path);

const CORE = Symbol('core route');
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ALL', 'HEAD', 'OPTIONS']);

/** The routes that a core router makes. */
export function coreRoutesOf(catalog: Catalog, { uid, only, except, config = {} }: CoreRouter): WrittenRoute[] {
  const type = catalog.contentTypes.get(uid);
  if (!type) throw new UsageError(`createCoreRouter('${uid}'): there is no content type of this uid`, 1);
  const names = coreNames(type)
    .filter((name) => !except?.includes(name))
    .filter((name) => only === undefined || only.includes(name));
  return names.map((name) => {
    const { method, path } = coreRoute(type, name);
    const action: CoreAction = { type, name };
    return {
      method,
      path: path.replace(':documentId', ':id'),
      handler: `${uid}.${name}`,
      config: (config[name] ?? {}) as RouteConfig,
      [CORE]: action,
    };
  });
}

/** The core routes of types of APIs without files of routes: such an API has all of them. */
export function routesOfOthers(catalog: Catalog, apis: ReadonlySet<string>): ListedRoute[] {
  return [...catalog.contentTypes.values()].flatMap(({ uid, routed }) => {
    const api = uid.slice('api::'.length, uid.lastIndexOf('.'));
    if (!routed || apis.has(api)) return [];
    return coreRoutesOf(catalog, { uid }).map((route) => listed(route, '', { api, path: uid }));
  });
}

/** The routes of one file of routes. @param exported a router, a list of routes, or a function of `{ strapi }`. */
export function routesOf(file: CodeFile, exported: unknown, tools: object): ListedRoute[] {
  const router: unknown = typeof exported === 'function' ? exported(tools) : exported;
  if (router === undefined || router === null) return [];
  const list: unknown = Array.isArray(router) ? router : (router as { routes?: unknown }).routes;
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw new UsageError(`${file.path}: routes must be a list`, 1);
  const prefix = Array.isArray(router) ? '' : String((router as { prefix?: string }).prefix ?? '');
  return list.map((route) => listed(route, prefix, file));
}

/**
 * A route below a prefix.
 *
 * @param place the file that it is written in.
 * @throws UsageError for an invalid route.
 */
export function listed(
  route: unknown,
  prefix: string,
  { api, path: file, space = `api::${api}` }: Pick<CodeFile, 'api' | 'path'> & { readonly space?: string },
): ListedRoute {
  if (!isPlain(route) || typeof route['path'] !== 'string' || typeof route['method'] !== 'string') {
    throw new UsageError(`${file}: a route must have a method and a path`, 1);
  }
  const written = route as unknown as WrittenRoute;
  const { handler } = written;
  const isHandler = typeof handler === 'string' || typeof handler === 'function' || Array.isArray(handler);
  if (!isHandler) throw new UsageError(`${file}: the route ${route['path']} has no handler`, 1);
  const method = written.method.trim().toUpperCase();
  if (!METHODS.has(method)) throw new UsageError(`${file}: ${written.method} is not a method of a route`, 1);
  requireAuth(written.config?.auth, `${file}: auth of the route ${written.path}`);
  const isFree = written.config !== undefined && 'prefix' in written.config;
  const own = written.path.trim();
  const path = isFree || prefix === '' ? own : prefix + (own === '/' ? '' : own);
  const action = (route as { [CORE]?: CoreAction })[CORE];
  const isCore = action !== undefined && isAt(action, method, own);
  return { method, path, pattern: pathPattern(path), file, api, space, written, core: isCore ? action : undefined };
}

/** @throws UsageError for `auth` of a route that the reference refuses too. */
function requireAuth(auth: unknown, place: string): void {
  if (auth === undefined || auth === false) return;
  const { scope } = (isPlain(auth) ? auth : { scope: null }) as { scope?: unknown };
  const isScope = scope === undefined || (scope !== '' && [scope].flat().every((one) => typeof one === 'string'));
  if (!isScope) throw new UsageError(`${place} must be false, or an object whose scope is a list of actions`, 1);
}

/** The action that a route performs, as it is granted; undefined for functions. */
export function actionOf({ written: { handler }, api, space }: ListedRoute): string | undefined {
  if (typeof handler !== 'string') return undefined;
  const named = handler.trim();
  // routes that code adds by itself are of no API
  if (api === '' && named.includes('::')) return named;
  const prefix = `${space}.`;
  return named.startsWith(prefix) ? named : prefix + named;
}

/** The uids that the controller of a handler may have, in the order of the reference, and the name of its action. */
export function controllerOf(
  handler: string,
  { space }: Pick<ListedRoute, 'space'>,
): { readonly name: string; readonly uids: readonly [own: string, full: string]; readonly action: string } {
  const named = handler.trim();
  const at = named.lastIndexOf('.');
  const name = named.slice(0, at);
  return { name, uids: [`${space}.${name}`, name], action: named.slice(at + 1) };
}

/** The uids that the name of a policy or middleware of a route may mean, in the order of the reference. */
export const guardUids = (name: string, space: string): readonly string[] => [
  name,
  `${space}.${name}`,
  `global::${name}`,
];

/** Whether a route has a policy, a middleware or `auth` of its own. */
export function hasGuard({ written: { config = {} } }: ListedRoute): boolean {
  const { policies, middlewares, auth } = config;
  return auth !== undefined || [policies, middlewares].some((list) => Array.isArray(list) && list.length > 0);
}

/** Whether a route is where the reference has it. */
function isAt({ type, name }: CoreAction, method: string, path: string): boolean {
  const core = coreRoute(type, name);
  return core.method === method && core.path.replace(':documentId', ':id') === path;
}

/**
 * Routes that code adds by `strapi.server.routes`: a list, or a router. Their paths are whole, except those of a router of
 * the type `content-api`, which are below the API's prefix. Other values add nothing, as in the reference.
 *
 * @throws Error for a router of a type that there is not. @throws UsageError for an invalid route.
 */
export function addedRoutes(added: unknown, file: string): ListedRoute[] {
  const { type, prefix, routes } = (Array.isArray(added) ? { routes: added } : added) as Partial<Added>;
  const isAtRoot = type !== 'content-api';
  if (isAtRoot && type && type !== 'admin') {
    throw new Error(`API ${String(type)} not found. Possible APIs are content-api,admin`);
  }
  return (routes ?? []).map((route) => {
    const one = listed(route, String(prefix ?? ''), { api: '', path: file });
    return isAtRoot ? { ...one, isAtRoot, core: undefined } : one;
  });
}

interface Added {
  readonly type: unknown;
  readonly prefix: unknown;
  readonly routes: readonly unknown[];
}

/** Which core routes there are, by uid, for the types of APIs with files of routes. */
export function coreRouting(
  catalog: Catalog,
  routes: readonly ListedRoute[],
  apis: ReadonlySet<string>,
): Map<string, CoreRoutes[]> {
  const created = new Map<string, CoreRoutes[]>();
  for (const { uid, routed } of catalog.contentTypes.values()) {
    if (routed && apis.has(uid.slice('api::'.length, uid.lastIndexOf('.')))) created.set(uid, []);
  }
  for (const { core, path, written } of routes) {
    if (!core) continue;
    const prefix = path.slice(0, path.length - written.path.trim().length);
    const known = created.get(core.type.uid)?.find((one) => one.prefix === prefix);
    const names = new Set([...(known?.names ?? []), core.name]);
    const others = (created.get(core.type.uid) ?? []).filter((one) => one !== known);
    created.set(core.type.uid, [...others, { prefix, names }]);
  }
  return created;
}
