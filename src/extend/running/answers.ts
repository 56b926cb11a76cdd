/** What a project's code answers: which requests, and how, within the middlewares that stand around them. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { CodeConfig } from '../../config/config.ts';
import type { ModuleLoader } from '../../config/modules/loader.ts';
import { ContentError, catalogue, type ErrorDetails, type ErrorName } from '../../errors.ts';
import { LruCache } from '../../lru-cache.ts';
import { STATUS_CODES } from '../../node-http.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { coreRoute } from '../actions.ts';
import type { CoreRoutes } from '../routers.ts';
import { CodeError } from './registry.ts';
import { besideRoutes } from './requests/beside-routes.ts';
import { type Context, type InsideTarget, setInside } from './requests/context.ts';
import { type DescribedRoute, describedRoutes } from './requests/described-routes.ts';
import { type Endpoint, type Identify, scopesOf } from './requests/endpoints.ts';
import { composed, type Middleware, type Next } from './requests/policies.ts';
import { coreRouting, type ListedRoute } from './requests/routes.ts';
import { answerOfError, errorAnswer, nameOfStatus } from './requests/strapi-errors.ts';

/** A route that code answers, with the parameters of the path. */
export interface Matched {
  readonly route: ListedRoute;
  readonly endpoint: Endpoint;
  readonly params: Record<string, string>;
}

/** What answers a request needs of the server. */
export interface Answering {
  readonly identify: Identify;
  /** Answers a request that is not the code's into the context; as one for another target, where one is given. */
  readonly inner: (ctx: Context, target?: InsideTarget) => Promise<void>;
  /** Takes an error that nobody meant to tell a client. */
  readonly failed: (error: Error) => void;
}

/** A route with what answers it. */
export interface Ready {
  readonly route: ListedRoute;
  readonly endpoint: Endpoint;
  /** Whether the code answers it at the moment. */
  readonly isTaken: () => boolean;
}

export interface AnswersParts {
  readonly catalog: Catalog;
  /** That of the API. */
  readonly prefix: string;
  /** APIs with files of routes. */
  readonly apis: ReadonlySet<string>;
  readonly routes: readonly Ready[];
  /** Middlewares outside of error handling, and within it. */
  readonly outer: readonly Middleware[];
  readonly globals: readonly Middleware[];
  readonly requests: AsyncLocalStorage<Context>;
  readonly loader: ModuleLoader;
  /** Rises with everything that code puts before documents. */
  readonly version: () => number;
}

/** First segments of paths whose routes are remembered. */
const SEGMENTS = 1000;

export class Answers {
  readonly #parts: AnswersParts;
  readonly #version: number;
  /** Routes that a path with some first segment may be of. */
  readonly #bySegment = new LruCache<string, readonly Ready[]>(SEGMENTS);

  constructor(parts: AnswersParts) {
    this.#parts = parts;
    this.#version = parts.version();
  }

  /** Whether answers of the server that were sent before may be sent again without asking the code. */
  get areSettled(): boolean {
    return !this.isAround && this.#parts.version() === this.#version;
  }

