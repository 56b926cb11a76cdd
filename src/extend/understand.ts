/** Reads the code files of a project: what they do to its actions, had they run. */

import { BUILT_IN_ACTIONS, batchAction, coreNames, LIFECYCLE_WRITES } from '../access/actions.ts';
import type { CodeConfig } from '../config/config.ts';
import { type Catalog, USER_UID } from '../schema/catalog.ts';
import type { Problem } from '../schema/check/problem.ts';
import type { AttributeChange } from '../schema/files.ts';
import { normalName } from '../schema/normal-name.ts';
import { besideOf, type Closed, closeActions, isBatched } from './closed.ts';
import { codeNotRun } from './defaults.ts';
import { isOwnCode } from './galley/own-file.ts';
import { hooksOf, mayHook } from './hooks.ts';
import { lifecyclesOf, OF_FILES } from './lifecycles.ts';
import { methodsOf, overriding } from './overrides.ts';
import type { OwnPlugin } from './plugins/own-plugins.ts';
import { ownPluginRoutes, pluginTouches } from './plugins/plugin-code.ts';
import { pluginExtension, writtenRoutes } from './plugins/plugin-extension.ts';
import type { PluginPackage } from './plugins/plugin-packages.ts';
import { serverTouches } from './plugins/server-code.ts';
import { startCode } from './plugins/start-code.ts';
import { closedMessage, closedReason, guardedMessage, leftOutMessage, openingLists } from './report.ts';
import { type CoreRoutes, type OwnRoute, RouterReader } from './routers.ts';
import type { RunnableCode } from './runs/runnable.ts';
import { Runs } from './runs/runs.ts';
import { hookedActions, type StandingCode, standingCode } from './runs/standing.ts';
import type { SourceFile } from './source-files.ts';
import { Sources } from './sources.ts';
import { PLUGINS } from './strapi/reference.ts';
import { strapiTouches } from './strapi/touches.ts';
import { allActions, isAroundAll, type Touch } from './touch.ts';

/** Code of plugins, and of what extends them. */
const OF_PLUGINS = /(?:^|\/)src\/(?:plugins|extensions)\//;

export interface Understood {
  /** Closed actions, each with what the administrator's log says of it. */
  readonly closed: ReadonlyMap<string, string>;
  /** What administrators may not do: code that stands around documents themselves, and not around requests, may refuse it. */
  readonly guarded: ReadonlyMap<string, string>;
  /** Core routes by uid; types that are not among them have all of theirs. */
  readonly routes: ReadonlyMap<string, readonly CoreRoutes[]>;
  /** Mistakes of `config/galley`, which keep the project from starting. */
  readonly problems: readonly Problem[];
  /** The lists of `config/galley` that open what is closed; undefined where nothing is. */
  readonly opening: Pick<CodeConfig, 'serve' | 'safeToSkip'> | undefined;
  /** Which actions routers of the project leave out, in words; undefined where they leave out none. */
  readonly leftOut: string | undefined;
  /** What is printed at start. */
  readonly warnings: readonly string[];
  /** Files that are not run. */
  readonly notRun: readonly string[];
  /** Actions of the project's own routes, which may be granted. */
  readonly actions: readonly string[];
  /** What code stands before an action, or answers it, whether it is run or not. */
  readonly standing: (action: string) => readonly StandingCode[];
  /** Routes of the project's own, but for those of plugins. */
  readonly own: readonly OwnRoute[];
  /** Files with routes that are computed, which reading them does not show. */
  readonly computed: readonly string[];
  /** The code to be run; undefined where there is none, and where the configuration says that none is. */
  readonly runnable: RunnableCode | undefined;
}

/** The plugins of a project. */
export interface Plugins {
  /** Packages. */
  readonly plugins?: readonly PluginPackage[];
  /** Those of the project itself. */
  readonly own?: readonly OwnPlugin[];
  /** What the catalog has of extensions of built-in ones. */
  readonly changes?: readonly AttributeChange[];
  /** Whether the project may have a plugin in the reference. */
  readonly mayHave?: (name: string) => boolean;
}

