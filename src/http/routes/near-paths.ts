/**
 * All paths of the server with their methods, and the paths that hints of a 404 and a 405 suggest (docs/reference/http.md,
 * "Paths and methods"). Hints name paths of a content type only to callers with a right to the type.
 */
import { coreRoute } from '../../access/actions.ts';
import { type Grants, may } from '../../access/grants.ts';
import { LruCache } from '../../lru-cache.ts';
import { nearest } from '../../nearest.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { Route } from './routes.ts';

/** Characters of a path for which a similar one is searched: a comparison takes the product of both lengths. */
const COMPARED = 200;
/** Paths whose nearest path is cached, for every caller alike. */
const CACHED = 500;

/** Core actions of types. */
const ACTIONS: readonly string[] = ['find', 'findOne', 'create', 'update', 'delete'];

/** A similar path, which the caller probably meant. */
export interface NearPath {
  readonly path: string;
  /** Its type; undefined for paths that every server has. */
  readonly type?: ContentType | undefined;
}

export class NearPaths {
  readonly #prefix: string;
  readonly #paths: PathTable;
  readonly #routes: readonly Route[];
  /** Types by their singular and plural names in lower case. */
  readonly #types: ReadonlyMap<string, ContentType>;
  /** Types by the first word of their paths. */
  readonly #typesByWord: ReadonlyMap<string | undefined, ContentType>;
  /** The server's own paths below the prefix, without those that have parameters. */
  readonly #own: readonly string[];
  readonly #cached = new LruCache<string, { readonly near: NearPath | undefined }>(CACHED);

  /** @param routes all routes below the prefix. */
  constructor(prefix: string, catalog: Catalog, paths: PathTable, routes: readonly Route[]) {
    this.#prefix = prefix;
    this.#paths = paths;
    this.#routes = routes;
    const types = [...catalog.contentTypes.values()].filter((type) => type.routed);
    this.#types = new Map(
      types.flatMap((type) => [
        [type.singularName.toLowerCase(), type],
        [type.pluralName.toLowerCase(), type],
      ]),
    );
    this.#typesByWord = new Map(types.map((type) => [firstOf(routeOf(type)), type]));
    this.#own = routes
      .filter(({ path }) => !path.includes(':') && !this.#typesByWord.has(firstOf(path)))
      .map(({ path }) => path);
  }

  /** The existing path that is similar to an unknown one; undefined where none is. */
  of(path: string): NearPath | undefined {
    if (path.length > COMPARED) return undefined;
    let cached = this.#cached.get(path);
    if (!cached) {
      cached = { near: this.#nearest(path) };
      this.#cached.set(path, cached);
    }
    return cached.near;
  }

  #nearest(path: string): NearPath | undefined {
    const lower = path.toLowerCase();
    const isBelow = lower.startsWith(`${this.#prefix.toLowerCase()}/`);
    const [first = '', ...rest] = (isBelow ? path.slice(this.#prefix.length) : path).split('/').filter(Boolean);
    const word = first.toLowerCase();
    const own = nearest(`/${[word, ...rest].join('/')}`, this.#own);
    const isOwn = own !== undefined && firstOf(own) === word;
    const type = isOwn ? undefined : this.#types.get(nearest(word, this.#types.keys()) ?? '');
    const near = type && this.#ofType(type, rest);
    if (near !== undefined && near.toLowerCase() !== lower) return { path: near, type };
    return own === undefined ? undefined : { path: this.#prefix + own };
  }

  /** The path of a type with the same rest, if it exists; a single type has no rest. */
  #ofType(type: ContentType, rest: readonly string[]): string | undefined {
    const path = this.#prefix + routeOf(type);
    const ends = type.kind === 'singleType' ? [path] : [[path, ...rest].join('/')];
    return ends.find((one) => this.#paths.allow(one) !== undefined);
  }

  /** The path with the same first word that takes a method; undefined where none does. */
  taking(method: string, path: string): NearPath | undefined {
    const first = firstOf(path.slice(this.#prefix.length));
    const taking = this.#routes.filter(
      ({ path: one, methods }) => method in methods && firstOf(one) === first && !one.includes('/actions/'),
    );
    const [near] = taking.map((route) => route.path).sort((a, b) => a.length - b.length);
    return near === undefined ? undefined : { path: this.#prefix + near, type: this.#typesByWord.get(first) };
  }
}

/** True for a path that a hint may name to a caller: paths of a type only with a right to the type. */
export function mayBeNamed({ type }: NearPath, grants: Grants): boolean {
  return type === undefined || ACTIONS.some((action) => may(grants, `${type.uid}.${action}`));
}

const routeOf = (type: ContentType): string => coreRoute(type, 'find').path;

/** The first word of a path. */
const firstOf = (path: string): string | undefined => path.split('/')[1]?.toLowerCase();

/** Methods of every path: the reference has a fallback route for reading. */
const READING = ['HEAD', 'GET'] as const;
/** Other methods, in the reference's order of an `Allow` header. */
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

/** Routes of project code. */
export type OwnPaths = readonly { readonly test: (path: string) => boolean; readonly methods: readonly string[] }[];

export class PathTable {
  readonly #entries: readonly Entry[];

  /**
   * Takes routes below prefixes such as `/api`, besides those of stored files.
   *
   * @param own the routes of project code.
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

  /**
   * The value of `Allow` for a path without a query string: the methods of all its routes; undefined for unknown paths.
   */
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
