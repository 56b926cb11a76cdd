/**
 * Routes of the server that code of the project asks for by themselves, whatever their paths have come to be: an extension
 * may take a route away and still call what it performed, and may leave a path to another route of the server.
 */
import { BUILT_IN_ACTIONS } from '../../../access/actions.ts';
import type { Route } from '../routes.ts';

/** The server's routes without those that extensions have taken away. @param withdrawn `GET /users/count`. */
export function withoutWithdrawn(routes: readonly Route[], withdrawn: ReadonlySet<string>): readonly Route[] {
  if (withdrawn.size === 0) return routes;
  const gone = new Set(Array.from(withdrawn, shapeOf));
  return routes.map((route) => {
    const methods = Object.entries(route.methods).filter(([method]) => !gone.has(shapeOf(`${method} ${route.path}`)));
    return { ...route, methods: Object.fromEntries(methods) };
  });
}

/** The routes of built-in plugins, at paths of which no other takes any. @param prefix that of the API, for what tells of them. */
export function innerRoutes(routes: readonly Route[], prefix: string): readonly Route[] {
  const known = new Set(BUILT_IN_ACTIONS.map(({ path }) => shapeOf(path)));
  return routes
    .filter(({ path }) => known.has(shapeOf(path)))
    .map((route) => ({ ...route, path: innerPath(route.path, route.path), label: prefix + route.path }));
}

/** The path of such a route with the values that a path has in the places of its parameters. */
export function innerPath(pattern: string, path: string): string {
  const segments = pattern.split('/').slice(1);
  const values = path.split('/').slice(-segments.length);
  const name = segments.map((segment) => segment.replace(':', '_')).join('.');
  return ['', name, ...values.filter((_value, index) => segments[index]!.startsWith(':'))].join('/');
}

/** A path whatever its parameters are called. */
const shapeOf = (path: string): string => path.replaceAll(/:\w+/g, ':').toLowerCase();
