/** Which code of a project runs for an action: `galley explain` names it, and streams of changes leave out what it guards. */
import { actionsOnRows, coreNames } from '../access/actions.ts';
import type { OwnMiddleware } from '../config/config.ts';
import type { Catalog } from '../schema/catalog.ts';
import { type CodeFile, typeOfFolder, uidOf } from './code-files.ts';
import type { ProjectDocuments } from './documents/documents.ts';
import type { Lifecycles } from './documents/lifecycles.ts';
import { ofKind } from './registry.ts';
import { actionOf, type CoreAction, guardUids, type ListedRoute } from './requests/routes.ts';

/** A piece of code that runs for an action. */
export interface GuardingCode {
  /** `policy global::is-owner`. */
  readonly what: string;
  /** The file, or the name of a global middleware. */
  readonly code: string;
  /** Whether it answers in the place of a core action or its service. */
  readonly answers?: true;
}

/** The name of a piece of code in messages, with its file. */
export function guardName({ what, code }: GuardingCode): string {
  return what === code ? code : `${what} of ${code}`;
}

export interface GuardContext {
  readonly dir: string;
  readonly catalog: Catalog;
  readonly routes: readonly ListedRoute[];
  readonly files: readonly CodeFile[];
  readonly middlewares: readonly OwnMiddleware[];
  readonly middlewaresFile: string;
  readonly isLeftOut: (middleware: string) => boolean;
  readonly lifecycles: Lifecycles;
  readonly documents: ProjectDocuments;
  readonly isOwn: (core: CoreAction) => boolean;
  /** Files of extensions, by plugin. */
  readonly extended: ReadonlyMap<string, string>;
}

/** The code that runs for an action, that of global middlewares first. */
export function guardsOf(action: string, context: GuardContext): readonly GuardingCode[] {
  const { catalog, routes, middlewares, middlewaresFile, isLeftOut, extended } = context;
  const global = middlewares.flatMap(({ name, path }): GuardingCode[] =>
    isLeftOut(name) ? [] : [{ what: `global middleware ${name}`, code: path ?? middlewaresFile }],
  );
  const ofRoutes = routes
    .filter((route) => actionOf(route) === action && !route.ofServer)
    .flatMap((route) => guardsOfRoute(route, context));
  const at = action.lastIndexOf('.');
  const [uid, name] = [action.slice(0, at), action.slice(at + 1)];
  const type = catalog.contentTypes.get(uid);
  const isCore = type?.routed && coreNames(type).includes(name);
  const answers = isCore && context.isOwn({ type, name }) ? [{ ...ownCode(uid, context), answers: true as const }] : [];
  const [, plugin = ''] = /^plugin::([^.]+)\./.exec(action) ?? [];
  const extension = extended.get(plugin);
  return [
    ...global,
    ...ofRoutes,
    ...answers,
    ...hooksOf(action, uid, context),
    ...(extension === undefined ? [] : [{ what: 'extension', code: extension }]),
  ];
}

function guardsOfRoute(route: ListedRoute, { files }: GuardContext): GuardingCode[] {
  const { file, core, written } = route;
  const { policies, middlewares, auth } = written.config ?? {};
  const named = (list: unknown, kind: 'policies' | 'middlewares', word: string): GuardingCode[] =>
    (Array.isArray(list) ? list : []).map((entry: unknown) => {
      const { name = entry } = Object(entry) as { name?: unknown };
      if (typeof name !== 'string') return { what: `${word} of the route`, code: file };
      const uids = guardUids(name, route.space);
      const own = ofKind(files, kind).find((one) => uids.includes(uidOf(one)));
      return { what: `${word} ${name}`, code: own?.path ?? file };
    });
  return [
    ...named(policies, 'policies', 'policy'),
    ...named(middlewares, 'middlewares', 'middleware'),
    ...(auth === undefined || auth === true ? [] : [{ what: auth === false ? 'auth: false' : 'auth', code: file }]),
    ...(core ? [] : [{ what: `route to ${actionOf(route) ?? 'a function'}`, code: file, answers: true as const }]),
  ];
}

/** The controller or service in which a type's action is the project's own. */
function ownCode(uid: string, { files }: GuardContext): GuardingCode {
  const controller = files.find((file) => file.kind === 'controllers' && uidOf(file) === uid);
  return { what: `controller ${uid}`, code: controller?.path ?? 'src' };
}

/** Lifecycles and document middlewares that run for an action. */
function hooksOf(
  action: string,
  uid: string,
  { dir, catalog, files, lifecycles, documents }: GuardContext,
): GuardingCode[] {
  const ofFiles = ofKind(files, 'lifecycles').flatMap((file): GuardingCode[] => {
    const type = typeOfFolder(catalog, { dir, ...file });
    const actions = (['read', 'create', 'update', 'delete'] as const).flatMap((event) => {
      const moments = lifecycles.listens(type, ...MOMENTS[event]) ? actionsOnRows(catalog, type, event) : [];
      return moments === 'all' ? [action] : moments;
    });
    return actions.includes(action) ? [{ what: `lifecycles of ${type}`, code: file.path }] : [];
  });
  const isHooked = documents.hasMiddlewares && catalog.contentTypes.get(uid)?.routed;
  const index = ofKind(files, 'index')[0]?.path ?? 'src';
  return [
    ...ofFiles,
    ...(isHooked ? [{ what: 'document middleware', code: index }] : []),
    ...(lifecycles.hasSubscribers && ofFiles.length === 0 ? [{ what: 'lifecycles subscriber', code: index }] : []),
  ];
}

const MOMENTS = {
  read: ['FindOne', 'FindMany', 'Count'],
  create: ['Create', 'CreateMany'],
  update: ['Update', 'UpdateMany'],
  delete: ['Delete', 'DeleteMany'],
} as const;
