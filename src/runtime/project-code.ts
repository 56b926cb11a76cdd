/** The code of a project: loaded while its files are read, and started when it is served. */
import { actionsOf } from '../access/actions.ts';
import type { CodeConfig, Config } from '../config/config.ts';
import type { Catalog } from '../schema/catalog.ts';
import type { SchemaCheck } from '../schema/check/check.ts';
import type { Problem } from '../schema/check/problem.ts';
import type { OwnSchemas } from '../schema/files.ts';
import {
  type ClosedActions,
  type CodeParts,
  closeActions,
  closedReason,
  closedReasons,
  isSkipped,
  mistakesInLists,
  type SkippedCode,
  STORED_FILES,
  skippedCode,
} from './closed-actions.ts';
import { codeFiles, uidOf } from './code-files.ts';
import { type CoreRoutes, leftOut } from './core-routes.ts';
import { isOwnCode } from './galley/own-file.ts';
import type { GuardingCode } from './guards.ts';
import { findPlugins, type PluginCode, possiblePlugins } from './plugins/find-plugins.ts';
import { serverFiles } from './plugins/server-files.ts';
import { type ClosingLists, closedMessage, lostRoutesMessage, openingLists, RefusedCode } from './report.ts';
import { NO_ROUTE } from './requests/beside-routes.ts';
import type { ClosedRoute } from './requests/endpoints.ts';
import { actionOf, type ListedRoute } from './requests/routes.ts';
import type { RunningCode } from './running.ts';
import { findSources } from './source-files.ts';

export interface ProjectCode {
  /** The code that runs, loaded and registered; undefined for a project without code, and with `run: false`. */
  readonly running: RunningCode | undefined;
  /** Closed actions, each with the reason for the log; before the code has started, the list is incomplete. */
  readonly closed: ReadonlyMap<string, string>;
  /** Actions that are closed only because they would bypass code that runs, each with the reason; complete as `closed` is. */
  readonly bypassing: ReadonlyMap<string, string>;
  /** Operations that administrators may not perform, since code that hooks into documents is left out. */
  readonly closedToAdministrators: ReadonlyMap<string, string>;
  readonly closedRoute: ClosedRoute;
  /** Why code may not write rows: code that hooks into them is left out (`Unhooked`). */
  readonly unhooked: ReadonlyMap<string, string>;
  /** Why files of the `public` folder are closed; undefined where they are not. */
  readonly publicClosed: string | undefined;
  /** Core routes by uid; a type that is not among them has all of its own. */
  readonly routes: ReadonlyMap<string, readonly CoreRoutes[]>;
  /** Routes of the project besides core ones. */
  readonly ownRoutes: readonly ListedRoute[];
  /** Mistakes in the lists of `config/galley`, which keep the project from starting. */
  readonly problems: readonly Problem[];
  /**
   * The lists of `config/galley` that open the actions closed by code that is left out; undefined if none are closed.
   */
  readonly opening: ClosingLists | undefined;
  /** The messages at start. */
  readonly warnings: readonly string[];
  /** Actions of the project's own routes, which may be granted. */
  readonly actions: readonly string[];
  /** The code that runs for an action. */
  guardsOf(action: string): readonly GuardingCode[];
  /** One line for each place in the code that names a member of `strapi` which Galley lacks; none if no code is run. */
  missingMembers(): Promise<readonly string[]>;
  /** Ends the code, whether or not it was started. */
  close(): Promise<void>;
}

/** The code of a project before its catalog is built. */
export interface ReadCode {
  /** The changes of schemas by the code. */
  readonly schemas: OwnSchemas;
  /** Mistakes in the lists of `config/galley` if the schema files have mistakes, so that the types are unknown. */
  mistakesInLists(partial: Catalog): readonly Problem[];
  /** The rest, which follows from the catalog. */
  connect(catalog: Catalog): ProjectCode;
  /** Ends the code of a project whose catalog has mistakes. */
  close(): Promise<void>;
}

/**
 * Loads the code of a project and calls its `register`.
 *
 * @param check checks the schema files with the code's changes of schemas.
 * @throws UsageError with file, line and the missing member for code that cannot be loaded.
 */
