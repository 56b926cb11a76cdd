/** The routes of a running project in the order in which they are tried, with their endpoints. */
import { join } from 'node:path';
import type { ModuleLoader } from '../config/modules/loader.ts';
import { type CodeFile, codeFile } from './code-files.ts';
import type { CoreTypes } from './core/core-types.ts';
import type { Lifecycles } from './documents/lifecycles.ts';
import { Unsupported } from './guarded.ts';
import type { Extensions } from './plugins/extensions.ts';
import type { StartedPlugin } from './plugins/own-plugin.ts';
import { LeftOut, ofKind } from './registry.ts';
import { isReplaced } from './requests/beside-routes.ts';
import {
  type ClosedRoute,
  closedEndpoint,
  type Endpoint,
  type EndpointContext,
  endpointOf,
} from './requests/endpoints.ts';
import type { Ready } from './requests/route-table.ts';
import { actionOf, coreRouting, hasGuard, type ListedRoute, routesOf, routesOfOthers } from './requests/routes.ts';
import type { RuntimeContext } from './runtime-context.ts';
import { UnitOfWork } from './unit-of-work.ts';
import { fileReads } from './upload/file-reads.ts';

export interface ListingContext {
  readonly runtime: Pick<RuntimeContext, 'catalog' | 'config' | 'own'>;
  readonly files: readonly CodeFile[];
  /** APIs with files of routes, including ones that `config/galley` leaves out. */
  readonly apis: ReadonlySet<string>;
  readonly loader: ModuleLoader;
  readonly tools: { readonly strapi: object };
  readonly lifecycles: Lifecycles;
  readonly extensions: Extensions;
  readonly controllers: EndpointContext['controllers'];
  readonly ownPlugins: readonly StartedPlugin[];
  /** Routes that code has added to the server. The first `early` of them come before those of files. */
  readonly added: readonly ListedRoute[];
  readonly early: number;
  /** Turns an error into one that stops the start of the project. @param path the file of the error. */
  readonly mistake: (error: unknown, purpose: string, path: string) => Error;
}

/** A route, and whether code always answers it. */
interface Listed {
  readonly route: ListedRoute;
  /** Undefined where that follows from the type of the route. */
  readonly isTaken?: () => boolean;
}

/** @throws UsageError for an entry that is no route, and for code that cannot be loaded. */
export function listRoutes(context: ListingContext): readonly Listed[] {
  const { runtime, files, apis, loader, tools, lifecycles, extensions, ownPlugins, early } = context;
  const named = <T>(path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw context.mistake(error, `routes, ${path}`, path);
    }
  };
  const ofFiles = ofKind(files, 'routes').flatMap((file) =>
    named(file.path, () => routesOf(file, loader.loadDefault(join(runtime.config.dir, file.path)), tools)),
  );
  const plain = (route: ListedRoute): Listed => ({ route });
  const added = context.added.map(plain);
  const ofPlugins = extensions.routes(context.controllers);
  const changed = ofPlugins.flatMap(({ route, isOwn }) =>
    isOwn ? [[route.space.slice('plugin::'.length), route.file]] : [],
  );
  const extended = new Map([...extensions.paths, ...(changed as [string, string][])]);
  // those of plugins come behind those of APIs
  return [
    ...(runtime.own?.routes ?? []).map(plain),
    ...added.slice(0, early),
    ...[...ofFiles, ...routesOfOthers(runtime.catalog, apis)].map(plain),
    ...fileReads(lifecycles, tools, extended),
    ...ofPlugins.map(({ route, isOwn }): Listed => ({ route, isTaken: () => isOwn })),
    ...ownPlugins.flatMap((one) =>
      named(one.entry, () => one.routes()).map((route): Listed => ({ route, isTaken: () => true })),
    ),
    ...added.slice(early),
  ];
}

export interface ReadyContext extends ListingContext, Omit<EndpointContext, 'closed' | 'runtime'> {
  readonly runtime: RuntimeContext;
  readonly types: CoreTypes;
  readonly closed: ClosedRoute;
}

/**
 * Routes with their endpoints. A route whose guard or controller `config/galley` leaves out refuses everyone.
 *
 * @throws UsageError for a controller, policy or middleware that is missing, or reads a member that Galley lacks.
 */
export function readyRoutes(listed: readonly Listed[], context: ReadyContext): readonly Ready[] {
  const { runtime, types, controllers, apis } = context;
  const endpoints = { ...context, gate: runtime.own?.gate };
  const ready = listed.map(({ route, isTaken }): Ready => {
    const endpoint = endpointAt(context, route, () => endpointOf(route, endpoints));
    const { core } = route;
    if (isTaken) return { route, endpoint, isTaken };
    if (!core) return { route, endpoint, isTaken: () => true };
    const isGuarded = endpoint.isClosed || hasGuard(route);
    return {
      ...{ route, endpoint },
      isTaken: () => isGuarded || types.isOwn(core, controllers) || types.isTouched(core.type, core.name),
    };
  });
  const routes = ready.map(({ route }) => route);
  const routing = { prefix: runtime.config.rest.prefix, coreRoutes: coreRouting(runtime.catalog, routes, apis) };
  return ready.filter(
    ({ route, endpoint }) => !endpoint.isClosed || !isReplaced(runtime.catalog, runtime.config.code, route, routing),
  );
}

/** The endpoint of a route. */
function endpointAt(context: ReadyContext, route: ListedRoute, make: () => Endpoint): Endpoint {
  const { extensions, runtime, loader, mistake } = context;
  const closed = extensions.services.closesAll;
  if (closed !== undefined && !runtime.config.code.serve.includes(actionOf(route) ?? ''))
    return closedEndpoint(route, closed, runtime.config);
  try {
    return UnitOfWork.attempt(make);
  } catch (error) {
    if (error instanceof LeftOut)
      return closedEndpoint(route, `config/galley leaves out ${error.path}`, runtime.config);
    // the file that reads a missing member, if it can be left out
    const file = error instanceof Unsupported ? loader.placeOf(error)?.replace(/:\d+$/, '') : undefined;
    throw mistake(
      error,
      `the route ${route.method} ${route.path}`,
      file !== undefined && codeFile(file) ? file : route.file,
    );
  }
}
