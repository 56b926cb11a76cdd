/**
 * The settings of Strapi's own middlewares in `config/middlewares`, with the names of the reference's documentation
 * ("Middlewares configuration").
 */
import { types } from 'node:util';
import { UsageError } from '../errors.ts';
import type { AddressRules, CompressionConfig, CorsConfig, HttpConfig, PublicConfig } from './config.ts';
import { type ConfigFile, isTree, type Tree } from './config-file.ts';
import { FORM_KEYS } from './upload-config.ts';
import { booleanAt, bytesAt, integerAt, parseInteger, presentEntries, textAt, valueAt, wrong } from './values.ts';

type Middlewares = ConfigFile<readonly unknown[]>;

/** The settings of the middlewares that are read, as dotted paths; a path includes everything below it. */
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
    // for pages of the project; JSON has no scripts, and stored files have a policy of their own
    'contentSecurityPolicy',
  ],
  'strapi::compression': ['enabled', 'threshold', 'gzip', 'br'],
  'strapi::ip': ['whitelist', 'blacklist'],
  'strapi::public': ['maxAge'],
  'strapi::favicon': ['path', 'maxAge'],
  'strapi::body': ['jsonLimit', 'formLimit', 'textLimit', 'includeUnparsed', ...FORM_KEYS],
};

/** The settings of a middleware; undefined if it is not listed. */
export function settingsOf({ path, value }: Middlewares, name: string): ConfigFile | undefined {
  for (const entry of value) {
    if (entry === name) return { path: `${path} ${name}`, value: {} };
    if (!isTree(entry) || entry['name'] !== name) continue;
    const { config } = entry;
    return { path: `${path} ${name}`, value: isTree(config) ? config : {} };
  }
  return undefined;
}

/** The settings of a middleware; empty if it is not listed. */
const settingsOrNone = (middlewares: Middlewares, name: string): ConfigFile =>
  settingsOf(middlewares, name) ?? { path: `${middlewares.path} ${name}`, value: {} };

/** Response headers that scripts of other origins may read by default: those that this server adds. */
const EXPOSED =
  'ETag,Location,Retry-After,X-Galley-Hint,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,X-Request-Id';
const METHODS = 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS';

/** Undefined if the project lists its middlewares without `strapi::cors`, as in the reference. */
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

/** A function is code of the project; if code does not run, no origin is permitted. */
function originsOf(settings: ConfigFile): CorsConfig['origins'] {
  const value = valueAt(settings, 'origin');
  if (typeof value === 'function') return value as (ctx: object) => unknown;
  const text = listAt(settings, 'origin');
  if (text === undefined) return '*';
  const origins = text.split(',').filter((origin) => origin !== '');
  return origins.includes('*') ? '*' : new Set(origins);
}

/** Whether a value is a function. Such values, except `origin`, are reported at start as having no effect. */
const isCode = (file: ConfigFile, path: string): boolean => typeof valueAt(file, path) === 'function';

/** A list, or a text with commas, as the value of a header; undefined if absent. */
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

