/** Routes of a project that need code which `config/galley` leaves out, as far as their names say so. */
import { coreNames } from '../../access/actions.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { isPlain } from '../documents/plain-params.ts';
import type { Registry } from '../registry.ts';
import { actionOf, controllerOf, guardUids, type ListedRoute } from './routes.ts';

/** Code that a route needs and that is left out, so that the route is closed. */
export interface LeftOutNeed {
  /** The file that is left out. */
  readonly code: string;
  /** The action whose name in `serve` opens the route; undefined where it has no name or no handler. */
  readonly opens: string | undefined;
}

/** The parts of a project by name. */
export interface NamedParts {
  readonly catalog: Catalog;
  readonly policies: Registry<unknown>;
  readonly middlewares: Registry<unknown>;
  readonly controllers: Registry<unknown>;
  readonly services: Registry<unknown>;
  /** The left out file that `resolve` of a middleware means; undefined for any other. */
  readonly leftOutFile: (path: string) => string | undefined;
}

/** The left out code that a route needs: the controller of its handler, the service of the same name, or a guard. */
export function leftOutNeed(route: ListedRoute, parts: NamedParts): LeftOutNeed | undefined {
  const handler = handlerOf(route, parts);
  if (handler !== undefined) return { code: handler, opens: undefined };
  const code = guardOf(route, parts) ?? serviceOf(route, parts);
  return code === undefined ? undefined : { code, opens: actionOf(route) };
}

function guardOf({ written: { config = {} }, space }: ListedRoute, parts: NamedParts): string | undefined {
  const { policies, middlewares, leftOutFile } = parts;
  const named = (entry: unknown, registry: Registry<unknown>): string | undefined => {
    const { name = entry, resolve } = isPlain(entry) ? entry : {};
    if (typeof name === 'string') return registry.leftOut(guardUids(name, space).find((uid) => registry.names(uid)));
    return typeof resolve === 'string' ? leftOutFile(resolve) : undefined;
  };
  const each = (list: unknown, registry: Registry<unknown>) =>
    (Array.isArray(list) ? list : []).map((entry: unknown) => named(entry, registry));
  return [...each(config.policies, policies), ...each(config.middlewares, middlewares)].find(Boolean);
}

/** The uid of the controller that the handler of a route names, and the name of its action. */
function handlingOf(route: ListedRoute, controllers: Registry<unknown>) {
  const { handler } = route.written;
  if (typeof handler !== 'string') return undefined;
  const { uids, action } = controllerOf(handler, route);
  return { uid: uids.find((one) => controllers.names(one)), action };
}

/** A left out controller that has the handler of a route: actions of core controllers exist without it. */
function handlerOf(route: ListedRoute, { catalog, controllers }: NamedParts): string | undefined {
  const { uid, action = '' } = handlingOf(route, controllers) ?? {};
  const type = uid === undefined ? undefined : catalog.contentTypes.get(uid);
  return type?.routed && coreNames(type).includes(action) ? undefined : controllers.leftOut(uid);
}

/** A left out service with the name of the controller of a route. */
function serviceOf(route: ListedRoute, { controllers, services }: NamedParts): string | undefined {
  return services.leftOut(handlingOf(route, controllers)?.uid);
}
