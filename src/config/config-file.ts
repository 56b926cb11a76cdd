/**
 * Finds and evaluates the files of a project's `config` folder, or what they were compiled to. A file exports an object (or, for middlewares, an
 * array) or a function of `{ env }` that gives one; `config/env/<NODE_ENV>/<name>` is merged over `config/<name>`.
 */
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../errors.ts';
import type { EnvFunction, Variables } from './env-helper.ts';
import { overshadowed } from './modules/endings.ts';
import { messageWithPlace } from './modules/error-place.ts';
import type { ModuleLoader } from './modules/loader.ts';

export const EXTENSIONS = ['.js', '.cjs', '.mjs', '.ts', '.json'] as const;

export type Tree = Readonly<Record<string, unknown>>;

/** One evaluated configuration file, its environment's variant merged in. */
export interface ConfigFile<Value = Tree> {
  /** For messages: `config/server.js`, or both paths when an environment's file was merged in. */
  readonly path: string;
  readonly value: Value;
}

/** The evaluated files of a project's `config` folder. */
export interface ConfigFiles {
  readonly server: ConfigFile;
  readonly api: ConfigFile;
  readonly database: ConfigFile;
  readonly admin: ConfigFile;
  readonly plugins: ConfigFile;
  readonly features: ConfigFile;
  readonly galley: ConfigFile;
  readonly middlewares: ConfigFile<readonly unknown[]>;
}

/** What evaluating a file needs to know. */
export interface EvaluationContext {
  /** Absolute path of the project. */
  readonly dir: string;
  /** Paths of the folders that have the configuration: a file of the first one counts before one of the next. */
  readonly folders: readonly string[];
  readonly env: EnvFunction;
  readonly variables: Variables;
  /** `NODE_ENV`, or `development` as in Strapi. */
  readonly environment: string;
  /** Loads the files, and what they import. */
  readonly loader: ModuleLoader;
}

/**
 * The object that `config/<name>` and `config/env/<NODE_ENV>/<name>` give together; an empty one when neither exists.
 * Throws UsageError, naming the file, when one of them throws, exists twice or gives no object.
 */
export async function readConfigFile(name: string, context: EvaluationContext): Promise<ConfigFile> {
  const { path, values } = await readBoth(name, context, { accepts: isTree, expected: 'an object' });
  return { path, value: values.reduce<Tree>((base, over) => mergeTrees(base, over, 'merged'), {}) };
}

/**
 * As readConfigFile for a file of our own. It must export something, as `example` says of its path, and its lists say
 * what is open: an environment's take the place of others, as a whole.
 */
export async function readOwnConfigFile(
  name: string,
  context: EvaluationContext,
  example: (path: string) => string,
): Promise<ConfigFile> {
  const { path, values } = await readBoth(name, context, { accepts: isTree, expected: 'an object', example });
  return { path, value: values.reduce<Tree>((base, over) => mergeTrees(base, over, 'replaced'), {}) };
}

/** Whatever a file that only the project's code reads gives; an environment's object is merged over it. */
export async function readConfigValue(name: string, context: EvaluationContext): Promise<unknown> {
  const accepts = (_value: unknown): _value is unknown => true;
  const { values } = await readBoth(name, context, { accepts, expected: 'anything' });
  return values.reduce((base, over) => mergeValues(base, over, 'merged'), undefined);
}

/** As readConfigFile for `config/middlewares`, which gives an array; an environment's is merged over it, entry by entry. */
export async function readConfigList(
  name: string,
  context: EvaluationContext,
): Promise<ConfigFile<readonly unknown[]>> {
  const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
  const { path, values } = await readBoth(name, context, { accepts: isList, expected: 'an array' });
  return { path, value: values.reduce<readonly unknown[]>((base, over) => mergeLists(base, over), []) };
}

