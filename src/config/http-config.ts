/** What the server does around every request: `config/server`, `config/middlewares`, and environment. */
import type { HttpConfig } from './config.ts';
import type { ConfigFiles } from './config-file.ts';
import type { Variables } from './env-helper.ts';

/** Dotted paths of `config/server` that count here. */
export const HTTP_KEYS: readonly string[] = [];

/** The settings of the HTTP surface. Throws UsageError, naming the key, for values of the wrong shape. */
export function httpConfig(_files: ConfigFiles, _variables: Variables): HttpConfig {
  return { trustProxy: false };
}