/** How settings of helmet become headers. */
const SECURITY: readonly {
  readonly key: string;
  readonly header: string;
  /** Whether the header is sent if the setting is absent. */
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

/** Headers of every answer: a setting is false (no header), true, or an object of options. */
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

/** The default level of zlib; brotli's default is meant for files that are compressed once. */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 4;
const THRESHOLD = 1024;
/** `zlib.constants.BROTLI_PARAM_QUALITY`. */
const QUALITY = '1';

/** Undefined if it is disabled: `enabled: false` is Galley's own, the reference compresses whenever it is listed. */
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

/** The options of an encoding; undefined if it is disabled with false or null. */
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

/** The limits of bodies that are read into memory, and whether their raw text is kept. */
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

const IP = 'strapi::ip';
/** The settings of the reference. `handler` is code that answers refused requests; it does not run. */
const IP_KEYS = ['whitelist', 'blacklist', 'handler'];

/**
 * The rules of each `strapi::ip`; all of them must permit a request. As in the reference, a list of patterns is a
 * whitelist.
 *
 * @throws UsageError for a setting that cannot be understood, since it is a guard.
 */
export function addressRules(middlewares: ConfigFile<readonly unknown[]>, server: ConfigFile): readonly AddressRules[] {
  const rules = middlewares.value.flatMap((entry): AddressRules[] => {
    if (!isTree(entry) || entry['name'] !== IP || entry['config'] === undefined) return [];
    const { config } = entry;
    const lists = isTree(config) ? config : { whitelist: [config].flat() };
    const unknown = Object.keys(lists).find((key) => !IP_KEYS.includes(key));
    if (unknown !== undefined || config === null) {
      throw wrongRule(
        middlewares,
        `config${unknown === undefined ? '' : `.${unknown}`}`,
        'is unknown: use whitelist and blacklist',
      );
    }
    const list = (key: string) => patternsOf(middlewares, key, lists[key]);
    const [allowed, refused] = [list('whitelist'), list('blacklist') ?? []];
    return allowed === undefined && refused.length === 0 ? [] : [{ allowed, refused }];
  });
  if (rules.length > 0 && valueAt(server, 'proxy.ipHeader') !== undefined) {
    throw new UsageError(
      `${server.path}: proxy.ipHeader is not supported, and ${IP} of ${middlewares.path} would check other addresses: use proxy.trust`,
    );
  }
  return Object.freeze(rules);
}

function patternsOf(file: ConfigFile<unknown>, key: string, value: unknown): readonly RegExp[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongRule(file, `config.${key}`, "must be a list of patterns, such as ['10.0.0.1']");
  return presentEntries(value).map((item, index) => patternOf(file, `config.${key}[${index}]`, item));
}

/** A pattern as in the reference: a regular expression that is searched in the address. */
function patternOf(file: ConfigFile<unknown>, place: string, item: unknown): RegExp {
  // the flags g and y would keep a position between requests
  if (types.isRegExp(item)) {
    const source = item.sticky ? `^(?:${item.source})` : item.source;
    return new RegExp(source, item.flags.replace(/[gy]/g, ''));
  }
  if (typeof item !== 'string' || item === '') throw wrongRule(file, place, "must be a pattern, such as '10.0.0.1'");
  if (/[\s/]/.test(item)) {
    throw wrongRule(file, place, `cannot match an address: write ${item} as a pattern, such as '^10\\\\.0\\\\.'`);
  }
  try {
    return new RegExp(item);
  } catch (error) {
    throw wrongRule(file, place, `is not a pattern: ${(error as Error).message}`);
  }
}

const wrongRule = ({ path }: ConfigFile<unknown>, place: string, what: string): UsageError =>
  new UsageError(`${path}: ${place} of ${IP} ${what}`);

/** Milliseconds: the longest time that a browser may cache a file. */
const LONGEST = 31_536_000_000;

/** Like the reference, a project that lists its middlewares has only those. */
export function publicConfig(middlewares: Middlewares): PublicConfig {
  const isListed = (name: string): boolean =>
    middlewares.value.length === 0 || settingsOf(middlewares, name) !== undefined;
  const files = settingsOrNone(middlewares, 'strapi::public');
  const icon = settingsOrNone(middlewares, 'strapi::favicon');
  const seconds = (file: ConfigFile, fallback: number) =>
    Math.floor(integerAt(file, 'maxAge', fallback, 0, LONGEST) / 1000);
  return {
    files: isListed('strapi::public') ? { maxAge: seconds(files, 60_000) } : undefined,
    icon: isListed('strapi::favicon')
      ? { path: textAt(icon, 'path') ?? 'favicon.png', maxAge: seconds(icon, 86_400_000) }
      : undefined,
    policy: policyOf(settingsOrNone(middlewares, 'strapi::security')),
  };
}

/** The reference's directives where a project sets no other value, in its order. */
const DEFAULTS: Tree = {
  'connect-src': ["'self'", 'https:'],
  'img-src': ["'self'", 'data:', 'blob:', 'https://market-assets.strapi.io'],
  'media-src': ["'self'", 'data:', 'blob:'],
};
/** Its further directives, unless `useDefaults` is false. */
const MORE_DEFAULTS: Tree = {
  'default-src': ["'self'"],
  'base-uri': ["'self'"],
  'font-src': ["'self'", 'https:', 'data:'],
  'form-action': ["'self'"],
  'frame-ancestors': ["'self'"],
  'object-src': ["'none'"],
  'script-src': ["'self'"],
  'script-src-attr': ["'none'"],
  'style-src': ["'self'", 'https:', "'unsafe-inline'"],
};

const DIRECTIVES = 'contentSecurityPolicy.directives';

/** The content security policy of pages; undefined for none. */
function policyOf(security: ConfigFile): string | undefined {
  const setting = valueAt(security, 'contentSecurityPolicy') ?? {};
  if (setting === false) return undefined;
  if (setting !== true && !isTree(setting)) {
    throw wrong(security, 'contentSecurityPolicy', 'true, false or an object');
  }
  const own = isTree(setting) ? (setting['directives'] ?? {}) : {};
  if (!isTree(own)) throw wrong(security, DIRECTIVES, 'an object');
  const spelt = spellingsOf(security, own);
  const named = Object.fromEntries(Object.entries(own).map(([name, value]) => [dashed(name), value]));
  const useDefaults = !isTree(setting) || setting['useDefaults'] !== false;
  const all: Tree = { ...DEFAULTS, ...(useDefaults ? MORE_DEFAULTS : {}), ...named };
  const parts = Object.entries(all).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === false) return [];
    // a function is code of the project: origins that it would permit are refused
    const sources = value === true ? [] : presentEntries([value].flat()).filter((one) => typeof one !== 'function');
    const isSource = (one: unknown): one is string =>
      typeof one === 'string' && /^[\x21-\x2b\x2d-\x3a\x3c-\x7e ]*$/.test(one);
    if (!sources.every(isSource)) {
      throw wrong(
        security,
        `${DIRECTIVES}.${spelt.get(name) ?? name}`,
        'a list of sources, without commas and semicolons',
      );
    }
    return [[name, ...sources].join(' ')];
  });
  return parts.join(';');
}

/** How the project writes directives, by their names. Like helmet, it refuses two spellings of one, and invalid names. */
function spellingsOf(security: ConfigFile, own: Tree): ReadonlyMap<string, string> {
  const spelt = new Map<string, string>();
  for (const written of Object.keys(own)) {
    if (!/^[A-Za-z\d-]+$/.test(written)) {
      throw wrong(security, DIRECTIVES, `directives by their names, which ${JSON.stringify(written)} is not`);
    }
    const name = dashed(written);
    const other = spelt.get(name);
    if (other !== undefined) throw wrong(security, `${DIRECTIVES}.${written}`, `left out: it is the same as ${other}`);
    spelt.set(name, written);
  }
  return spelt;
}

/** `script-src` of `scriptSrc`. */
const dashed = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
