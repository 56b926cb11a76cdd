/** Resolves imports in a project's code to files. */
import { existsSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { packageOf } from '../../package-file.ts';
import { compiledFolder, placesOf, readTypeScriptConfig, type TypeScriptConfig } from './tsconfig.ts';

export class Resolver {
  readonly #config: TypeScriptConfig;
  /** Endings that an import may omit, in the order of precedence. */
  readonly #endings: readonly string[];

  /**
   * @param dir absolute path of the project.
   * @throws UsageError for a `tsconfig.json` that cannot be read.
   */
  constructor(dir: string, config: TypeScriptConfig = readTypeScriptConfig(dir)) {
    this.#config = config;
    this.#endings = [...codeEndings(dir), '.json'];
  }

  /**
   * The file of an import; undefined for a package, and if there is no such file.
   *
   * @param from absolute path of the importing module.
   */
  fileOf(name: string, from: string): string | undefined {
    if (name.startsWith('.') || isAbsolute(name)) return this.#fileAt(resolve(dirname(from), name));
    if (isBuiltin(name)) return undefined;
    // `imports` of package.json
    if (name.startsWith('#')) return resolvedByNode(name, from);
    for (const place of placesOf(name, this.#config)) {
      const file = this.#fileAt(place);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  /** A file with one of the endings, or in a folder. */
  #fileAt(place: string): string | undefined {
    const named = firstFile(this.#names(place));
    if (named !== undefined) return named;
    const main = mainOf(place);
    return firstFile([
      ...(main === undefined ? [] : [...this.#names(main), ...this.#indexes(main)]),
      ...this.#indexes(place),
    ]);
  }

  #names(place: string): string[] {
    const typed = place.replace(/\.([cm]?)js$/, '.$1ts');
    return [place, ...this.#endings.map((ending) => place + ending), ...(typed === place ? [] : [typed])];
  }

  #indexes(place: string): string[] {
    return this.#endings.map((ending) => join(place, `index${ending}`));
  }
}

const firstFile = (names: readonly string[]): string | undefined =>
  names.find((name) => statSync(name, { throwIfNoEntry: false })?.isFile());

/** The `main` of a folder's `package.json`. */
function mainOf(folder: string): string | undefined {
  const { main } = packageOf(folder);
  return typeof main === 'string' ? join(folder, main) : undefined;
}

/**
 * The file that a name in a project's configuration means: that of an installed package, or a path from the project's
 * folder, as in the reference; undefined if there is none.
 */
export function resolvedFile(dir: string, name: string): string | undefined {
  const from = join(dir, 'package.json');
  const isPath = name.startsWith('.') || isAbsolute(name);
  const installed = isPath ? undefined : resolvedByNode(name, from);
  if (installed !== undefined) return installed;
  const resolver = new Resolver(dir);
  return resolver.fileOf(resolve(dir, name), from) ?? resolver.fileOf(resolve(dir, compiledFolder(dir), name), from);
}

/** The file that Node would load for a name; undefined if there is none. */
function resolvedByNode(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

const TYPED = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs', '.cts', '.cjs'] as const;
const PLAIN = ['.js', '.jsx', '.cjs', '.mjs', '.ts', '.tsx', '.mts', '.cts'] as const;

/**
 * Endings of code files in the order of precedence: TypeScript first in a TypeScript project, else JavaScript.
 *
 * @param dir the project's folder.
 */
export function codeEndings(dir: string): readonly string[] {
  return existsSync(join(dir, 'tsconfig.json')) ? TYPED : PLAIN;
}

/** Code files that another file of the same name replaces. JSON takes precedence over code. */
export function overshadowed(dir: string, paths: readonly string[]): Set<string> {
  const order = ['.json', ...codeEndings(dir)];
  const rank = (path: string): number => order.findIndex((ending) => path.endsWith(ending));
  const groups = Map.groupBy(
    paths.filter((path) => rank(path) >= 0 && !path.endsWith('.d.ts')),
    (path) => path.slice(0, -order[rank(path)]!.length),
  );
  const replaced = [...groups.values()].flatMap((same) => same.sort((a, b) => rank(a) - rank(b)).slice(1));
  return new Set(replaced);
}
