/** Streams of changes: `events` of `config/server`, ours. */
import type { EventsConfig } from '../config.ts';
import type { ConfigFile } from '../config-file.ts';
import { integerAt } from '../values.ts';

/** Dotted paths of `config/server` that count here. */
export const EVENT_KEYS: readonly string[] = ['events.listeners', 'events.perCaller', 'events.patience'];

const MOST = 1_000_000;

/** The settings of streams. Throws UsageError, naming the key, for values of the wrong shape. */
export function eventsConfig(server: ConfigFile): EventsConfig {
  return {
    listeners: integerAt(server, 'events.listeners', 10_000, 0, MOST),
    perCaller: integerAt(server, 'events.perCaller', 100, 0, MOST),
    patience: integerAt(server, 'events.patience', 3000, 100, 60_000),
  };
}
