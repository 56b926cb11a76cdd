/** The routes of a project that runs, in the order in which they are tried, with what answers them. */
import { join } from 'node:path';
import type { ModuleLoader } from '../../config/modules/loader.ts';
import type { UsageError } from '../../errors.ts';
import type { RunnableCode } from '../runs/runnable.ts';
import { type CodeFile, codeFiles } from './code-files.ts';
import type { CoreTypes } from './core/core-types.ts';
import type { Lifecycles } from './documents/lifecycles.ts';
import { Unsupported } from './guarded.ts';
import type { Extensions } from './plugins/extensions.ts';
import type { StartedPlugin } from './plugins/own-plugin.ts';
import { controllerOf, ofKind } from './registry.ts';
import { isReplaced } from './requests/beside-routes.ts';
import { closedEndpoint, type Endpoint, type EndpointContext, endpointOf } from './requests/endpoints.ts';
import type { Ready } from './requests/route-table.ts';
import { coreRouting, hasGuard, type ListedRoute, routesOf, routesOfOthers } from './requests/routes.ts';
import type { CodeRooms } from './rooms.ts';
import { UnitOfWork } from './unit-of-work.ts';
import { fileReads } from './upload/file-reads.ts';

export interface ListingParts extends Pick<EndpointContext, 'namespaces' | 'controllers' | 'accounts'> {
  readonly rooms: CodeRooms;
  readonly runnable: RunnableCode;
  readonly files: readonly CodeFile[];
  readonly loader: ModuleLoader;
  readonly tools: { readonly strapi: object };
  readonly types: CoreTypes;
  readonly lifecycles: Lifecycles;
  readonly extensions: Extensions;
  readonly ownPlugins: readonly StartedPlugin[];
  /** Those that code has added to the server, and how many of them stand before those of files. */
  readonly added: readonly ListedRoute[];
  readonly early: number;
  /** What keeps the project from starting. */
  readonly mistake: (error: unknown, purpose: string) => UsageError;
}

/** APIs with files of routes. */
export const apisOf = (files: readonly CodeFile[]): ReadonlySet<string> =>
  new Set(ofKind(files, 'routes').map(({ api }) => api));

/** @throws UsageError for a route that is none, and whose code cannot be loaded. */
export function listRoutes(parts: ListingParts): readonly Ready[] {
  const { rooms, runnable, files, loader, tools, types, lifecycles, extensions, ownPlugins, early } = parts;
  const { namespaces, controllers, accounts } = parts;
  const named = <T>(path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw parts.mistake(error, `routes, ${path}`);
    }
  };
  const listed = ofKind(files, 'routes').flatMap((file) =>
    named(file.path, () => routesOf(file, loader.loadDefault(join(rooms.config.dir, file.path)), tools)),
  );
  const own = rooms.own;
  const context = { namespaces, controllers, accounts, closed: runnable.closed, gate: own?.gate, rooms };
  const others = routesOfOthers(rooms.catalog, apisOf(files));
  const ready = (route: ListedRoute, isTaken: () => boolean): Ready => {
    return { route, endpoint: endpointAt(parts, route, () => endpointOf(route, context)), isTaken };
  };
  const ofPlugins = extensions.routes(controllers);
  const ofTypes = (route: ListedRoute): Ready => {
    const { core, method, path } = route;
    if (!core) return ready(route, () => true);
    const isOwn = hasGuard(route) || named(`${method} ${path}`, () => types.isOwn(core, controllers));
    return ready(route, () => isOwn || types.isTouched(core.type, core.name));
  };
  const added = parts.added.map(ofTypes);
  // those of plugins come behind those of APIs
  const all = [
    ...(own?.routes ?? []).map(ofTypes),
    ...added.slice(0, early),
    ...[...listed, ...others].map(ofTypes),
    ...fileReads(lifecycles, tools, runnable).map(({ route, isTaken }) => ready(route, isTaken)),
    ...ofPlugins.map(({ route, isOwn }) => ready(route, () => isOwn)),
    ...ownPlugins.flatMap((one, index) =>
      named(runnable.plugins[index]!.entry, () => one.routes()).map((route) => ready(route, () => true)),
    ),
    ...added.slice(early),
  ];
  const routes = all.map(({ route }) => route);
  const routing = { prefix: rooms.config.rest.prefix, coreRoutes: coreRouting(rooms.catalog, routes, apisOf(files)) };
  return all.filter(
    ({ route, endpoint }) => !endpoint.isClosed || !isReplaced(rooms.catalog, rooms.config.code, route, routing),
  );
}

/** What answers a route; where code that it needs cannot be run, everybody is refused. */
function endpointAt(
  { rooms, runnable, extensions, mistake }: ListingParts,
  { method, path, api, written }: ListedRoute,
  make: () => Endpoint,
): Endpoint {
  const closed = extensions.services.closesAll(rooms.config.code);
  if (closed !== undefined) return closedEndpoint(`${method} ${path}`, closed);
  try {
    return UnitOfWork.attempt(make);
  } catch (error) {
    if (error instanceof Unsupported) {
      rooms.log('warn', `${method} ${path} is closed to everybody: ${error.message}`);
      return closedEndpoint(`${method} ${path}`, error.message);
    }
    const file = controllerOf(codeFiles(runnable.files), String(written.handler).trim(), api);
    const refused = file && runnable.refused.get(file.path);
    if (refused !== undefined) return closedEndpoint(`${method} ${path}`, refused);
    throw mistake(error, `the route ${method} ${path}`);
  }
}
