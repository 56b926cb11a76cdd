/** `config/server`: `events` (Galley's own) and `webhooks`. */
import type { EventsConfig, WebhooksConfig } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import type { Variables } from './environment.ts';
import { booleanAt, headersAt, integerAt } from './values.ts';

/** The settings of event streams, as dotted paths. */
export const EVENT_KEYS: readonly string[] = ['events.listeners', 'events.perCaller', 'events.patience'];

const MOST = 1_000_000;

/** The settings of event streams. @throws UsageError, naming the key, for a wrong value. */
export function eventsConfig(server: ConfigFile): EventsConfig {
  return {
    listeners: integerAt(server, 'events.listeners', 10_000, 0, MOST),
    perCaller: integerAt(server, 'events.perCaller', 100, 0, MOST),
    patience: integerAt(server, 'events.patience', 3000, 100, 60_000),
  };
}

/** The settings of webhooks, as dotted paths. */
export const WEBHOOK_KEYS: readonly string[] = [
  'webhooks.defaultHeaders',
  'webhooks.populateRelations',
  'webhooks.timeout',
  'webhooks.allowPrivateNetworks',
  'webhooks.maxEntrySize',
];

/** Milliseconds: the reference's limit, and the longest one. */
const TIMEOUT = 10_000;
const LONGEST_TIMEOUT = 60_000;
/** Bytes of an entry that is sent completely. Up to 10,000 bodies may wait for one webhook. */
const ENTRY_SIZE = 256 * 1024;
const LARGEST_ENTRY_SIZE = 16 * 1024 * 1024;

/** The settings of webhooks. @throws UsageError, naming the key, for a wrong value. */
export function webhooksConfig(server: ConfigFile, variables: Variables): WebhooksConfig {
  return {
    defaultHeaders: Object.freeze(headersAt(server, 'webhooks.defaultHeaders')),
    populateRelations: booleanAt(server, 'webhooks.populateRelations', true),
    timeout: integerAt(server, 'webhooks.timeout', TIMEOUT, 100, LONGEST_TIMEOUT),
    allowPrivateNetworks: booleanAt(server, 'webhooks.allowPrivateNetworks', variables['NODE_ENV'] !== 'production'),
    maxEntrySize: integerAt(server, 'webhooks.maxEntrySize', ENTRY_SIZE, 1024, LARGEST_ENTRY_SIZE),
  };
}
