/**
 * Members of `strapi`, of what it gives, and of `@strapi/utils` and `@strapi/strapi`, that Strapi 5.54 has and Galley
 * lacks. Members that Galley has are in the objects themselves (`guarded.ts`); any other name is undefined in Strapi
 * too.
 */
import { REFERENCE_PLUGINS } from './reference-parts.ts';

const words = ([text]: TemplateStringsArray): ReadonlySet<string> => new Set(text!.match(/\S+/g));

/** The missing members by the object that has them. `strapi.api()` is the object of every call. */
export const MISSING: Readonly<Record<string, ReadonlySet<string>>> = {
  strapi: words`
    ai app auth bootstrap configureGlobalProxy contentAPISchemaRegistry destroy internal_config listen load openAdmin
    postListen register registerInternalServices registerMap reload runPluginsLifecycles runUserLifecycles
    sendStartupTelemetry serviceMap sessionManager start stop stopWithError
  `,
  'strapi.admin': words`
    bootstrap config contentTypes controllers destroy middlewares policies register routes
  `,
  'strapi.contentAPI': words`applyExtraParamsToRoutes getRoutesMap`,
  'strapi.cron': words`destroy start stop`,
  'strapi.customFields': words``,
  'strapi.db': words`destroy getInfo init migrations queryBuilder repair schema`,
  'strapi.documents': words`utils`,
  'strapi.ee': words`checkLicense getTrialEndDate init`,
  'strapi.entityService': words`decorate implementation wrapParams wrapResult`,
  'strapi.entityValidator': words``,
  'strapi.eventHub': words`destroy`,
  'strapi.features': words``,
  'strapi.fs': words``,
  'strapi.log': words`
    add addListener allowHalfOpen clear cli close configure cork defaultMeta destroy destroyed emit end eventNames
    exceptions exitOnError format getMaxListeners handleExceptions isPaused listenerCount listeners off on once
    pause pipe prependListener prependOnceListener profile profilers push query rawListeners read readable
    readableBuffer readableFlowing readableHighWaterMark readableLength rejections remove removeAllListeners
    removeListener resume setDefaultEncoding setEncoding setLevels setMaxListeners startTimer stream uncork
    unhandleExceptions unpipe unshift wrap writable writableBuffer writableHighWaterMark writableLength write
  `,
  'strapi.requestContext': words``,
  'strapi.sanitizers': words`add set`,
  'strapi.server': words`api destroy initMiddlewares initRouting listRoutes listen mount`,
  'strapi.startupLogger': words`logDefaultStartupMessage`,
  'strapi.telemetry': words``,
  'strapi.validators': words`add set`,
  'strapi.db.lifecycles': words`createEvent run`,
  'strapi.db.dialect': words`
    canAddIncrements canAlterConstraints configure db endSchemaUpdate getBatchInsertSize getColumnTypeConversionSQL
    getSqlType getTables initialize schemaInspector startSchemaUpdate supportsOperator supportsUnsigned
    transformErrors useReturning usesForeignKeys
  `,
  'strapi.db.entityManager': words`createQueryBuilder insertJoinTableRows`,
  'strapi.db.metadata': words`add identifiers loadModels validate`,
  'strapi.contentAPI.permissions': words`engine registerActions`,
  'strapi.contentAPI.permissions.providers': words`condition`,
  'strapi.contentAPI.permissions.providers.action': words`clear delete get hooks register size values`,
  'strapi.server.router': words`
    acl allowedMethods bind checkout connect copy exclusive host link lock m-search match matchHost merge methods
    middleware mkactivity mkcalendar mkcol move notify opts param params prefix propfind proppatch purge query
    rebind redirect register report route routes search source stack subscribe trace unbind unlink unlock
    unsubscribe url
  `,
  'strapi.server.app': words`
    addListener callback context createAsyncCtxStorageMiddleware createContext currentContext eventNames
    getMaxListeners handleRequest inspect listen listeners maxIpsCount onerror prependListener
    prependOnceListener proxyIpHeader rawListeners removeAllListeners removeListener request response
    setMaxListeners subdomainOffset toJSON
  `,
  'strapi.ee.features': words``,
  'strapi.features.future': words``,
  'strapi.hook()': words`call delete register`,
  'strapi.api()': words`bootstrap config destroy load register routes`,
  'strapi.documents()': words`omitComponentData updateComponents`,
  'strapi.db.metadata.get()': words`foreignKeys indexes lifecycles`,
  "strapi.plugin('users-permissions')": words`
    bootstrap destroy load middleware middlewares policies policy register
  `,
  "strapi.plugin('users-permissions').services": words`permission providers providers-registry users-permissions`,
  "strapi.plugin('users-permissions').service('jwt')": words``,
  "strapi.plugin('users-permissions').service('role')": words``,
  "strapi.plugin('users-permissions').service('user')": words``,
  "strapi.plugin('upload')": words`
    bootstrap destroy load middleware middlewares policies policy provider register
  `,
  "strapi.plugin('upload').services": words`aiMetadata aiMetadataJobs extensions metrics provider weeklyMetrics`,
  "strapi.plugin('upload').service('upload')": words`getConfiguration setConfiguration setSettings`,
  "strapi.plugin('upload').service('folder')": words`deleteByIds getStructure setPathIdAndPath update`,
  "strapi.plugin('upload').service('file')": words`deleteByIds fetchUrlToInputFile signFileUrls`,
  "strapi.plugin('upload').service('image-manipulation')": words``,
  "strapi.plugin('upload').service('api-upload-folder')": words``,
  "strapi.plugin('email')": words`
    bootstrap controllers destroy load middleware middlewares policies policy provider register routes
  `,
  "strapi.plugin('email').services": words``,
  "strapi.plugin('email').service('email')": words``,
  "strapi.plugin('i18n')": words`
    bootstrap controllers destroy load middleware middlewares policies policy register routes
  `,
  "strapi.plugin('i18n').services": words`
    ai-localization-jobs ai-localizations content-types fill-from-locale iso-locales localizations metrics
    permissions sanitize settings
  `,
  "strapi.plugin('i18n').service('locales')": words`initDefaultLocale`,
  "strapi.service('admin::auth')": words`checkCredentials forgotPassword resetPassword`,
  "strapi.service('admin::user')": words`
    assignARoleToAll createFirstAdmin displayWarningIfUsersDontHaveRole findRegistrationInfo getLanguagesInUse
    isFirstSuperAdminUser register
  `,
  "strapi.service('admin::role')": words`
    addPermissions assignPermissions checkRolesIdForDeletion constants create createRolesIfNoneExist deleteByIds
    displayWarningIfNoSuperAdmin findAllWithUsersCount getUsersCount hasSuperAdminRole hooks
    resetSuperAdminPermissions update
  `,
  "strapi.service('admin::permission')": words`
    cleanPermissionsInDatabase createMany createPermissionsManager deleteByIds deleteByRolesIds engine findMany
    findUserPermissions sanitizePermission sectionsBuilder
  `,
  "strapi.service('admin::permission').actionProvider": words`appliesToProperty clear delete get has hooks keys size unstable_aliases values`,
  "strapi.service('admin::permission').conditionProvider": words`clear delete get has hooks keys size values`,
  "strapi.service('admin::api-token')": words`
    checkSaltIsDefined count countAll getByAccessKey reconcileTokenPermissionsToUserCeiling update
  `,
  '@strapi/utils': words`
    AbstractRouteValidator buildPublicationFilterWhere buildSessionMetadata createContentApiRoutesFactory emitAudit
    filtersSchema generateInstallId getDeviceName hasSort localeSchema packageManager paginationSchema
    parseUserAgent queryFieldsSchema queryParameterSchemas queryParams queryPopulateSchema querySortSchema
    sanitizeRouteForSerialization sanitizeRoutesArrayForSerialization sanitizeRoutesMapForSerialization
    sanitizeSessionEntry searchQuerySchema sortSessionsForDisplay statusSchema transformUidToValidOpenApiName
    traverse
  `,
  '@strapi/utils.sanitize': words`sanitizers visitors`,
  '@strapi/utils.validate': words`validators visitors`,
  '@strapi/utils.contentTypes': words`hasFirstPublishedAtField`,
  '@strapi/utils.hooks': words`internals`,
  '@strapi/strapi': words`ai compileStrapi`,
  '@strapi/strapi.factories': words`createCoreValidator isCustomController`,
  'strapi.admin.services': words`
    action api-token-admin api-token-content-api condition constants content-type encryption homepage metrics passport
    project-settings token transfer
  `,
  "strapi.service('admin::permission').sectionProvider": words``,
  'strapi.plugin()': words`bootstrap destroy load register`,
  'strapi.get()': words`add extend resolve set`,
  "strapi.get('query-params')": words``,
  // of requests, which are not guarded objects: `requests/context.ts`
  ctx: words`accept captures flushHeaders matched onerror router sessionOptions`,
  'ctx.request': words`accept app ctx fresh res response stale`,
  'ctx.response': words`app ctx flushHeaders headerSent req request res socket writable`,
  'strapi.webhookStore': words``,
  'strapi.webhookRunner': words`deleteListener createListener eventHub executeListener logger`,
  'strapi.hooks': words``,
};

