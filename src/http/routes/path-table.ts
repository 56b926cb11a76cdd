/** The paths of the server with the methods that each takes, for requests that no route takes. */
/** What every path takes: the reference has a route to read by behind all others. */
const READING = ['HEAD', 'GET'] as const;
/** The others, in the order of an `Allow` header, which is the reference's. */
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

interface Entry {
  readonly pattern: { test(path: string): boolean };
  readonly methods: ReadonlySet<string>;
}

/** Paths below a prefix, with their methods. */
export interface PathPart {
  readonly prefix: string;
  readonly routes: readonly { readonly path: string; readonly methods: object }[];
}

/** Routes of code, by whether they take a path. */
export type OwnPaths = readonly { readonly test: (path: string) => boolean; readonly methods: readonly string[] }[];

export class PathTable {
  readonly #entries: readonly Entry[];

  /**
   * Takes routes below prefixes such as `/api`; stored files are read next to them.
   *
   * @param own the routes of the project's own code.
   */
  constructor(own: OwnPaths, ...parts: readonly PathPart[]) {
    const entries = parts.flatMap(({ prefix, routes }) =>
      routes.map(({ path, methods }) => ({
        pattern: patternOf(prefix + path),
        methods: new Set(Object.keys(methods)),
      })),
    );
    const others = own.map(({ test, methods }) => ({ pattern: { test }, methods: new Set(methods) }));
    this.#entries = [...others, ...entries, { pattern: /^\/uploads\/./i, methods: new Set<string>() }];
  }

  /** The value of `Allow` for a path, without a query string: what all routes of it take; undefined for unknown paths. */
  allow(path: string): string | undefined {
    const matching = this.#entries.filter(({ pattern }) => pattern.test(path));
    if (matching.length === 0) return undefined;
    return [...READING, ...METHODS.filter((method) => matching.some(({ methods }) => methods.has(method)))].join(', ');
  }
}

/** Letter case and one slash at the end do not matter, as in the router. */
function patternOf(url: string): RegExp {
  const source = url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:[A-Za-z]+/g, '[^/]+');
  return new RegExp(`^${source}/?$`, 'i');
}
