/**
 * Loads the code of a project as Strapi runs it: as CommonJS modules, whatever they are written in. Each loader reads
 * everything anew, so that a project that is reloaded gets what its files say now. Packages are Node's matter.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import { UsageError } from '../../errors.ts';
import { absentPackage, packageOfImport } from './absent.ts';
import { Resolver } from './resolver.ts';
import { inSources } from './stack.ts';
import { Transformer } from './transform.ts';
import { readTypeScriptConfig } from './tsconfig.ts';

/** A module as its own code knows it. */
interface LoadedModule {
  exports: unknown;
  readonly id: string;
  readonly filename: string;
  loaded: boolean;
  /** What it exports as long as it says nothing. */
  readonly nothing: object;
  /** A package that it, or what it imports, goes without, and what would have been thrown. */
  missed?: { readonly name: string; readonly path: string; readonly error: unknown };
}

export interface LoaderOptions {
  /** Absolute path of the project. */
  readonly dir: string;
  /** What stands for packages, by name: undefined for those that are loaded. */
  readonly substitute?: (name: string) => unknown;
  /** What stands for packages that are not installed, by name: undefined for those that are missed. */
  readonly standIn?: (name: string) => unknown;
  /** What is thrown instead of loading a file, by its absolute path; undefined: nothing. */
  readonly refusal?: (file: string) => Error | undefined;
  /**
   * Whether a file goes without a package that is not installed; left out: none does. What it imports goes without them
   * as well. Paths are those in the project.
   *
   * @param loaded the file that was asked for; `path`: the one that imports the package.
   */
  readonly goesWithout?: (name: string, loaded: string, path: string) => boolean;
  /** What the free name `strapi` is in every module; left out: undefined, until it is given. */
  readonly strapi?: unknown;
  /** Runs the code of a module. What it throws keeps the module from being loaded. */
  readonly running?: (run: () => void) => void;
  /** Values of other free names, in place of those that Node gives them. */
  readonly globals?: Readonly<Record<string, unknown>>;
}

const NAMES = ['exports', 'require', 'module', '__filename', '__dirname', '__moduleUrl'];

/** What gives a module its `strapi`, and what runs it. */
type Made = readonly [(strapi: unknown) => void, (...names: unknown[]) => void];

export class ModuleLoader {
  readonly #dir: string;
  readonly #options: LoaderOptions;
  readonly #modules = new Map<string, LoadedModule>();
  readonly #resolver: Resolver;
  readonly #transformer: Transformer;
  readonly #nodeRequire: NodeJS.Require;
  /** Modules that are being run, each asked for by the one before. */
  readonly #loading: LoadedModule[] = [];
  #strapi: unknown;
  /** What gives `strapi` to the modules that have been run. */
  readonly #givers: ((strapi: unknown) => void)[] = [];
  /** What stands before the code of a module. */
  readonly #opening: string;

  /** @throws UsageError for a `tsconfig.json` that cannot be read. */
  constructor(options: LoaderOptions) {
    this.#dir = options.dir;
    this.#options = options;
    this.#strapi = options.strapi;
    const names = [...NAMES, ...Object.keys(options.globals ?? {})].join(', ');
    this.#opening = `(function (strapi) { return [(given) => { strapi = given; }, function (${names}) {`;
    const config = readTypeScriptConfig(options.dir);
    this.#resolver = new Resolver(options.dir, config);
    this.#transformer = new Transformer(options.dir, config);
    this.#nodeRequire = createRequire(import.meta.url);
  }

