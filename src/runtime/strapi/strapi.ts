/** The object `strapi` of a project's code. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import type { ModuleLoader } from '../../config/modules/loader.ts';
import type { AroundRows } from '../../content/rows/around-rows.ts';
import { panelServices } from '../built-in/panel-services.ts';
import type { ContentApi } from '../core/content-api.ts';
import type { AmbientDatabase } from '../documents/ambient.ts';
import type { ProjectDocuments } from '../documents/documents.ts';
import type { Lifecycles, Subscriber } from '../documents/lifecycles.ts';
import { Rows } from '../documents/rows.ts';
import { guarded, missingMember, mute, onlyForCode, standIn, unreplaced, unsupported } from '../guarded.ts';
import { containerOf } from '../members/container.ts';
import { databaseMembers, queryParams } from '../members/database-members.ts';
import { isOfReference, MISSING, MUTE_PLUGINS, pluginOf } from '../members/members.ts';
import { addedSteps, editions, hooks, logOf, projectFiles } from '../members/plain-members.ts';
import { REFERENCE_PARTS } from '../members/reference-parts.ts';
import type { ExtendedServices } from '../plugins/extended-services.ts';
import { moduleParts, PART_KINDS } from '../plugins/module-parts.ts';
import type { Registry } from '../registry.ts';
import type { Context } from '../requests/context.ts';
import { viewOfAuth } from '../requests/verified-viewer.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { metadataOf } from '../schemas/metadata.ts';
import type { Schemas } from '../schemas/schemas.ts';
import type { Accounts } from './accounts.ts';
import { type Added, codeServer } from './code-router.ts';
import type { CronTasks } from './cron.ts';
import { entityService } from './entity-service.ts';
import { entityValidator } from './entity-validator.ts';
import type { EventHub } from './event-hub.ts';
import { ownTable, requireOtherModels } from './own-tables.ts';
import { builtInPlugins, panelPlugins } from './plugin-services.ts';
import { dirsOf, type Settings } from './settings.ts';
import { storeOf } from './store.ts';
import { webhookRunner, webhookStore } from './webhook-store.ts';
export interface StrapiContext {
  readonly runtime: RuntimeContext;
  readonly loader: () => ModuleLoader;
  readonly settings: Settings;
  readonly schemas: Schemas;
  readonly documents: ProjectDocuments;
  readonly lifecycles: Lifecycles;
  readonly rowsOf: (uid: string) => Rows;
  readonly accounts: Accounts;
  /** Services of built-in plugins that extensions have changed. */
  readonly changedServices: ExtendedServices;
  /** Routes of a built-in plugin that code may change; undefined for another plugin. */
  readonly routesOf: (name: string) => object | undefined;
  /** Code around rows that are no documents. */
  readonly around: AroundRows;
  /** Takes the types that custom fields are stored as, by name. */
  readonly customFields: Map<string, string>;
  readonly contentApi: ContentApi;
  readonly services: Registry<unknown>;
  readonly controllers: Registry<Record<string, unknown>>;
  readonly policies: Registry<unknown>;
  readonly middlewares: Registry<unknown>;
  /** The plugins that `strapi.plugin` returns; the project's own are added. */
  readonly plugins: Record<string, object>;
  readonly cron: CronTasks;
  readonly hub: EventHub;
  readonly requests: AsyncLocalStorage<Context>;
  readonly httpServer: Server;
  /** Whether the project may have a plugin in the reference; any other plugin is undefined. */
  readonly mayHave: (name: string) => boolean;
  readonly isStarting: () => boolean;
  /** Routes and middlewares that code adds to the server. */
  readonly added: Added;
}

