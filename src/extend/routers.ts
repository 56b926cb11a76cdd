/**
 * Reads the routers of `src/api/<api>/routes`: which core routes there are, what stands before them, and what takes
 * their place.
 */

import { type ActionRoute, BUILT_IN_ACTIONS, coreNames, coreRoute, ownRoutesOf } from '../access/actions.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { memberOf, textOf, textsOf, truthOf, type Value } from './reading/values.ts';
import { valueMayRefuse } from './refuses.ts';
import { codeFiles, uidOf } from './running/code-files.ts';
import type { SourceFile } from './source-files.ts';
import type { Sources } from './sources.ts';
import { allActions, type Touch, type TouchKind } from './touch.ts';

/** Core routes of a type that one router makes. */
export interface CoreRoutes {
  /** In front of their paths. */
  readonly prefix: string;
  readonly names: ReadonlySet<string>;
}

export interface Routing {
  /** By uid, for the types of every API that has routers; types of others have all their routes. */
  readonly routes: ReadonlyMap<string, readonly CoreRoutes[]>;
  readonly touches: readonly Touch[];
  /** Routes of the project's own. */
  readonly own: readonly OwnRoute[];
  /** Paths of the files of which nothing is left to be run: all that they say is which core routes there are. */
  readonly honoured: ReadonlySet<string>;
}

/** A route of the project's own. */
export interface OwnRoute {
  readonly method: string;
  /** Below the API's prefix. */
  readonly path: string;
  /** Whether the path is the whole one. */
  readonly isAtRoot?: boolean | undefined;
  /** `api::article.article.find`, or what else answers. */
  readonly handler: string;
  readonly file: string;
  /** What its configuration says of who may call it, as far as that is written out. */
  readonly auth?: boolean | { readonly scope: readonly string[] } | undefined;
}

type CoreRouter = Value & { readonly kind: 'core' };

export class RouterReader {
  readonly #catalog: Catalog;
  readonly #sources: Sources | undefined;
  readonly #routes = new Map<string, CoreRoutes[]>();
  readonly #own: OwnRoute[] = [];
  readonly #touches: Touch[] = [];
  /** Files of middlewares by uid. */
  readonly #middlewares: ReadonlyMap<string, string>;
  /** APIs with a router of which it is not known what routes it makes. */
  readonly #unclear = new Set<string>();

