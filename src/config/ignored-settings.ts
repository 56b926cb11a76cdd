/** Warns of settings that Galley ignores. They are never fatal. */
import { ADMIN_KEYS } from './admin-config.ts';
import { type ConfigFiles, isTree, type Tree } from './config-file.ts';
import { DATABASE_KEYS } from './database-config.ts';
import { EVENT_KEYS, WEBHOOK_KEYS } from './events-config.ts';
import { HTTP_API_KEYS, HTTP_KEYS } from './http-config.ts';
import { MIDDLEWARE_KEYS } from './middlewares-config.ts';
import { REST_KEYS } from './rest-config.ts';
import { UPLOAD_KEYS } from './upload-config.ts';
import { EMAIL_KEYS, USERS_KEYS } from './users-config.ts';

/** Settings that are read, by file, as dotted paths; a path includes everything below it. */
const SUPPORTED: Readonly<Record<string, readonly string[]>> = {
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
  api: [...REST_KEYS, ...HTTP_API_KEYS],
  database: DATABASE_KEYS,
  admin: ['apiToken.salt', 'secrets.encryptionKey', ...ADMIN_KEYS],
};

/**
 * Settings that concern only Strapi's admin panel or its libraries, as dotted paths. Strapi's templates contain some, and
 * nothing follows from them: there is no warning.
 */
const IRRELEVANT: Readonly<Record<string, readonly string[]>> = {
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

/** Plugins that are part of Galley, with the settings that are read. */
const PLUGINS: Readonly<Record<string, readonly string[]>> = {
  'users-permissions': USERS_KEYS,
  upload: UPLOAD_KEYS,
  i18n: ['enabled'],
  email: EMAIL_KEYS,
};

/** Plugins that only concern Strapi's admin panel. */
const PANEL_PLUGINS: ReadonlySet<string> = new Set([
  'content-manager',
  'content-type-builder',
  'content-releases',
  'review-workflows',
  'cloud',
  'color-picker',
]);

/** Database packages of projects. */
export const DRIVERS: readonly string[] = ['better-sqlite3', 'sqlite3', 'pg', 'mysql', 'mysql2'];

/** Strapi's plugins that Galley supports or that have no effect on its API. */
export const KNOWN_PLUGINS: readonly string[] = [...Object.keys(PLUGINS), ...PANEL_PLUGINS];

/**
 * Warnings about ignored settings, one for each file.
 *
 * @param runsCode whether functions of the project's code are supported.
 */
export function ignoredSettings(files: ConfigFiles, runsCode: boolean): string[] {
  const sentences: string[] = [];
  for (const name of ['server', 'api', 'database', 'admin'] as const) {
    const file = files[name];
    const ignored: string[] = [];
    for (const path of leaves(file.value)) {
      if (covers(SUPPORTED[name]!, path) || (name === 'server' && path === 'proxy')) continue;
      if (!covers(IRRELEVANT[name]!, path)) ignored.push(path);
    }
    if (ignored.length > 0) sentences.push(withoutEffect(file.path, ignored));
  }
  const plugins = pluginKeys(files.plugins.value);
  if (plugins.length > 0) sentences.push(withoutEffect(files.plugins.path, plugins));
  const middlewares = middlewareKeys(files.middlewares.value, runsCode);
  if (middlewares.length > 0) sentences.push(withoutEffect(files.middlewares.path, middlewares));
  return sentences;
}

function pluginKeys(plugins: Tree): string[] {
  const ignored: string[] = [];
  for (const [name, entry] of Object.entries(plugins)) {
    const supported = Object.hasOwn(PLUGINS, name) ? PLUGINS[name]! : undefined;
    if (!supported || !isTree(entry)) continue;
    // disabling upload closes its actions; other plugins cannot be disabled
    if (entry['enabled'] === false && name !== 'upload') ignored.push(`${name}.enabled`);
    for (const key of leaves(entry)) if (!covers(supported, key)) ignored.push(`${name}.${key}`);
  }
  return ignored;
}

function middlewareKeys(middlewares: readonly unknown[], runsCode: boolean): string[] {
  return middlewares.flatMap((entry) => {
    const name = middlewareName(entry);
    if (!isTree(entry) || !name?.startsWith('strapi::') || isOwnMiddleware(entry)) return [];
    const supported = ['name', ...(MIDDLEWARE_KEYS[name] ?? []).map((key) => `config.${key}`)];
    // `config` may be a list of patterns
    const isWhole = (path: string): boolean => name === 'strapi::ip' && path === 'config';
    const isRun = (path: string): boolean => runsCode && name === 'strapi::cors' && path === 'config.origin';
    return leaves(entry)
      .filter((path) => !isWhole(path) && (!covers(supported, path) || (isFunctionAt(entry, path) && !isRun(path))))
      .map((path) => `${name} ${path}`);
  });
}

/** Whether the value at a path is a function, which is code of the project. */
function isFunctionAt(tree: Tree, path: string): boolean {
  const value = path.split('.').reduce<unknown>((below, key) => (isTree(below) ? below[key] : undefined), tree);
  return typeof value === 'function';
}

/** The name of an entry of `config/middlewares`, or what it resolves to; undefined for an invalid entry. */
export function middlewareName(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isTree(entry)) return undefined;
  return String(entry['name'] ?? entry['resolve'] ?? '(without a name)');
}

/**
 * Whether an entry of `config/middlewares` is code of the project: a middleware of its own, or `strapi::responses` with
 * handlers. An invalid entry counts as code.
 */
export function isOwnMiddleware(entry: unknown): boolean {
  const name = middlewareName(entry);
  if (name === undefined || !name.startsWith('strapi::')) return name !== undefined;
  const handlers =
    name === 'strapi::responses' && isTree(entry) && isTree(entry['config']) && entry['config']['handlers'];
  return isTree(handlers) && Object.values(handlers).some((handler) => typeof handler === 'function');
}

/** Dotted paths of all values that are neither objects nor undefined. */
function leaves(tree: Tree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return isTree(value) ? leaves(value, `${prefix}${key}.`) : [prefix + key];
  });
}

function covers(paths: readonly string[], path: string): boolean {
  return paths.some((one) => path === one || path.startsWith(`${one}.`));
}

function withoutEffect(path: string, keys: readonly string[]): string {
  return `${path}: ${keys.length === 1 ? 'this key has' : 'these keys have'} no effect: ${keys.join(', ')}.`;
}
