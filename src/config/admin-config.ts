/** `config/admin`: address, sessions and previews of the administration app. */
import { secondsOf } from '../lifespan.ts';
import type { AdminConfig, PreviewConfig } from './config.ts';
import { type ConfigFile, isTree } from './config-file.ts';
import { rateLimitAt } from './users-config.ts';
import { booleanAt, integerAt, presentEntries, textAt, valueAt, wrong } from './values.ts';

/** The settings that are read here, as dotted paths. */
export const ADMIN_KEYS: readonly string[] = [
  'enabled',
  'path',
  'url',
  'rateLimit.enabled',
  'rateLimit.max',
  'rateLimit.interval',
  'auth.options.expiresIn',
  'auth.sessions.maxRefreshTokenLifespan',
  'auth.sessions.idleRefreshTokenLifespan',
  'auth.sessions.maxSessionLifespan',
  'auth.sessions.idleSessionLifespan',
  'preview.enabled',
  'preview.urls',
  // the reference's `config.handler` is code, which does not run
  'preview.config.allowedOrigins',
];

const DEFAULT_PATH = '/admin';
/** Attempts to sign in to one account from one network. */
const ATTEMPTS = { max: 10, windowMs: 5 * 60_000 };

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
/** Seconds that sessions last, as in the reference. */
const LIFESPANS = { idleRemembered: 14 * DAY, remembered: 30 * DAY, idlePassing: 2 * HOUR, passing: DAY };

/** Paths of the server with another meaning. */
const TAKEN = ['/uploads', '/_health', '/_ready'];

/**
 * The settings of the administration app. As in the reference, `url` is a path, or an address with the path of the app.
 *
 * @param prefix the path of the content API.
 * @throws UsageError, naming the key, for a wrong value, and for a path with another meaning.
 */
export function adminConfig(admin: ConfigFile, prefix: string, publicUrl: string | undefined): AdminConfig {
  const url = textAt(admin, 'url');
  const isAddress = url !== undefined && /^https?:\/\//i.test(url);
  if (url !== undefined && !isAddress && !url.startsWith('/')) {
    throw wrong(admin, 'url', 'an http or https URL, or a path such as /admin');
  }
  const address = isAddress ? URL.parse(url) : undefined;
  if (address === null) throw wrong(admin, 'url', 'an http or https URL, or a path such as /admin');
  const named = textAt(admin, 'path');
  const key = named === undefined && url !== undefined ? 'url' : 'path';
  const path = pathOf(admin, key, named ?? (address ? address.pathname : url) ?? DEFAULT_PATH);
  for (const taken of prefix === '' ? TAKEN : [...TAKEN, prefix]) {
    if (isBelow(path, taken) || isBelow(taken, path)) throw wrong(admin, key, `another path than ${taken}`);
  }
  return {
    enabled: booleanAt(admin, 'enabled', true),
    path,
    origin: address?.origin ?? (publicUrl === undefined ? undefined : new URL(publicUrl).origin),
    rateLimit: rateLimitAt(admin, 'rateLimit', ATTEMPTS),
    sessions: sessionsOf(admin),
    preview: previewConfig(admin),
  };
}

/** The reference's settings. Those of its refresh tokens apply to sessions with "remember me". */
function sessionsOf(admin: ConfigFile): AdminConfig['sessions'] {
  const former = valueAt(admin, 'auth.options.expiresIn') ?? undefined;
  // in the reference, digits alone are seconds
  const lifespan = typeof former === 'string' && /^\d+$/.test(former.trim()) ? Number(former) : former;
  const whole = lifespan === undefined ? undefined : secondsOf(lifespan);
  if (lifespan !== undefined && (whole === undefined || whole < 1)) {
    throw wrong(admin, 'auth.options.expiresIn', "seconds, or a string such as '7d'");
  }
  const at = (key: string, fallback: number) => integerAt(admin, `auth.sessions.${key}`, fallback, 1) * 1000;
  return {
    remembered: {
      idle: at('idleRefreshTokenLifespan', LIFESPANS.idleRemembered),
      whole: at('maxRefreshTokenLifespan', whole ?? LIFESPANS.remembered),
    },
    passing: {
      idle: at('idleSessionLifespan', LIFESPANS.idlePassing),
      whole: at('maxSessionLifespan', whole ?? LIFESPANS.passing),
    },
  };
}

function pathOf(file: ConfigFile, key: string, text: string): string {
  const path = text.replace(/^\/+|\/+$/g, '');
  if (!/^[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/.test(path)) throw wrong(file, key, 'a path such as /admin');
  return `/${path}`;
}

const isBelow = (path: string, other: string): boolean =>
  `${path.toLowerCase()}/`.startsWith(`${other.toLowerCase()}/`);

const ORIGINS = 'preview.config.allowedOrigins';
/** All origins, in `allowedOrigins` as in a content security policy. */
const ANY = '*';
const URLS = 'preview.urls';
/** An address with a fixed scheme and host, followed by names in braces that stand for values. */
const PATTERN = /^https?:\/\/[^\s/?#{}@]+(?:[/?#]\S*)?$/i;

/**
 * The addresses of previews, and the origins that may be shown in a frame: those of the addresses, and `allowedOrigins`
 * for pages that redirect; `*` permits all.
 *
 * @throws UsageError, naming the key, for an address without a fixed host, and for an invalid origin.
 */
function previewConfig(admin: ConfigFile): PreviewConfig {
  const urls = patternsAt(admin);
  const named = valueAt(admin, ORIGINS) ?? [];
  const origins = presentEntries([named].flat()).map((origin) => {
    if (origin === ANY) return ANY;
    const address = typeof origin === 'string' && PATTERN.test(origin) ? URL.parse(origin) : null;
    if (!address) throw wrong(admin, ORIGINS, "a list of origins, such as 'https://example.com', or '*'");
    return address.origin;
  });
  if (!booleanAt(admin, 'preview.enabled', true) || urls.size === 0) return { urls: new Map(), origins: [] };
  return { urls, origins: [...new Set([...[...urls.values()].map(originOf), ...origins])] };
}

function patternsAt(admin: ConfigFile): ReadonlyMap<string, string> {
  const urls = valueAt(admin, URLS) ?? {};
  if (!isTree(urls)) throw wrong(admin, URLS, 'an object of addresses by uid');
  return new Map(
    Object.entries(urls).map(([uid, pattern]) => {
      if (typeof pattern === 'string' && PATTERN.test(pattern) && URL.canParse(originOf(pattern)))
        return [uid, pattern];
      throw wrong(admin, `${URLS}.${uid}`, "an http or https URL, such as 'https://example.com/{locale}/{slug}'");
    }),
  );
}

const originOf = (pattern: string): string => new URL(/^https?:\/\/[^/?#]+/i.exec(pattern)![0]).origin;
