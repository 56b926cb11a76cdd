/**
 * The code of a project while it runs: loaded, registered, and asked to answer requests. What it takes the place of is
 * answered by the server itself, as are the types that no code touches.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ModuleLoader } from '../../config/modules/loader.ts';
import { documentsOf } from '../../content/documents/document-service.ts';
import { UsageError } from '../../errors.ts';
import { USER_UID } from '../../schema/catalog.ts';
import type { Jobs } from '../jobs/job-runs.ts';
import type { OwnPlugin } from '../plugins/own-plugins.ts';
import { withLine } from '../reading/line-of.ts';
import type { RunnableCode } from '../runs/runnable.ts';
import type { SourceFile } from '../source-files.ts';
import { Administration } from './administration/administration.ts';
import { Around } from './administration/around.ts';
import { Answers } from './answers.ts';
import { BuiltIn } from './built-in/built-in.ts';
import { BuiltInRows } from './built-in/built-in-rows.ts';
import { type CodeFile, codeFiles, typeOfFolder } from './code-files.ts';
import { NamedRows } from './conditions/named-rows.ts';
import { AskedDocuments } from './core/asked-documents.ts';
import { ContentApi } from './core/content-api.ts';
import { CoreActions } from './core/core-actions.ts';
import { CoreTypes } from './core/core-types.ts';
import { allRows } from './documents/all-rows.ts';
import { type DocumentsContext, ProjectDocuments } from './documents/documents.ts';
import { Lifecycles, type Subscriber } from './documents/lifecycles.ts';
import { Unsupported } from './guarded.ts';
import { apisOf, listRoutes } from './listed-routes.ts';
import { Extensions } from './plugins/extensions.ts';
import { type StartedPlugin, startPlugin } from './plugins/own-plugin.ts';
import {
  CodeError,
  isInstalled,
  isLoaded,
  loadAhead,
  maker,
  ofKind,
  Registry,
  resolvedMiddleware,
} from './registry.ts';
import type { Context } from './requests/context.ts';
import { globalMiddlewares, type Middleware, type Namespaces, ownGlobals } from './requests/policies.ts';
import type { Ready } from './requests/route-table.ts';
import type { CodeRooms } from './rooms.ts';
import { schemasOf } from './schemas/schemas.ts';
import { Accounts, type FindAccounts } from './strapi/accounts.ts';
import type { Added } from './strapi/code-router.ts';
import { CodeServer } from './strapi/code-server.ts';
import { CronTasks, configuredTasks } from './strapi/cron.ts';
import { EventHub } from './strapi/events/event-hub.ts';
import { GlobalStrapi } from './strapi/global-strapi.ts';
import { substitutes } from './strapi/packages.ts';
import { Settings } from './strapi/settings.ts';
import { makeStrapi } from './strapi/strapi.ts';
import { validation } from './strapi-utils/validation.ts';
import { keepAlive } from './stray-errors.ts';
import { besideHooks, readsBesideHooks, Unhooked } from './unhooked.ts';
import { timersOf, UnitOfWork } from './unit-of-work.ts';

/** Functions of `src/index`. */
type Index = Readonly<Record<'register' | 'bootstrap' | 'destroy', unknown>>;

export class RunningCode {
  readonly #rooms: CodeRooms;
  readonly #runnable: RunnableCode;
  readonly #files: readonly CodeFile[];
  readonly #requests = new AsyncLocalStorage<Context>();
  readonly #lifecycles: Lifecycles;
  readonly #documents: ProjectDocuments;
  readonly #loader: ModuleLoader;
  readonly #tools: { readonly strapi: object };
  readonly #types: CoreTypes;
  readonly #namespaces: Namespaces;
  readonly #controllers: Registry<Record<string, unknown>>;
  readonly #services: Registry<unknown>;
  readonly #accounts: Accounts;
  readonly #cron: CronTasks;
  readonly #settings: Settings;
  readonly #hub = new EventHub((error, purpose) => void this.#log(error, purpose));
  readonly #pluginObjects: Record<string, object> = {};
  #ownPlugins: readonly StartedPlugin[] = [];
  /** What code has for the HTTP server. */
  readonly front = new CodeServer();
  readonly #added: Added = { routes: [], middlewares: [], behind: [], errors: new EventEmitter() };
  readonly #extensions = new Extensions(() => this.#tools);
  #indexes: readonly { readonly index: Index; readonly path: string }[] = [];
  #answers: Answers | undefined;
  #release: () => void = () => {};
  readonly administration: Administration;
  readonly builtIn: BuiltIn;
  readonly contentApi: ContentApi;
  /** Documents of whoever makes a request, behind what code has put before them. */
  readonly asked: AskedDocuments;
  #global: GlobalStrapi | undefined;

