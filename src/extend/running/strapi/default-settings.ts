/** What `strapi.config` has of settings that the files of a project leave out: what the server goes by then. */
import type { Config } from '../../../config/config.ts';
import { isPlain } from '../documents/plain-params.ts';

type Values = Readonly<Record<string, unknown>>;
export type KnownConfig = Pick<Config, 'host' | 'port' | 'rest' | 'users' | 'upload' | 'jwtSecret'>;

/** Settings by the names of their files, and of their plugins. */
export function defaultSettings({ host, port, rest, users, upload, jwtSecret }: KnownConfig): Values {
  const { prefix, defaultLimit, maxLimit } = rest;
  const { jwtLifespan: expiresIn, jwtManagement, sessions, rateLimit, email } = users;
  const url = users.publicUrl ?? '';
  const ratelimit = rateLimit ? { interval: rateLimit.windowMs, max: rateLimit.max } : { enabled: false };
  return {
    api: { rest: { prefix, defaultLimit, maxLimit: maxLimit ?? null } },
    server: { host, port, url, absoluteUrl: url || `http://${host}:${port}`, dirs: { public: './public' } },
    'plugin::users-permissions': { jwtSecret, jwt: { expiresIn }, jwtManagement, sessions, ratelimit },
    'plugin::upload': { provider: upload.storage.provider, sizeLimit: upload.sizeLimit, actionOptions: {} },
    'plugin::email': { settings: { defaultFrom: email.defaultFrom } },
    'plugin::i18n': {},
  };
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
