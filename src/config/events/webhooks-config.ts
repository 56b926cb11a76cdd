/** How webhooks are sent: `webhooks` of `config/server`. */
import type { WebhooksConfig } from '../config.ts';
import { type ConfigFile, isTree } from '../config-file.ts';
import type { Variables } from '../env-helper.ts';
import { booleanAt, integerAt, valueAt, wrong } from '../values.ts';

/** Dotted paths of `config/server` that count here. */
export const WEBHOOK_KEYS: readonly string[] = [
  'webhooks.defaultHeaders',
  'webhooks.populateRelations',
  'webhooks.timeout',
  'webhooks.allowPrivateNetworks',
  'webhooks.maxEntrySize',
];

/** The reference's own time limit, and the longest: milliseconds. */
const TIMEOUT = 10_000;
const LONGEST_TIMEOUT = 60_000;
/** Bytes of an entry that is sent as a whole: up to 10,000 bodies of a webhook wait while it is away. */
const ENTRY_SIZE = 256 * 1024;
const LARGEST_ENTRY_SIZE = 16 * 1024 * 1024;

/** The settings of webhooks. Throws UsageError, naming the key, for values of the wrong shape. */
export function webhooksConfig(server: ConfigFile, variables: Variables): WebhooksConfig {
  return {
    defaultHeaders: Object.freeze(headersAt(server)),
    populateRelations: booleanAt(server, 'webhooks.populateRelations', true),
    timeout: integerAt(server, 'webhooks.timeout', TIMEOUT, 100, LONGEST_TIMEOUT),
    allowPrivateNetworks: booleanAt(server, 'webhooks.allowPrivateNetworks', variables['NODE_ENV'] !== 'production'),
    maxEntrySize: integerAt(server, 'webhooks.maxEntrySize', ENTRY_SIZE, 1024, LARGEST_ENTRY_SIZE),
  };
}

function headersAt(server: ConfigFile): Record<string, string> {
  const wanted = valueAt(server, 'webhooks.defaultHeaders') ?? {};
  const isHeader = ([name, value]: [string, unknown]): boolean =>
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && typeof value === 'string' && /^[\x20-\x7e\t]*$/.test(value);
  if (isTree(wanted) && Object.entries(wanted).every(isHeader)) return { ...(wanted as Record<string, string>) };
  throw wrong(server, 'webhooks.defaultHeaders', "headers, such as { authorization: 'Bearer …' }");
}
