/**
 * The code of a project while it runs. It is loaded and registered before the catalog is built, since it may change
 * schemas; `start` gives it the database and calls `bootstrap`. The server answers the types that no code concerns.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FILE_ACTIONS } from '../access/actions.ts';
import type { Config } from '../config/config.ts';
import { ModuleLoader } from '../config/modules/loader.ts';
import { resolvedFile } from '../config/modules/resolver.ts';
import { documentsOf } from '../content/documents/document-service.ts';
import { actingAs } from '../db/interface/account.ts';
import { codeActor } from '../db/interface/actor.ts';
import { MistakeInFile, UsageError } from '../errors.ts';
import { type CodeLog, writeCodeLine } from '../log-line.ts';
import { framesOf } from '../log-text.ts';
import type { CodeAround } from '../schedule/performers.ts';
import { type Catalog, FILE_UID, LOCALE_UID, PERMISSION_UID, ROLE_UID, USER_UID } from '../schema/catalog.ts';
import type { SchemaCheck } from '../schema/check/check.ts';
import type { OwnSchemas } from '../schema/files.ts';
import { Administration } from './administration/administration.ts';
import { Around } from './administration/around.ts';
import { Answers } from './answers.ts';
import { BuiltIn } from './built-in/built-in.ts';
import { BuiltInRows } from './built-in/built-in-rows.ts';
import { closedReasons } from './closed-actions.ts';
import { type CodeFile, typeOfFolder } from './code-files.ts';
import { CondemnedAnswers } from './condemned-answers.ts';
import { CallerDocuments } from './core/caller-documents.ts';
import { ContentApi } from './core/content-api.ts';
import { CoreActions } from './core/core-actions.ts';
import { CoreTypes } from './core/core-types.ts';
import { PreparedReads } from './core/prepared-reads.ts';
import type { CoreRoutes } from './core-routes.ts';
import { allRows } from './documents/all-rows.ts';
import { type DocumentsContext, ProjectDocuments } from './documents/documents.ts';
import { Lifecycles, type Subscriber } from './documents/lifecycles.ts';
import { NamedRows } from './documents/named-rows.ts';
import { rowDocuments } from './documents/row-documents.ts';
import type { Rows } from './documents/rows.ts';
import { mute, Unsupported } from './guarded.ts';
import { type GuardingCode, guardsOf } from './guards.ts';
import type { Jobs } from './jobs/job-runs.ts';
import { lateBound, lateMembers } from './late-bound.ts';
import { placeOfMistake } from './line-of.ts';
import { type ListingContext, listRoutes, readyRoutes } from './listed-routes.ts';
import { MUTE_PLUGINS } from './members/members.ts';
import { Extensions } from './plugins/extensions.ts';
import type { PluginCode } from './plugins/find-plugins.ts';
import { type LoadedPlugin, madePlugin, type StartedPlugin, startPlugin, typesOf } from './plugins/own-plugin.ts';
import {
  CodeError,
  LeftOut,
  type LeftOutFile,
  loadAhead,
  maker,
  ofKind,
  Registry,
  resolvedMiddleware,
} from './registry.ts';
import { RefusedCode } from './report.ts';
import { besideRoutes, ownNamesOf } from './requests/beside-routes.ts';
import type { Context } from './requests/context.ts';
import type { ClosedRoute } from './requests/endpoints.ts';
import { type LeftOutNeed, leftOutNeed } from './requests/left-out-routes.ts';
import { globalEntries, globalMiddlewares, type Namespaces } from './requests/policies.ts';
import { actionOf, coreRouting, type ListedRoute } from './requests/routes.ts';
import { viewOfAuth } from './requests/verified-viewer.ts';
import type { RuntimeContext } from './runtime-context.ts';
import { Schemas } from './schemas/schemas.ts';
import { Accounts, type FindAccounts } from './strapi/accounts.ts';
import { AppMiddlewares, type Configured } from './strapi/app-middlewares.ts';
import type { Added } from './strapi/code-router.ts';
import { CodeServer } from './strapi/code-server.ts';
import { CronTasks, configuredTasks } from './strapi/cron.ts';
import { EventHub } from './strapi/event-hub.ts';
import { GlobalStrapi } from './strapi/global-strapi.ts';
import { substitutes } from './strapi/packages.ts';
import { Settings } from './strapi/settings.ts';
import { makeStrapi } from './strapi/strapi.ts';
import { validation } from './strapi-utils/validation.ts';
import { keepAlive } from './stray-errors.ts';
import { besideHooks, Unhooked } from './unhooked.ts';
import { timersOf, UnitOfWork } from './unit-of-work.ts';

/** Functions of `src/index`. */
type Index = Readonly<Record<'register' | 'bootstrap' | 'destroy', unknown>>;