export async function readProjectCode(config: Config, check: (own: OwnSchemas) => SchemaCheck): Promise<ReadCode> {
  const { dir, code } = config;
  const sources = findSources({ dir, plugins: code.plugins });
  const files = codeFiles(sources);
  const generated = new Set(sources.flatMap((source) => (source.generated ? [source.path] : [])));
  const parts: CodeParts = {
    dir,
    files: files.filter(({ path }) => !generated.has(path)),
    plugins: findPlugins(dir, code),
    servers: serverFiles(dir),
  };
  requireNoServer(parts.servers, code);
  const plugins = parts.plugins.filter(({ names }) => !isSkipped(code, ...names));
  const hasCode =
    parts.files.length + plugins.length + code.middlewares.length > 0 ||
    code.hasTasks ||
    typeof config.http.cors?.origins === 'function' ||
    sources.some(({ path, namesStrapi }) => isOwnCode(path) && namesStrapi);
  const running = code.run && hasCode ? await loadCode(config, { sources, files, plugins }, check) : undefined;
  const schemas = running?.ownSchemas ?? {};
  return {
    schemas,
    mistakesInLists: (partial) =>
      mistakesInLists(partial, code, { ...parts, files }, []).filter(({ path }) => {
        const [list, index] = path.split('.');
        const word = list === 'serve' ? (code.serve[Number(index)] ?? '') : undefined;
        return word === undefined || partial.contentTypes.has(word.slice(0, word.lastIndexOf('.')));
      }),
    connect: (catalog) => connectCode({ catalog, config, parts, running, routers: files, sources }),
    close: async () => running?.close(),
  };
}

/** @throws UsageError for a file that starts Strapi by itself, which Galley does not run: it may guard everything. */
function requireNoServer(servers: readonly string[], code: CodeConfig): void {
  const [server] = servers.filter((path) => !isSkipped(code, path));
  if (server === undefined) return;
  throw new RefusedCode(`${server} starts Strapi by itself, and Galley does not run it`, server, code);
}

async function loadCode(
  config: Config,
  { sources, files, plugins }: Pick<Loading, 'sources' | 'files' | 'plugins'>,
  check: (own: OwnSchemas) => SchemaCheck,
): Promise<RunningCode> {
  // a project without code does not load what runs it
  const { RunningCode } = await import('./running.ts');
  const { dir, code } = config;
  const isLeftOut = (path: string) => isSkipped(code, path);
  const [skipped, loaded] = [files.filter(({ path }) => isLeftOut(path)), files.filter(({ path }) => !isLeftOut(path))];
  const isPrepared = (path: string) => /(?:^|\/)src\//.test(path) && !path.endsWith('.json') && !isLeftOut(path);
  return RunningCode.load(
    {
      config,
      paths: sources.map(({ path }) => path).filter(isPrepared),
      files: loaded,
      leftOut: skipped.map((file) => ({ ...file, isSafe: code.safeToSkip.includes(file.path) })),
      plugins,
      isLeftOut: (name) => {
        const own = code.middlewares.find((one) => one.name === name || one.resolve === name);
        const file = files.find((one) => one.kind === 'middlewares' && uidOf(one) === name);
        return isSkipped(code, name, own?.name, own?.path, file?.path);
      },
      mayHave: possiblePlugins(dir, code),
    },
    check,
  );
}

interface Loading {
  readonly sources: ReturnType<typeof findSources>;
  readonly files: CodeParts['files'];
  readonly plugins: readonly PluginCode[];
}

interface Connecting {
  readonly catalog: Catalog;
  readonly config: Config;
  readonly parts: CodeParts;
  readonly running: RunningCode | undefined;
  readonly sources: Loading['sources'];
  /** All files that the reference loads. */
  readonly routers: CodeParts['files'];
}

