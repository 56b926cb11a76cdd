/**
 * Routes of the server that project code calls directly, whatever their public paths are: an extension may remove a
 * route and still call its action, and may give its path to another route.
 */
import { BUILT_IN_ACTIONS } from '../../../access/actions.ts';
import type { Route } from '../routes.ts';

/** The server's routes without those that extensions have removed. @param withdrawn `GET /users/count`. */
export function withoutWithdrawn(routes: readonly Route[], withdrawn: ReadonlySet<string>): readonly Route[] {
  if (withdrawn.size === 0) return routes;
  const removed = new Set(Array.from(withdrawn, shapeOf));
  return routes.map((route) => {
    const methods = Object.entries(route.methods).filter(
      ([method]) => !removed.has(shapeOf(`${method} ${route.path}`)),
    );
    return { ...route, methods: Object.fromEntries(methods) };
  });
}

/** The routes of built-in plugins at unique paths. @param prefix that of the API, for their names in logs. */
export function innerRoutes(routes: readonly Route[], prefix: string): readonly Route[] {
  const known = new Set(BUILT_IN_ACTIONS.map(({ path }) => shapeOf(path)));
  return routes
    .filter(({ path }) => known.has(shapeOf(path)))
    .map((route) => ({ ...route, path: innerPath(route.path, route.path), label: prefix + route.path }));
}

/** The path of such a route with the parameters of a path. */
export function innerPath(pattern: string, path: string): string {
  const segments = pattern.split('/').slice(1);
  const values = path.split('/').slice(-segments.length);
  const name = segments.map((segment) => segment.replace(':', '_')).join('.');
  return ['', name, ...values.filter((_value, index) => segments[index]!.startsWith(':'))].join('/');
}

/** A path without the names of its parameters. */
const shapeOf = (path: string): string => path.replaceAll(/:\w+/g, ':').toLowerCase();
