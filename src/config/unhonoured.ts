/**
 * Names what a project configures and Galley does not do: such keys are never fatal and never passed over in silence.
 */
import { ADMIN_KEYS } from './admin-config.ts';
import { type ConfigFiles, isTree, type Tree } from './config-file.ts';
import { EVENT_KEYS } from './events/events-config.ts';
import { WEBHOOK_KEYS } from './events/webhooks-config.ts';
import { HTTP_API_KEYS, HTTP_KEYS } from './http-config.ts';
import { MIDDLEWARE_KEYS } from './middlewares/middleware-config.ts';
import { UPLOAD_KEYS } from './uploads/upload-config.ts';
import { EMAIL_KEYS, USERS_KEYS } from './users-config.ts';

/** Dotted paths that count, by file; a path includes everything below it. */
const HONOURED: Readonly<Record<string, readonly string[]>> = {
  server: [
    'host',
    'port',
    'workers',
    'dirs.public',
    'url',
    'cron',
    'app.keys',
    ...HTTP_KEYS,
    ...WEBHOOK_KEYS,
    ...EVENT_KEYS,
  ],
  api: [
    'rest.prefix',
    'rest.defaultLimit',
    'rest.maxLimit',
    'rest.withCount',
    'rest.strictParams',
    'rest.createdStatus',
    'rest.localizationPermission',
    'rest.maxBatch',
    'rest.maxAnswerSize',
    'rest.answerCache.size',
    'rest.answerCache.largest',
    'responses.privateAttributes',
    'documents.strictParams',
    'documents.strictRelations',
    ...HTTP_API_KEYS,
  ],
  database: [
    'connection.client',
    'connection.connection.filename',
    'connection.connection.connectionString',
    'connection.connection.host',
    'connection.connection.port',
    'connection.connection.database',
    'connection.connection.user',
    'connection.connection.password',
    'connection.connection.ssl',
    'connection.connection.schema',
    'connection.pool.min',
    'connection.pool.max',
    'indexes',
    'settings.runMigrations',
    'settings.useTypescriptMigrations',
  ],
  admin: ['apiToken.salt', 'secrets.encryptionKey', ...ADMIN_KEYS],
};

/** Dotted paths that mean nothing here: they serve Strapi's admin panel or its libraries. */
const MEANINGLESS: Readonly<Record<string, readonly string[]>> = {
  server: ['app', 'emitErrors', 'logger', 'socket', 'admin', 'transfer'],
  api: ['documents'],
  database: [
    'connection.useNullAsDefault',
    'connection.acquireConnectionTimeout',
    'connection.debug',
    'settings.forceMigration',
  ],
  admin: ['auth', 'transfer', 'flags', 'serveAdminPanel', 'host', 'port', 'watchIgnoreFiles', 'autoOpen'],
};

/** Plugins that Galley has built in, with the keys of their entries that count. */
const PLUGINS: Readonly<Record<string, readonly string[]>> = {
  'users-permissions': USERS_KEYS,
  upload: UPLOAD_KEYS,
  i18n: ['enabled'],
  email: EMAIL_KEYS,
};

/** Plugins that only serve Strapi's admin panel. */
const PANEL_PLUGINS: ReadonlySet<string> = new Set([
  'content-manager',
  'content-type-builder',
  'content-releases',
  'review-workflows',
  'cloud',
  'color-picker',
]);

/** Packages that projects depend on for their databases. */
export const DRIVERS: readonly string[] = ['better-sqlite3', 'sqlite3', 'pg', 'mysql', 'mysql2'];

/** Strapi's plugins of which everything that counts here is known. */
export const KNOWN_PLUGINS: readonly string[] = [...Object.keys(PLUGINS), ...PANEL_PLUGINS];

/**
 * One sentence for each file with keys that Galley does not honour, and one for all that mean nothing here.
 *
 * @param runsCode whether functions that are code of the project count.
 */
export function unhonouredKeys(files: ConfigFiles, runsCode: boolean): string[] {
  const sentences: string[] = [];
  const meaningless: string[] = [];
  for (const name of ['server', 'api', 'database', 'admin'] as const) {
    const file = files[name];
    const ignored: string[] = [];
    for (const path of leaves(file.value)) {
      if (covers(HONOURED[name]!, path) || (name === 'server' && path === 'proxy')) continue;
      const prefix = MEANINGLESS[name]?.find((known) => covers([known], path));
      const named = `${file.path} ${prefix ?? path}`;
      if (prefix === undefined) ignored.push(path);
      else if (!meaningless.includes(named)) meaningless.push(named);
    }
    if (ignored.length > 0) sentences.push(withoutEffect(file.path, ignored));
  }
  const plugins = pluginKeys(files.plugins.value, files.plugins.path, meaningless);
  if (plugins.length > 0) sentences.push(withoutEffect(files.plugins.path, plugins));
  const middlewares = middlewareKeys(files.middlewares.value, runsCode);
  if (middlewares.length > 0) sentences.push(withoutEffect(files.middlewares.path, middlewares));
  if (meaningless.length > 0) sentences.push(`These keys have no effect here: ${meaningless.join(', ')}.`);
  return sentences;
}