  /** Without `sources` there must be no file that was not generated. */
  constructor(catalog: Catalog, sources: Sources | undefined) {
    this.#catalog = catalog;
    this.#sources = sources;
    this.#middlewares = new Map(
      codeFiles(sources?.files ?? []).flatMap((file) =>
        file.kind === 'middlewares' ? [[uidOf(file), file.path]] : [],
      ),
    );
  }

  /** Reads all routers of a project. */
  read(files: readonly SourceFile[]): Routing {
    for (const type of this.#catalog.contentTypes.values()) {
      // an API with routers has the routes that they make; without any it consists of schemas only
      if (type.routed && files.some(({ owner }) => owner === apiOf(type.uid))) this.#routes.set(type.uid, []);
    }
    const honoured = new Set<string>();
    for (const file of files) {
      const before = this.#touches.length + this.#own.length;
      this.#readFile(file);
      if (this.#touches.length + this.#own.length === before) honoured.add(file.path);
    }
    for (const [uid, made] of this.#routes) {
      // closed rather than left out: they are there once somebody says that they are safe
      if (made.length === 0 && this.#unclear.has(apiOf(uid))) this.#routes.delete(uid);
    }
    this.#touches.push(...takenOver(this.#catalog, this.#routes, this.#own));
    this.#touches.push(...performedElsewhere(this.#catalog, this.#routes, this.#own));
    const touches = this.#touches.map((touch) => ({ ...touch, ofApi: true }));
    return { routes: this.#routes, touches, own: this.#own, honoured };
  }

  #readFile(file: SourceFile): void {
    if (file.generated) {
      this.#add(this.#catalog.contentTypes.get(`api::${file.owner}.${file.name}`), '', undefined);
      return;
    }
    const values = this.#sources!.values;
    const module = this.#sources!.module(file.path);
    if (!module) {
      this.#close(file, 'routes that cannot be parsed', undefined);
      return;
    }
    const exported = values.exported(module);
    this.#readRouter(exported.kind === 'function' ? values.result(exported) : exported, file);
  }

  #readRouter(router: Value, file: SourceFile): void {
    if (router.kind === 'core') {
      this.#readCore(router, memberOf(router.options, 'prefix'), file);
      return;
    }
    const list = router.kind === 'object' ? memberOf(router, 'routes') : router;
    if (router.kind === 'object' && !router.open && list.kind === 'literal') return;
    if (list.kind !== 'list') {
      this.#close(file, 'routes that are not written out');
      return;
    }
    const prefix = router.kind === 'object' ? memberOf(router, 'prefix') : UNKNOWN_PREFIX;
    if (list.open) this.#close(file, 'routes that are not written out');
    for (const item of list.items) {
      if (item.kind === 'coreRoutes') this.#readCore(item.router, prefix, file);
      else this.#readOwn(item, prefix, file);
    }
  }

  #readCore(router: CoreRouter, prefix: Value, file: SourceFile): void {
    const uid = textOf(router.uid);
    const type = uid === undefined ? undefined : this.#catalog.contentTypes.get(uid);
    if (router.factory !== 'createCoreRouter' || uid === undefined) {
      this.#close(file, 'routes that are not written out');
      return;
    }
    if (!type?.routed) return;
    const written = prefixText(prefix);
    const kept = keptNames(coreNames(type), router.options);
    this.#add(type, written ?? '', kept);
    if (written === undefined || kept === undefined)
      this.#touch(type, coreNames(type), file, 'options of the router that are not written out', true);
    const configs = memberOf(router.options, 'config');
    for (const name of kept ?? coreNames(type)) this.#readConfig(type, name, memberOf(configs, name), file);
  }

  #add(type: ContentType | undefined, prefix: string, names: readonly string[] | undefined): void {
    if (!type?.routed) return;
    const made = this.#routes.get(type.uid) ?? [];
    this.#routes.set(type.uid, [...made, { prefix, names: new Set(names ?? coreNames(type)) }]);
  }

  #readOwn(route: Value, prefix: Value, file: SourceFile): void {
    const written = prefixText(prefix);
    const own = ownRoute(route, written, file);
    if (!own) {
      this.#close(file, 'a route that is not written out');
      return;
    }
    const type = [...this.#catalog.contentTypes.values()].find(({ uid }) => own.handler.startsWith(`${uid}.`));
    const name = type?.routed ? own.handler.slice(type.uid.length + 1) : '';
    if (type && coreNames(type).includes(name)) {
      const core = coreRoute(type, name);
      const at = isSamePath(own.path, (written ?? '') + core.path)
        ? (written ?? '')
        : isSamePath(own.path, core.path)
          ? ''
          : undefined;
      if (at !== undefined && own.method === core.method) {
        this.#add(type, at, [name]);
        this.#readConfig(type, name, memberOf(route, 'config'), file);
        return;
      }
    }
    this.#own.push(own);
  }

  /** What stands before an action: policies, middlewares, and who may call it. */
  #readConfig(type: ContentType, name: string, config: Value, file: SourceFile): void {
    if (isAbsent(config)) return;
    const touch = (what: string, refuses: boolean) => this.#touch(type, [name], file, what, refuses);
    if (config.kind !== 'object' || config.open) {
      touch('a configuration that is not written out', true);
      return;
    }
    for (const [key, word] of [
      ['policies', 'policy'],
      ['middlewares', 'middleware'],
    ] as const) {
      const list = memberOf(config, key);
      if (isAbsent(list)) continue;
      if (list.kind !== 'list' || list.open) touch(`${key} that are not written out`, true);
      for (const item of list.kind === 'list' ? list.items : []) {
        const named = textOf(item) ?? textOf(memberOf(item, 'name'));
        touch(`${word} ${named ?? 'of the route'}`, word === 'policy' || this.#mayRefuse(item, named, file));
      }
    }
    const auth = memberOf(config, 'auth');
    if (!isAbsent(auth)) touch(truthOf(auth) === false ? 'auth: false' : 'auth', truthOf(auth) !== false);
  }

  /** Whether a route's middleware may refuse: that of the file that it names, or the function itself. */
  #mayRefuse(item: Value, named: string | undefined, { owner }: SourceFile): boolean {
    if (named === undefined) return valueMayRefuse(item, this.#sources!);
    const uids = [named, `api::${owner}.${named}`, `global::${named}`];
    const file = uids.map((uid) => this.#middlewares.get(uid)).find((path) => path !== undefined);
    const module = file === undefined ? undefined : this.#sources!.module(file);
    return module ? valueMayRefuse(this.#sources!.values.exported(module), this.#sources!) : true;
  }

  /** Of routes that are not understood: they may be in front of any other. */
  #close(file: SourceFile, what: string, kind: TouchKind | undefined = 'unreadRoutes'): void {
    this.#unclear.add(file.owner);
    this.#touches.push(allActions(file.path, what, { kind }));
  }

  #touch(type: ContentType, names: readonly string[], file: SourceFile, what: string, refuses: boolean): void {
    this.#touches.push({ actions: names.map((name) => `${type.uid}.${name}`), code: file.path, what, refuses });
  }
}