/** Makes the object. */
export function makeStrapi(context: StrapiContext): object {
  const { runtime, documents, lifecycles, rowsOf, schemas, services, controllers, requests, settings } = context;
  const { database } = runtime;
  const own = builtInPlugins(context);
  const builtIn = new Set(Object.keys(own));
  const plugins = Object.assign(context.plugins, panelPlugins(context), own);
  const repositories = new Map<string, object>();
  const query = (uid: string): object => {
    const rows = ownTable(runtime, uid) ?? rowsOf(uid);
    // not a stand-in of register
    if (!(rows instanceof Rows)) return rows;
    const repository = repositories.get(uid) ?? unreplaced(`strapi.db.query('${uid}')`, rows);
    repositories.set(uid, repository);
    return repository;
  };
  const { mayHave, isStarting } = context;
  for (const name of MUTE_PLUGINS) {
    if (mayHave(name)) plugins[name] ??= mute(`strapi.plugin('${name}')`, isStarting);
  }
  const plugin = (name: string) =>
    plugins[name] ?? (mayHave(name) ? missingMember(`strapi.plugin('${name}')`) : undefined);
  /** A model by its uid. It is missing if its plugin may exist in the reference and does not exist here. */
  const model = (kind: string, uid: string, found: unknown): unknown => {
    const name = pluginOf(uid);
    // all types of the reference's own packages are known
    const mayExist = name !== undefined && !isOfReference(uid) && plugins[name] === undefined && mayHave(name);
    return found ?? (mayExist ? missingMember(`strapi.${kind}('${uid}')`) : undefined);
  };
  /** A part that is no model by its uid. It is also missing if the reference has it. */
  const part = (kind: string, uid: string, found: unknown): unknown =>
    found ?? (isOfReference(uid) ? missingMember(`strapi.${kind}('${uid}')`) : model(kind, uid, undefined));
  const policy = (uid: string) => part('policy', uid, context.policies.get(uid));
  const middleware = (uid: string) => part('middleware', uid, context.middlewares.get(uid));
  const panel = panelServices(runtime, rowsOf, context.around);
  const service = (uid: string) =>
    (/^admin::/.test(uid) && panel[uid.slice(7)]) || named(services, plugin, uid, 'service');
  /** Whether Galley has a service of the reference's. */
  const hasService = (uid: string): boolean => {
    const [, owner, name = ''] = /^(?:plugin::([^.]+)\.|admin::)(.+)$/.exec(uid) ?? [];
    if (owner === undefined) return Object.hasOwn(panel, name);
    return builtIn.has(owner) && MISSING[`strapi.plugin('${owner}').services`]?.has(name) === false;
  };
  const partsOf = (kind: keyof typeof REFERENCE_PARTS, isPresent: (uid: string) => boolean = () => false) => ({
    listed: REFERENCE_PARTS[kind],
    isPresent,
  });
  const controller = (uid: string) => named(controllers, plugin, uid, 'controller');
  const apiNames = () => {
    const uids = [...Object.keys(schemas.contentTypes), ...PART_KINDS.flatMap((kind) => context[kind].uids)];
    return [...new Set(uids.flatMap((uid) => /^api::([^.]+)/.exec(uid)?.[1] ?? []))];
  };
  const apiOf = (name: string) =>
    guarded(`strapi.api('${name}')`, moduleParts(`api::${name}`, context, schemas.contentTypes));
  const viewOf = (auth: unknown) => viewOfAuth(runtime, auth, requests.getStore());
  const requestContext = {
    get: () => requests.getStore(),
    run: <T>(ctx: Context, work: () => T) => requests.run(ctx, work),
  };
  const log = logOf(runtime.log, (error) => context.loader().inSources(error));
  const allHooks = hooks();
  let metadata: object | undefined;
  const members: Record<string, unknown> = {
    documents: guarded(
      'strapi.documents',
      Object.assign((uid: string) => documents.of(uid), { use: documents.use.bind(documents) }),
    ),
    db: guarded(
      'strapi.db',
      Object.defineProperties(
        {
          query,
          lifecycles: guarded('strapi.db.lifecycles', {
            subscribe: (subscriber: Subscriber) => {
              requireOtherModels(subscriber);
              return lifecycles.subscribe(subscriber);
            },
            enable: lifecycles.enable.bind(lifecycles),
            disable: lifecycles.disable.bind(lifecycles),
            clear: lifecycles.clear.bind(lifecycles),
          }),
          transaction: transactionOf(database),
          inTransaction: () => database.current !== undefined,
          get metadata() {
            metadata ??= metadataOf(runtime.catalog, runtime.layout, schemas);
            return metadata;
          },
          logger: log,
        },
        Object.getOwnPropertyDescriptors(databaseMembers(runtime, settings, query as typeof rowsOf)),
      ),
    ),
    query,
    entityService: onlyForCode('strapi.entityService', entityService(runtime.catalog, documents, rowsOf)),
    entityValidator: guarded('strapi.entityValidator', entityValidator(runtime)),
    service,
    get services() {
      return byUid('strapi.services', services, { ...partsOf('services', hasService), get: service });
    },
    controller,
    get controllers() {
      return byUid('strapi.controllers', controllers, { ...partsOf('controllers'), get: controller });
    },
    policy,
    middleware,
    plugin,
    plugins: lookedUp(guarded('strapi.plugins', plugins, { missing: { has: mayHave } }), plugins),
    get policies() {
      return byUid('strapi.policies', context.policies, { ...partsOf('policies'), get: policy });
    },
    get middlewares() {
      return byUid('strapi.middlewares', context.middlewares, { ...partsOf('middlewares'), get: middleware });
    },
    api: (name: string) => (apiNames().includes(name) ? apiOf(name) : undefined),
    config: settings.members,
    log,
    startupLogger: guarded('strapi.startupLogger', {
      logStats() {},
      logStartupMessage() {},
      logFirstStartupMessage() {},
    }),
    store: Object.assign((place: object) => storeOf(runtime, place), storeOf(runtime)),
    contentAPI: guarded('strapi.contentAPI', {
      ...Object.fromEntries(
        Object.entries(context.contentApi.members(viewOf)).map(([name, inner]) => [
          name,
          unreplaced(`strapi.contentAPI.${name}`, inner),
        ]),
      ),
      ...context.contentApi.added.members,
      permissions: permissionsOf(runtime),
    }),
    admin: guarded('strapi.admin', { services: guarded('strapi.admin.services', panel) }),
    webhookStore: guarded('strapi.webhookStore', webhookStore(runtime)),
    webhookRunner: guarded('strapi.webhookRunner', webhookRunner(runtime)),
    ee: editions(),
    fs: projectFiles(runtime.config.dir),
    hooks: allHooks,
    hook: (name: string) => allHooks[name],
    ...{ sanitizers: addedSteps('sanitizers'), validators: addedSteps('validators') },
    contentTypes: schemas.contentTypes,
    contentType: (uid: string) => model('contentType', uid, schemas.contentTypes[uid]),
    components: schemas.components,
    getModel: (uid: string) => model('getModel', uid, schemas.of(uid)),
    dirs: dirsOf(runtime.config),
    requestContext: guarded('strapi.requestContext', requestContext),
    eventHub: guarded('strapi.eventHub', context.hub.members),
    cron: guarded('strapi.cron', {
      add: context.cron.add.bind(context.cron),
      remove: context.cron.remove.bind(context.cron),
      get jobs() {
        const place = 'strapi.cron.jobs, of a task';
        return context.cron.jobs.map(({ name, options, nextRun }) => {
          const job = guarded(`${place}.job`, { nextRun, nextInvocation: nextRun }, { missing: OF_JOBS });
          return { name, options, job };
        });
      },
    }),
    server: codeServer(context.added, settings, { httpServer: context.httpServer }),
    fetch: globalThis.fetch,
    customFields: guarded('strapi.customFields', { register: customFieldsOf(context.customFields) }),
    telemetry: guarded('strapi.telemetry', {
      ...{ isDisabled: true, send: async () => false },
      ...{ register: () => {}, bootstrap: async () => {}, destroy: () => {} },
    }),
    isLoaded: true,
    EE: false,
    features: featuresOf(settings),
    get apis() {
      return Object.fromEntries(apiNames().map((name) => [name, apiOf(name)]));
    },
  };
  const others = {
    'query-params': queryParams(runtime.catalog),
  };
  const strapi: object = guarded(
    'strapi',
    Object.defineProperties(
      members,
      Object.getOwnPropertyDescriptors(containerOf({ members, strapi: () => strapi, others })),
    ),
  );
  return strapi;
}