/** What `config/plugins` and `config/middlewares` ask to be run and Galley does not have, as words for a list. */
export function foreignCode(files: Pick<ConfigFiles, 'plugins' | 'middlewares'>): string[] {
  const plugins = Object.entries(files.plugins.value)
    .filter(([name, entry]) => !Object.hasOwn(PLUGINS, name) && !PANEL_PLUGINS.has(name) && isEnabled(entry))
    .map(([name]) => `the plugin ${name} of ${files.plugins.path}`);
  const middlewares = files.middlewares.value
    .filter(isOwnMiddleware)
    .map((entry) => `the middleware ${middlewareName(entry)} of ${files.middlewares.path}`);
  return [...plugins, ...middlewares];
}

function pluginKeys(plugins: Tree, path: string, meaningless: string[]): string[] {
  const ignored: string[] = [];
  for (const [name, entry] of Object.entries(plugins)) {
    if (PANEL_PLUGINS.has(name)) meaningless.push(`${path} ${name}`);
    const honoured = Object.hasOwn(PLUGINS, name) ? PLUGINS[name]! : undefined;
    if (!honoured || !isTree(entry)) continue;
    // without the plugin upload its actions are closed
    if (entry['enabled'] === false && name !== 'upload') ignored.push(`${name}.enabled`);
    for (const key of leaves(entry)) if (!covers(honoured, key)) ignored.push(`${name}.${key}`);
  }
  return ignored;
}

function middlewareKeys(middlewares: readonly unknown[], runsCode: boolean): string[] {
  return middlewares.flatMap((entry) => {
    const name = middlewareName(entry);
    if (!isTree(entry) || !name?.startsWith('strapi::') || isOwnMiddleware(entry)) return [];
    const honoured = ['name', ...(MIDDLEWARE_KEYS[name] ?? []).map((key) => `config.${key}`)];
    // a list of patterns by itself
    const isWhole = (path: string): boolean => name === 'strapi::ip' && path === 'config';
    const isRun = (path: string): boolean => runsCode && name === 'strapi::cors' && path === 'config.origin';
    return leaves(entry)
      .filter((path) => !isWhole(path) && (!covers(honoured, path) || (isFunctionAt(entry, path) && !isRun(path))))
      .map((path) => `${name} ${path}`);
  });
}

/** Functions are code of the project, also where a value would count. */
function isFunctionAt(tree: Tree, path: string): boolean {
  const value = path.split('.').reduce<unknown>((below, key) => (isTree(below) ? below[key] : undefined), tree);
  return typeof value === 'function';
}

/** The name of an entry of `config/middlewares`, or what it resolves to; undefined for one of the wrong form. */
export function middlewareName(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isTree(entry)) return undefined;
  return String(entry['name'] ?? entry['resolve'] ?? '(without a name)');
}

/**
 * Whether an entry of `config/middlewares` is code of the project: a middleware of its own, or `strapi::responses` with
 * functions for answers of some statuses. One of the wrong form counts as such.
 */
export function isOwnMiddleware(entry: unknown): boolean {
  const name = middlewareName(entry);
  if (name === undefined || !name.startsWith('strapi::')) return name !== undefined;
  const handlers =
    name === 'strapi::responses' && isTree(entry) && isTree(entry['config']) && entry['config']['handlers'];
  return isTree(handlers) && Object.values(handlers).some((handler) => typeof handler === 'function');
}

function isEnabled(entry: unknown): boolean {
  return entry !== false && !(isTree(entry) && entry['enabled'] === false);
}

/** Dotted paths of all values that are not objects themselves, except undefined ones. */
function leaves(tree: Tree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return isTree(value) ? leaves(value, `${prefix}${key}.`) : [prefix + key];
  });
}

function covers(paths: readonly string[], path: string): boolean {
  return paths.some((known) => path === known || path.startsWith(`${known}.`));
}

function withoutEffect(path: string, keys: readonly string[]): string {
  return `${path}: ${keys.length === 1 ? 'this key has' : 'these keys have'} no effect: ${keys.join(', ')}.`;
}
