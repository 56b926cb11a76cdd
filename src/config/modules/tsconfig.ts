/** The settings of a project's `tsconfig.json` that matter for running its code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { isObject } from '../../plain-values.ts';

/** An entry of `paths`: `@/*` and its places below the folder of the file. */
export interface PathAlias {
  readonly before: string;
  readonly behind: string;
  /** Absolute paths, with `*` as in the pattern. */
  readonly places: readonly string[];
}

export interface TypeScriptConfig {
  readonly aliases: readonly PathAlias[];
  /** `baseUrl` as an absolute path; undefined: names of modules are packages. */
  readonly base: string | undefined;
  /** Absolute path of the compiled files. */
  readonly outDir: string | undefined;
  /** Options that change the behaviour of code, with their own names. */
  readonly options: Readonly<Record<string, unknown>>;
}

const NOTHING: TypeScriptConfig = { aliases: [], base: undefined, outDir: undefined, options: {} };
const BEHAVIOUR = ['experimentalDecorators', 'useDefineForClassFields', 'jsx', 'jsxFactory', 'jsxImportSource'];
/** The greatest length of a chain of `extends`. */
const DEPTH = 8;

interface TsconfigJson {
  readonly extends?: unknown;
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
}

/**
 * Reads the `tsconfig.json` of a folder and those of the project that it extends.
 *
 * @throws UsageError for a file that is not JSON with comments.
 */
export function readTypeScriptConfig(dir: string): TypeScriptConfig {
  return read(join(dir, 'tsconfig.json'), DEPTH);
}

function read(file: string, depth: number): TypeScriptConfig {
  if (depth === 0 || !existsSync(file)) return NOTHING;
  const own = parse(file);
  const below: TypeScriptConfig = Object.assign({}, NOTHING, ...extended(file, own).map((one) => read(one, depth - 1)));
  const { baseUrl, paths, outDir } = own.compilerOptions ?? {};
  const base = typeof baseUrl === 'string' ? resolve(dirname(file), baseUrl) : below.base;
  const options = Object.entries(own.compilerOptions ?? {}).filter(([name]) => BEHAVIOUR.includes(name));
  return {
    base,
    outDir: typeof outDir === 'string' ? resolve(dirname(file), outDir) : below.outDir,
    aliases: isObject(paths) ? aliasesOf(paths, base ?? dirname(file)) : below.aliases,
    options: { ...below.options, ...Object.fromEntries(options) },
  };
}

/** The extended files of the project. Those of packages have no settings that matter here. */
function extended(file: string, own: TsconfigJson): string[] {
  const names = [own.extends].flat().filter((name): name is string => typeof name === 'string');
  return names
    .filter((name) => name.startsWith('.'))
    .map((name) => resolve(dirname(file), name.endsWith('.json') ? name : `${name}.json`));
}

function aliasesOf(paths: object, base: string): PathAlias[] {
  const aliases = Object.entries(paths).map(([pattern, places]) => {
    const [before = '', behind] = pattern.split('*', 2);
    const listed = Array.isArray(places) ? places.filter((place) => typeof place === 'string') : [];
    return { before, behind: behind ?? '\0', places: listed.map((place) => resolve(base, place)) };
  });
  // the longest prefix takes precedence
  return aliases.sort((a, b) => b.before.length - a.before.length);
}

/** The absolute paths, without endings, that a module name may mean according to the configuration. */
export function placesOf(name: string, { aliases, base }: TypeScriptConfig): string[] {
  const places: string[] = [];
  for (const { before, behind, places: written } of aliases) {
    if (behind === '\0') {
      if (name === before) places.push(...written);
    } else if (name.startsWith(before) && name.endsWith(behind) && name.length >= before.length + behind.length) {
      const middle = name.slice(before.length, name.length - behind.length);
      places.push(...written.map((place) => place.replace('*', () => middle)));
    }
  }
  return base === undefined ? places : [...places, join(base, name)];
}

function parse(file: string): TsconfigJson {
  try {
    const value: unknown = JSON.parse(withoutComments(readFileSync(file, 'utf8').replace(/^\ufeff/, '')));
    return isObject(value) ? value : {};
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}

/** JSON without comments and trailing commas. */
const withoutComments = (text: string): string =>
  text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_whole, string: string | undefined) => string ?? '')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_whole, string: string | undefined) => string ?? '');

const CODE = /\.[cm]?[jt]sx?$/;
const TYPED = /\.[cm]?tsx?$/;

/**
 * The `outDir` of a project's `tsconfig.json`; `dist` if there is none, or if it is not a folder inside the project.
 *
 * @throws UsageError for a `tsconfig.json` that is not JSON with comments.
 */
export function compiledFolder(dir: string): string {
  const { outDir } = readTypeScriptConfig(dir);
  const folder = outDir === undefined ? '' : relative(resolve(dir), outDir).replaceAll('\\', '/');
  return folder === '' || folder.startsWith('..') || isAbsolute(folder) ? 'dist' : folder;
}

/**
 * Whether compiled files of a folder are used if their sources are gone. They are not if the folder has JavaScript, which
 * is not compiled; `tsconfig.json` may be gone with the sources.
 *
 * @param own paths of the folder's files.
 */
export function isCompiled(dir: string, own: readonly string[]): boolean {
  if (existsSync(join(dir, 'tsconfig.json'))) return true;
  return own.every((path) => !CODE.test(path) || TYPED.test(path));
}

/** The folder with the compiled `src` of a project; undefined if it is not used. */
export function compiledSources(dir: string): string | undefined {
  const folder = join(dir, 'src');
  const own = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return isCompiled(dir, own) ? `${compiledFolder(dir)}/src` : undefined;
}

/** The folders with a project's configuration, with forward slashes, in the order of precedence. */
export function configFolders(dir: string): readonly string[] {
  const folder = join(dir, 'config');
  const own = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return isCompiled(dir, own) ? ['config', `${compiledFolder(dir)}/config`] : ['config'];
}
