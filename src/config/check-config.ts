/**
 * Collects all mistakes of a project's configuration. Reading stops at the first mistake, so the configuration is read
 * again without the wrong value until no mistake is left.
 */
import { UsageError } from '../errors.ts';
import type { Config } from './config.ts';
import { type ConfigFile, type ConfigFiles, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';
import { type ConfigContext, configOf, type LoadOptions, openFolder, readFiles } from './load.ts';
import { ConfigMistake } from './values.ts';

export interface CheckedConfig {
  /** The configuration without the wrong values; undefined if a mistake cannot be left out. */
  readonly config: Config | undefined;
  /** One line for each mistake. */
  readonly mistakes: readonly string[];
}

/** The input of one attempt. */
interface Sources {
  readonly files: ConfigFiles;
  readonly variables: Variables;
}

/**
 * Checks the configuration of a project without writing to it.
 *
 * @throws UsageError for a folder that does not exist, and for an invalid `NODE_ENV`.
 */
export async function checkConfig(dir: string, options: LoadOptions): Promise<CheckedConfig> {
  const context = await openFolder(dir, options);
  const mistakes: string[] = [];
  const files = await readFiles(context, (error) => void mistakes.push(error.message));
  let sources: Sources = { files, variables: context.variables };
  for (;;) {
    const outcome = await attempt(sources, context, options);
    if (!(outcome instanceof UsageError)) return { config: outcome, mistakes };
    mistakes.push(outcome.message);
    const rest = await without(outcome, sources, (one) => attempt(one, context, options));
    if (!rest) return { config: undefined, mistakes };
    sources = rest;
  }
}

async function attempt(
  { files, variables }: Sources,
  context: ConfigContext,
  options: LoadOptions,
): Promise<Config | UsageError> {
  try {
    return await configOf(files, { ...context, variables }, { ...options, newSecrets: undefined });
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The sources without the value that an error is about; undefined if nothing can be left out. */
async function without(
  error: UsageError,
  sources: Sources,
  attempted: (sources: Sources) => Promise<Config | UsageError>,
): Promise<Sources | undefined> {
  const { message } = error;
  const place = error instanceof ConfigMistake ? error.place : undefined;
  if (place && 'variables' in place) return withoutVariables(sources, place.variables);
  const entry = Object.entries(sources.files).find(([, { path }]) => place?.file === path || message.startsWith(path));
  if (!entry) return withoutVariables(sources, /^[A-Z][A-Z\d_]+/.exec(message) ?? []);
  const [name, file] = entry as [keyof ConfigFiles, ConfigFile<unknown>];
  const isOther = (outcome: Config | UsageError) => !(outcome instanceof UsageError) || outcome.message !== message;
  const having = (value: unknown): Sources => ({ ...sources, files: { ...sources.files, [name]: { ...file, value } } });
  const keys = place ? keysOf(place, file) : [];
  // if the path of the message does not exist, the nearest enclosing value is left out
  for (let length = keys.length; length > 0; length--) {
    const cut = removed(file.value, keys.slice(0, length));
    if (cut === undefined) continue;
    const rest = having(cut);
    if (length === keys.length || isOther(await attempted(rest))) return rest;
  }
  // otherwise leave out one key after another to find the wrong one
  for (const key of Object.keys(file.value as object)) {
    const rest = having(removed(file.value, [key]));
    if (isOther(await attempted(rest))) return rest;
  }
  const isEmpty = Object.keys(file.value as object).length === 0;
  return isEmpty ? undefined : having(Array.isArray(file.value) ? [] : {});
}

/** The keys that lead to a wrong value. In a list of middlewares the file of the place ends with the middleware's name. */
function keysOf(
  place: { readonly file: string; readonly path: string },
  { path, value }: ConfigFile<unknown>,
): string[] {
  const keys = place.path.split('.');
  if (!Array.isArray(value)) return keys;
  const name = place.file.slice(path.length + 1);
  const index = value.findIndex((entry) => isTree(entry) && entry['name'] === name);
  return index < 0 ? [] : [String(index), 'config', ...keys];
}

function withoutVariables(sources: Sources, names: readonly string[]): Sources | undefined {
  if (!names.some((name) => sources.variables[name] !== undefined)) return undefined;
  const rest = Object.entries(sources.variables).filter(([name]) => !names.includes(name));
  return { ...sources, variables: Object.fromEntries(rest) };
}

/** A value without the part at a path; undefined if there is no such part. */
function removed(value: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (!Array.isArray(value) && !isTree(value)) return undefined;
  if (!Object.hasOwn(value, key)) return undefined;
  const inner = rest.length === 0 ? undefined : removed((value as Record<string, unknown>)[key], rest);
  if (rest.length > 0 && inner === undefined) return undefined;
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, index) => (String(index) !== key ? [one] : rest.length === 0 ? [] : [inner]));
  }
  const { [key]: _removed, ...others } = value as Record<string, unknown>;
  return rest.length === 0 ? others : { ...others, [key]: inner };
}