/**
 * The missing members of an object; undefined for an object without a list of Strapi's members.
 *
 * @param name of the object in errors: `strapi.db`, `strapi.api('article')`.
 */
export function missingOf(name: string): ReadonlySet<string> | undefined {
  return MISSING[name] ?? MISSING[name.replace(/\('[^']*'\)$/, '()')];
}

/** Members to use in the place of missing ones: the start of the missing member, and a sentence about the others. */
export const INSTEAD: readonly (readonly [missing: string, words: string])[] = [
  ['strapi.db.queryBuilder', 'strapi.db.query reads and writes rows, and strapi.db.connection is Knex'],
  [
    'strapi.db.entityManager.createQueryBuilder',
    'strapi.db.query reads and writes rows, and strapi.db.connection is Knex',
  ],
  ['strapi.db.entityManager.insertJoinTableRows', 'strapi.db.connection is Knex'],
  ['strapi.db.schema', 'strapi.db.connection is Knex'],
  ['strapi.db.dialect', 'strapi.db.connection is Knex'],
  ['strapi.db.migrations', 'files of database/migrations run when the project starts'],
  ['strapi.entityService', 'strapi.documents.use adds middlewares to documents'],
  ['strapi.server.router', 'strapi.server.router.get, post, put, delete and all add routes'],
  ['strapi.server.app', 'strapi.server.use adds middlewares'],
  ['strapi.server', 'strapi.server.use adds middlewares, and strapi.server.routes adds routes'],
  ['strapi.cron', 'strapi.cron.add and remove change the tasks, which Galley starts and stops'],
  ['strapi.log', 'strapi.log.debug, info, warn and error write lines of the log'],
  ['strapi.sessionManager', "strapi.plugin('users-permissions').service('jwt') issues and verifies tokens"],
  ['strapi.admin.config', "strapi.config.get('admin') has the settings"],
  ...['bootstrap', 'destroy', 'listen', 'load', 'register', 'reload', 'start', 'stop'].map(
    (name) => [`strapi.${name}`, 'src/index may export register, bootstrap and destroy'] as const,
  ),
  ["strapi.plugin('upload').provider", "strapi.plugin('upload').service('upload') stores and removes files"],
  ["strapi.plugin('upload').service('provider')", "strapi.plugin('upload').service('upload') stores and removes files"],
  ["strapi.plugin('email').provider", "strapi.plugin('email').service('email').send sends mail"],
  ["strapi.plugin('i18n').service", "strapi.plugin('i18n').service('locales') reads and writes locales"],
];

/** What code may use in the place of a missing member; undefined if there is nothing. */
export const insteadOf = (member: string): string | undefined =>
  INSTEAD.find(([missing]) => member.startsWith(missing) && !/^\w/.test(member.slice(missing.length)))?.[1];

/** Plugins that describe the API or serve it in another way: calls to them have no effect at the start, and are refused later. */
export const MUTE_PLUGINS: readonly string[] = ['graphql', 'documentation'];

/** Names that `strapi.get` knows, with the member of `strapi` that each stands for. */
const IN_CONTAINER: ReadonlyMap<string, string> = new Map([
  ...[
    ...['admin', 'ai', 'apis', 'auth', 'components', 'config', 'contentAPI', 'controllers', 'cron', 'customFields'],
    ...['db', 'documents', 'entityService', 'entityValidator', 'eventHub', 'features', 'fetch', 'fs', 'hooks'],
    ...['middlewares', 'plugins', 'policies', 'reload', 'requestContext', 'sanitizers', 'server', 'services'],
    ...['sessionManager', 'startupLogger', 'telemetry', 'validators', 'webhookRunner', 'webhookStore'],
    ...['query-params', 'models', 'modules', 'custom-fields', 'content-api-schema-registry', 'content-source-maps'],
    'ai.mcp',
  ].map((name) => [name, name] as const),
  ['content-api', 'contentAPI'],
  ['content-types', 'contentTypes'],
  ['coreStore', 'store'],
  ['logger', 'log'],
]);

/** The member of `strapi` that a name stands for in `strapi.get`; undefined for a name that Strapi does not know. */
export const memberInContainer = (name: string): string | undefined => IN_CONTAINER.get(name);

/** The names behind which `strapi.get` has a registry, whose items are read one by one. */
export const REGISTRIES: ReadonlySet<string> = new Set([
  ...['apis', 'components', 'content-types', 'controllers', 'hooks', 'middlewares', 'plugins', 'policies', 'services'],
]);

const OF_REFERENCE = new RegExp(`^(?:admin|strapi)::|^plugin::(?:${REFERENCE_PLUGINS.join('|')})\\.`);

/** True for a uid that only a package of the reference can have: `admin::session`, `plugin::upload.file`. */
export const isOfReference = (uid: string): boolean => OF_REFERENCE.test(uid);

/** The plugin of a uid: `redis` of `plugin::redis.connection`. */
export const pluginOf = (uid: string): string | undefined => /^plugin::([^.]+)\../.exec(uid)?.[1];

/**
 * The first missing member of a path from `strapi`, for the hints of `galley check`.
 *
 * @param path members and calls with their text argument: `['db', 'queryBuilder']`, `["plugin('upload')",
 *   "service('provider')", 'upload']`.
 */
export function missingMember(path: readonly string[]): string | undefined {
  let place = 'strapi';
  for (const step of path) {
    const [, name = step, text] = /^(\w+)\((?:'([^']*)')?\)$/.exec(step) ?? [];
    if (missingOf(place)?.has(name)) return `${place}.${step}`;
    const isService = text !== undefined && name === 'service';
    const services = place === 'strapi' ? 'strapi.admin.services' : `${place}.services`;
    const service = place === 'strapi' ? /^admin::(.+)$/.exec(text ?? '')?.[1] : text;
    if (isService && service !== undefined && MISSING[services]?.has(service)) return `${place}.${step}`;
    const member = name === 'get' && place === 'strapi' ? memberInContainer(text ?? '') : undefined;
    if (member !== undefined && MISSING['strapi']!.has(member)) return `${place}.${step}`;
    place = member === undefined || REGISTRIES.has(text!) ? `${place}.${step}` : `strapi.${member}`;
  }
  return undefined;
}