/** Whether a value is an object with keys, not an array, date or the like. */
export function isTree(value: unknown): value is Tree {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // JSON and the vm give objects whose prototype is plain, possibly of another realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

interface Wanted<Value> {
  readonly accepts: (value: unknown) => value is Value;
  /** What that is, in words. */
  readonly expected: string;
  /** What may be written into a file, where one that exports nothing is a mistake. */
  readonly example?: (path: string) => string;
}

/** What a file gives that exports nothing at all. */
const NOTHING = Symbol('nothing');

async function readBoth<Value>(
  name: string,
  context: EvaluationContext,
  { accepts, expected, example }: Wanted<Value>,
): Promise<{ path: string; values: Value[] }> {
  const paths: string[] = [];
  const values: Value[] = [];
  for (const inner of ['', join('env', context.environment)]) {
    const file = findFile(inner === '' ? context : environmentOf(context, name), inner, name);
    if (!file) continue;
    const path = relative(context.dir, file).split(sep).join('/');
    const exported = await evaluate(file, path, context);
    const right = example ? `: ${example(path)}` : '';
    if (exported === NOTHING && example) throw new UsageError(`${path}: exports nothing; write${right}`);
    const value = exported === NOTHING ? {} : exported;
    if (!accepts(value))
      throw new UsageError(`${path}: must export ${expected}, or a function that returns one${right}`);
    paths.push(path);
    values.push(value);
  }
  return { path: paths.join(' with ') || `config/${name}`, values };
}

/**
 * Where the file of an environment is looked for: what it was once compiled to does not count where the project still has
 * the sources of others, or of what it would be merged over.
 */
function environmentOf(context: EvaluationContext, name: string): Pick<EvaluationContext, 'dir' | 'folders'> {
  const { dir, folders } = context;
  const [own] = folders;
  const hasSources = own !== undefined && (existsSync(join(dir, own, 'env')) || fileIn(dir, own, name) !== undefined);
  return hasSources ? { dir, folders: [own] } : context;
}

function findFile(
  { dir, folders }: Pick<EvaluationContext, 'dir' | 'folders'>,
  inner: string,
  name: string,
): string | undefined {
  for (const folder of folders) {
    const file = fileIn(dir, join(folder, inner), name);
    if (file !== undefined) return file;
  }
  return undefined;
}

function fileIn(dir: string, folder: string, name: string): string | undefined {
  const present = EXTENSIONS.map((extension) => join(dir, folder, name + extension)).filter((file) => existsSync(file));
  const others = overshadowed(
    dir,
    present.filter((file) => /\.[jt]s$/.test(file)),
  );
  const found = present.filter((file) => !others.has(file));
  if (found.length > 1) {
    const paths = found.map((file) => relative(dir, file).split(sep).join('/'));
    throw new UsageError(`${paths.join(' and ')} both exist: keep one`);
  }
  return found[0];
}

/** Configurations that are being evaluated take turns: they share `process.env` and two globals. */
let turn: Promise<unknown> = Promise.resolve();

function evaluate(file: string, path: string, context: EvaluationContext): Promise<unknown> {
  const result = turn.then(async () => {
    const restore = lendVariables(context);
    try {
      const exported = await load(file, context);
      return typeof exported === 'function' ? await exported({ env: context.env }) : exported;
    } catch (error) {
      // a configuration that cannot be read is wrong use, whatever keeps it from being read
      if (error instanceof UsageError) throw new UsageError(error.message);
      const stack = context.loader.stackOf(error);
      throw new UsageError(messageWithPlace(error, stack, file, context.dir, path));
    } finally {
      restore();
    }
  });
  turn = result.catch(() => undefined);
  return result;
}

/** ES modules by name may wait at their top level, and are loaded by Node. */
async function load(file: string, { loader }: EvaluationContext): Promise<unknown> {
  if (file.endsWith('.mjs')) return defaultOf(await import(pathToFileURL(file).href));
  const exported = loader.load(file);
  return loader.exportsNothing(file) ? NOTHING : defaultOf(exported);
}

function defaultOf(exported: unknown): unknown {
  if (typeof exported !== 'object' || exported === null) return exported;
  const isModule = (exported as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] === 'Module';
  if (!isModule && !('__esModule' in exported)) return exported;
  if ('default' in exported) return exported.default;
  if (Object.keys(exported).length === 0) return NOTHING;
  throw new Error('has no default export');
}

/** Lends a configuration file the variables of `.env` in `process.env`, and gives back a function that takes them away. */
function lendVariables({ variables }: EvaluationContext): () => void {
  const added = Object.keys(variables).filter((key) => process.env[key] === undefined);
  for (const key of added) process.env[key] = variables[key];
  return () => {
    for (const key of added) delete process.env[key];
  };
}

/** Whether lists are merged entry by entry, as Strapi does, or one takes the place of the other. */
type Lists = 'merged' | 'replaced';

/** Merges as Strapi does: what is undefined leaves what it would go over. */
function mergeTrees(base: Tree, over: Tree, lists: Lists): Tree {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = mergeValues(merged[key], value, lists);
  return merged;
}

function mergeValues(below: unknown, value: unknown, lists: Lists): unknown {
  if (value === undefined) return below;
  if (isTree(below) && isTree(value)) return mergeTrees(below, value, lists);
  const areLists = Array.isArray(below) && Array.isArray(value);
  return areLists && lists === 'merged' ? mergeLists(below, value) : value;
}

/** Entries of a longer list stay behind those of a shorter one that goes over it. */
function mergeLists(base: readonly unknown[], over: readonly unknown[]): readonly unknown[] {
  const length = Math.max(base.length, over.length);
  return Array.from({ length }, (_, index) => mergeValues(base[index], over[index], 'merged'));
}
