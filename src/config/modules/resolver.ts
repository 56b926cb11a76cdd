/** Which file a name in an import of a project's code means. */
import { readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { compiledFolder } from './compiled.ts';
import { codeEndings } from './endings.ts';
import { placesOf, readTypeScriptConfig, type TypeScriptConfig } from './tsconfig.ts';

export class Resolver {
  readonly #config: TypeScriptConfig;
  /** Endings that a name in an import may lack, those first that are looked for first. */
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
   * The file that a name means in a module; undefined for a package, and for what is not there.
   *
   * @param from absolute path of the module.
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

  /** The file at a place: with one of the endings of code, or in the folder of that name. */
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

/** What the `package.json` of a folder says is to be loaded for the folder. */
function mainOf(folder: string): string | undefined {
  const file = join(folder, 'package.json');
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    const { main } = JSON.parse(readFileSync(file, 'utf8')) as { main?: unknown };
    return typeof main === 'string' ? join(folder, main) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The file that a project's configuration means by a name: that of an installed package, or by a path from the project's
 * folder, as the reference looks for it; undefined where there is neither.
 */
export function resolvedFile(dir: string, name: string): string | undefined {
  const from = join(dir, 'package.json');
  const isPath = name.startsWith('.') || isAbsolute(name);
  const installed = isPath ? undefined : resolvedByNode(name, from);
  if (installed !== undefined) return installed;
  const resolver = new Resolver(dir);
  return resolver.fileOf(resolve(dir, name), from) ?? resolver.fileOf(resolve(dir, compiledFolder(dir), name), from);
}

/** The file that Node would load for a name; undefined where it knows none. */
export function resolvedByNode(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