/** The folder of a type's API: `article` of `api::article.article`. */
const apiOf = (uid: string): string => uid.slice('api::'.length, uid.lastIndexOf('.'));

/** Of a list of routes: no prefix is known, and none is meant. */
const UNKNOWN_PREFIX: Value = { kind: 'literal', value: undefined };

/** A path in front of others, as text; undefined for one that is not written out. */
function prefixText(prefix: Value): string | undefined {
  if (isAbsent(prefix)) return '';
  const text = textOf(prefix);
  return text === undefined || !/^(?:\/[\w~.-]+)*$/.test(text) ? undefined : text;
}

function isAbsent(value: Value): boolean {
  return value.kind === 'literal' && (value.value === undefined || value.value === null);
}

/** The names that `only` and `except` leave; undefined when they are not written out. */
function keptNames(names: readonly string[], options: Value): readonly string[] | undefined {
  if (options.kind !== 'object') return isAbsent(options) ? names : undefined;
  if (options.open) return undefined;
  const only = namesIn(memberOf(options, 'only'));
  const except = namesIn(memberOf(options, 'except'));
  if (only === undefined || except === undefined) return undefined;
  return names.filter((name) => !except?.includes(name) && (only === null || only.includes(name)));
}

/** Texts of a list, or a single text; null for nothing, undefined for what is not written out. */
function namesIn(value: Value): readonly string[] | null | undefined {
  if (value.kind === 'literal' && !value.value) return null;
  const text = textOf(value);
  return text === undefined ? textsOf(value) : [text];
}

/** A route of the project's own; undefined for one that is not written out. */
export function ownRoute(
  route: Value,
  prefix: string | undefined,
  { owner, path: file }: SourceFile,
  space = 'api',
): OwnRoute | undefined {
  if (route.kind !== 'object' || route.open) return undefined;
  const [method, path] = [textOf(memberOf(route, 'method')), textOf(memberOf(route, 'path'))];
  const config = memberOf(route, 'config');
  if (method === undefined || path === undefined || (config.kind !== 'object' && !isAbsent(config))) return undefined;
  const hasOwnPrefix = config.kind === 'object' && (config.open || config.entries.has('prefix'));
  if (!hasOwnPrefix && prefix === undefined) return undefined;
  const named = textOf(memberOf(route, 'handler'))?.trim();
  const handler = named === undefined ? 'a function' : named.includes('::') ? named : `${space}::${owner}.${named}`;
  const auth = writtenAuth(memberOf(config, 'auth'));
  return { method: method.trim().toUpperCase(), path: (hasOwnPrefix ? '' : prefix) + path.trim(), handler, file, auth };
}

function writtenAuth(auth: Value): OwnRoute['auth'] {
  if (auth.kind === 'literal') return typeof auth.value === 'boolean' ? auth.value : undefined;
  const scope = memberOf(auth, 'scope');
  const named = textOf(scope);
  const scopes = named === undefined ? textsOf(scope) : [named];
  return scopes && { scope: scopes };
}

