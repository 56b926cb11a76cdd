/**
 * Finds and evaluates the files of a project's `config` folder, or their compiled versions. A file exports an object (or,
 * for middlewares, an array) or a function of `{ env }` that returns one; `config/env/<NODE_ENV>/<name>` is merged over
 * `config/<name>`.
 */
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../errors.ts';
import type { EnvFunction, Variables } from './environment.ts';
import { messageWithPlace } from './modules/error-stacks.ts';
import type { ModuleLoader } from './modules/loader.ts';
import { overshadowed } from './modules/resolver.ts';

export const EXTENSIONS = ['.js', '.cjs', '.mjs', '.ts', '.json'] as const;

export type Tree = Readonly<Record<string, unknown>>;

/** An evaluated configuration file, merged with the file of the environment. */
export interface ConfigFile<Value = Tree> {
  /** For messages: `config/server.js`, or both paths if the environment has a file too. */
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

/** What the evaluation of a file depends on. */
export interface EvaluationContext {
  /** Absolute path of the project. */
  readonly dir: string;
  /** Paths of the folders with configuration files; a file in an earlier folder takes precedence. */
  readonly folders: readonly string[];
  readonly env: EnvFunction;
  readonly variables: Variables;
  /** `NODE_ENV`, or `development` as in Strapi. */
  readonly environment: string;
  /** Loads the files and their imports. */
  readonly loader: ModuleLoader;
}

/**
 * The merged object of `config/<name>` and `config/env/<NODE_ENV>/<name>`; empty if neither exists.
 *
 * @throws UsageError, naming the file, if one of them throws, exists twice or exports no object.
 */
export async function readConfigFile(name: string, context: EvaluationContext): Promise<ConfigFile> {
  const { path, values } = await readBoth(name, context, { accepts: isTree, expected: 'an object' });
  return { path, value: values.reduce<Tree>((base, over) => mergeTrees(base, over, 'merged'), {}) };
}

/**
 * Reads a file of Galley's own, like `readConfigFile`. It must export something, and lists of the environment replace
 * others as a whole, since they say which actions are open.
 *
 * @param example the text of such a file at a path, for messages.
 */
export async function readOwnConfigFile(
  name: string,
  context: EvaluationContext,
  example: (path: string) => string,
): Promise<ConfigFile> {
  const { path, values } = await readBoth(name, context, { accepts: isTree, expected: 'an object', example });
  return { path, value: values.reduce<Tree>((base, over) => mergeTrees(base, over, 'replaced'), {}) };
}

/** The value of a file that only code of the project uses; an object of the environment is merged over it. */
export async function readConfigValue(name: string, context: EvaluationContext): Promise<unknown> {
  const accepts = (_value: unknown): _value is unknown => true;
  const { values } = await readBoth(name, context, { accepts, expected: 'anything' });
  return values.reduce((base, over) => mergeValues(base, over, 'merged'), undefined);
}

/** Reads `config/middlewares`, which exports an array, like `readConfigFile`; lists are merged entry by entry. */
export async function readConfigList(
  name: string,
  context: EvaluationContext,
): Promise<ConfigFile<readonly unknown[]>> {
  const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
  const { path, values } = await readBoth(name, context, { accepts: isList, expected: 'an array' });
  return { path, value: values.reduce<readonly unknown[]>((base, over) => mergeLists(base, over), []) };
}

/** Whether a value is a plain object, not an array, date or the like. */
export function isTree(value: unknown): value is Tree {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // objects from JSON and the vm have a plain prototype, possibly of another realm
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

interface Expectation<Value> {
  readonly accepts: (value: unknown) => value is Value;
  /** The expected value in words. */
  readonly expected: string;
  /** An example of the file's text; if given, a file that exports nothing is an error. */
  readonly example?: (path: string) => string;
}

/** The value of a file that exports nothing. */
const NOTHING = Symbol('nothing');

async function readBoth<Value>(
  name: string,
  context: EvaluationContext,
  { accepts, expected, example }: Expectation<Value>,
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
 * The folders that may have the file of an environment. The compiled folder is ignored if the sources have an `env` folder
 * or the file that the environment's would be merged over.
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
  const candidates = present.filter((file) => !others.has(file));
  if (candidates.length > 1) {
    const paths = candidates.map((file) => relative(dir, file).split(sep).join('/'));
    throw new UsageError(`${paths.join(' and ')} both exist: keep one`);
  }
  return candidates[0];
}

/** Files are evaluated one after another, since they share `process.env` and two globals. */
let turn: Promise<unknown> = Promise.resolve();

function evaluate(file: string, path: string, context: EvaluationContext): Promise<unknown> {
  const result = turn.then(async () => {
    const restore = lendVariables(context);
    try {
      const exported = await load(file, context);
      return typeof exported === 'function' ? await exported({ env: context.env }) : exported;
    } catch (error) {
      // exit code 2: an unreadable configuration is a usage error whatever its cause
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

/** Node loads `.mjs` files, which may use top-level await. */
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

/** Sets the variables of `.env` in `process.env`. Returns a function that removes them again. */
function lendVariables({ variables }: EvaluationContext): () => void {
  const added = Object.keys(variables).filter((key) => process.env[key] === undefined);
  for (const key of added) process.env[key] = variables[key];
  return () => {
    for (const key of added) delete process.env[key];
  };
}

/** Lists are merged entry by entry, as in Strapi, or replaced. */
type Lists = 'merged' | 'replaced';

/** Merges as Strapi does: undefined values do not replace others. */
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

/** Merges entry by entry; the rest of the longer list stays. */
function mergeLists(base: readonly unknown[], over: readonly unknown[]): readonly unknown[] {
  const length = Math.max(base.length, over.length);
  return Array.from({ length }, (_, index) => mergeValues(base[index], over[index], 'merged'));
}