  /** Has the free name `strapi` mean something from now on, in modules that have been loaded as well. */
  give(strapi: unknown): void {
    this.#strapi = strapi;
    for (const give of this.#givers) give(strapi);
  }

  /**
   * Makes files ready, which saves time where there are many.
   *
   * @param files absolute paths.
   * @throws UsageError for a file with a mistake, with its line.
   */
  prepare(files: readonly string[]): Promise<void> {
    return this.#transformer.prepare(files);
  }

  /**
   * What a file exports, run once.
   *
   * @throws UsageError for a file with a mistake; whatever its code throws.
   */
  load(file: string): unknown {
    const known = this.#modules.get(file);
    if (known) return this.#requireWhole(known).exports;
    const refusal = this.#options.refusal?.(file);
    if (refusal) throw refusal;
    const nothing = {};
    const module: LoadedModule = { exports: nothing, id: file, filename: file, loaded: false, nothing };
    this.#modules.set(file, module);
    this.#loading.push(module);
    try {
      if (file.endsWith('.json')) module.exports = this.#json(file);
      else this.#options.running ? this.#options.running(() => this.#run(file, module)) : this.#run(file, module);
      module.loaded = true;
    } catch (error) {
      this.#modules.delete(file);
      throw error;
    } finally {
      this.#loading.pop();
    }
    return module.exports;
  }

  /** @throws what a module has gone without, where whoever asks for it does not. */
  #requireWhole(module: LoadedModule): LoadedModule {
    const { missed } = module;
    if (missed && !this.#goesWithout(missed)) throw missed.error;
    return module;
  }

  /** Whether what is being loaded goes without a package, as all of it does from now on. */
  #goesWithout(missed: NonNullable<LoadedModule['missed']>): boolean {
    const { name, path } = missed;
    const [first] = this.#loading;
    if (!this.#options.goesWithout?.(name, first ? this.pathOf(first.filename) : path, path)) return false;
    for (const module of this.#loading) module.missed ??= missed;
    return true;
  }

  /** What a file exports by default: of a module that was no ES module, everything. */
  loadDefault(file: string): unknown {
    const exported = this.load(file);
    return isReference(exported) && '__esModule' in exported ? (exported as { default?: unknown }).default : exported;
  }

  /** Whether a file that was loaded exports nothing at all. */
  exportsNothing(file: string): boolean {
    const { exports, nothing } = this.#modules.get(file)!;
    return exports === nothing && Reflect.ownKeys(nothing).length === 0;
  }

  /** The file that a name means in a module of the project; undefined for a package. */
  resolve(name: string, from: string): string | undefined {
    return this.#resolver.fileOf(name, from);
  }

  /** The stack of an error in the lines of the sources; the error itself as text where it has none. */
  stackOf(error: unknown): string {
    const { stack } = (error ?? {}) as { stack?: unknown };
    return typeof stack === 'string' ? inSources(stack, (file) => this.#transformer.mapOf(file)) : String(error);
  }

  /** An error for the log, with its stack in the lines of the sources. */
  inSources(error: Error): object {
    const { name, message, code } = error as NodeJS.ErrnoException;
    return { name, message, code, stack: this.stackOf(error) };
  }

  /** Where in the project an error was thrown: `src/index.ts:3`; undefined where the project has no part in it. */
  placeOf(error: unknown): string | undefined {
    for (const [, file, line] of this.stackOf(error).matchAll(/(\/[^\s():]+|[A-Za-z]:\\[^\s():]+):(\d+):\d+/g)) {
      if (this.#isOwn(file!)) return `${this.pathOf(file!)}:${line}`;
    }
    return undefined;
  }

  /** The path of a file inside the project, with forward slashes. */
  pathOf(file: string): string {
    return relative(this.#dir, file).split(sep).join('/');
  }

  #isOwn(file: string): boolean {
    return file.startsWith(this.#dir + sep) && !file.includes(`${sep}node_modules${sep}`);
  }

  #json(file: string): unknown {
    try {
      return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
    } catch (error) {
      const { message } = error as Error;
      const line = /\(line (\d+) column \d+\)/.exec(message)?.[1];
      throw new UsageError(`${this.pathOf(file)}${line === undefined ? '' : `:${line}`}: ${message}`, 1);
    }
  }

  #run(file: string, module: LoadedModule): void {
    const { code } = this.#transformer.of(file, () => this.#nodeRequire('esbuild').transformSync);
    const script = this.#compile(file, `${this.#opening}${code}\n}]; })`);
    const make = script.runInThisContext() as (strapi: unknown) => Made;
    const { exports } = module;
    const require = this.#requireOf(file, module);
    const [give, run] = make(this.#strapi);
    this.#givers.push(give);
    const globals = Object.values(this.#options.globals ?? {});
    run.call(exports, exports, require, module, file, this.#folderOf(file), pathToFileURL(file).href, ...globals);
  }

  #compile(filename: string, text: string): Script {
    try {
      const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
      return new Script(text, { filename, columnOffset: -this.#opening.length, importModuleDynamically });
    } catch (error) {
      const { message, stack = '' } = error as Error;
      const [, line] = /^[^\n]*:(\d+)\n/.exec(stack) ?? [];
      throw new UsageError(`${this.pathOf(filename)}${line === undefined ? '' : `:${line}`}: ${message}`, 1);
    }
  }

  /** TypeScript counts its folder from `dist`, where Strapi compiles it to. */
  #folderOf(file: string): string {
    const folder = dirname(file);
    return /^\.[cm]?tsx?$/.test(extname(file)) ? join(this.#dir, 'dist', relative(this.#dir, folder)) : folder;
  }

  #requireOf(file: string, module: LoadedModule): NodeJS.Require {
    const nodes = createRequire(file);
    const require = (name: string): unknown => {
      const substitute = this.#options.substitute?.(name);
      if (substitute !== undefined) return substitute;
      const own = this.resolve(name, file);
      if (own !== undefined && this.#isOwn(own)) return this.load(own);
      try {
        return nodes(name);
      } catch (error) {
        const { code, requireStack } = error as NodeJS.ErrnoException & { requireStack?: readonly string[] };
        const isAbsent = code === 'MODULE_NOT_FOUND' && requireStack?.[0] === file && /^[\w@]/.test(name);
        const standIn = isAbsent ? this.#options.standIn?.(name) : undefined;
        if (standIn !== undefined) return standIn;
        const missing = packageOfImport(name);
        if (isAbsent && this.#goesWithout({ name: missing, path: this.pathOf(file), error }))
          return absentPackage(missing);
        // what Node itself has called would fill the stack, and leave no room for the file that asks
        if (requireStack?.[0] === file) Error.captureStackTrace(error as Error, require);
        throw error;
      }
    };
    const resolved = (name: string, options?: { paths?: string[] }): string =>
      this.resolve(name, file) ?? nodes.resolve(name, options);
    return Object.assign(require, {
      resolve: Object.assign(resolved, { paths: nodes.resolve.paths }),
      cache: {},
      extensions: {},
      main: module,
    }) as unknown as NodeJS.Require;
  }
}

const isReference = (value: unknown): value is object => typeof value === 'object' && value !== null;
