/** The number of processes that serve a project: `config/server` `workers`, and environment. */
import type { Config } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import type { Variables } from './environment.ts';
import { parseInteger, rangeText, textVariable, valueAt, wrong, wrongVariable } from './values.ts';

/** More processes would only wait for each other. */
const MOST = 64;
/** The valid values, in words. */
const EXPECTED = `auto, or ${rangeText(1, MOST)}`;

/** A number of workers; undefined for an invalid value. */
function parseWorkers(value: unknown): Config['workers'] | undefined {
  return value === 'auto' ? value : parseInteger(value, 1, MOST);
}

/**
 * The number of workers in a text from the command line or the environment.
 *
 * @param name the option or variable, for the message.
 * @throws UsageError for an invalid text.
 */
export function workersIn(name: string, text: string): Config['workers'] {
  const workers = parseWorkers(text);
  if (workers === undefined) throw wrongVariable(name, text, EXPECTED);
  return workers;
}

/** The number of workers of a project: one by default. @throws UsageError for an invalid value. */
export function workersOf(server: ConfigFile, variables: Variables): Config['workers'] {
  const variable = textVariable(variables, 'GALLEY_WORKERS');
  if (variable !== undefined) return workersIn('GALLEY_WORKERS', variable);
  const value = valueAt(server, 'workers') ?? 1;
  const workers = parseWorkers(value);
  if (workers === undefined) throw wrong(server, 'workers', EXPECTED);
  return workers;
}
