/** How many processes serve a project: `config/server` `workers`, and environment. */
import type { Config } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import type { Variables } from './env-helper.ts';
import { wrongVariable } from './mistake.ts';
import { parseInteger, rangeText, valueAt, wrong } from './values.ts';

/** More would only wait for one another. */
const MOST = 64;
/** What may be written, in words. */
const EXPECTED = `auto, or ${rangeText(1, MOST)}`;

/** A number of workers as it is written; undefined for what is none. */
function parseWorkers(value: unknown): Config['workers'] | undefined {
  return value === 'auto' ? value : parseInteger(value, 1, MOST);
}

/**
 * The number of workers in a text from the command line or the environment.
 *
 * @param name what it is the value of, for the message.
 * @throws UsageError for anything else.
 */
export function workersIn(name: string, text: string): Config['workers'] {
  const workers = parseWorkers(text);
  if (workers === undefined) throw wrongVariable(name, text, EXPECTED);
  return workers;
}

/** The number of workers of a project: one, unless something says otherwise. Throws UsageError for a wrong value. */
export function workersOf(server: ConfigFile, variables: Variables): Config['workers'] {
  const variable = variables['GALLEY_WORKERS'];
  if (variable) return workersIn('GALLEY_WORKERS', variable);
  const value = valueAt(server, 'workers') ?? 1;
  const workers = parseWorkers(value);
  if (workers === undefined) throw wrong(server, 'workers', EXPECTED);
  return workers;
}