/** What the code in files does, and which of them are not run. */
export async function understand(
  files: readonly SourceFile[],
  code: CodeConfig,
  catalog: Catalog,
  { plugins = [], own: ownPlugins = [], changes = [], mayHave = (name) => PLUGINS.includes(name) }: Plugins = {},
): Promise<Understood> {
  const custom = files.filter(({ generated }) => !generated);
  const sources =
    custom.length > 0 || (code.run && (code.hasTasks || code.middlewares.length > 0))
      ? await Sources.open(files)
      : undefined;
  const routing = new RouterReader(catalog, sources).read(files.filter(({ role }) => role === 'routes'));
  const touches = [
    ...routing.touches,
    // in the reference files are routes as well, behind every middleware: the place in the list does not matter
    ...code.middlewares.map(({ name }) =>
      allActions(name, `global middleware of ${code.middlewaresFile}`, { files: true, kind: 'around' }),
    ),
    ...(sources ? codeTouches(custom, catalog, sources, { changes, plugins: ownPlugins }) : []),
    ...(await Promise.all(plugins.map((plugin) => pluginTouches(catalog, plugin)))).flat(),
  ];
  const codes = [...custom.map(({ path }) => path), ...plugins.map((plugin) => plugin.code)];
  const named = [...ownActions(routing.own), ...(sources ? pluginActions(custom, catalog, sources) : [])];
  if (sources) named.push(...computedActions(custom, sources, routing.touches));
  named.push(...ownPlugins.flatMap((plugin) => plugin.actions));
  const actions = code.run ? named : [];
  const known = distinct(touches);
  const closed = closeActions(catalog, routing, { touches: known, codes, config: code, own: actions });
  const own = codeNotRun(custom, sources, routing.honoured);
  const does =
    code.hasTasks ||
    own.length + code.middlewares.length > 0 ||
    custom.some(({ path }) => /^config\/cron-tasks\./.test(path) || isOwnCode(path));
  const runs =
    code.run && sources && does
      ? new Runs({
          catalog,
          sources,
          files,
          own: actions,
          touches,
          plugins: ownPlugins,
          mayHave,
          middlewares: code.middlewares,
          known: code.refused,
        })
      : undefined;
  const remaining = runs ? stillClosed(catalog, closed, runs, code) : closed;
  const message = closedMessage(remaining, code);
  const reasonsOf = ({ actions }: Pick<Closed, 'actions'>) =>
    new Map([...actions].map(([action, found]) => [action, closedReason(action, found)]));
  const around = known.filter((touch) => guardsAdministrators(touch, runs));
  const beside = closeActions(catalog, routing, { touches: around, codes, config: code, own: actions });
  const guarded = runs ? guardedBeside(catalog, beside, runs) : beside.actions;
  return {
    closed: reasonsOf(remaining),
    guarded: new Map([...reasonsOf({ actions: guarded })].filter(([action]) => guarded.get(action)!.length > 0)),
    routes: routing.routes,
    problems: closed.problems,
    opening: openingLists(remaining, runs ? guarded : new Map(), code),
    leftOut: leftOutMessage(closed),
    warnings: [message, runs && guardedMessage(guarded, remaining, code)].filter((one) => one !== undefined),
    notRun: runs ? refusedCode(custom, runs, ownPlugins) : own,
    actions: named,
    standing: standingCode(known, runs, code),
    own: routing.own,
    computed: [...new Set(routing.touches.flatMap(({ kind, code: file }) => (kind === 'unreadRoutes' ? [file] : [])))],
    runnable: runs && {
      closed: { actions: reasonsOf(remaining), others: everythingClosed(remaining, runs) },
      unhooked: runs.unhooked(touches, code),
      hooked: hookedActions(touches),
      mayHook: runs.mayHook(closed.actions),
      files,
      refused: runs.refused,
      methods: runs.closedMethods(code),
      extensions: runs.extensions,
      changes,
      plugins: runs.plugins,
      mayHave,
      skipped: new Set(
        code.middlewares.flatMap(({ name, resolve }) => (runs.runsMiddleware(name) ? [] : [resolve ?? name])),
      ),
      settings: code.settings,
    },
  };
}

