/** The request that is explained, and the route that takes it. */

import type { ActionRoute } from '../../access/actions.ts';
import { UsageError } from '../../errors.ts';
import { choices } from '../../nearest.ts';

export interface AskedRequest {
  readonly method: string;
  /** Path and query string, as they are sent. */
  readonly target: string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Reads `GET /api/articles?sort=title`; without a method it is a GET.
 *
 * @throws UsageError for what is no request.
 */
export function readRequest(text: string): AskedRequest {
  const words = text.trim().split(/\s+/);
  if (words.length > 2) throw new UsageError(`${text} is not a request: spaces in it are written as %20`);
  const [method, target] = words.length === 2 ? [words[0]!.toUpperCase(), words[1]!] : ['GET', words[0]!];
  if (METHODS.includes(target.toUpperCase())) {
    throw new UsageError(`put the request in quotes: galley explain '${target.toUpperCase()} /api/…'`);
  }
  if (!METHODS.includes(method)) throw new UsageError(`${method} is not a method${choices(method, METHODS)}`);
  if (!target.startsWith('/'))
    throw new UsageError(`${target} is not a path: a path begins with a slash, as in /api/articles`);
  if (target.includes('#')) throw new UsageError(`${target} has a #, which no client sends: write it as %23`);
  return { method, target };
}

/** The route of a request; undefined where none takes it. Fewer parameters come first, as in the server. */
export function routeOf<R extends ActionRoute>(
  routes: readonly R[],
  prefix: string,
  { method, target }: AskedRequest,
): R | undefined {
  const segments = segmentsOf(target.split('?', 1)[0]!);
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = routes.filter((route) => route.method === wanted && takes(segmentsOf(prefix + route.path), segments));
  return found.toSorted((a, b) => parametersOf(a) - parametersOf(b))[0];
}

/** What a request has in the place of a parameter of its route; undefined where the route has no such parameter. */
export function parameterOf(
  route: Pick<ActionRoute, 'path'>,
  prefix: string,
  { target }: AskedRequest,
  name: string,
): string | undefined {
  const at = (prefix + route.path).split('/').indexOf(name);
  return segmentsOf(target.split('?', 1)[0]!)[at];
}

/** The segments of a path, decoded as the server's router does. */
const segmentsOf = (path: string): string[] => path.toLowerCase().replace(/\/$/, '').split('/').map(decoded);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).toLowerCase();
  } catch {
    return segment;
  }
}
const parametersOf = ({ path }: ActionRoute): number => path.split(':').length;

function takes(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]));
}