/** Registers custom fields: one, or a list. */
const customFieldsOf = (fields: Map<string, string>) => (given: unknown) => {
  for (const field of [given].flat() as { name?: string; plugin?: string; type?: string }[]) {
    const owner = field.plugin === undefined ? 'global' : `plugin::${field.plugin}`;
    fields.set(`${owner}${field.plugin === undefined ? '::' : '.'}${field.name}`, String(field.type));
  }
};

/** Members of the jobs in `strapi.cron.jobs` that Galley lacks. */
const OF_JOBS: ReadonlySet<string> = new Set([
  ...['cancel', 'currentRun', 'enumerate', 'fn', 'getOnce', 'getPattern', 'invoke', 'isBusy', 'isRunning', 'isStopped'],
  ...['match', 'msToNext', 'name', 'nextRuns', 'options', 'pause', 'previousRun', 'previousRuns', 'reschedule'],
  ...['resume', 'runsLeft', 'schedule', 'stop', 'trigger'],
]);

const SENDS_MAIL = 'plugin::email.email.send';

/** `strapi.contentAPI.permissions`: which actions roles and tokens may be granted. */
function permissionsOf({ roles }: RuntimeContext): object {
  const place = 'strapi.contentAPI.permissions';
  // Strapi lists the action of its plugin for mail, which no route performs here
  const names = () => [...new Set([...roles.grantable, SENDS_MAIL])];
  const action = {
    keys: names,
    has: (name: string) => name === SENDS_MAIL || roles.grantable.has(name),
  };
  return guarded(place, {
    getActionsMap() {
      const map: Record<string, { controllers: Record<string, string[]> }> = {};
      for (const name of names()) {
        const [, owner, controller, method] = /^(.+)\.([^.]+)\.([^.]+)$/.exec(name)!;
        map[owner!] ??= { controllers: {} };
        const { controllers } = map[owner!]!;
        controllers[controller!] = [...(controllers[controller!] ?? []), method!];
      }
      return map;
    },
    providers: guarded(`${place}.providers`, { action: guarded(`${place}.providers.action`, action) }),
  });
}

