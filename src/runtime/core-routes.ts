/** Which core routes a project has, and which of its own routes take the place of others. */
import { type ActionRoute, BUILT_IN_ACTIONS, coreNames, coreRoute, ownRoutesOf } from '../access/actions.ts';
import type { Catalog } from '../schema/catalog.ts';

/** Core routes of a type that one router makes. */
export interface CoreRoutes {
  /** In front of their paths. */
  readonly prefix: string;
  readonly names: ReadonlySet<string>;
}

/** A route of the project's own. */
export interface OwnRoute {
  readonly method: string;
  /** Below the API's prefix. */
  readonly path: string;
  /** Whether the path is the whole one. */
  readonly isAtRoot?: boolean | undefined;
  /** `api::article.article.find`, or another name of the code that answers. */
  readonly handler: string;
  readonly file: string;
}

/** A guard or a handler of the project in front of actions. */
export interface GuardedActions {
  readonly actions: readonly string[];
  /** The file that it is in. */
  readonly code: string;
  /** `policy global::is-owner`, `route to api::article.article.search`. */
  readonly what: string;
}

/** Actions, core, built-in and Galley's own, whose requests a route of the project answers. @param prefix that of the API. */
export function takenOver(
  catalog: Catalog,
  routing: ReadonlyMap<string, readonly CoreRoutes[]>,
  own: readonly OwnRoute[],
  prefix = '',
): GuardedActions[] {
  const core = allRoutes(catalog, routing);
  return own.flatMap((route) =>
    core
      .filter(
        ({ method, path }) =>
          (route.method === 'ALL' || route.method === method) &&
          covers(route.path, (route.isAtRoot ? prefix : '') + path),
      )
      .map(({ action }) => ({ actions: [action], code: route.file, what: `route to ${route.handler}` })),
  );
}

/**
 * Core actions without a core route that routes of the project's own perform. The guards of these routes are the only ones,
 * so Galley's own routes to the same rows must not bypass them.
 */
export function performedElsewhere(
  catalog: Catalog,
  routing: ReadonlyMap<string, readonly CoreRoutes[]>,
  own: readonly OwnRoute[],
): GuardedActions[] {
  const withoutRoutes = leftOut(catalog, routing);
  return own.flatMap(({ handler, file }) =>
    withoutRoutes.has(handler) ? [{ actions: [handler], code: file, what: `route to ${handler}` }] : [],
  );
}

/** Core actions that no core route performs. @param routing core routes by uid. */
export function leftOut(catalog: Catalog, routing: ReadonlyMap<string, readonly CoreRoutes[]>): Set<string> {
  const withoutRoutes = new Set<string>();
  for (const [uid, routes] of routing) {
    for (const name of coreNames(catalog.contentTypes.get(uid)!)) {
      if (!routes.some(({ names }) => names.has(name))) withoutRoutes.add(`${uid}.${name}`);
    }
  }
  return withoutRoutes;
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
 * Whether a pattern matches every request of a route of Galley. Any other syntax than names and parameters counts as a
 * match of everything below.
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

/** Whether two segments of any syntax may begin alike. A dot belongs to the text after it. */
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

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');
