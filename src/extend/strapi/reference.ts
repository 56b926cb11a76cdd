/** What Strapi 5.54 has, whether or not it is here: names that code asks for, and that are undefined there if not among these. */

/** Members of `strapi`. Whatever else is assigned to it is the project's own. */
export const MEMBERS: ReadonlySet<string> = new Set([
  ...['EE', 'add', 'admin', 'ai', 'api', 'apis', 'app', 'auth', 'bootstrap', 'components', 'config'],
  ...['configureGlobalProxy', 'contentAPI', 'contentAPISchemaRegistry', 'contentType', 'contentTypes', 'controller'],
  ...['controllers', 'cron', 'customFields', 'db', 'destroy', 'dirs', 'documents', 'ee', 'entityService'],
  ...['entityValidator', 'eventHub', 'features', 'fetch', 'fs', 'get', 'getModel', 'has', 'hook', 'hooks'],
  ...['internal_config', 'isLoaded', 'listen', 'load', 'log', 'middleware', 'middlewares', 'openAdmin', 'plugin'],
  ...['plugins', 'policies', 'policy', 'postListen', 'query', 'register', 'registerInternalServices', 'registerMap'],
  ...['reload', 'requestContext', 'runPluginsLifecycles', 'runUserLifecycles', 'sanitizers', 'sendStartupTelemetry'],
  ...['server', 'service', 'serviceMap', 'services', 'sessionManager', 'start', 'startupLogger', 'stop'],
  ...['stopWithError', 'store', 'telemetry', 'validators', 'webhookRunner', 'webhookStore'],
]);

/** What `strapi.get` gives that is a member of strapi, by the name that it has as one. */
export const MEMBERS_IN_CONTAINER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['admin', 'ai', 'apis', 'auth', 'components', 'config', 'contentAPI', 'controllers', 'cron', 'customFields'],
      ...['db', 'documents', 'entityService', 'entityValidator', 'eventHub', 'features', 'fetch', 'fs', 'hooks'],
      ...['middlewares', 'plugins', 'policies', 'reload', 'requestContext', 'sanitizers', 'server', 'services'],
      ...['sessionManager', 'startupLogger', 'telemetry', 'validators', 'webhookRunner', 'webhookStore'],
    ].map((name) => [name, name]),
  ),
  'content-api': 'contentAPI',
  'content-types': 'contentTypes',
  coreStore: 'store',
  logger: 'log',
};

/** Those of them that are registries there: their items are got one by one. */
export const REGISTRIES: ReadonlySet<string> = new Set([
  ...['apis', 'components', 'content-types', 'controllers', 'hooks', 'middlewares', 'plugins', 'policies', 'services'],
]);

/** What else it gives. */
export const OTHERS_IN_CONTAINER: ReadonlySet<string> = new Set([
  ...['query-params', 'models', 'modules', 'custom-fields', 'content-api-schema-registry', 'content-source-maps'],
  'ai.mcp',
]);

export const isInContainer = (name: string): boolean =>
  Object.hasOwn(MEMBERS_IN_CONTAINER, name) || OTHERS_IN_CONTAINER.has(name);

/** The services of plugins that are built in here. */
export const SERVICES: Readonly<Record<string, readonly string[]>> = {
  email: ['email'],
  i18n: [
    ...['permissions', 'metrics', 'localizations', 'locales', 'sanitize', 'iso-locales', 'content-types'],
    ...['ai-localizations', 'ai-localization-jobs', 'settings', 'fill-from-locale'],
  ],
  upload: [
    ...['provider', 'upload', 'folder', 'file', 'weeklyMetrics', 'metrics', 'image-manipulation'],
    ...['api-upload-folder', 'extensions', 'aiMetadata', 'aiMetadataJobs'],
  ],
  'users-permissions': ['jwt', 'providers', 'providers-registry', 'role', 'user', 'users-permissions', 'permission'],
};

/** Those of the administration's part of the server. */
export const PANEL_SERVICES: readonly string[] = [
  ...['auth', 'user', 'role', 'passport', 'token', 'permission', 'metrics', 'content-type', 'constants', 'condition'],
  ...['action', 'api-token', 'api-token-content-api', 'api-token-admin', 'transfer', 'project-settings', 'encryption'],
  'homepage',
];

/** Plugins that every project has there. */
export const PLUGINS: readonly string[] = [
  ...['content-manager', 'content-type-builder', 'content-releases', 'review-workflows', 'email', 'i18n', 'upload'],
  'users-permissions',
];

/** The plugin that a uid is of, such as that of `plugin::redis.connection`. */
export const pluginOf = (uid: string): string | undefined => /^plugin::([^.]+)\../.exec(uid)?.[1];