/** `strapi.db.transaction`. A nested call joins the outer transaction, which alone commits and rolls back, as in the reference. */
function transactionOf(database: AmbientDatabase) {
  return <T>(work?: (tools: object) => Promise<T> | T): Promise<T> => {
    if (work === undefined) return unsupported('strapi.db.transaction() without a function');
    const isNested = database.current !== undefined;
    return database.within(async (own) => {
      return work({
        get trx() {
          return database.connectionOf(own);
        },
        commit: async () => (isNested ? undefined : own.commit()),
        rollback: async () => (isNested ? undefined : own.rollback()),
        onCommit: (run: () => unknown) => own.onEnd((isCommitted) => (isCommitted ? run() : undefined)),
        onRollback: (run: () => unknown) => own.onEnd((isCommitted) => (isCommitted ? undefined : run())),
      });
    });
  };
}

/** A service or controller by its uid: of the project, or of a built-in plugin. */
function named(
  registry: Registry<unknown>,
  pluginOf: (name: string) => unknown,
  uid: string,
  kind: 'service' | 'controller',
): unknown {
  const [, plugin, name] = /^plugin::([^.]+)\.(.+)$/.exec(uid) ?? [];
  if (plugin !== undefined && name !== undefined && !registry.has(uid)) {
    const own = pluginOf(plugin) as Record<typeof kind, (name: string) => unknown> | undefined;
    return own?.[kind](name);
  }
  const [, panel] = /^admin::(.+)/.exec(uid) ?? [];
  // a name that the reference lacks too is undefined
  if (panel !== undefined && (kind === 'controller' || MISSING['strapi.admin.services']!.has(panel)))
    return missingMember(`strapi.${kind}('${uid}')`);
  return registry.get(uid);
}

/** An object whose `in` and `hasOwn` read the member, so that a missing one throws. */
const lookedUp = (object: object, own: object): object =>
  new Proxy(object, {
    has: (target, key) => Reflect.has(own, key) || Reflect.get(target, key) !== undefined,
    getOwnPropertyDescriptor(target, key) {
      const known = Reflect.getOwnPropertyDescriptor(target, key);
      if (!known) Reflect.get(target, key);
      return known;
    },
  });

/**
 * A registry as an object of its parts by uid, including those that only the reference has: reading one is refused, and
 * in a copy its use.
 *
 * @param place in errors: `strapi.services`. @param isPresent whether Galley has a part of the reference's.
 */
function byUid(
  place: string,
  { uids }: Pick<Registry<unknown>, 'uids'>,
  {
    listed,
    isPresent,
    get,
  }: {
    readonly listed: ReadonlySet<string>;
    readonly isPresent: (uid: string) => boolean;
    readonly get: (uid: string) => unknown;
  },
): object {
  const all = new Set([...listed, ...uids]);
  const isAbsent = (uid: string): boolean => listed.has(uid) && !uids.includes(uid) && !isPresent(uid);
  /** The part whose descriptor was read last, as a copy does right before it reads the value. */
  let described: PropertyKey | undefined;
  const change = (uid: PropertyKey): never => unsupported(`a change of ${place}['${String(uid)}']`);
  return new Proxy(
    {},
    {
      get(target, uid) {
        const isCopied = uid === described;
        described = undefined;
        if (typeof uid === 'symbol') return Reflect.get(target, uid);
        return isCopied && isAbsent(uid) ? standIn(`${place}['${uid}']`) : get(uid);
      },
      // a part of a plugin that the reference may have throws
      has: (_target, uid) => all.has(String(uid)) || get(String(uid)) !== undefined,
      ownKeys: () => [...all],
      getOwnPropertyDescriptor(_target, key) {
        const uid = String(key);
        if (typeof key === 'symbol' || (!all.has(uid) && get(uid) === undefined)) return undefined;
        described = uid;
        return { get: () => get(uid), enumerable: true, configurable: true };
      },
      set: (_target, uid) => change(uid),
      defineProperty: (_target, uid) => change(uid),
      deleteProperty: (_target, uid) => change(uid),
    },
  );
}

/** `strapi.features`: flags of `config/features`. */
function featuresOf(settings: Settings): object {
  const isOn = (...keys: string[]) => settings.get(['features', ...keys]) === true;
  return guarded('strapi.features', {
    get config() {
      return settings.get('features');
    },
    future: guarded('strapi.features.future', { isEnabled: (name: string) => isOn('future', name) }),
    isEnabled: (name: string) => isOn(name),
  });
}
