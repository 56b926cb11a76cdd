/** What `strapi.config` has of settings that the files of a project leave out: what the server goes by then. */
import type { Config } from '../../../config/config.ts';
import { isPlain } from '../documents/plain-params.ts';

type Values = Readonly<Record<string, unknown>>;
export type KnownConfig = Pick<
  Config,
  'admin' | 'host' | 'port' | 'rest' | 'users' | 'upload' | 'jwtSecret' | 'database'
>;

/** The version of Strapi that code is told of, where the project does not say which it was written for. */
const VERSION = '5.54.0';

/** Settings by the names of their files, and of their plugins. */
export function defaultSettings({ admin, host, port, rest, users, upload, jwtSecret, database }: KnownConfig): Values {
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
export function packageSettings(about: unknown): Values {
  const written = isPlain(about) ? about : {};
  const { uuid, ...packageJsonStrapi } = isPlain(written['strapi']) ? written['strapi'] : ({} as Values);
  return { uuid, packageJsonStrapi, info: { ...written, strapi: versionFor(written) } };
}

/** The version of Strapi that a project asks for, where that is a single one. */
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
