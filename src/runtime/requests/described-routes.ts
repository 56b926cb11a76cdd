/** The routes that a project adds to those of the server, as the description of the API lists them. */
import { scopesOf } from './auth.ts';
import type { ListedRoute } from './routes.ts';
import { actionOf } from './routes.ts';

export interface DescribedRoute {
  /** Lower case. */
  readonly method: string;
  /** Below the API's prefix, with each parameter in braces. */
  readonly path: string;
  /** Its action, as it is granted; undefined for functions. */
  readonly action: string | undefined;
  /** Its name, where it has one. */
  readonly name: string | undefined;
  /** Its API or plugin; empty for none. */
  readonly owner: string;
  /** The actions that a caller needs; `known`: the caller has to be identified, without further rights. */
  readonly wants: readonly string[] | 'nothing' | 'known';
  /** Whether it is a route of a core router, which is described by its action. */
  readonly isCore: boolean;
  /** The schemas of its requests and responses, as code writes them. */
  readonly request: unknown;
  readonly response: unknown;
}

const METHODS: Readonly<Record<string, readonly string[]>> = {
  ALL: ['get', 'post', 'put', 'patch', 'delete'],
  OPTIONS: [],
};

/** A route under each of its methods; nothing for one that is not below the API's prefix. */
export function describedRoutes(route: ListedRoute, prefix: string): DescribedRoute[] {
  const { method, pattern, space, written, isAtRoot, core, ofServer, name } = route;
  if (ofServer) return [];
  if (isAtRoot && (!pattern.template.startsWith(`${prefix}/`) || written.config?.auth !== false)) return [];
  const path = isAtRoot ? pattern.template.slice(prefix.length) : pattern.template;
  const wants = written.config?.auth === false ? 'nothing' : (scopesOf(route) ?? 'known');
  const { request, response } = written;
  const owner = space.split('::')[1] ?? '';
  const described = { path, action: actionOf(route), name, owner, wants, request, response } as const;
  const isCore = core !== undefined;
  return (METHODS[method] ?? [method.toLowerCase()]).map((one) => ({ ...described, isCore, method: one }));
}