/**
 * The actions that stay closed although code runs: code that is not run stands before them, or they are Galley's own and
 * would go round code that runs. Each has all the touches that close it: what `config/galley` says of these opens it.
 */
function stillClosed(catalog: Catalog, closed: Closed, runs: Runs, { serve }: CodeConfig): Closed {
  const actions = new Map<string, readonly Touch[]>();
  for (const [action, touches] of closed.actions) {
    // a new locale version is an update, which the code answers
    const names = [action, action.replace(/\.createLocalization$/, '.update')];
    const closing = touches.filter((touch) => names.every((name) => runs.closes(touch, name)));
    if (closing.length > 0 || touches.length === 0) actions.set(action, closing);
  }
  for (const type of catalog.contentTypes.values()) {
    const batch = batchAction(type);
    if (!isBatched(type) || serve.includes(batch)) continue;
    const touched = coreNames(type).flatMap((name) => closed.actions.get(`${type.uid}.${name}`) ?? []);
    const closing = touched.filter(({ actions }) => actions !== 'all');
    if (closing.length > 0) actions.set(batch, distinct([...(actions.get(batch) ?? []), ...closing]));
  }
  const isClosed = (action: string): boolean => besideOf(action).some((other) => actions.has(other));
  return { ...closed, actions, beside: new Set([...closed.beside].filter(isClosed)) };
}

/**
 * Whether code may refuse what administrators do. As in Strapi, routes and controllers of the content API are not theirs,
 * and middlewares around everything that are run are asked for their requests as for others. What an extension does at the
 * start is done, where it is run.
 */
function guardsAdministrators(touch: Touch, runs: Runs | undefined): boolean {
  const isStep = /^change of (?:register|bootstrap|destroy)$/.test(touch.what) && runs?.extensions.has(touch.code);
  return !touch.ofApi && !isStep && !(isAroundAll(touch) && runs?.runsAround(touch));
}

/**
 * What is closed to administrators beside the code that runs around their documents. What such code hooks into the rows of
 * built-in types, where reading it does not show that, is known when it has started.
 */
function guardedBeside(catalog: Catalog, { actions }: Closed, runs: Runs): Closed['actions'] {
  const isContent = (action: string): boolean => {
    const uid = action.slice(0, action.lastIndexOf('.'));
    return uid === USER_UID || LIFECYCLE_WRITES.has(action) || catalog.contentTypes.get(uid)?.builtIn === false;
  };
  // nobody registers there, or asks for a mail with a password
  const isThere = (action: string) => !action.startsWith('plugin::users-permissions.auth.');
  return new Map(
    [...actions].flatMap(([action, touches]): [string, readonly Touch[]][] => {
      if (!isThere(action)) return [];
      const isAsked = (touch: Touch) => isContent(action) || touch.kind === 'strapi';
      const isRun = (touch: Touch) => runs.runsHook(touch) && !touch.what.endsWith(OF_FILES);
      const left = touches.filter((touch) => !(isAsked(touch) && isRun(touch)));
      return left.length > 0 || touches.length === 0 ? [[action, left]] : [];
    }),
  );
}

/** The actions of the project's own routes, as they are granted: those of a handler that is named. */
function ownActions(own: readonly OwnRoute[]): string[] {
  const actions = own.flatMap(({ handler, file }) => {
    const [, owner = ''] = /(?:^|\/)src\/api\/([^/]+)\//.exec(file) ?? [];
    // what names another API's controller is granted under a name that nothing shows
    return handler.startsWith(`api::${normalName(owner)}.`) ? [handler] : [];
  });
  return [...new Set(actions)];
}

/** Of APIs with routes that are computed the actions that these may be of: those of its controllers. */
function computedActions(custom: readonly SourceFile[], sources: Sources, touches: readonly Touch[]): string[] {
  const unread = new Set(touches.filter(({ kind }) => kind === 'unreadRoutes').map(({ code }) => code));
  const owners = new Set(custom.filter(({ path }) => unread.has(path)).map(({ owner }) => owner));
  const controllers = custom.filter(({ role, owner }) => role === 'controller' && owners.has(owner));
  return controllers.flatMap((file) => {
    const uid = `api::${file.owner}.${file.name}`;
    return methodsOf(sources, file).map((name) => `${uid}.${name}`);
  });
}