/** The code of a project that is loaded. */
export interface LoadedCode {
  readonly config: Config;
  /** Paths of all code files, which are transformed together. */
  readonly paths: readonly string[];
  /** The files that the reference loads, in its order. */
  readonly files: readonly CodeFile[];
  /** Those that `config/galley` leaves out. */
  readonly leftOut: readonly LeftOutFile[];
  readonly plugins: readonly PluginCode[];
  /** Whether `config/galley` leaves out a global middleware, by its name or its file. */
  readonly isLeftOut: (middleware: string) => boolean;
  /** Whether the project may have a plugin in the reference: any other is undefined. */
  readonly mayHave: (name: string) => boolean;
}

/** Checks the schema files of the project with the code's changes of schemas. */
export type CheckSchemas = (own: OwnSchemas) => SchemaCheck;

/** The parts that serve the project, once its catalog is built. */
export interface StartedWith {
  readonly runtime: RuntimeContext;
  readonly closed: ClosedRoute;
  /** Why operations on rows are refused: code that hooks into them is left out (`Unhooked`). */
  readonly unhooked: ReadonlyMap<string, string>;
}

/** Parts that exist once the project is built; optional ones are undefined until then. */
const LATE_ROOMS = [
  ...(['catalog', 'layout', 'views', 'database', 'reader', 'writer', 'transitions', 'locales'] as const),
  ...(['media', 'users', 'roles', 'sessions', 'tokens', 'mailer', 'mail', 'formatV4', 'narrowing'] as const),
  ...(['routeLimits'] as const),
];

export class RunningCode {
  readonly #code: LoadedCode;
  readonly #late: ReturnType<typeof lateMembers<RuntimeContext, 'config' | 'log'>>;
  readonly #requests = new AsyncLocalStorage<Context>();
  readonly #schemas = new Schemas();
  readonly #lifecycles: Lifecycles;
  readonly #documents: ProjectDocuments;
  readonly #loader: ModuleLoader;
  readonly #tools: { readonly strapi: object };
  readonly #types: CoreTypes;
  readonly #namespaces: Namespaces;
  readonly #controllers: Registry<Record<string, unknown>>;
  readonly #services: Registry<unknown>;
  readonly #rowHooks: BuiltInRows;
  readonly #unhooked = new Unhooked();
  readonly #allRows: (runtime: RuntimeContext) => Readonly<Record<'heard' | 'silent', (uid: string) => Rows>>;
  #rowsOf: ((uid: string) => Rows) | undefined;
  /** Rows whose reads and writes notify no listeners. */
  #silentRowsOf: ((uid: string) => Rows) | undefined;
  /** Documents without the middlewares and lifecycles of code. */
  #silent: ProjectDocuments | undefined;
  #plain: ((uid: string, isUnchecked: boolean) => unknown) | undefined;
  #accounts: Accounts | undefined;
  readonly #cron: CronTasks;
  readonly #settings: Settings;
  readonly #hub = new EventHub((error, purpose) => void this.#log(error, purpose));
  readonly #pluginObjects: Record<string, object> = {};
  #plugins: readonly LoadedPlugin[] = [];
  #ownPlugins: readonly StartedPlugin[] = [];
  /** The parts of code for the HTTP server. */
  readonly front = new CodeServer();
  readonly #added: Added = { routes: [], middlewares: new AppMiddlewares(), errors: new EventEmitter() };
  readonly #extensions = new Extensions(() => this.#tools);
  #indexes: readonly { readonly index: Index; readonly path: string }[] = [];
  /** How many of the routes that code has added come before those of files. */
  #early = 0;
  readonly #customFields = new Map<string, string>();
  #answers: Answers | undefined;
  #release: () => void = () => {};
  #administration: Administration | undefined;
  #builtIn: BuiltIn | undefined;
  #callerDocuments: CallerDocuments | undefined;
  readonly contentApi: ContentApi;
  readonly #condemnedAnswers: CondemnedAnswers;
  readonly #global: GlobalStrapi;
  #bypassing: { readonly version: number; readonly closed: ReadonlyMap<string, string> } | undefined;
  #isClosed = false;
  #isServed = false;
  #hasBegun = false;
  /** The error of a start that has failed after its end. */
  #failure: Error | undefined;
  /** Lines that code logs before the project has its log. */
  #lines: Parameters<CodeLog>[] = [];
  #sink: CodeLog = (...line) => void this.#lines.push(line);

