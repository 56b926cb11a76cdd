/** `strapi.config`. */
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { isPlain } from '../documents/plain-params.ts';
import { unchangeable, unsupported } from '../guarded.ts';
import { PANEL_PLUGINS } from '../members/reference-parts.ts';

/** Settings that Galley itself has read already: changing them would have no effect. */
const READ =
  /^(?:api|server|database|admin|middlewares|plugin(?:::|\.)(?:users-permissions|upload|i18n|email))(?:\.|$)/;

export class Settings {
  readonly #values: Record<string, unknown>;

  /**
   * @param files the settings of the files of `config`, by their names.
   * @param config the settings of the server as defaults, if it is available.
   */
  constructor(files: Readonly<Record<string, unknown>>, config?: KnownConfig) {
    const plugins = isPlain(files['plugins']) ? files['plugins'] : {};
    const ofPlugins = Object.entries(plugins).map(([name, entry]) => [
      `plugin::${name}`,
      (isPlain(entry) && isPlain(entry['config']) ? entry['config'] : {}) as unknown,
    ]);
    const { plugins: _plugins, galley: _galley, features, ...rest } = files;
    const hasFeatures = isPlain(features) && Object.keys(features).length > 0;
    const others = hasFeatures ? { ...rest, features } : rest;
    this.#values = withDefaults(config ? defaultSettings(config) : {}, {
      ...others,
      ...packageSettings(files['info']),
      ...Object.fromEntries(ofPlugins),
    });
  }

  /** The value at a dotted path: `get('server.port', 1337)`; without one the fallback. */
  get(path?: string | readonly string[], fallback?: unknown): unknown {
    if (path === undefined) return fallback;
    let value: unknown = this.#values;
    for (const key of keysOf(path)) value = (value as Record<string, unknown> | null | undefined)?.[key];
    return value === undefined ? fallback : unchangeable(`strapi.config.${String(path)}`, value);
  }

  /** Whether there is a setting, which may be undefined. */
  has(path: string | readonly string[]): boolean {
    let value: unknown = this.#values;
    for (const key of keysOf(path)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
      value = (value as Record<string, unknown>)[key];
    }
    return true;
  }

  /** Sets a value that only code reads. */
  set(path: string, value: unknown): this {
    if (READ.test(path)) unsupported(`a change of strapi.config.${path} while the project runs`);
    const keys = keysOf(path);
    const last = keys.pop()!;
    let place = this.#values;
    for (const key of keys) {
      const inner = place[key];
      place[key] = isPlain(inner) ? inner : {};
      place = place[key] as Record<string, unknown>;
    }
    place[last] = value;
    return this;
  }

  /** The object that code has: its methods, and the values of files by their names, without those of plugins. */
  get members(): object {
    const own = { get: this.get.bind(this), set: this.set.bind(this), has: this.has.bind(this) };
    const isFile = (key: PropertyKey): key is string =>
      typeof key === 'string' && !key.startsWith('plugin::') && Object.hasOwn(this.#values, key);
    return new Proxy(own, {
      get: (target, key) => (isFile(key) && !Object.hasOwn(target, key) ? this.get([key]) : Reflect.get(target, key)),
      has: (target, key) => key in target || isFile(key),
      ownKeys: (target) => [...new Set([...Object.keys(this.#values).filter(isFile), ...Reflect.ownKeys(target)])],
      getOwnPropertyDescriptor: (target, key) =>
        Reflect.getOwnPropertyDescriptor(target, key) ??
        (isFile(key) ? { value: this.get([key]), enumerable: true, configurable: true } : undefined),
      set: (_target, key) => unsupported(`a change of strapi.config.${String(key)}`),
    });
  }
}

/** `a.b[0].c` → its keys; the name of a plugin keeps its dots out: `plugin::upload.sizeLimit`, `plugin.upload.sizeLimit`. */
function keysOf(path: string | readonly string[]): string[] {
  if (typeof path !== 'string') return [...path];
  const whole = path.replace(/^plugin\./, 'plugin::');
  return whole.replaceAll(/\[(\w+)\]/g, '.$1').split('.');
}

type Values = Readonly<Record<string, unknown>>;
export type KnownConfig = Pick<
  Config,
  'admin' | 'host' | 'port' | 'rest' | 'users' | 'upload' | 'jwtSecret' | 'database' | 'dir' | 'publicDir'
>;

/** The version of Strapi that `strapi.config` reports if `package.json` names no single version. */
const VERSION = '5.54.0';

/** Settings by the names of their files, and of their plugins. */
function defaultSettings(config: KnownConfig): Values {
  const { admin, host, port, rest, users, upload, jwtSecret, database } = config;
  const { prefix, defaultLimit, maxLimit } = rest;
  const { jwtManagement, rateLimit, email } = users;
  const url = users.publicUrl ?? '';
  const limits = rateLimit ? { interval: rateLimit.windowMs, max: rateLimit.max, enabled: true } : { enabled: false };
  const absoluteUrl = url || `http://${host}:${port}`;
  return {
    ...{ launchedAt: Date.now(), autoReload: false, installId: undefined },
    admin: {
      forgotPassword: { emailTemplate: MAIL },
      serveAdminPanel: true,
      ...{ url: `${url}${admin.path}`, path: admin.path, absoluteUrl: `${absoluteUrl}${admin.path}` },
    },
    database: {
      connection: { client: database.client },
      settings: { migrations: { dir: join(config.dir, 'database/migrations') } },
    },
    api: { rest: { prefix, defaultLimit, maxLimit: maxLimit ?? null } },
    server: { host, port, ...SERVER, url, absoluteUrl },
    dirs: dirsOf(config),
    'plugin::users-permissions': {
      ...{ jwtSecret, jwt: { expiresIn: '30d' }, jwtManagement, sessions: SESSIONS, ratelimit: limits },
      layout: { user: { actions: { create: 'contentManagerUser.create', update: 'contentManagerUser.update' } } },
      callback: { validate: requireCallback },
    },
    'plugin::upload': {
      ...{ enabled: true, provider: upload.storage.provider, sizeLimit: upload.sizeLimit, actionOptions: {} },
      ...{ sharp: { cache: false, concurrency: 1 }, concurrentUploadSize: 1, concurrentUploadRequests: 1 },
    },
    'plugin::email': {
      ...{ provider: 'sendmail', providerOptions: {} },
      settings: { defaultFrom: email.defaultFrom ?? 'Strapi <no-reply@strapi.io>' },
    },
    ...Object.fromEntries(WITHOUT_SETTINGS.map((name) => [`plugin::${name}`, {}])),
  };
}

/** Plugins of every project that have no settings of their own. */
const WITHOUT_SETTINGS = ['i18n', ...PANEL_PLUGINS];

/** The mail to an administrator who has forgotten the password, in Galley's own words. */
const MAIL: Values = {
  subject: 'Reset password',
  text: 'A new password was requested for your account. Choose it here:\n\n<%= url %>',
  html: '<p>A new password was requested for your account. Choose it here:</p>\n\n<p><%= url %></p>',
};

/** Seconds. */
const SESSIONS: Values = {
  ...{ accessTokenLifespan: 600, maxRefreshTokenLifespan: 2_592_000, idleRefreshTokenLifespan: 1_209_600 },
  ...{ maxSessionLifespan: 86_400, idleSessionLifespan: 7200, httpOnly: false },
};

const document = (name: string): Values => ({
  access: 'disabled',
  route: { path: '/openapi.json' },
  cache: { enabled: true, maxAgeMs: 60_000, filePath: `.strapi/openapi/${name}.json` },
});

const SERVER: Values = {
  ...{ proxy: false, cron: { enabled: false }, dirs: { public: './public' }, transfer: { remote: { enabled: true } } },
  logger: { updates: { enabled: true }, startup: { enabled: true } },
  openapi: { 'content-api': document('content-api'), admin: document('admin') },
};

/** The folders of a project, as `strapi.dirs` has them. */
export function dirsOf({ dir, publicDir }: Pick<Config, 'dir' | 'publicDir'>): object {
  const below = (root: string): object => ({
    root,
    ...Object.fromEntries(['src', 'config'].map((name) => [name, join(root, name)])),
    ...Object.fromEntries(
      ['api', 'components', 'extensions', 'policies', 'middlewares'].map((name) => [name, join(root, 'src', name)]),
    ),
  });
  return { app: below(dir), dist: below(dir), static: { public: publicDir } };
}

/** @throws Error for the address of a sign-in that leads elsewhere than the provider's: another origin or path. */
function requireCallback(callback: string, provider: { readonly callback: string }): void {
  if (!URL.canParse(callback) || !URL.canParse(provider.callback)) throw new Error('The callback is not a valid URL');
  const [requested, expected] = [new URL(callback), new URL(provider.callback)];
  const part = (['origin', 'pathname'] as const).find((name) => requested[name] !== expected[name]);
  if (part !== undefined) throw new Error(`Forbidden callback provided: another ${part} than the provider's`);
}

/**
 * The members of a project's `package.json` in the reference: the file itself, the version of Strapi, and its `strapi`
 * settings.
 */
function packageSettings(about: unknown): Values {
  const written = isPlain(about) ? about : {};
  const { uuid, ...packageJsonStrapi } = isPlain(written['strapi']) ? written['strapi'] : ({} as Values);
  return { uuid, packageJsonStrapi, info: { ...written, strapi: versionFor(written) } };
}

/** The version of Strapi in `package.json`, if it is a single one. */
function versionFor({ dependencies }: Values): string {
  const version = isPlain(dependencies) ? dependencies['@strapi/strapi'] : undefined;
  return /^[\^~]?(5\.\d+\.\d+)$/.exec(String(version))?.[1] ?? VERSION;
}

/** Settings over their defaults. */
export function withDefaults(defaults: Values, settings: Values): Record<string, unknown> {
  const all = { ...defaults, ...settings };
  for (const [name, value] of Object.entries(defaults)) {
    const own = settings[name];
    if (own === undefined) all[name] = value;
    else if (isPlain(value) && isPlain(own)) all[name] = withDefaults(value, own);
  }
  return all;
}
