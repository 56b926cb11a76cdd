/**
 * The settings of `config/middlewares` that count: those of `strapi::cors`, `strapi::security`, `strapi::compression`
 * and `strapi::body`, under the names of the reference's documentation ("Middlewares configuration").
 */
import type { CompressionConfig, CorsConfig, HttpConfig } from '../config.ts';
import { type ConfigFile, isTree, type Tree } from '../config-file.ts';
import { FORM_KEYS } from '../uploads/upload-config.ts';
import { booleanAt, bytesAt, integerAt, parseInteger, valueAt, wrong } from '../values.ts';

type Middlewares = ConfigFile<readonly unknown[]>;

/** Dotted paths of the middlewares' entries that count; a path includes everything below it. */
export const MIDDLEWARE_KEYS: Readonly<Record<string, readonly string[]>> = {
  'strapi::cors': ['origin', 'methods', 'headers', 'expose', 'credentials', 'maxAge', 'keepHeadersOnError'],
  'strapi::security': [
    'hsts',
    'frameguard',
    'referrerPolicy',
    'noSniff',
    'dnsPrefetchControl',
    'ieNoOpen',
    'permittedCrossDomainPolicies',
    'crossOriginEmbedderPolicy',
    'crossOriginOpenerPolicy',
    'crossOriginResourcePolicy',
    'originAgentCluster',
    'xssFilter',
    // said to files of the project: JSON has no scripts, and stored files have a policy of their own
    'contentSecurityPolicy',
  ],
  'strapi::compression': ['enabled', 'threshold', 'gzip', 'br'],
  'strapi::ip': ['whitelist', 'blacklist'],
  'strapi::public': ['maxAge'],
  'strapi::favicon': ['path', 'maxAge'],
  'strapi::body': ['jsonLimit', 'formLimit', 'textLimit', 'includeUnparsed', ...FORM_KEYS],
};

/** The settings of an entry; undefined when the list has none of that name. */
export function settingsOf({ path, value }: Middlewares, name: string): ConfigFile | undefined {
  for (const entry of value) {
    if (entry === name) return { path: `${path} ${name}`, value: {} };
    if (!isTree(entry) || entry['name'] !== name) continue;
    const { config } = entry;
    return { path: `${path} ${name}`, value: isTree(config) ? config : {} };
  }
  return undefined;
}

/** As settingsOf; the defaults for a middleware that is not listed. */
export const settingsOrNone = (middlewares: Middlewares, name: string): ConfigFile =>
  settingsOf(middlewares, name) ?? { path: `${middlewares.path} ${name}`, value: {} };

/** Headers of answers that a script of another origin may read: those that this server adds to the common ones. */
const EXPOSED =
  'ETag,Location,Retry-After,X-Galley-Hint,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,X-Request-Id';
const METHODS = 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS';

/**
 * Undefined where the project lists its middlewares and CORS is not among them: as the reference, which then has none.
 */
export function corsOf(middlewares: Middlewares): CorsConfig | undefined {
  const file = settingsOf(middlewares, 'strapi::cors');
  if (file === undefined && middlewares.value.length > 0) return undefined;
  const settings = file ?? settingsOrNone(middlewares, 'strapi::cors');
  return {
    origins: originsOf(settings),
    methods: listAt(settings, 'methods') ?? METHODS,
    headers: listAt(settings, 'headers'),
    expose: listAt(settings, 'expose') ?? EXPOSED,
    credentials: isCode(settings, 'credentials') ? false : booleanAt(settings, 'credentials', true),
    maxAge: maxAgeOf(settings),
  };
}

/** A function is code of the project: where none is run, no origin is answered. */
function originsOf(settings: ConfigFile): CorsConfig['origins'] {
  const value = valueAt(settings, 'origin');
  if (typeof value === 'function') return value as (ctx: object) => unknown;
  const text = listAt(settings, 'origin');
  if (text === undefined) return '*';
  const origins = text.split(',').filter((origin) => origin !== '');
  return origins.includes('*') ? '*' : new Set(origins);
}

/** Whether a value is a function. Such values, that of `origin` apart, are named at start as having no effect. */
const isCode = (file: ConfigFile, path: string): boolean => typeof valueAt(file, path) === 'function';

/** A list, or a text with commas, as the text of a header; undefined when absent. */
function listAt(file: ConfigFile, path: string): string | undefined {
  const value = valueAt(file, path);
  if (value === undefined || value === null) return undefined;
  const items = typeof value === 'string' ? value.split(',') : value;
  const isItem = (item: unknown): item is string => typeof item === 'string' && /^[\x20-\x7e]*$/.test(item);
  if (!Array.isArray(items) || !items.every(isItem)) throw wrong(file, path, 'a list of strings');
  return items.map((item) => item.trim()).join(',');
}

function maxAgeOf(settings: ConfigFile): string | undefined {
  const seconds = integerAt(settings, 'maxAge', 31_536_000, -1);
  return seconds === 0 ? undefined : String(seconds);
}