  private constructor(code: LoadedCode, settings: Settings) {
    const { config } = code;
    [this.#code, this.#settings] = [code, settings];
    this.#condemnedAnswers = new CondemnedAnswers(config.jwtSecret, config.users.publicUrl);
    const log: CodeLog = (...line) => this.#sink(...line);
    this.#late = lateMembers<RuntimeContext, 'config' | 'log'>({ config, log }, LATE_ROOMS);
    const runtime = this.#runtime;
    const schemas = this.#schemas;
    const schemaOf = (uid: string) => schemas.of(uid)!;
    this.#lifecycles = new Lifecycles(schemaOf, runtime.narrowing);
    this.#rowHooks = new BuiltInRows(runtime, this.#lifecycles);
    const named = new NamedRows(runtime);
    const unhooked = this.#unhooked;
    const documentsWith = (lifecycles: Lifecycles, isUnchecked = false): ProjectDocuments =>
      new ProjectDocuments({
        ...{ runtime, unhooked, schemas, lifecycles, named },
        serviceOf: ((uid: string) => this.#plain!(uid, isUnchecked)) as DocumentsContext['serviceOf'],
        writesOf: (uid) => {
          if (uid === USER_UID) return this.#accounts!.documents;
          return ROW_TYPES.includes(uid) ? rowDocuments(uid, runtime.catalog, this.#silentRowsOf!) : undefined;
        },
      });
    this.#documents = documentsWith(this.#lifecycles);
    const silent = new Lifecycles(schemaOf, runtime.narrowing);
    this.contentApi = new ContentApi(runtime, () => validation(config.dir).z);
    this.#types = new CoreTypes({
      ...{ runtime, schemas, contentApi: this.contentApi },
      actions: new CoreActions(runtime, this.contentApi),
      reads: new PreparedReads({ runtime, contentApi: this.contentApi, documents: this.#documents, named }),
      documents: this.#documents,
      service: (uid) => this.#services.own(uid) as Record<string, (...args: unknown[]) => Promise<unknown>>,
      current: () => this.#requests.getStore(),
    });
    const load = (path: string): unknown => this.#loader.loadDefault(join(config.dir, path));
    const registry = <T>(kind: CodeFile['kind'], make: (exported: unknown) => T): Registry<T> =>
      new Registry<T>(
        ofKind(code.files, kind),
        load,
        make,
        code.leftOut.filter((file) => file.kind === kind),
        // an error in a request is that request's
        (error, path) =>
          this.#isServed && UnitOfWork.current ? error : this.#refused(error, `creating ${path}`, path),
      );
    this.#controllers = registry(
      'controllers',
      maker(() => this.#tools),
    );
    this.#services = registry<unknown>(
      'services',
      maker(() => this.#tools),
    );
    const policies = registry<unknown>('policies', (exported) => exported);
    const middlewares = registry<unknown>('middlewares', (exported) => exported);
    this.#silent = documentsWith(silent, true);
    const plain = this.#silent;
    this.#allRows = (all) => {
      const parts = { runtime: all, unhooked, named, silent, plain, accounts: () => this.#accounts! };
      return {
        heard: allRows({ ...parts, lifecycles: this.#lifecycles }),
        silent: allRows({ ...parts, lifecycles: silent }),
      };
    };
    const rowsOf = (uid: string): Rows =>
      this.#rowsOf ? this.#rowsOf(uid) : lateBound(`strapi.db.query('${uid}')`, () => this.#rowsOf?.(uid));
    this.#cron = new CronTasks({
      database: runtime.database,
      get tools() {
        return tools;
      },
      failed: (error, purpose, report) => this.#log(error, purpose, report),
    });
    const strapi = makeStrapi({
      ...{ runtime, settings, schemas, rowsOf },
      loader: () => this.#loader,
      documents: this.#documents,
      lifecycles: this.#lifecycles,
      accounts: lateBound('the service of accounts', () => this.#builtIn?.service),
      changedServices: this.#extensions.services,
      routesOf: (name) => this.#extensions.routesOf(name),
      around: this.#rowHooks,
      ...{ contentApi: this.contentApi, services: this.#services, controllers: this.#controllers },
      ...{ policies, middlewares, httpServer: this.front.server },
      ...{ plugins: this.#pluginObjects, cron: this.#cron, hub: this.#hub },
      ...{ requests: this.#requests, added: this.#added, customFields: this.#customFields },
      ...{ mayHave: code.mayHave, isStarting: () => !this.#isServed },
    });
    const tools = { strapi };
    this.#tools = tools;
    const timers = timersOf((error) => void this.#log(error, 'a timer'));
    this.#loader = new ModuleLoader({
      dir: config.dir,
      strapi,
      packages: code.plugins.map(({ folder }) => join(config.dir, folder)),
      running: (run) => UnitOfWork.part(run),
      globals: timers,
      substitute: substitutes(this.#types, timers, {
        dir: config.dir,
        ...this.contentApi.members((auth) => viewOfAuth(runtime, auth, this.#requests.getStore())),
      }),
      refusal: (file) => this.#refusal(file),
    });
    const resolve = (path: string): unknown => resolvedMiddleware(this.#loader, config.dir, path);
    this.#namespaces = { policies, middlewares, tools, resolve };
    this.#global = new GlobalStrapi(strapi, [config.code]);
  }

  get #runtime(): RuntimeContext {
    return this.#late.members;
  }

  /**
   * Loads the code of a project and calls its `register`.
   *
   * @throws UsageError with file, line and missing member if the code cannot be loaded.
   */
  static async load(code: LoadedCode, check: CheckSchemas): Promise<RunningCode> {
    const running = new RunningCode(code, new Settings(await code.config.code.settings(), code.config));
    try {
      await running.#inUnit('the start', () => running.#load(check));
    } catch (error) {
      await running.close();
      running.#logTo((level, message, failure) => {
        if (level !== 'debug') writeCodeLine(level, message, failure);
      });
      throw error;
    }
    return running;
  }

  /** Has lines of code written into a log, those first that wait for it. */
  #logTo(log: CodeLog): void {
    this.#sink = log;
    for (const line of this.#lines.splice(0)) log(...line);
  }

  async #load(check: CheckSchemas): Promise<void> {
    const { config, files, paths } = this.#code;
    const { dir } = config;
    await this.#loader.prepare(paths.map((path) => join(dir, path)));
    const load = (path: string): unknown => this.#loader.loadDefault(join(dir, path));
    const plugins: LoadedPlugin[] = [];
    for (const plugin of this.#code.plugins) plugins.push(await this.#loadPlugin(plugin));
    this.#plugins = plugins;
    // nothing is wrong with a custom field that code has not registered yet
    const { partial } = check({ plugins: plugins.flatMap(typesOf), customFields: ANY_FIELD });
    this.#schemas.fill(partial, undefined);
    loadAhead(files, load, (error, path) => this.#refused(error, `loading ${path}`, path));
    for (const { api, name, path } of ofKind(files, 'lifecycles')) {
      const lifecycles = this.#named(path, 'lifecycles', () => load(path));
      this.#lifecycles.addType(typeOfFolder(partial, { dir, api, name, path }), lifecycles as Subscriber);
    }
    for (const { name, path } of ofKind(files, 'extension')) {
      if (!plugins.some((plugin) => plugin.name === name)) await this.#extend(path, name);
    }
    for (const name of EXTENSIBLE)
      if (!this.#extensions.paths.has(name)) await this.#addExtension(name, undefined, undefined);
    this.#extensions.addLifecycles(this.#lifecycles);
    this.#ownPlugins = plugins.map((plugin) => this.#startPlugin(plugin));
    const indexes = [...ofKind(files, 'apiIndex'), ...ofKind(files, 'index')].map(({ path }) => {
      const exported = this.#named(path, 'src/index', () => load(path));
      const created = this.#named(path, 'src/index', () =>
        typeof exported === 'function' ? (exported(this.#tools) as unknown) : exported,
      );
      return { path, index: (created ?? {}) as Index };
    });
    this.#indexes = [
      ...this.#extensions.indexes.map(({ path, index }) => ({ path, index: index as Index })),
      ...this.#ownPlugins.map(({ entry, index }) => ({ path: entry, index: index as Index })),
      ...indexes,
    ];
    await this.#each('register');
    this.#early = this.#added.routes.length;
    this.#schemas.close();
    this.#cron.add(configuredTasks(this.#settings), 'config');
  }

  /** The changes of schemas by the code. @throws UsageError for a change that Galley cannot make. */
  get ownSchemas(): OwnSchemas {
    const changes = this.#named('src', 'schemas', () => this.#schemas.changes);
    return { plugins: this.#plugins.flatMap(typesOf), changes, customFields: this.#customFields };
  }

  /** Takes the catalog of the project, which follows from its files and from `ownSchemas`. */
  connect(catalog: Catalog): void {
    this.#schemas.fill(catalog, undefined);
    Object.assign(this.#runtime, { catalog });
    this.#types.fill(this.#controllers, this.#services);
  }

  /**
   * Passes the database to the code and calls its `bootstrap`.
   *
   * @throws UsageError with file, line and missing member if the code cannot be started.
   */
  async start({ runtime: parts, closed, unhooked }: StartedWith): Promise<void> {
    UnitOfWork.startOutside((error) => this.#failLate(error, 'code outside of requests, tasks and timers'));
    const runtime = {
      ...parts,
      media: parts.media.within(this.#rowHooks),
      roles: parts.roles.within(this.#rowHooks),
    };
    const { config: _config, log: _log, ...late } = runtime;
    this.#late.bind(late);
    this.#logTo(parts.log);
    this.#unhooked.reasons = unhooked;
    this.#schemas.fill(runtime.catalog, runtime.layout);
    const plainDocuments = (isUnchecked: boolean) =>
      documentsOf(this.#runtime, () => parts.narrowing.viewer, { ignoresUnknown: true, isUnchecked });
    const [checked, unchecked] = [plainDocuments(false), plainDocuments(true)];
    this.#plain = (uid, isUnchecked) => (isUnchecked ? unchecked : checked)(uid as never);
    const rows = this.#allRows({ ...this.#runtime, media: parts.media, roles: parts.roles });
    [this.#rowsOf, this.#silentRowsOf] = [rows.heard, rows.silent];
    const find: FindAccounts = this.#rowsOf(USER_UID);
    this.#accounts = new Accounts(this.#runtime, find);
    const shared = {
      ...{ documents: this.#documents, plain: this.#silent!, lifecycles: this.#lifecycles },
      ...{ accounts: this.#accounts, requests: this.#requests },
    };
    const services = this.#extensions.services;
    this.#builtIn = new BuiltIn({ ...shared, runtime: this.#runtime, find, around: this.#rowHooks, services });
    this.#callerDocuments = new CallerDocuments(this.#runtime, this.#documents, this.contentApi);
    const around = new Around(this.#documents, () => this.#loader);
    this.#administration = new Administration(this.#runtime, around, this.#requests);
    runtime.own?.giveStrapi(this.#tools.strapi);
    runtime.database.onFailure((error) => void this.#log(error, 'a transaction'));
    await this.#inUnit('the start', () => this.#bootstrap(closed));
  }

  async #bootstrap(closed: ClosedRoute): Promise<void> {
    this.#added.middlewares.configure(this.#makeGlobals());
    this.#hasBegun = true;
    this.#unhooked.isStarting = true;
    try {
      await this.#each('bootstrap');
    } finally {
      this.#unhooked.isStarting = false;
    }
    // what bootstrap has put off to the next turn, such as a guard, is there too, however busy the machine is
    await nextTurn();
    this.#added.middlewares.close();
    const listing = this.#listing;
    const routes = readyRoutes(listRoutes(listing), {
      ...{ ...listing, runtime: this.#runtime, types: this.#types, closed },
      ...{ namespaces: this.#namespaces, accounts: this.#accounts! },
    });
    // creates controllers and services whose types the server may answer: otherwise their errors would fail requests
    for (const { isTaken } of routes) isTaken();
    this.#answers = new Answers({
      catalog: this.#runtime.catalog,
      prefix: this.#runtime.config.rest.prefix,
      routes,
      stages: () => this.#added.middlewares.stages,
      ...{ requests: this.#requests, loader: this.#loader, errors: this.#added.errors },
      keys: this.#settings.get('server.app.keys'),
      app: (this.#tools.strapi as { readonly server: { readonly app: object } }).server.app,
      version: () => this.#documents.version + this.#lifecycles.version,
    });
  }

  get #listing(): ListingContext {
    const { files, leftOut } = this.#code;
    const apis = new Set(ofKind([...files, ...leftOut], 'routes').map(({ api }) => api));
    return {
      ...{ runtime: this.#runtime, files, apis, loader: this.#loader, tools: this.#tools },
      ...{ lifecycles: this.#lifecycles, extensions: this.#extensions, controllers: this.#controllers },
      ...{ ownPlugins: this.#ownPlugins, added: this.#added.routes, early: this.#early },
      mistake: (error, purpose, path) => this.#refused(error, purpose, path),
    };
  }

  /** The routes that code lists, in their order; before `start` without those that `bootstrap` adds. */
  get routes(): readonly ListedRoute[] {
    return this.#answers?.routes ?? listRoutes(this.#listing).map(({ route }) => route);
  }

  /** Which core routes there are, by uid. */
  get coreRoutes(): ReadonlyMap<string, readonly CoreRoutes[]> {
    return coreRouting(this.#runtime.catalog, this.routes, this.#listing.apis);
  }

  /** Those of Galley's own actions whose names routes of code have. */
  get ownNames(): ReadonlySet<string> {
    return ownNamesOf(this.#runtime.catalog, this.routes);
  }

  /** Actions of the project's own routes, which roles and tokens may be granted. */
  get actions(): string[] {
    return [...new Set(this.routes.flatMap((route) => (route.core || route.ofServer ? [] : (actionOf(route) ?? []))))];
  }

  /** The code that a route needs and that `config/galley` leaves out. */
  leftOutNeed(route: ListedRoute): LeftOutNeed | undefined {
    const { config, catalog } = this.#runtime;
    const { policies, middlewares } = this.#namespaces;
    return leftOutNeed(route, {
      ...{ catalog, policies, middlewares, controllers: this.#controllers, services: this.#services },
      leftOutFile: (path) => {
        const refusal = this.#refusal(resolvedFile(config.dir, path) ?? '');
        return refusal?.isSafe ? undefined : refusal?.path;
      },
    });
  }

  /** The code that runs for an action, before it or in its place. */
  guardsOf(action: string): readonly GuardingCode[] {
    const { config, catalog } = this.#runtime;
    return guardsOf(action, {
      ...{
        dir: config.dir,
        catalog,
        routes: this.routes,
        middlewares: config.code.middlewares,
        middlewaresFile: config.code.middlewaresFile,
        isLeftOut: this.#code.isLeftOut,
      },
      ...{ lifecycles: this.#lifecycles, documents: this.#documents, files: this.#code.files },
      isOwn: (core) => this.#types.isOwn(core, this.#controllers),
      extended: this.#extensions.paths,
    });
  }

  /** The requests that it answers. */
  get answers(): Answers {
    return this.#answers!;
  }

  get administration(): Administration {
    return this.#administration!;
  }

  /** Publication of administrators outside of requests, with code around it. */
  get codeAround(): CodeAround {
    const administration = this.#administration!;
    return {
      isAroundWrites: administration.isAroundWrites,
      requireStart: () => {
        if (this.#failure) throw this.#failure;
      },
      move: (tx, administrator, request) =>
        UnitOfWork.whole(
          () => administration.move(tx, administrator, request),
          (error) => void this.#log(error, `a scheduled ${request.name}`),
        ),
    };
  }

  get builtIn(): BuiltIn {
    return this.#builtIn!;
  }

  /** Documents of the caller of a request, behind the middlewares of code. */
  get callerDocuments(): CallerDocuments {
    return this.#callerDocuments!;
  }

  /** Actions that would bypass code, each with why it is closed: its routes, and hooks into documents. */
  get closed(): ReadonlyMap<string, string> {
    const { catalog, config } = this.#runtime;
    const { serve } = config.code;
    const { routes, coreRoutes } = this;
    const taken = this.ownNames;
    const beside = besideRoutes(catalog, config.code, {
      ...{ prefix: config.rest.prefix, routes, coreRoutes },
      isOwn: (core) => this.#types.isOwn(core, this.#controllers),
    });
    const isOpen = (action: string): boolean => taken.has(action) || serve.includes(action);
    const bypassing = [...beside, ...besideHooks(catalog, this.#documents)].filter(([action]) => !isOpen(action));
    const reads = this.#readsOfFiles.filter(([action]) => !serve.includes(action));
    return new Map([...bypassing, ...reads, ...this.#extensions.services.closed(catalog, config.code)]);
  }

  /** Actions of files that run lifecycles in the reference which Galley does not run, each with why it is closed. */
  get #readsOfFiles(): (readonly [string, string])[] {
    const isRead = this.#lifecycles.listens(FILE_UID, 'FindOne', 'FindMany', 'Count');
    const isBypassed = this.#extensions.paths.has('upload') && isRead;
    const reason = `it would bypass lifecycles of ${FILE_UID}`;
    return isBypassed ? FILE_ACTIONS.map((action) => [action, reason]) : [];
  }

  /** Why an action would bypass code at the moment: code may hook into documents at any time. */
  bypassed(action: string): string | undefined {
    const version = this.#documents.version + this.#lifecycles.version;
    if (this.#bypassing?.version !== version) this.#bypassing = { version, closed: closedReasons(this.closed) };
    return this.#bypassing.closed.get(action);
  }

  /** Routes of the server that extensions have taken away: `GET /users/count`. */
  get withdrawn(): ReadonlySet<string> {
    return this.#extensions.withdrawn;
  }

  /** Starts jobs and timers: the project is served. */
  async serve(): Promise<void> {
    const report = (error: unknown) => {
      if (!UnitOfWork.isReported(error)) this.#log(error, 'in code that nothing awaits');
    };
    this.#isServed = true;
    this.#condemnedAnswers.start();
    this.#release = keepAlive({ loader: this.#loader, report });
    await this.#cron.start();
    await this.#runtime.own?.serve();
    this.#hub.start(this.#runtime);
    this.#global.keep();
  }

  /** Scheduled work, by scheduler. */
  get jobs(): readonly Jobs[] {
    const { own } = this.#runtime;
    return own ? [own.jobs, this.#cron] : [this.#cron];
  }

  /** Paths of the files that are loaded, inside the project. */
  get loadedFiles(): readonly string[] {
    return this.#loader.loadedFiles.map((file) => this.#loader.pathOf(file));
  }

  /** The unit of work of a request. @param refuse answers with the error that condemns it, and logs it. */
  unitOf(place: string, refuse: (failure: Error) => void): UnitOfWork {
    const condemned = (error: Error): void => refuse(new CodeError(error, place, this.#loader));
    const lateInParts = (error: Error): void => this.#failLate(error, place);
    return new UnitOfWork(condemned, { lateInParts, failedStart: () => this.#failure });
  }

  /** The header of the answer to a condemned request, for code of the project that has sent the request. */
  get headerOfCondemned(): Readonly<Record<string, string>> {
    return this.#condemnedAnswers.header;
  }

  /** Condemns the current request if the start has failed after its end. Its handlers are refused by themselves. */
  requireStart(): void {
    if (this.#failure) UnitOfWork.condemnCurrent(this.#failure);
  }

  /** Documents behind the middlewares and lifecycles of code. */
  get documents(): ProjectDocuments {
    return this.#documents;
  }

  /**
   * Starts the server object of code.
   *
   * @param answer answers requests that code leaves to the server.
   * @throws UsageError with file and line for errors of its `listening` listeners.
   */
  open(answer: Parameters<CodeServer['open']>[0]): void {
    this.#named('src', 'listening', () => this.front.open(answer));
  }

  /** Stops the runtime and calls the project's destroy hooks. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cron.stop();
    this.#hub.stop();
    this.#runtime.own?.close();
    this.#release();
    this.#condemnedAnswers.close();
    if (this.#hasBegun) await this.#each('destroy');
    this.#global.remove();
  }

  async #extend(path: string, name: string): Promise<void> {
    // the reference passes over extensions of plugins that the project does not have
    if (!(name in this.#pluginObjects) && !this.#code.mayHave(name)) return;
    try {
      const extend: unknown = this.#loader.loadDefault(join(this.#code.config.dir, path));
      if (!MUTE_PLUGINS.includes(name)) await this.#addExtension(name, path, extend);
      else if (typeof extend === 'function') await extend(mute(`the plugin ${name}`, () => !this.#isServed));
    } catch (error) {
      throw this.#refused(error, `extension, ${path}`, path);
    }
  }

  async #addExtension(name: string, path: string | undefined, extend: unknown): Promise<void> {
    const registries = { ...this.#namespaces, controllers: this.#controllers };
    await this.#extensions.add(name, path, extend, {
      objects: this.#pluginObjects,
      schemas: this.#schemas,
      registries,
    });
  }

  /** Loads a plugin, and has the extension of it in `src/extensions` change it. */
  async #loadPlugin({ name, code, entries, missing }: PluginCode): Promise<LoadedPlugin> {
    const { dir } = this.#code.config;
    if (missing !== undefined) throw this.#refused(new UsageError(missing, 1), 'plugin', code);
    const [first] = entries;
    let failure: unknown;
    for (const entry of entries) {
      try {
        const exported = madePlugin(this.#loader.loadDefault(join(dir, entry)));
        const extension = ofKind(this.#code.files, 'extension').find((file) => file.name === name);
        const extend = extension && (this.#loader.loadDefault(join(dir, extension.path)) as unknown);
        const extended: unknown = typeof extend === 'function' ? await extend(exported) : extend;
        return { name, entry, exported: madePlugin(extended ?? exported) };
      } catch (error) {
        failure ??= error;
        if (!NOT_BUILT.test(String((error as Error)?.message))) break;
      }
    }
    throw this.#refused(failure, `plugin ${name}`, code.startsWith('plugin::') ? code : first!);
  }

  #startPlugin(plugin: LoadedPlugin): StartedPlugin {
    const [settings, lifecycles, objects] = [this.#settings, this.#lifecycles, this.#pluginObjects];
    const registries = { ...this.#namespaces, controllers: this.#controllers, services: this.#services };
    const { contentTypes } = this.#schemas;
    return this.#named(plugin.entry, 'plugin', () =>
      startPlugin(plugin, { tools: this.#tools, settings, lifecycles, contentTypes, registries, objects }),
    );
  }

  /** The middlewares of `config/middlewares`. */
  #makeGlobals(): Configured[] {
    const entries = globalEntries(this.#settings.get('middlewares'), this.#code.isLeftOut);
    const { code } = this.#runtime.config;
    const pathOf = (entry: unknown): string => {
      const { name = entry, resolve } = Object(entry) as { readonly name?: unknown; readonly resolve?: unknown };
      const own = code.middlewares.find((one) =>
        one.resolve === undefined ? one.name === name : one.resolve === resolve,
      );
      return own?.path ?? this.#namespaces.middlewares.fileOf(String(name))?.path ?? own?.name ?? 'config';
    };
    return entries.flatMap(({ entry, own }): readonly Configured[] =>
      own
        ? this.#named(pathOf(entry), 'middlewares', () => globalMiddlewares([entry], code, this.#namespaces))
        : [String(entry)],
    );
  }

  async #each(step: 'register' | 'bootstrap' | 'destroy'): Promise<void> {
    for (const { index, path } of this.#indexes) {
      const run = index[step];
      if (typeof run !== 'function') continue;
      try {
        await this.#inUnit(`${step} of ${path}`, () => run.call(index, this.#tools) as unknown);
      } catch (error) {
        if (step !== 'destroy') throw this.#refused(error, `${step} of ${path}`, path);
        this.#log(error, `destroy of ${path}`);
      }
    }
  }

  #named<T>(path: string, part: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#refused(error, `${part}, ${path}`, path);
    }
  }

  /** Runs a step as its own unit of work. @throws its error, or the error that condemned it. */
  #inUnit<T>(purpose: string, step: () => T | Promise<T>): Promise<T> {
    return actingAs(codeActor(purpose), () => UnitOfWork.whole(step, (error) => this.#failLate(error, purpose)));
  }

  /**
   * Receives an error of work that the start did not await, such as a promise of `bootstrap`: the start has failed. The
   * code may have cached a result of the error, so it answers no more requests.
   */
  #failLate(error: Error, purpose: string): void {
    this.#log(error, purpose, (failure) => {
      const hint =
        'the start has failed: every request that reaches code of the project is answered with 500 until a restart';
      this.#sink('error', `${failure.message}; ${hint}`, failure);
    });
    this.#failure ??= error;
    UnitOfWork.condemnOpen(error);
  }

  /**
   * An error that stops the start of the project, with its place, and how to start without the code.
   *
   * @param code the name for `without` of `config/galley`.
   */
  #refused(error: unknown, purpose: string, code: string): UsageError {
    if (error instanceof RefusedCode) return error;
    const { config } = this.#code;
    const reason =
      error instanceof MistakeInFile
        ? placeOfMistake(config.dir, error)
        : error instanceof UsageError
          ? error.message
          : this.#described(error, purpose);
    return this.#mayBeLeftOut(code) ? new RefusedCode(reason, code, config.code) : new UsageError(reason, 1);
  }

  #mayBeLeftOut(code: string): boolean {
    const { files, plugins, config } = this.#code;
    return (
      files.some(({ path }) => path === code) ||
      plugins.some(({ names }) => names.includes(code)) ||
      config.code.middlewares.some(({ name, path }) => name === code || path === code)
    );
  }

  /** The first line of an error, with the lines of the project that lead to it. */
  #described(error: unknown, purpose: string): string {
    const failure = new CodeError(error, purpose, this.#loader);
    const frames = isWholeStory(error) ? [] : framesOf(failure.stack, this.#code.config.dir);
    return [firstLine(failure), ...frames.map((frame) => `    ${frame}`)].join('\n');
  }

  /** Writes an error into the log, or passes it to `report`. Gives its first line. */
  #log(
    error: unknown,
    purpose: string,
    report = (failure: Error) => this.#sink('error', failure.message, failure),
  ): string {
    const failure = new CodeError(error, purpose, this.#loader);
    report(failure);
    return firstLine(failure);
  }

  #refusal(file: string): LeftOut | undefined {
    const path = this.#loader.pathOf(file);
    const found = this.#code.leftOut.find((one) => one.path === path);
    return found && new LeftOut(found.path, found.isSafe);
  }
}

/** Built-in plugins whose controllers and routes code may change. */
/** Built-in types without versions of documents whose rows code may write. */
const ROW_TYPES: readonly string[] = [LOCALE_UID, PERMISSION_UID, ROLE_UID];

const EXTENSIBLE = ['users-permissions', 'upload'];

const firstLine = ({ message }: Error): string => message.split('\n', 1)[0]!;

/** True for errors that file, line and message explain, so that no stack is needed. */
const isWholeStory = (error: unknown): boolean =>
  error instanceof Unsupported || (error as NodeJS.ErrnoException | undefined)?.code === 'MODULE_NOT_FOUND';

/** The message about a plugin whose entry imports files that are not built. */
const NOT_BUILT = /Cannot find module '[^']*\bdist\b/;

/** Stores every custom field as a text until code has registered its type. */
const ANY_FIELD: ReadonlyMap<string, string> = Object.assign(new Map<string, string>(), { get: () => 'string' });
