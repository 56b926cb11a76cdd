/** The routes that code answers, in the order in which they are matched. */
import { LruCache } from '../../lru-cache.ts';
import type { Endpoint } from './endpoints.ts';
import type { ListedRoute } from './routes.ts';

/** A route with its endpoint. */
export interface Ready {
  readonly route: ListedRoute;
  readonly endpoint: Endpoint;
  /** Whether the code answers it at the moment. */
  readonly isTaken: () => boolean;
}

/** A route that matches a request, with the parameters of the path. */
export interface MatchedRoute extends Ready {
  readonly params: Record<string, string>;
}

/** The path of a route of the project. */
interface OwnPath {
  /** With parameters in braces. */
  readonly path: string;
  readonly test: (path: string) => boolean;
  readonly methods: readonly string[];
}

/** First segments of paths whose routes are cached. */
const SEGMENTS = 1000;
const READING: readonly string[] = ['GET', 'HEAD'];

/** Routes below one prefix. */
export class RouteTable {
  readonly #routes: readonly Ready[];
  readonly #prefix: string;
  /** The routes that a path may match, by its first segment. */
  readonly #bySegment = new LruCache<string, readonly Ready[]>(SEGMENTS);

  constructor(prefix: string, routes: readonly Ready[]) {
    this.#prefix = prefix;
    this.#routes = routes;
  }

  /** The first route that matches a request; undefined for none. @param path the whole path, without a query string. */
  find(method: string, path: string): MatchedRoute | undefined {
    const below = this.#below(path);
    if (below === undefined) return undefined;
    const requested = method === 'HEAD' ? 'GET' : method;
    for (const ready of this.#at(below.toLowerCase())) {
      const { route } = ready;
      if (route.method !== requested && route.method !== 'ALL' && route.method !== method) continue;
      const params = route.pattern.match(below);
      if (params) return { ...ready, params };
    }
    return undefined;
  }

  /** Paths of the project's own routes, with their methods. */
  get paths(): readonly OwnPath[] {
    return this.#routes
      .filter(({ route }) => !route.core)
      .map(({ route: { method, pattern } }) => ({
        path: this.#prefix + pattern.template,
        test: (path) => {
          const below = this.#below(path);
          return below !== undefined && pattern.match(below) !== undefined;
        },
        methods:
          method === 'ALL' ? [...READING, 'POST', 'PUT', 'PATCH', 'DELETE'] : method === 'GET' ? READING : [method],
      }));
  }

  #below(path: string): string | undefined {
    if (!path.toLowerCase().startsWith(this.#prefix.toLowerCase())) return undefined;
    const below = path.slice(this.#prefix.length) || '/';
    return below.startsWith('/') ? below : undefined;
  }

  #at(path: string): readonly Ready[] {
    const segment = /^\/[^/]*/.exec(path)![0];
    let routes = this.#bySegment.get(segment);
    if (!routes) {
      routes = this.#routes.filter(({ route: { pattern } }) => {
        const beginning = /^\/[^/]*/.exec(pattern.beginning)?.[0] ?? '';
        const isWhole = pattern.beginning.length > beginning.length;
        return isWhole ? beginning === segment : segment.startsWith(beginning);
      });
      this.#bySegment.set(segment, routes);
    }
    return routes;
  }
}
