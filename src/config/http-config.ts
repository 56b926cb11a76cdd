/** The settings around every request: `config/server`, `config/api`, `config/middlewares`, and environment. */
import { type HttpConfig, LOG_FORMATS, LOG_LEVELS, type LogLevel } from './config.ts';
import { type ConfigFile, type ConfigFiles, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';
import {
  addressRules,
  bodyConfig,
  compressionOf,
  corsOf,
  publicConfig,
  securityHeaders,
} from './middlewares-config.ts';
import {
  bytesAt,
  integerAt,
  integerVariable,
  parseInteger,
  textAt,
  textVariable,
  valueAt,
  wordVariable,
  wrong,
} from './values.ts';

/** The settings of `config/server` that are read here, as dotted paths. */
export const HTTP_KEYS: readonly string[] = [
  'proxy.koa',
  'proxy.maxIpsCount',
  'proxy.trust',
  'log.level',
  'log.format',
  'metrics.port',
  'metrics.host',
  'shutdown.delay',
  'shutdown.timeout',
  'answers.timeout',
  'answers.memory',
];
/** The settings of `config/api` that are read here, as dotted paths. */
export const HTTP_API_KEYS: readonly string[] = ['rest.cacheControl', 'rest.rateLimit.max', 'rest.rateLimit.window'];

const PORTS = [1, 65535] as const;
/** Milliseconds of Node's longest timer. */
const LONGEST = 2 ** 31 - 1;

/** The settings of the HTTP server. @throws UsageError, naming the key, for a wrong value. */
export function httpConfig(files: ConfigFiles, variables: Variables, isForPeople = false): HttpConfig {
  const { server, api, middlewares } = files;
  return {
    trustProxy: trustProxyOf(server),
    addresses: addressRules(middlewares, server),
    cors: corsOf(middlewares),
    securityHeaders: Object.freeze(securityHeaders(middlewares)),
    compression: compressionOf(middlewares),
    publicFiles: publicConfig(middlewares),
    ...bodyConfig(middlewares),
    cacheControl: cacheControlOf(api),
    rateLimit: rateLimitOf(api),
    ...logOf(server, variables, isForPeople),
    metrics: metricsOf(server, variables),
    answers: {
      timeout: integerAt(server, 'answers.timeout', 60_000, 100, LONGEST),
      memory: bytesAt(server, 'answers.memory', 128 * 1024 ** 2, 1024 ** 2),
    },
    shutdown: {
      delay: integerAt(server, 'shutdown.delay', 0, 0, LONGEST),
      timeout: integerAt(server, 'shutdown.timeout', 10_000, 0, LONGEST),
    },
  };
}

/** `proxy: true`, the reference's `proxy: { koa: true, maxIpsCount }`, or Galley's own `proxy: { trust }`. */
function trustProxyOf(server: ConfigFile): HttpConfig['trustProxy'] {
  const proxy = valueAt(server, 'proxy');
  if (proxy === undefined || proxy === null || proxy === false) return false;
  if (proxy === true) return true;
  if (!isTree(proxy)) throw wrong(server, 'proxy', 'true, false, or an object with koa or trust');
  const trust = valueAt(server, 'proxy.trust');
  if (trust !== undefined && trust !== null) return trustOf(server, trust);
  const koa = valueAt(server, 'proxy.koa') ?? false;
  if (typeof koa !== 'boolean') throw wrong(server, 'proxy.koa', 'true or false');
  const proxies = integerAt(server, 'proxy.maxIpsCount', 0, 0, 100);
  return koa && proxies > 0 ? proxies : koa;
}

function trustOf(server: ConfigFile, trust: unknown): HttpConfig['trustProxy'] {
  if (typeof trust === 'boolean') return trust;
  const hops = parseInteger(trust, 0, 100);
  if (hops !== undefined) return hops;
  const list = typeof trust === 'string' ? trust.split(',').map((item) => item.trim()) : trust;
  if (Array.isArray(list) && list.length === 0) return false;
  const isAddress = (item: unknown): item is string =>
    typeof item === 'string' && /^(?:loopback|linklocal|uniquelocal|[\da-f.:]+(?:\/\d{1,3})?)$/i.test(item);
  if (Array.isArray(list) && list.length > 0 && list.every(isAddress)) return Object.freeze([...list]);
  throw wrong(server, 'proxy.trust', 'true, false, a number of proxies, or a list of addresses and CIDR ranges');
}

/** The keys are uids, the values headers. */
function cacheControlOf(api: ConfigFile): ReadonlyMap<string, string> {
  const wanted = valueAt(api, 'rest.cacheControl') ?? {};
  if (!isTree(wanted))
    throw wrong(api, 'rest.cacheControl', "an object such as { 'api::article.article': 'max-age=60' }");
  return new Map(
    Object.entries(wanted).map(([uid, value]) => {
      if (typeof value === 'string' && /^[\x21-\x7e][\x20-\x7e]*$/.test(value)) return [uid, value] as const;
      throw wrong(api, `rest.cacheControl['${uid}']`, 'the value of a Cache-Control header');
    }),
  );
}

function rateLimitOf(api: ConfigFile): HttpConfig['rateLimit'] {
  const rule = valueAt(api, 'rest.rateLimit');
  if (rule === undefined || rule === null || rule === false) return undefined;
  const max = integerAt(api, 'rest.rateLimit.max', undefined, 1, 1_000_000);
  if (max === undefined) throw wrong(api, 'rest.rateLimit', 'an object such as { max: 600, window: 60000 }');
  return { max, windowMs: integerAt(api, 'rest.rateLimit.window', 60_000, 1000, LONGEST) };
}

/** @param isForPeople whether a person reads the log: the default is then text with a line for each request. */
function logOf(
  server: ConfigFile,
  variables: Variables,
  isForPeople: boolean,
): Pick<HttpConfig, 'logLevel' | 'codeLogLevel' | 'logFormat'> {
  const level: LogLevel | undefined = wordOf(server, variables, 'log.level', 'LOG_LEVEL', LOG_LEVELS);
  const logFormat = wordOf(server, variables, 'log.format', 'LOG_FORMAT', LOG_FORMATS);
  return {
    logLevel: level ?? (isForPeople ? 'info' : 'warn'),
    codeLogLevel: level ?? 'info',
    logFormat: logFormat ?? (isForPeople ? 'text' : 'json'),
  };
}

/** One of some words from a variable or the file; undefined if neither is set. */
function wordOf<Word extends string>(
  server: ConfigFile,
  variables: Variables,
  key: string,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const expected = `one of ${words.join(', ')}`;
  const variable = wordVariable(variables, name, words, expected);
  if (variable !== undefined) return variable;
  const text = textAt(server, key);
  const word = words.find((one) => one === text);
  if (text !== undefined && word === undefined) throw wrong(server, key, expected);
  return word;
}

function metricsOf(server: ConfigFile, variables: Variables): HttpConfig['metrics'] {
  const port =
    integerVariable(variables, 'METRICS_PORT', ...PORTS) ?? integerAt(server, 'metrics.port', undefined, ...PORTS);
  if (port === undefined) return undefined;
  return { host: textVariable(variables, 'METRICS_HOST') ?? textAt(server, 'metrics.host') ?? '127.0.0.1', port };
}
