/** Parses the request of `galley explain`, and finds its route. */
import type { ActionRoute } from '../../access/actions.ts';
import { UsageError } from '../../errors.ts';
import { choices } from '../../nearest.ts';
import { programText } from '../../own-files.ts';

export interface ExplainedRequest {
  readonly method: string;
  /** Path and query string, as a client sends them. */
  readonly target: string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Parses `GET /api/articles?sort=title`. The default of the method is GET.
 *
 * @throws UsageError for any other text.
 */
export function readRequest(text: string): ExplainedRequest {
  const words = text.trim().split(/\s+/);
  if (words.length > 2) throw new UsageError(`${text} is not a request: write spaces in it as %20`);
  const [method, target] = words.length === 2 ? [words[0]!.toUpperCase(), words[1]!] : ['GET', words[0]!];
  if (METHODS.includes(target.toUpperCase())) {
    throw new UsageError(`put the request in quotes: ${programText()} explain '${target.toUpperCase()} /api/…'`);
  }
  if (!METHODS.includes(method)) throw new UsageError(`${method} is not a method${choices(method, METHODS)}`);
  if (!target.startsWith('/'))
    throw new UsageError(`${target} is not a path: a path begins with a slash, as in /api/articles`);
  if (target.includes('#')) throw new UsageError(`${target} has a #, which clients do not send: write it as %23`);
  return { method, target };
}

/** The route that takes a request; undefined if none does. Routes with fewer parameters come first, as in the server. */
export function routeOf<R extends ActionRoute>(
  routes: readonly R[],
  prefix: string,
  { method, target }: ExplainedRequest,
): R | undefined {
  const segments = segmentsOf(target.split('?', 1)[0]!);
  const wanted = method === 'HEAD' ? 'GET' : method;
  const matching = routes.filter(
    (route) => route.method === wanted && takes(segmentsOf(prefix + route.path), segments),
  );
  return matching.toSorted((a, b) => parametersOf(a) - parametersOf(b))[0];
}

/** The value of a parameter in the path of a request; undefined if the route has no such parameter. */
export function parameterOf(
  route: Pick<ActionRoute, 'path'>,
  prefix: string,
  { target }: ExplainedRequest,
  name: string,
): string | undefined {
  const index = (prefix + route.path).split('/').indexOf(name);
  return segmentsOf(target.split('?', 1)[0]!)[index];
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
