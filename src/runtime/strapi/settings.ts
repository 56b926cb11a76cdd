/** `strapi.config`. */

import type { Config } from '../../config/config.ts';
import { isPlain } from '../documents/plain-params.ts';
import { unchangeable, unsupported } from '../guarded.ts';

/** Settings that Galley itself has read already: changing them would have no effect. */
const READ =
  /^(?:api|server|database|admin|middlewares|plugin(?:::|\.)(?:users-permissions|upload|i18n|email))(?:\.|$)/;

export class Settings {
  readonly #values: Record<string, unknown>;

  /**
   * @param files what the files of `config` give, by their names.
   * @param config what the server goes by where these say nothing; nothing is known of that where it is left out.
   */
  constructor(files: Readonly<Record<string, unknown>>, config?: KnownConfig) {
    const plugins = isPlain(files['plugins']) ? files['plugins'] : {};
    const ofPlugins = Object.entries(plugins).map(([name, entry]) => [
      `plugin::${name}`,
      (isPlain(entry) && isPlain(entry['config']) ? entry['config'] : {}) as unknown,
    ]);
    this.#values = withDefaults(config ? defaultSettings(config) : {}, {
      ...files,
      ...packageSettings(files['info']),
      ...Object.fromEntries(ofPlugins),
    });
  }

  /** The value at a dotted path: `get('server.port', 1337)`. */
  get(path?: string | readonly string[], fallback?: unknown): unknown {
    if (path === undefined) return unchangeable('strapi.config', this.#values);
    let value: unknown = this.#values;
    for (const key of keysOf(path)) value = (value as Record<string, unknown> | null | undefined)?.[key];
    return value === undefined ? fallback : unchangeable(`strapi.config.${String(path)}`, value);
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
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

  /** The object that code has: its methods, and the values of files by their names. */
  get members(): object {
    const own = { get: this.get.bind(this), set: this.set.bind(this), has: this.has.bind(this) };
    return new Proxy(own, {
      get: (target, key) => (key in target || typeof key === 'symbol' ? Reflect.get(target, key) : this.get(key)),
      has: (target, key) => key in target || (typeof key === 'string' && this.has(key)),
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
  'admin' | 'host' | 'port' | 'rest' | 'users' | 'upload' | 'jwtSecret' | 'database'
>;

/** The version of Strapi that `strapi.config` reports if `package.json` names no single version. */
const VERSION = '5.54.0';

/** Settings by the names of their files, and of their plugins. */
function defaultSettings({ admin, host, port, rest, users, upload, jwtSecret, database }: KnownConfig): Values {
  const { prefix, defaultLimit, maxLimit } = rest;
  const { jwtLifespan: expiresIn, jwtManagement, sessions, rateLimit, email } = users;
  const url = users.publicUrl ?? '';
  const ratelimit = rateLimit ? { interval: rateLimit.windowMs, max: rateLimit.max } : { enabled: false };
  const absoluteUrl = url || `http://${host}:${port}`;
  return {
    ...{ launchedAt: Date.now(), autoReload: false },
    admin: { url: `${url}${admin.path}`, path: admin.path, absoluteUrl: `${absoluteUrl}${admin.path}` },
    database: { connection: { client: database.client } },
    api: { rest: { prefix, defaultLimit, maxLimit: maxLimit ?? null } },
    server: { host, port, url, absoluteUrl, dirs: { public: './public' } },
    'plugin::users-permissions': { jwtSecret, jwt: { expiresIn }, jwtManagement, sessions, ratelimit },
    'plugin::upload': { provider: upload.storage.provider, sizeLimit: upload.sizeLimit, actionOptions: {} },
    'plugin::email': { settings: { defaultFrom: email.defaultFrom } },
    'plugin::i18n': {},
  };
}

/** What the reference takes out of a project's `package.json`: itself with the version of Strapi, and what is said of that. */
function packageSettings(about: unknown): Values {
  const written = isPlain(about) ? about : {};
  const { uuid, ...packageJsonStrapi } = isPlain(written['strapi']) ? written['strapi'] : ({} as Values);
  return { uuid, packageJsonStrapi, info: { ...written, strapi: versionFor(written) } };
}

/** The version of Strapi in `package.json`, if it is a single one. */
function versionFor({ dependencies }: Values): string {
  const asked = isPlain(dependencies) ? dependencies['@strapi/strapi'] : undefined;
  return /^[\^~]?(5\.\d+\.\d+)$/.exec(String(asked))?.[1] ?? VERSION;
}

/** What is said over what is left out. */
export function withDefaults(defaults: Values, said: Values): Record<string, unknown> {
  const all = { ...defaults, ...said };
  for (const [name, value] of Object.entries(defaults)) {
    const own = said[name];
    if (own === undefined) all[name] = value;
    else if (isPlain(value) && isPlain(own)) all[name] = withDefaults(value, own);
  }
  return all;
}
