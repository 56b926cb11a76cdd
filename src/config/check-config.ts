/**
 * Every mistake of a project's configuration at once. Reading it ends at the first, so it is read again without the value
 * that was wrong, until nothing is.
 */
import { UsageError } from '../errors.ts';
import type { Config } from './config.ts';
import { type ConfigFile, type ConfigFiles, isTree } from './config-file.ts';
import type { Variables } from './env-helper.ts';
import { type ConfigContext, configOf, type LoadOptions, openFolder, readFiles } from './load.ts';
import { ConfigMistake } from './mistake.ts';

export interface CheckedConfig {
  /** Without the values that are wrong; undefined where something is wrong beside single values. */
  readonly config: Config | undefined;
  /** A line for each mistake. */
  readonly mistakes: readonly string[];
}

/** What is read. */
interface Read {
  readonly files: ConfigFiles;
  readonly variables: Variables;
}

/**
 * Reads the configuration of a project, which is not written to.
 *
 * @throws UsageError for a folder that is not there, and an environment that names none of its files.
 */
export async function checkConfig(dir: string, options: LoadOptions): Promise<CheckedConfig> {
  const context = await openFolder(dir, options);
  const mistakes: string[] = [];
  const files = await readFiles(context, (error) => void mistakes.push(error.message));
  let read: Read = { files, variables: context.variables };
  for (;;) {
    const outcome = await attempt(read, context, options);
    if (!(outcome instanceof UsageError)) return { config: outcome, mistakes };
    mistakes.push(outcome.message);
    const rest = await without(outcome, read, (one) => attempt(one, context, options));
    if (!rest) return { config: undefined, mistakes };
    read = rest;
  }
}

async function attempt(
  { files, variables }: Read,
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

/** The same without what an error is about; undefined where nothing can be left out. */
async function without(
  error: UsageError,
  read: Read,
  attempted: (read: Read) => Promise<Config | UsageError>,
): Promise<Read | undefined> {
  const { message } = error;
  const place = error instanceof ConfigMistake ? error.place : undefined;
  if (place && 'variables' in place) return withoutVariables(read, place.variables);
  const found = Object.entries(read.files).find(([, { path }]) => place?.file === path || message.startsWith(path));
  if (!found) return withoutVariables(read, /^[A-Z][A-Z\d_]+/.exec(message) ?? []);
  const [name, file] = found as [keyof ConfigFiles, ConfigFile<unknown>];
  const isOther = (outcome: Config | UsageError) => !(outcome instanceof UsageError) || outcome.message !== message;
  const having = (value: unknown): Read => ({ ...read, files: { ...read.files, [name]: { ...file, value } } });
  const keys = place ? keysOf(place, file) : [];
  // of a path that is not there as it is told, what it lies in
  for (let length = keys.length; length > 0; length--) {
    const cut = removed(file.value, keys.slice(0, length));
    if (cut === undefined) continue;
    const rest = having(cut);
    if (length === keys.length || isOther(await attempted(rest))) return rest;
  }
  // which of its parts is wrong shows by leaving each out
  for (const key of Object.keys(file.value as object)) {
    const rest = having(removed(file.value, [key]));
    if (isOther(await attempted(rest))) return rest;
  }
  const isEmpty = Object.keys(file.value as object).length === 0;
  return isEmpty ? undefined : having(Array.isArray(file.value) ? [] : {});
}

/** The way to a wrong value in a file; in a list, that to a setting of a middleware, which is named behind the file. */
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

function withoutVariables(read: Read, names: readonly string[]): Read | undefined {
  if (!names.some((name) => read.variables[name] !== undefined)) return undefined;
  const left = Object.entries(read.variables).filter(([name]) => !names.includes(name));
  return { ...read, variables: Object.fromEntries(left) };
}

/** A value without what is at a path; undefined where there is nothing. */
function removed(value: unknown, [key = '', ...rest]: readonly string[]): unknown {
  if (!Array.isArray(value) && !isTree(value)) return undefined;
  if (!Object.hasOwn(value, key)) return undefined;
  const inner = rest.length === 0 ? undefined : removed((value as Record<string, unknown>)[key], rest);
  if (rest.length > 0 && inner === undefined) return undefined;
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, index) => (String(index) !== key ? [one] : rest.length === 0 ? [] : [inner]));
  }
  const { [key]: _left, ...others } = value as Record<string, unknown>;
  return rest.length === 0 ? others : { ...others, [key]: inner };
}
