/** `config/admin`: where the administration app is. */
import { secondsOf } from '../lifespan.ts';
import type { AdminConfig } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import { PREVIEW_KEYS, previewConfig } from './preview-config.ts';
import { rateLimitAt } from './users-config.ts';
import { booleanAt, integerAt, textAt, valueAt, wrong } from './values.ts';

/** Dotted paths of `config/admin` that count here. */
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
  ...PREVIEW_KEYS,
];

const DEFAULT_PATH = '/admin';
/** Attempts to sign in to one account from one network. */
const ATTEMPTS = { max: 10, windowMs: 5 * 60_000 };

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
/** Seconds for which sessions last, as in the reference. */
const LIFESPANS = { idleRemembered: 14 * DAY, remembered: 30 * DAY, idlePassing: 2 * HOUR, passing: DAY };

/** Paths of the server that mean something else. */
const TAKEN = ['/uploads', '/_health', '/_ready'];

/**
 * The settings of the administration app. As in the reference, `url` may be a path, or an address whose path is where
 * the app is.
 *
 * @param prefix the path of the content API.
 * @throws UsageError, naming the key, for values of the wrong shape, and for a path that is taken.
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

/** The reference's settings: those of its refresh tokens are for sessions that the browser remembers. */
function sessionsOf(admin: ConfigFile): AdminConfig['sessions'] {
  const former = valueAt(admin, 'auth.options.expiresIn') ?? undefined;
  // digits alone are seconds there
  const given = typeof former === 'string' && /^\d+$/.test(former.trim()) ? Number(former) : former;
  const whole = given === undefined ? undefined : secondsOf(given);
  if (given !== undefined && (whole === undefined || whole < 1)) {
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