/** The actions of the routes that the project adds to built-in plugins. */
function pluginActions(custom: readonly SourceFile[], catalog: Catalog, sources: Sources): string[] {
  const own: OwnRoute[] = [];
  for (const file of custom) {
    if (file.role !== 'extension') continue;
    pluginExtension(catalog, sources, file, { own });
    own.push(...writtenRoutes(sources, file));
  }
  const known = new Set(BUILT_IN_ACTIONS.map(({ action }) => action));
  return [...new Set(own.map(({ handler }) => handler))].filter((one) => one.startsWith('plugin::') && !known.has(one));
}

/** Why what has no name of an action is closed: code that is not run stands before everything. */
function everythingClosed({ actions }: Closed, runs: Runs): string | undefined {
  for (const [action, touches] of actions) {
    const all = touches.filter((touch) => touch.actions === 'all' && !runs.covers(touch, action));
    if (all.length > 0) return closedReason(action, all);
  }
  return undefined;
}

/** Code that is not run although code is. */
function refusedCode(custom: readonly SourceFile[], runs: Runs, plugins: readonly OwnPlugin[]): string[] {
  const others = custom
    .filter(({ path, isElsewhere }) => !isElsewhere && OF_PLUGINS.test(path) && !runs.isPart(path))
    .map(({ path }) => path);
  const folders = others.map((path) => /^src\/plugins\/[^/]+/.exec(path)?.[0] ?? path);
  const refused = [...runs.refused].map(([path, reason]) => (reason.includes(path) ? reason : `${path}: ${reason}`));
  const methods = [...runs.methods].flatMap(([path, closed]) =>
    [...closed].map(([name, why]) => `${name} of ${path}: ${why}`),
  );
  const failed = plugins.flatMap(({ folder, failure }) => (failure === undefined ? [] : [`${folder}: ${failure}`]));
  const panel = runs.plugins.filter(({ panelRoutes }) => panelRoutes > 0);
  const routes = panel.map(
    ({ name, panelRoutes }) => `routes of the admin panel in the plugin ${name} (${panelRoutes})`,
  );
  return [...new Set([...folders, ...refused, ...methods, ...failed, ...routes])];
}

/** The same code may be reached in several ways. */
function distinct(touches: readonly Touch[]): Touch[] {
  return [...new Map(touches.map((touch) => [JSON.stringify(touch), touch])).values()];
}

/** What all files that were not generated touch. */
function codeTouches(
  custom: readonly SourceFile[],
  catalog: Catalog,
  sources: Sources,
  { changes, plugins }: { readonly changes: readonly AttributeChange[]; readonly plugins: readonly OwnPlugin[] },
): Touch[] {
  const starts = custom.filter(({ role }) => role === 'index').flatMap(({ path }) => startCode(sources, path));
  return [
    ...custom.flatMap((file) => touchesOf(file, catalog, sources, changes)),
    ...starts,
    ...strapiTouches(
      sources,
      custom.filter(({ role }) => role !== 'server'),
    ),
    ...ownPluginRoutes(catalog, sources, plugins),
  ];
}

function touchesOf(file: SourceFile, catalog: Catalog, sources: Sources, changes: readonly AttributeChange[]): Touch[] {
  if (file.unread !== undefined)
    return [allActions(file.path, `code that is not read, ${file.unread}`, { files: true })];
  if (file.role === 'server') return serverTouches(sources, file);
  const looks = mayHook(file.text);
  const module = looks ? sources.module(file.path) : undefined;
  const hooks = module
    ? hooksOf(catalog, sources, module)
    : looks
      ? [allActions(file.path, 'code that cannot be parsed')]
      : [];
  switch (file.role) {
    case 'controller':
    case 'service':
      return [...hooks, ...overriding(catalog, sources, file).map((touch) => ({ ...touch, ofApi: true }))];
    case 'lifecycles':
      return [...hooks, ...lifecyclesOf(catalog, sources, file)];
    case 'extension':
      return [...hooks, ...pluginExtension(catalog, sources, file, { changes })];
    default:
      return hooks;
  }
}
