/** Actions that would go round a route of a project: one in the place of a core one, with a guard, or the only one there is. */

import { batchAction, coreNames, ownRoutesOf } from '../../../access/actions.ts';
import type { CodeConfig } from '../../../config/config.ts';
import type { Catalog } from '../../../schema/catalog.ts';
import { closeActions } from '../../closed.ts';
import { type CoreRoutes, type OwnRoute, performedElsewhere, takenOver } from '../../routers.ts';
import { actionOf, hasGuard, type ListedRoute } from './routes.ts';

/**
 * Actions that routes of code perform under a name that one of Galley's own has: `article.publish`. What is granted is the
 * code's, and Galley has no route for it, which would go round the code.
 */
export function ownNamesOf(catalog: Catalog, routes: readonly ListedRoute[]): ReadonlySet<string> {
  const types = [...catalog.contentTypes.values()].filter(({ routed }) => routed);
  const names = new Set(types.flatMap((type) => ownRoutesOf(type).map(({ action }) => action)));
  return new Set(routes.flatMap((route) => actionOf(route) ?? []).filter((action) => names.has(action)));
}

/** A route of the project's own as reading shows it; undefined for another. */
function ownRouteOf({ core, ofServer, ...route }: ListedRoute): OwnRoute | undefined {
  if (core || ofServer) return undefined;
  const { method, path, file, isAtRoot, space, written } = route;
  const named = typeof written.handler === 'string' ? written.handler.trim() : undefined;
  const handler = named === undefined ? 'a function' : named.includes('::') ? named : `${space}.${named}`;
  return { method, path, file, isAtRoot, handler };
}

/**
 * Whether `config/galley` has the server's own actions answer in the place of a route of the project that cannot run.
 *
 * @param prefix that of the API. @param coreRoutes the core routes, by type.
 */
export function isReplaced(
  catalog: Catalog,
  { serve, safeToSkip }: Pick<CodeConfig, 'serve' | 'safeToSkip'>,
  route: ListedRoute,
  { prefix, coreRoutes }: { prefix: string; coreRoutes: ReadonlyMap<string, readonly CoreRoutes[]> },
): boolean {
  const own = ownRouteOf(route);
  const replaced = own ? takenOver(catalog, coreRoutes, [own], prefix).flatMap(({ actions }) => actions) : [];
  return replaced.length > 0 && (safeToSkip.includes(route.file) || replaced.every((action) => serve.includes(action)));
}

/**
 * Those actions, Galley's own and core ones that no route performs, with why they are closed. Reading shows the routes that
 * are written out; of those that are computed it is known when they are there.
 *
 * @param prefix that of the API. @param routes all that code has listed. @param coreRoutes the core ones among them, by type.
 */
export function besideRoutes(
  catalog: Catalog,
  config: CodeConfig,
  {
    prefix,
    routes,
    coreRoutes,
  }: {
    readonly prefix: string;
    readonly routes: readonly ListedRoute[];
    readonly coreRoutes: ReadonlyMap<string, readonly CoreRoutes[]>;
  },
): Map<string, string> {
  const own = routes.flatMap((route) => ownRouteOf(route) ?? []);
  const guarded = routes.flatMap((route) => {
    const { core, file } = route;
    if (!core || !hasGuard(route)) return [];
    const what = `route of ${core.name} with what stands before it`;
    return [{ actions: [`${core.type.uid}.${core.name}`], code: file, what, refuses: true }];
  });
  const touches = [
    ...takenOver(catalog, coreRoutes, own, prefix),
    ...performedElsewhere(catalog, coreRoutes, own),
    ...guarded,
  ];
  const routing = { routes: coreRoutes, touches: [], own, honoured: new Set<string>() };
  const { actions } = closeActions(catalog, routing, { touches, codes: [], config, own: [] });
  const without = [...actions].filter(([action, found]) => found.length === 0 && !config.serve.includes(action));
  const performed = ownNamesOf(catalog, routes);
  const closed = new Map(without.map(([action]) => [action, `${action} is closed: no route performs it`]));
  for (const type of catalog.contentTypes.values()) {
    if (!type.routed) continue;
    const ofCore = coreNames(type).flatMap((name) => actions.get(`${type.uid}.${name}`) ?? []);
    const ofOwn = ownRoutesOf(type).filter(({ action }) => performed.has(action));
    const replaced = ofOwn.map(({ action }) => ({ code: 'routes', what: `route to ${action}` }));
    const found = [
      { action: batchAction(type), touches: [...ofCore, ...replaced] },
      ...ownRoutesOf(type).map(({ action }) => ({ action, touches: actions.get(action) ?? [] })),
    ];
    for (const { action, touches } of found) {
      const [touch] = touches;
      if (!touch || performed.has(action) || config.serve.includes(action)) continue;
      closed.set(action, `${action} is closed: it would go round the ${touch.what} (${touch.code})`);
    }
  }
  return closed;
}
