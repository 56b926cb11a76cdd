/** Routes of a project that are known without a server: those of `src/galley`, which is loaded, and those that are written out. */
import { basename } from 'node:path';
import type { ActionRoute } from '../../../access/actions.ts';
import type { Catalog } from '../../../schema/catalog.ts';
import { normalName } from '../../../schema/normal-name.ts';
import type { OwnRoute as GalleyRoute } from '../../galley/extension-types.ts';
import { type OwnCode, routeAction } from '../../galley/own-code.ts';
import type { ProjectCode } from '../../project-code.ts';
import { allRoutes, type OwnRoute } from '../../routers.ts';
import { type DescribedRoute, describedRoutes } from './described-routes.ts';
import { pathPattern } from './path-pattern.ts';
import type { ListedRoute } from './routes.ts';

/** What the routes of `src/galley` are known by. */
export const GALLEY = 'src/galley';

export interface WrittenCode {
  readonly catalog: Catalog;
  readonly code: ProjectCode;
  readonly own: OwnCode | undefined;
}

/** The routes of a project's own as the description of the API has them. @param prefix that of the API. */
export function writtenRoutes({ catalog, code, own }: WrittenCode, prefix: string): DescribedRoute[] {
  const ofGalley = (own?.definition.routes ?? []).map(listedGalleyRoute);
  const core = allRoutes(catalog, code.routes);
  const written = code.own
    .filter((route) => isRun(code, route))
    .flatMap((route) => {
      const before = core.filter((one) => !comesFirst(route.file, one)).map(placeOf);
      return describedRoutes(listedRoute(route), prefix).filter((one) => !before.includes(placeOf(one)));
    });
  return [...ofGalley.flatMap((route) => describedRoutes(route, prefix)), ...written];
}

/** Whether a file of routes is tried before a route of a type, which is in the file of its type's name. */
export function comesFirst(file: string, { action }: ActionRoute): boolean {
  const [, type = ''] = /^api::[^.]+\.([^.]+)\./.exec(action) ?? [];
  // names are compared with what is behind them: a-b.js stands before a.js
  return file === GALLEY || basename(file).replace(/\.\w+$/, '.') < `${type}.`;
}

/** A route of `src/galley` as the reference would list it. */
export function listedGalleyRoute({ name, method, path, auth, request, response }: GalleyRoute): ListedRoute {
  const config = { auth: auth ?? { scope: [routeAction(name)] } };
  return {
    ...{ name, method, path, pattern: pathPattern(path), file: GALLEY, api: 'galley', space: 'api::galley' },
    ...{ written: { method, path, handler: undefined, config, request, response }, core: undefined },
  };
}

/** A route as the reference lists it. One without a name is a function. */
export function listedRoute({ method, path, handler, file, isAtRoot, auth }: OwnRoute): ListedRoute {
  const api = normalName(/(?:^|\/)src\/api\/([^/]+)\//.exec(file)?.[1] ?? '');
  const named = handler.includes('::') ? handler : () => undefined;
  return {
    ...{ method, path, pattern: pathPattern(path), file, api, space: `api::${api}` },
    ...(isAtRoot ? { isAtRoot } : {}),
    written: { method, path, handler: named, config: auth === undefined ? {} : { auth } },
    core: undefined,
  };
}

/** Whether the code of a route is run for somebody. */
function isRun({ runnable }: ProjectCode, { file, handler }: OwnRoute): boolean {
  if (runnable === undefined || runnable.refused.has(file)) return false;
  return runnable.closed.others === undefined && !runnable.closed.actions.has(handler);
}

/** A route's method and path, whatever its parameters are called. */
const placeOf = ({ method, path }: Pick<ActionRoute, 'method' | 'path'>): string =>
  `${method} ${path.replaceAll(/:\w+|\{\w+\}/g, ':')}`.toLowerCase();
