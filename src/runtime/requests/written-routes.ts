/** Routes of a project without a server: those of `src/galley`, and those of loaded code. */
import { routeAction } from '../../access/actions.ts';
import type { OwnRoute as GalleyRoute } from '../galley/extension-types.ts';
import type { OwnCode } from '../galley/own-code.ts';
import type { ProjectCode } from '../project-code.ts';
import { type DescribedRoute, describedRoutes } from './described-routes.ts';
import { pathPattern } from './path-pattern.ts';
import type { ListedRoute } from './routes.ts';

/** The identifiers of the routes of `src/galley`. */
export const GALLEY = 'src/galley';

export interface WrittenCode {
  readonly code: Pick<ProjectCode, 'running' | 'closedRoute'>;
  readonly own: OwnCode | undefined;
}

/** The routes of a project's own as the description of the API has them. @param prefix that of the API. */
export function writtenRoutes({ code, own }: WrittenCode, prefix: string): DescribedRoute[] {
  const taken = new Set<string>();
  return listedRoutes({ code, own }).flatMap((route) => {
    const free = describedRoutes(route, prefix).filter((one) => {
      const place = placeOf(one);
      return !taken.has(place) && taken.add(place);
    });
    return route.core || code.closedRoute(route) !== undefined ? [] : free;
  });
}

/** The routes of a project in the order in which they are tried, those of `src/galley` first. */
export function listedRoutes({ code, own }: Pick<WrittenCode, 'code' | 'own'>): ListedRoute[] {
  const listed = (code.running?.routes ?? []).filter(({ ofServer }) => !ofServer);
  const [atRoot, others] = [listed.filter(({ isAtRoot }) => isAtRoot), listed.filter(({ isAtRoot }) => !isAtRoot)];
  return [...atRoot, ...(own?.definition.routes ?? []).map(listedGalleyRoute), ...others];
}

/** A route of `src/galley` as the reference would list it. */
export function listedGalleyRoute({ name, method, path, auth, request, response }: GalleyRoute): ListedRoute {
  const config = { auth: auth ?? { scope: [routeAction(name)] } };
  return {
    ...{ name, method, path, pattern: pathPattern(path), file: GALLEY, api: 'galley', space: 'api::galley' },
    ...{ written: { method, path, handler: undefined, config, request, response }, core: undefined },
  };
}

/** A route's method and path, without the names of its parameters. */
const placeOf = ({ method, path }: DescribedRoute): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`.toLowerCase();