/** How each setting of helmet that is honoured becomes a header; undefined leaves it out. */
const SECURITY: readonly {
  readonly key: string;
  readonly header: string;
  /** Whether the header is there when the setting is not. */
  readonly byDefault: boolean;
  readonly value: (file: ConfigFile, key: string) => string;
}[] = [
  { key: 'noSniff', header: 'x-content-type-options', byDefault: true, value: () => 'nosniff' },
  {
    key: 'frameguard',
    header: 'x-frame-options',
    byDefault: true,
    value: (file, key) => wordAt(file, `${key}.action`, 'sameorigin', ['deny', 'sameorigin']).toUpperCase(),
  },
  {
    key: 'hsts',
    header: 'strict-transport-security',
    byDefault: true,
    value: (file, key) =>
      `max-age=${integerAt(file, `${key}.maxAge`, 31_536_000, 0)}` +
      (booleanAt(file, `${key}.includeSubDomains`, true) ? '; includeSubDomains' : '') +
      (booleanAt(file, `${key}.preload`, false) ? '; preload' : ''),
  },
  {
    key: 'referrerPolicy',
    header: 'referrer-policy',
    byDefault: true,
    value: (file, key) => listAt(file, `${key}.policy`) || 'no-referrer',
  },
  {
    key: 'dnsPrefetchControl',
    header: 'x-dns-prefetch-control',
    byDefault: true,
    value: (file, key) => (booleanAt(file, `${key}.allow`, false) ? 'on' : 'off'),
  },
  { key: 'ieNoOpen', header: 'x-download-options', byDefault: true, value: () => 'noopen' },
  {
    key: 'permittedCrossDomainPolicies',
    header: 'x-permitted-cross-domain-policies',
    byDefault: true,
    value: (file, key) =>
      wordAt(file, `${key}.permittedPolicies`, 'none', ['none', 'master-only', 'by-content-type', 'all']),
  },
  {
    key: 'crossOriginEmbedderPolicy',
    header: 'cross-origin-embedder-policy',
    byDefault: false,
    value: (file, key) => wordAt(file, `${key}.policy`, 'require-corp', ['require-corp', 'credentialless']),
  },
  {
    key: 'crossOriginOpenerPolicy',
    header: 'cross-origin-opener-policy',
    byDefault: false,
    value: (file, key) =>
      wordAt(file, `${key}.policy`, 'same-origin', ['same-origin', 'same-origin-allow-popups', 'unsafe-none']),
  },
  {
    key: 'crossOriginResourcePolicy',
    header: 'cross-origin-resource-policy',
    byDefault: false,
    value: (file, key) => wordAt(file, `${key}.policy`, 'same-origin', ['same-origin', 'same-site', 'cross-origin']),
  },
  { key: 'originAgentCluster', header: 'origin-agent-cluster', byDefault: false, value: () => '?1' },
  { key: 'xssFilter', header: 'x-xss-protection', byDefault: false, value: () => '0' },
];

/** Headers that every answer carries: a setting is false (none), true, or an object of options. */
export function securityHeaders(middlewares: Middlewares): Record<string, string> {
  const file = settingsOrNone(middlewares, 'strapi::security');
  const headers: Record<string, string> = {};
  for (const { key, header, byDefault, value } of SECURITY) {
    const setting = valueAt(file, key) ?? byDefault;
    if (typeof setting !== 'boolean' && !isTree(setting)) throw wrong(file, key, 'true, false or an object');
    if (setting !== false) headers[header] = value(file, key);
  }
  return headers;
}

function wordAt(file: ConfigFile, path: string, fallback: string, words: readonly string[]): string {
  const value = valueAt(file, path) ?? fallback;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (!words.includes(word)) throw wrong(file, path, `one of ${words.join(', ')}`);
  return word;
}

/** gzip compresses as zlib does by default; brotli, whose default is for files that are made once, does not. */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 4;
const THRESHOLD = 1024;
/** `zlib.constants.BROTLI_PARAM_QUALITY`. */
const QUALITY = '1';

/** Undefined where it is switched off: `enabled: false` is ours, the reference compresses where it is listed. */
export function compressionOf(middlewares: Middlewares): CompressionConfig | undefined {
  const file = settingsOrNone(middlewares, 'strapi::compression');
  const gzip = optionsAt(file, 'gzip');
  const brotli = optionsAt(file, 'br');
  const config = {
    threshold: bytesAt(file, 'threshold', THRESHOLD),
    gzip: gzip && integerAt(file, 'gzip.level', GZIP_LEVEL, -1, 9),
    brotli: brotli && qualityOf(file, brotli),
  };
  const none = config.gzip === undefined && config.brotli === undefined;
  return none || !booleanAt(file, 'enabled', true) ? undefined : config;
}

/** The options of an encoding; undefined for one that is switched off with false or null. */
function optionsAt(file: ConfigFile, key: string): Tree | undefined {
  const value = file.value[key];
  if (value === undefined || value === true) return {};
  if (value === false || value === null) return undefined;
  if (!isTree(value)) throw wrong(file, key, 'true, false or an object');
  return value;
}

function qualityOf(file: ConfigFile, { params }: Tree): number {
  const value = isTree(params) ? params[QUALITY] : undefined;
  const quality = parseInteger(value ?? BROTLI_QUALITY, 0, 11);
  if (quality === undefined) throw wrong(file, `br.params[${QUALITY}]`, 'a whole number from 0 to 11');
  return quality;
}

/** The most bytes that the bodies which are read into memory may have, and whether their text is kept. */
export function bodyConfig(
  middlewares: Middlewares,
): Pick<HttpConfig, 'jsonLimit' | 'formLimit' | 'textLimit' | 'includeUnparsed'> {
  const file = settingsOrNone(middlewares, 'strapi::body');
  return {
    jsonLimit: bytesAt(file, 'jsonLimit', 1024 ** 2),
    formLimit: bytesAt(file, 'formLimit', 56 * 1024),
    textLimit: bytesAt(file, 'textLimit', 1024 ** 2),
    includeUnparsed: booleanAt(file, 'includeUnparsed', false),
  };
}