  private constructor(given: CodeRooms, runnable: RunnableCode, settings: Settings) {
    const schemas = schemasOf(given.catalog, given.layout);
    this.#lifecycles = new Lifecycles((uid) => schemas.of(uid)!, given.narrowing);
    const told = new BuiltInRows(given, this.#lifecycles);
    const rooms = { ...given, media: given.media.within(told), roles: given.roles.within(told) };
    this.#rooms = rooms;
    [this.#runnable, this.#settings] = [runnable, settings];
    this.#files = codeFiles(runnable.files).filter((file) =>
      isLoaded(file, runnable.refused, rooms.catalog.contentTypes),
    );
    const plain = documentsOf(rooms, () => rooms.narrowing.viewer, { ignoresUnknown: true });
    const unhooked = new Unhooked(runnable.unhooked);
    const named = new NamedRows(rooms);
    const documentsWith = (lifecycles: Lifecycles): ProjectDocuments =>
      new ProjectDocuments({
        ...{ rooms, unhooked, hooked: runnable.hooked, schemas, lifecycles, named },
        serviceOf: plain as DocumentsContext['serviceOf'],
        writesOf: (uid) => (uid === USER_UID ? this.#accounts.documents : undefined),
      });
    this.#documents = documentsWith(this.#lifecycles);
    const silent = new Lifecycles((uid) => schemas.of(uid)!, given.narrowing);
    const silentDocuments = documentsWith(silent);
    this.contentApi = new ContentApi(rooms, () => validation(rooms.config.dir).z);
    this.asked = new AskedDocuments(rooms, this.#documents, this.contentApi);
    this.#types = new CoreTypes({
      ...{ rooms, schemas, contentApi: this.contentApi },
      actions: new CoreActions(rooms, this.contentApi),
      documents: this.#documents,
      service: (uid) => this.#services.get(uid) as Record<string, (...args: unknown[]) => Promise<unknown>>,
      current: () => this.#requests.getStore(),
    });
    const load = (path: string): unknown => this.#loader.loadDefault(join(rooms.config.dir, path));
    const of = (kind: CodeFile['kind']) => ofKind(this.#files, kind);
    const made = maker(() => this.#tools, runnable.methods);
    this.#controllers = new Registry(of('controllers'), load, made);
    this.#services = new Registry<unknown>(of('services'), load, made);
    const policies = new Registry<unknown>(of('policies'), load, (exported) => exported);
    const middlewares = new Registry<unknown>(of('middlewares'), load, (exported) => exported);
    const rowsOf = allRows({
      ...{ rooms: given, unhooked, named, lifecycles: this.#lifecycles, silent, plain: silentDocuments },
      accounts: () => this.#accounts,
    });
    const find: FindAccounts = (params) => rowsOf('plugin::users-permissions.user').findMany(params);
    this.#accounts = new Accounts(rooms, find);
    const shared = { documents: this.#documents, accounts: this.#accounts, requests: this.#requests };
    this.builtIn = new BuiltIn({ ...shared, rooms, find, around: told, services: this.#extensions.services });
    this.#cron = new CronTasks({
      database: rooms.database,
      get tools() {
        return tools;
      },
      failed: (error, purpose, report) => this.#log(error, purpose, report),
    });
    const strapi = makeStrapi({
      ...{ rooms, settings, schemas, rowsOf },
      loader: () => this.#loader,
      documents: this.#documents,
      lifecycles: this.#lifecycles,
      builtIn: this.builtIn,
      ...{ contentApi: this.contentApi, services: this.#services, controllers: this.#controllers },
      ...{ policies, middlewares, httpServer: this.front.server },
      ...{ plugins: this.#pluginObjects, cron: this.#cron, hub: this.#hub },
      ...{ requests: this.#requests, added: this.#added, mayHave: runnable.mayHave },
    });
    const tools = { strapi };
    this.#tools = tools;
    const timers = timersOf((error) => void this.#log(error, 'a timer'));
    this.#loader = new ModuleLoader({
      dir: rooms.config.dir,
      strapi,
      running: (run) => UnitOfWork.part(run),
      globals: timers,
      substitute: substitutes(this.#types, timers, {
        dir: rooms.config.dir,
        ...this.contentApi.members(() => rooms.views.full.view),
      }),
      refusal: (file) => this.#refusal(file),
    });
    const resolve = (path: string): unknown => resolvedMiddleware(this.#loader, rooms.config.dir, path);
    this.#namespaces = { policies, middlewares, tools, resolve };
    const around = new Around(this.#documents, () => this.#loader);
    this.administration = new Administration(rooms, around, this.#requests);
    this.#types.fill(this.#controllers, this.#services);
  }

  /**
   * Loads and starts the code of a project.
   *
   * @throws UsageError naming file and line for what keeps the code from being loaded or started.
   */
  static async start(rooms: CodeRooms, runnable: RunnableCode): Promise<RunningCode> {
    const running = new RunningCode(rooms, runnable, new Settings(await runnable.settings(), rooms.config));
    UnitOfWork.startOutside((error) => void running.#log(error, 'code outside of requests, tasks and timers'));
    try {
      await running
        .#inUnit('the start', () => running.#begin())
        .catch((error: unknown) => {
          throw running.#missing(error) ?? error;
        });
    } catch (error) {
      // what has begun already ends
      await running.close();
      throw await withLine(error, rooms.config.dir);
    }
    return running;
  }

  async #begin(): Promise<void> {
    const { dir } = this.#rooms.config;
    this.#rooms.database.tell((error) => void this.#log(error, 'a transaction'));
    this.#global = new GlobalStrapi(this.#tools.strapi, [this.#rooms.config.code, this.#rooms.own]);
    // what is beside the project Node loads by itself
    const isOwn = ({ path, isElsewhere }: SourceFile) =>
      isElsewhere ? !path.startsWith('../') && !isInstalled(path) : path.startsWith('src/') || path.includes('/src/');
    const code = this.#runnable.files.filter(isOwn);
    const loaded = code.filter(({ path }) => !this.#runnable.refused.has(path) && !path.endsWith('.json'));
    await this.#loader.prepare(loaded.map(({ path }) => join(dir, path)));
    const load = (path: string): unknown => this.#loader.loadDefault(join(dir, path));
    loadAhead(this.#files, load, (error, path) => this.#mistake(error, `loading ${path}`));
    for (const { api, name, path } of ofKind(this.#files, 'lifecycles')) {
      const lifecycles = this.#named(path, 'lifecycles', () => load(path));
      this.#lifecycles.addType(typeOfFolder(this.#rooms.catalog, { dir, api, name, path }), lifecycles as Subscriber);
    }
    for (const [path, name] of this.#runnable.extensions) this.#extend(path, name);
    this.#extensions.addLifecycles(this.#lifecycles);
    this.#ownPlugins = this.#runnable.plugins.map((plugin) => this.#startPlugin(plugin));
    const indexes = [...ofKind(this.#files, 'apiIndex'), ...ofKind(this.#files, 'index')];
    const plugins = [
      ...this.#extensions.indexes.map(({ path, index }) => ({ path, index: index as Index })),
      ...this.#ownPlugins.map(({ index }, n) => ({ path: this.#runnable.plugins[n]!.entry, index: index as Index })),
    ];
    const made = indexes.map(({ path }) => {
      const exported = this.#named(path, 'src/index', () => load(path));
      const made = typeof exported === 'function' ? (exported(this.#tools) as unknown) : exported;
      return { path, index: (made ?? {}) as Index };
    });
    this.#indexes = [...plugins, ...made];
    await this.#each('register');
    const early = this.#added.routes.length;
    this.#cron.add(configuredTasks(this.#settings), 'config');
    const ofConfig = this.#makeGlobals();
    // what these have added while they were made as well
    const first = this.#added.middlewares.length;
    await this.#each('bootstrap');
    // what bootstrap has put off to the next turn, such as a guard, is there too, however busy the machine is
    await nextTurn();
    const { middlewares, behind } = this.#added;
    let all: readonly Middleware[] = [];
    // both lists only grow, and each request asks
    const globals = (): readonly Middleware[] => {
      const count = ofConfig.inner.length + middlewares.length - first + behind.length;
      if (all.length !== count) all = [...ofConfig.inner, ...middlewares.slice(first), ...behind];
      return all;
    };
    this.#answers = new Answers({
      catalog: this.#rooms.catalog,
      prefix: this.#rooms.config.rest.prefix,
      apis: apisOf(this.#files),
      routes: this.#listRoutes(early),
      outer: [...middlewares.slice(0, first), ...ofConfig.outer],
      globals,
      ahead: ofConfig.ahead,
      ...{ requests: this.#requests, loader: this.#loader, errors: this.#added.errors },
      keys: this.#settings.get('server.app.keys'),
      app: (this.#tools.strapi as { readonly server: { readonly app: object } }).server.app,
      version: () => this.#documents.version + this.#lifecycles.version,
    });
  }

  /** What it answers. */
  get answers(): Answers {
    return this.#answers!;
  }

  /** Actions that would go round code, where reading it did not show that: round its routes, and what hooks into documents. */
  get closed(): ReadonlyMap<string, string> {
    const { catalog, config } = this.#rooms;
    const hooked = this.#runnable.mayHook ? besideHooks(catalog, this.#documents) : [];
    const { ownNames } = this.answers;
    const { serve } = config.code;
    const isOpen = (action: string): boolean => ownNames.has(action) || serve.includes(action);
    const beside = [...this.answers.beside(config.code), ...hooked].filter(([action]) => !isOpen(action));
    return new Map([...beside, ...this.#extensions.services.closed(catalog, config.code)]);
  }

  /** What administrators may not do: code that hooks into what they read is not run there. */
  get closedToAdministrators(): ReadonlyMap<string, string> {
    // what code shows of itself when it is read is closed already
    return this.#runnable.mayHook ? readsBesideHooks(this.#lifecycles) : new Map();
  }

  /** Routes of the server that extensions have taken away: `GET /users/count`. */
  get withdrawn(): ReadonlySet<string> {
    return this.#extensions.withdrawn;
  }

  /** Begins what runs by itself: the project is served. */
  async serve(): Promise<void> {
    const tell = (error: unknown) => {
      if (!UnitOfWork.isReported(error)) this.#log(error, 'in code that nobody waits for');
    };
    this.#release = keepAlive({ loader: this.#loader, tell });
    await this.#cron.start();
    await this.#rooms.own?.serve();
    this.#hub.start(this.#rooms);
    this.#global?.keep();
  }

  /** What runs at its times, by scheduler. */
  get jobs(): readonly Jobs[] {
    const { own } = this.#rooms;
    return own ? [own.jobs, this.#cron] : [this.#cron];
  }

  /** The unit of work of a request. @param refuse answers with the error that condemns it, and logs it. */
  unitOf(place: string, refuse: (failure: Error) => void): UnitOfWork {
    return new UnitOfWork((error) => refuse(new CodeError(error, place, this.#loader)));
  }

  /** Documents behind what code has put before them. */
  get documents(): ProjectDocuments {
    return this.#documents;
  }

  /** Ends what began, and has the code end what it began. */
  async close(): Promise<void> {
    this.#cron.stop();
    this.#hub.stop();
    this.#rooms.own?.close();
    this.#release();
    await this.#each('destroy').catch((error: unknown) => this.#log(error, 'destroy'));
    this.#global?.remove();
  }

  #extend(path: string, name: string): void {
    this.#named(path, 'extension', () => {
      const extend = this.#loader.loadDefault(join(this.#rooms.config.dir, path));
      const rooms = { objects: this.#pluginObjects, changes: this.#runnable.changes, registries: this.#namespaces };
      this.#extensions.add(name, path, extend, rooms);
    });
  }

  #startPlugin(plugin: OwnPlugin): StartedPlugin {
    const [settings, lifecycles, objects] = [this.#settings, this.#lifecycles, this.#pluginObjects];
    const registries = { ...this.#namespaces, controllers: this.#controllers, services: this.#services };
    const { contentTypes } = schemasOf(this.#rooms.catalog, this.#rooms.layout);
    return this.#named(plugin.entry, 'plugin', () => {
      const exported = this.#loader.loadDefault(join(this.#rooms.config.dir, plugin.entry));
      const context = { settings, lifecycles, contentTypes, registries, objects };
      return startPlugin(plugin, exported, { tools: this.#tools, ...context });
    });
  }

  /** @param early how many of the routes that code has added stand before those of files. */
  #listRoutes(early: number): readonly Ready[] {
    return listRoutes({
      ...{ rooms: this.#rooms, runnable: this.#runnable, files: this.#files, loader: this.#loader, tools: this.#tools },
      ...{ types: this.#types, lifecycles: this.#lifecycles, extensions: this.#extensions },
      ...{ namespaces: this.#namespaces, controllers: this.#controllers, accounts: this.#accounts },
      ...{ ownPlugins: this.#ownPlugins, added: this.#added.routes, early },
      mistake: (error, purpose) => this.#mistake(error, purpose),
    });
  }

  /** The middlewares of `config/middlewares`, outside the handling of errors and within it. */
  #makeGlobals() {
    const { outer, inner, ahead } = ownGlobals(this.#settings.get('middlewares'), this.#runnable.skipped);
    const { code } = this.#rooms.config;
    const pathOf = (entry: unknown): string => {
      const { resolve } = (entry ?? {}) as { readonly resolve?: unknown };
      return code.middlewares.find((one) => one.resolve !== undefined && one.resolve === resolve)?.path ?? 'config';
    };
    const made = (some: readonly unknown[]): Middleware[] =>
      some.flatMap((one) =>
        this.#named(pathOf(one), 'middlewares', () => globalMiddlewares([one], code, this.#namespaces)),
      );
    return { outer: made(outer), inner: made(inner), ahead };
  }

  async #each(step: 'register' | 'bootstrap' | 'destroy'): Promise<void> {
    for (const { index, path } of this.#indexes) {
      const run = index[step];
      if (typeof run !== 'function') continue;
      try {
        await this.#inUnit(`${step} of ${path}`, () => run.call(index, this.#tools) as unknown);
      } catch (error) {
        throw this.#missing(error, path) ?? this.#mistake(error, `${step} of ${path}`);
      }
    }
  }

  #named<T>(path: string, what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#missing(error) ?? this.#missing(error, path) ?? this.#mistake(error, `${what}, ${path}`);
    }
  }

  /** Runs a step as a unit of work of its own. @throws what it throws, or what condemned it. */
  #inUnit<T>(purpose: string, step: () => T | Promise<T>): Promise<T> {
    return UnitOfWork.whole(step, (error) => void this.#log(error, purpose));
  }

  /** A member that code reads as it starts, and Galley lacks; undefined for any other error. @param path the file. */
  #missing(error: unknown, path = this.#loader.placeOf(error)?.replace(/:\d+$/, '')): UsageError | undefined {
    return path === undefined ? undefined : CodeError.missing(error, path, this.#loader);
  }

  /** What keeps the project from starting, in one line. */
  #mistake(error: unknown, purpose: string): UsageError {
    return error instanceof UsageError ? error : new UsageError(this.#log(error, purpose), 1);
  }

  /** Writes an error into the log, or has `report` tell of it. Gives its first line. */
  #log(
    error: unknown,
    purpose: string,
    report = (failure: Error) => this.#rooms.log('error', failure.message, failure),
  ): string {
    const failure = new CodeError(error, purpose, this.#loader);
    report(failure);
    return failure.message.split('\n', 1)[0]!;
  }

  #refusal(file: string): Error | undefined {
    const found = this.#runnable.refused.get(this.#loader.pathOf(file));
    return found === undefined ? undefined : new Unsupported(found);
  }
}
