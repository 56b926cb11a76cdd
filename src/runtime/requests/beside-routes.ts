/** Actions that would go round a route of a project: one in the place of a core one, with a guard, or the only one there is. */
import { batchAction, ownRoutesOf } from '../../access/actions.ts';
import type { CodeConfig } from '../../config/config.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { closeActions } from '../closed-actions.ts';
import {
  type CoreRoutes,
  type GuardedActions,
  leftOut,
  type OwnRoute,
  performedElsewhere,
  takenOver,
} from '../core-routes.ts';
import { actionOf, type CoreAction, hasGuard, type ListedRoute } from './routes.ts';

/**
 * Actions of code whose name is also one of Galley's: `article.publish`. The grant is for the action of the code, and
 * Galley has no route for its own, which would bypass the code.
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
  { serve }: Pick<CodeConfig, 'serve'>,
  route: ListedRoute,
  { prefix, coreRoutes }: { prefix: string; coreRoutes: ReadonlyMap<string, readonly CoreRoutes[]> },
): boolean {
  const own = ownRouteOf(route);
  const replaced = own ? takenOver(catalog, coreRoutes, [own], prefix).flatMap(({ actions }) => actions) : [];
  return replaced.length > 0 && replaced.every((action) => serve.includes(action));
}

/** The routes of a project, as code has listed them. */
export interface ProjectRouting {
  /** That of the API. */
  readonly prefix: string;
  readonly routes: readonly ListedRoute[];
  /** The core routes among them, by type. */
  readonly coreRoutes: ReadonlyMap<string, readonly CoreRoutes[]>;
  /** Whether the controller's action behind a core route is the project's own. */
  readonly isOwn: (core: CoreAction) => boolean;
}

/** Why core actions without a route are closed. */
export const NO_ROUTE = 'no route performs it';

/**
 * Galley's own actions that would bypass a route of the project, and core actions that no route performs, each with why it
 * is closed.
 */
export function besideRoutes(
  catalog: Catalog,
  config: CodeConfig,
  { prefix, routes, coreRoutes, isOwn }: ProjectRouting,
): Map<string, string> {
  const own = routes.flatMap((route) => ownRouteOf(route) ?? []);
  const guarded = routes.flatMap((route): GuardedActions[] => {
    const { core, file } = route;
    if (!core || !(hasGuard(route) || isOwn(core))) return [];
    const description = `route of ${core.name}, which has a guard or an action of the project's own`;
    return [{ actions: [`${core.type.uid}.${core.name}`], code: file, what: description }];
  });
  const guards = [
    ...takenOver(catalog, coreRoutes, own, prefix),
    ...performedElsewhere(catalog, coreRoutes, own),
    ...guarded,
  ];
  const actions = closeActions(
    catalog,
    guards.map(({ code, what, actions: names }) => ({ code: `${what} (${code})`, actions: names })),
    config,
  );
  const performed = ownNamesOf(catalog, routes);
  const closedTypes = [...leftOut(catalog, coreRoutes)].filter(
    (action) => !config.serve.includes(action) && !own.some(({ handler }) => handler === action),
  );
  const closed = new Map(closedTypes.map((action) => [action, NO_ROUTE]));
  for (const type of catalog.contentTypes.values()) {
    if (!type.routed) continue;
    const replaced = ownRoutesOf(type).filter(({ action }) => performed.has(action));
    const found = [batchAction(type), ...ownRoutesOf(type).map(({ action }) => action)];
    for (const action of new Set(found)) {
      const isBatch = action === batchAction(type);
      const reasons = [
        ...(actions.get(action) ?? []),
        ...(isBatch ? replaced.map((one) => `route to ${one.action}`) : []),
      ];
      if (reasons.length === 0 || performed.has(action) || config.serve.includes(action)) continue;
      closed.set(action, `it would bypass the ${reasons[0]}`);
    }
  }
  return closed;
}