function connectCode({ catalog, config, parts, running, routers, sources }: Connecting): ProjectCode {
  const { code } = config;
  running?.connect(catalog);
  const own = running?.actions ?? [];
  const needs = (running?.routes ?? []).flatMap((route) => {
    const need = running?.leftOutNeed(route);
    return need ? [{ route, ...need }] : [];
  });
  const guarding = needs.flatMap(({ code, opens }) => (opens === undefined ? [] : [{ code, actions: [opens] }]));
  const skipped = [
    ...skippedCode(catalog, code, parts),
    ...guarding.map((one): SkippedCode => ({ ...one, guardsFiles: false, hooks: false })),
  ];
  const closing = closeActions(catalog, skipped, code, own);
  const reasons = reasonsOf(closing);
  const hooking = closeActions(
    catalog,
    skipped.filter(({ hooks }) => hooks),
    code,
    own,
  );
  const [global] = skipped.filter((one) => one.actions === 'all');
  const lost = needs.flatMap(({ route, code, opens }) => (opens === undefined ? [{ route, code }] : []));
  const messages = [closedMessage(skipped, closing, code), lostRoutesMessage(lost, config.rest.prefix)];
  const ofFiles = routesOfFiles(catalog, routers);
  const unrouted = running ? [] : [...leftOut(catalog, ofFiles)];
  return {
    running,
    get closed() {
      return new Map([
        ...closedReasons(unrouted.map((action) => [action, NO_ROUTE])),
        ...closedReasons(running?.closed ?? []),
        ...reasons,
        ...closedReasons(switchedOff(code)),
      ]);
    },
    get bypassing() {
      return new Map([...(running?.closed ?? [])].filter(([action]) => !closing.has(action)));
    },
    closedToAdministrators: reasonsOf(hooking),
    closedRoute: (route) => {
      const [action, need] = [actionOf(route), running?.leftOutNeed(route)];
      if (need && need.opens === undefined) return `config/galley leaves out ${need.code}`;
      if (action !== undefined) return reasons.get(action);
      return global && `${global.code}, which may guard it, is not run`;
    },
    unhooked: unhookedBy(skipped, code),
    publicClosed: reasons.get(STORED_FILES),
    get routes() {
      return running?.coreRoutes ?? ofFiles;
    },
    get ownRoutes() {
      return running?.routes.filter(({ core, ofServer }) => !core && !ofServer) ?? [];
    },
    problems: mistakesInLists(catalog, code, { ...parts, files: routers }, own),
    opening: openingLists(closing, code),
    warnings: messages.filter((one) => one !== undefined),
    get actions() {
      return running?.actions ?? [];
    },
    guardsOf: (action) => running?.guardsOf(action) ?? [],
    missingMembers: async () => {
      if (!running) return [];
      const { missingMembersIn } = await import('./hints.ts');
      return missingMembersIn(config.dir, sources);
    },
    close: async () => running?.close(),
  };
}

const reasonsOf = (closed: ClosedActions): Map<string, string> =>
  new Map([...closed].map(([action, codes]) => [action, closedReason(action, codes)]));

/** Runs `src/galley` if the project has no other code. */
export async function runNothing(config: Config, catalog: Catalog): Promise<RunningCode> {
  const nothing = { sources: [], files: [], plugins: [] };
  const check = () => ({ catalog, partial: catalog, sources: [], problems: [], warnings: [] });
  const running = await loadCode(config, nothing, check);
  running.connect(catalog);
  return running;
}

/** Why operations on rows are refused, by action: code that hooks into them is not run. */
function unhookedBy(skipped: readonly SkippedCode[], { serve }: CodeConfig): Map<string, string> {
  return new Map(
    skipped
      .filter(({ hooks }) => hooks)
      .flatMap(({ code, actions }) => {
        const names = actions === 'all' ? ['everything'] : actions.filter((action) => !serve.includes(action));
        return names.map((name) => [name, `${code}, which is not run`] as const);
      }),
  );
}

/**
 * The core routes by the files of routes, all of which are generated: a type without a file in an API that has such
 * files has no routes.
 */
function routesOfFiles(catalog: Catalog, files: CodeParts['files']): Map<string, CoreRoutes[]> {
  const routers = files.filter(({ kind }) => kind === 'routes');
  const apis = new Set(routers.map(({ api }) => api));
  const uids = new Set(routers.map(({ api, name }) => `api::${api}.${name}`));
  const unrouted = [...catalog.contentTypes.values()].filter(
    ({ uid, routed }) => routed && !uids.has(uid) && apis.has(uid.slice('api::'.length, uid.lastIndexOf('.'))),
  );
  return new Map(unrouted.map(({ uid }) => [uid, []]));
}

/** Actions of the file service if `config/plugins` disables it: the reference then has none of them. */
function switchedOff({ plugins, serve }: CodeConfig): [string, string][] {
  if (!plugins.some(({ name, enabled }) => name === 'upload' && !enabled)) return [];
  return [...actionsOf('plugin::upload'), STORED_FILES]
    .filter((action) => !serve.includes(action))
    .map((action) => [action, 'the plugin upload is switched off in config/plugins']);
}