/** Actions, core, built-in and Galley's own, whose requests a route of the project answers. @param prefix that of the API. */
export function takenOver(
  catalog: Catalog,
  routing: ReadonlyMap<string, readonly CoreRoutes[]>,
  own: readonly OwnRoute[],
  prefix = '',
): Touch[] {
  const core = allRoutes(catalog, routing);
  return own.flatMap((route) =>
    core
      .filter(
        ({ method, path }) =>
          (route.method === 'ALL' || route.method === method) &&
          covers(route.path, (route.isAtRoot ? prefix : '') + path),
      )
      .map(({ action }) => ({ actions: [action], code: route.file, what: `route to ${route.handler}`, refuses: true })),
  );
}

/**
 * Core actions without a core route that routes of the project's own perform: what stands before these is all that does,
 * so whatever else comes to the same rows must not go round them.
 */
export function performedElsewhere(
  catalog: Catalog,
  routing: ReadonlyMap<string, readonly CoreRoutes[]>,
  own: readonly OwnRoute[],
): Touch[] {
  const left = leftOut(catalog, routing);
  return own.flatMap(({ handler, file }) =>
    left.has(handler) ? [{ actions: [handler], code: file, what: `route to ${handler}`, refuses: true }] : [],
  );
}

/** Core actions that no core route performs. @param routing core routes by uid. */
export function leftOut(catalog: Catalog, routing: ReadonlyMap<string, readonly CoreRoutes[]>): Set<string> {
  const left = new Set<string>();
  for (const [uid, made] of routing) {
    for (const name of coreNames(catalog.contentTypes.get(uid)!)) {
      if (!made.some(({ names }) => names.has(name))) left.add(`${uid}.${name}`);
    }
  }
  return left;
}

/** The routes of a project with their actions, below the API's prefix. @param routing core routes by uid. */
export function allRoutes(catalog: Catalog, routing: ReadonlyMap<string, readonly CoreRoutes[]>): ActionRoute[] {
  const routes: ActionRoute[] = [];
  for (const type of catalog.contentTypes.values()) {
    if (!type.routed) continue;
    for (const { prefix, names } of routing.get(type.uid) ?? [{ prefix: '', names: new Set(coreNames(type)) }]) {
      for (const name of names) {
        const route = coreRoute(type, name);
        routes.push({ ...route, path: prefix + route.path });
      }
    }
    routes.push(...ownRoutesOf(type));
  }
  return [...routes, ...BUILT_IN_ACTIONS];
}

/**
 * Whether a pattern takes every request of a route of ours. What is more than names and parameters takes all below it.
 */
function covers(pattern: string, path: string): boolean {
  const [segments, others] = [segmentsOf(pattern), segmentsOf(path)];
  for (const [index, segment] of segments.entries()) {
    const other = others[index];
    if (/[^\w:~.-]/.test(segment)) return other === undefined || mayBegin(segment.toLowerCase(), other.toLowerCase());
    if (other === undefined) return false;
    if (!covered(segment.toLowerCase(), other.toLowerCase())) return false;
  }
  return segments.length === others.length;
}

/** Whether what a segment of any form begins with may be the beginning of another. A dot belongs to what follows it. */
function mayBegin(segment: string, other: string): boolean {
  const beginning = /^[\w~.-]*/.exec(segment)![0].replace(/\.+$/, '');
  return other.startsWith(':') || other.startsWith(beginning);
}

/** Whether a segment of a pattern takes values of another. A parameter may follow letters: `/art:rest`. */
function covered(segment: string, other: string): boolean {
  const parameter = segment.indexOf(':');
  if (parameter < 0) return segment === other;
  return other.startsWith(':') || other.startsWith(segment.slice(0, parameter));
}

function isSamePath(pattern: string, path: string): boolean {
  const shape = (text: string) => segmentsOf(text).map((segment) => (segment.startsWith(':') ? ':' : segment));
  return shape(pattern).join('/') === shape(path).join('/');
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');
