/** The requests that an action answers: those of the server, of the routers of types, and of routes of project code. */
import { BUILT_IN_ACTIONS, coreRoute, ownRoutesOf, routeAction } from '../access/actions.ts';
import type { Config } from '../config/config.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { OwnCode } from './galley/own-code.ts';
import type { ProjectCode } from './project-code.ts';
import { actionOf, type ListedRoute, wholePath } from './requests/routes.ts';

/** The parts of a project that define which requests an action answers. */
export interface ActionSource {
  readonly config: Pick<Config, 'rest'>;
  readonly catalog: Catalog;
  readonly code: Pick<ProjectCode, 'ownRoutes' | 'routes'>;
  /** `src/galley`; undefined without one. */
  readonly own: { readonly definition: Pick<OwnCode['definition'], 'routes'> } | undefined;
}

export interface ActionRequest {
  readonly method: string;
  /** The whole path: `/api/articles/:documentId`. */
  readonly path: string;
  /** Whether project code opens it to everyone without authentication. */
  readonly isOpen: boolean;
}

/** `POST /api/articles`. */
export const requestText = ({ method, path }: ActionRequest): string => `${method} ${path}`;

export const isRead = ({ method }: ActionRequest): boolean => method === 'GET' || method === 'HEAD';

/** Actions of types that core routers and Galley's own routes answer; other names are those of project code. */
const TYPE_NAMES: ReadonlySet<string> = new Set([
  ...['find', 'findOne', 'create', 'update', 'delete', 'createLocalization'],
  ...['publish', 'unpublish', 'discardDraft'],
]);

/** The content type of the project of an action, if it has one, and the name of the action without it. */
export function typeAndName(
  { catalog }: Pick<ActionSource, 'catalog'>,
  action: string,
): [type: ContentType | undefined, name: string] {
  const dot = action.lastIndexOf('.');
  const type = catalog.contentTypes.get(action.slice(0, dot));
  // the actions of accounts and roles are built-in ones
  return [type?.routed ? type : undefined, action.slice(dot + 1)];
}

/** The requests that an action answers; none if they are unknown. */
export function requestsOf(source: ActionSource, action: string): ActionRequest[] {
  const { prefix } = source.config.rest;
  const [type, name] = typeAndName(source, action);
  const builtIn = BUILT_IN_ACTIONS.filter((route) => route.action === action).map(({ method, path }) => ({
    method,
    path: prefix + path,
    isOpen: false,
  }));
  return [...(type ? requestsOfType(source, type, name) : builtIn), ...codeRequestsOf(source, action)];
}

/** The requests that routes of project code answer with an action. */
export function codeRequestsOf({ config, code, own }: ActionSource, action: string): ActionRequest[] {
  const { prefix } = config.rest;
  const written = code.ownRoutes
    .filter((route) => actionNameOf(route) === action)
    .map((route) => ({
      method: route.method.toUpperCase(),
      path: wholePath(route, prefix),
      isOpen: route.written.config?.auth === false,
    }));
  const galleys = (own?.definition.routes ?? [])
    .filter(({ name }) => routeAction(name) === action)
    .map(({ method, path, auth }) => ({ method, path: prefix + path, isOpen: auth === false }));
  return [...written, ...galleys];
}

/** The actions of routes of project code that everyone may call without authentication. */
export function openActions({ code, own }: Pick<ActionSource, 'code' | 'own'>): ReadonlySet<string> {
  return new Set([
    ...code.ownRoutes.filter(({ written }) => written.config?.auth === false).map(actionNameOf),
    ...(own?.definition.routes ?? []).filter(({ auth }) => auth === false).map(({ name }) => routeAction(name)),
  ]);
}

/** Whether an action shows recorded versions of documents, and with them what was unpublished. */
export function readsHistory(source: Pick<ActionSource, 'catalog'>, action: string): boolean {
  const [type, name] = typeAndName(source, action);
  return type !== undefined && name === 'findVersions';
}

/** Whether all requests of an action read. Without a known request only find and findOne of a type count as reads. */
export function onlyReads(source: ActionSource, action: string): boolean {
  const [type, name] = typeAndName(source, action);
  const requests = requestsOf(source, action);
  if (requests.length === 0) return type !== undefined && (name === 'find' || name === 'findOne');
  return requests.every(isRead);
}

/** The action of a route of project code; a function has none. */
const actionNameOf = (route: ListedRoute): string => actionOf(route) ?? 'a function';

function requestsOfType({ config, code }: ActionSource, type: ContentType, name: string): ActionRequest[] {
  const { prefix } = config.rest;
  const ours = ownRoutesOf(type).filter((route) => route.action === `${type.uid}.${name}`);
  if (ours.length > 0) return ours.map(({ method, path }) => ({ method, path: prefix + path, isOpen: false }));
  if (!TYPE_NAMES.has(name)) return [];
  const core = name === 'createLocalization' ? 'update' : name;
  const routers = code.routes.get(type.uid) ?? [{ prefix: '', names: new Set([core]) }];
  const { method, path } = coreRoute(type, core);
  return routers
    .filter(({ names }) => names.has(core))
    .map((router) => ({ method, path: prefix + router.prefix + path, isOpen: false }));
}