  #routesAt(path: string): readonly Ready[] {
    const segment = /^\/[^/]*/.exec(path)![0];
    let routes = this.#bySegment.get(segment);
    if (!routes) {
      routes = this.#parts.routes.filter(({ route: { pattern } }) => {
        const beginning = /^\/[^/]*/.exec(pattern.beginning)?.[0] ?? '';
        const isWhole = pattern.beginning.length > beginning.length;
        return isWhole ? beginning === segment : segment.startsWith(beginning);
      });
      this.#bySegment.set(segment, routes);
    }
    return routes;
  }

  /** Which core routes there are, by uid. */
  get coreRoutes(): ReadonlyMap<string, readonly CoreRoutes[]> {
    const { catalog, routes, apis } = this.#parts;
    return coreRouting(
      catalog,
      routes.map(({ route }) => route),
      apis,
    );
  }

  /** Paths of the code's own routes, with their methods, for what tells which methods a path has. */
  get paths(): readonly { readonly test: (path: string) => boolean; readonly methods: readonly string[] }[] {
    const { prefix } = this.#parts;
    return this.#parts.routes
      .filter(({ route }) => !route.core)
      .map(({ route: { method, pattern } }) => ({
        test: (path) =>
          path.toLowerCase().startsWith(prefix.toLowerCase()) && pattern.match(path.slice(prefix.length)) !== undefined,
        methods:
          method === 'ALL'
            ? ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
            : method === 'GET'
              ? ['GET', 'HEAD']
              : [method],
      }));
  }

  /** Galley's own actions that would go round one of the routes, with why they are closed. */
  beside(config: CodeConfig): ReadonlyMap<string, string> {
    const { catalog, routes } = this.#parts;
    const { coreRoutes } = this;
    return besideRoutes(catalog, config, { routes: routes.map(({ route }) => route), coreRoutes });
  }

  /** What the code answers beside core actions, in the order in which it is tried. */
  get described(): readonly DescribedRoute[] {
    const taken = new Set<string>();
    return this.#parts.routes.flatMap(({ route, endpoint, isTaken }) => {
      const free = describedRoutes(route).filter(({ method, path }) => {
        const place = `${method} ${path.toLowerCase().replaceAll(/\{\w+\}/g, '{}')}`;
        return !taken.has(place) && taken.add(place);
      });
      return route.core || endpoint.isClosed || !isTaken() ? [] : free;
    });
  }

  /** Whether middlewares of the project stand around all requests. */
  get isAround(): boolean {
    return this.#parts.outer.length + this.#parts.globals.length > 0;
  }

  /** The route by which code answers a request; undefined where the server does. */
  match(method: string, target: string): Matched | undefined {
    const { prefix } = this.#parts;
    const path = target.split('?', 1)[0]!;
    if (!path.toLowerCase().startsWith(prefix.toLowerCase())) return undefined;
    const below = path.slice(prefix.length) || '/';
    if (!below.startsWith('/')) return undefined;
    const lower = below.toLowerCase();
    const asked = method === 'HEAD' ? 'GET' : method;
    for (const { route, endpoint, isTaken } of this.#routesAt(lower)) {
      if (route.method !== asked && route.method !== 'ALL' && route.method !== method) continue;
      const params = route.pattern.match(below);
      if (params) return isTaken() ? { route, endpoint, params } : undefined;
    }
    return undefined;
  }

  /**
   * Whether code answers a core action that reads, or its path, at the moment, or stands around all requests: what a
   * middleware refuses by the path nobody knows but itself.
   */
  standsBefore(type: ContentType, name: string): boolean {
    if (this.isAround) return true;
    const { prefix, routes } = this.#parts;
    const isTaken = routes.some(
      ({ route: { core }, isTaken }) => core?.type.uid === type.uid && core.name === name && isTaken(),
    );
    return isTaken || this.match('GET', prefix + coreRoute(type, name).path) !== undefined;
  }

  /** Whether a caller must be known before a body of a request is received. */
  asksFirst({ route }: Matched): boolean {
    return route.written.config?.auth !== false;
  }

  /** The actions of a route that a caller needs; undefined where it must be known and no more. */
  scopesOf({ route }: Matched): readonly string[] | undefined {
    return scopesOf(route);
  }

  /** Answers a request into its context. */
  answer(ctx: Context, matched: Matched | undefined, { identify, inner, failed }: Answering): Promise<void> {
    return this.#parts.requests.run(ctx, async () => {
      const { prefix } = this.#parts;
      setInside(ctx, (own, target) => inner(own, target && { ...target, path: prefix + target.path }));
      const { method, path } = ctx.request;
      const last: Next = async () => {
        // a middleware may have sent the request elsewhere, where code may answer as well
        const isMoved = ctx.request.method !== method || ctx.request.path !== path;
        const found = isMoved ? this.match(ctx.request.method, ctx.request.path) : matched;
        if (found) return found.endpoint(ctx, found.params, identify);
        await inner(ctx);
        throwRefusal(ctx);
      };
      await composed(this.#parts.outer)(ctx, async () => {
        try {
          await composed(this.#parts.globals)(ctx, last);
          if (!ctx.response.isDecided && ctx.respond) ctx.response.fail(404, 'Not Found');
        } catch (error) {
          this.#tell(ctx, error, matched, failed);
        }
      }).catch((error: unknown) => this.#tell(ctx, error, matched, failed));
    });
  }

  /** Answers with an error. */
  #tell(ctx: Context, error: unknown, matched: Matched | undefined, failed: (error: Error) => void): void {
    if (error instanceof ContentError) {
      // whoever is told of what lies behind it reads the log
      if (error.status >= 500 || error.cause !== undefined || error.logged !== undefined) throw error;
      answerWith(ctx, errorAnswer(error.status, error.name, error.message, error.details));
      return;
    }
    const told = answerOfError(error);
    if (told) {
      answerWith(ctx, told);
      return;
    }
    failed(
      new CodeError(error, `in ${ctx.request.method} ${matched?.route.path ?? ctx.request.path}`, this.#parts.loader),
    );
    const status = (error as { status?: unknown } | null)?.status;
    const known = typeof status === 'number' && status > 500 && status < 600 ? status : 500;
    answerWith(ctx, errorAnswer(known, nameOfStatus(known), STATUS_CODES[known] ?? 'Error', undefined));
  }
}

/**
 * Makes of an answer of the server's own what middlewares know in the reference: a request that is refused for what it
 * contains throws, and where there is nothing the answer is open.
 *
 * @throws ContentError the error that was answered.
 */
function throwRefusal({ response }: Context): void {
  const { status } = response;
  if (status !== 400 && status !== 404) return;
  const { error } = (response.body ?? {}) as { error?: { name: ErrorName; message: string; details?: ErrorDetails } };
  if (!error || catalogue[error.name] !== status) return;
  if (status === 400) throw new ContentError(error.name, error.message, error.details);
  if (error.message === 'Not Found') response.open();
}

function answerWith(ctx: Context, { status, body }: { readonly status: number; readonly body: unknown }): void {
  ctx.response.status = status;
  ctx.response.body = body;
}
