/**
 * Loads the code of a project as CommonJS modules, as Strapi does, from JavaScript or TypeScript. Each loader reads all
 * files again, so that a reload uses the current ones. Packages are loaded by Node.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import { UsageError } from '../../errors.ts';
import { inSources } from './error-stacks.ts';
import { Resolver } from './resolver.ts';
import { Transformer } from './transform.ts';
import { readTypeScriptConfig } from './tsconfig.ts';

/** A module as CommonJS code sees it. */
interface LoadedModule {
  exports: unknown;
  readonly id: string;
  readonly filename: string;
  loaded: boolean;
  /** Its initial `exports`. */
  readonly nothing: object;
  /** A package that it or its imports lack, and the error of loading it. */
  missed?: { readonly name: string; readonly path: string; readonly error: unknown };
}

export interface LoaderOptions {
  /** Absolute path of the project. */
  readonly dir: string;
  /** Absolute paths of packages whose code is loaded as that of the project. */
  readonly packages?: readonly string[];
  /** Replaces packages, by name; undefined for those that are loaded. */
  readonly substitute?: (name: string) => unknown;
  /** Replaces packages that are not installed, by name; undefined for those that are missing. */
  readonly standIn?: (name: string) => unknown;
  /** An error to throw instead of loading a file, by its absolute path. */
  readonly refusal?: (file: string) => Error | undefined;
  /**
   * Whether a file is loaded although a package that it or its imports need is not installed (default: no). Paths are
   * relative to the project.
   *
   * @param loaded the file that was requested; `path`: the file that imports the package.
   */
  readonly mayLack?: (name: string, loaded: string, path: string) => boolean;
  /** The value of the free name `strapi` in every module, until `give` changes it. */
  readonly strapi?: unknown;
  /** Runs the code of a module; an error prevents the module from being loaded. */
  readonly running?: (run: () => void) => void;
  /** Values of other free names, which replace those of Node. */
  readonly globals?: Readonly<Record<string, unknown>>;
}

const NAMES = ['exports', 'require', 'module', '__filename', '__dirname', '__moduleUrl'];

/** A compiled module: a function that sets its `strapi`, and one that runs it. */
type CompiledModule = readonly [(strapi: unknown) => void, (...names: unknown[]) => void];

export class ModuleLoader {
  readonly #dir: string;
  readonly #options: LoaderOptions;
  readonly #modules = new Map<string, LoadedModule>();
  readonly #resolver: Resolver;
  readonly #transformer: Transformer;
  readonly #nodeRequire: NodeJS.Require;
  /** Modules being run; each was requested by the one before. */
  readonly #loading: LoadedModule[] = [];
  #strapi: unknown;
  /** Functions that set `strapi` in the modules that have run. */
  readonly #setters: ((strapi: unknown) => void)[] = [];
  /** The text before the code of a module. */
  readonly #opening: string;

  /** @throws UsageError for a `tsconfig.json` that cannot be read. */
  constructor(options: LoaderOptions) {
    this.#dir = options.dir;
    this.#options = options;
    this.#strapi = options.strapi;
    const names = [...NAMES, ...Object.keys(options.globals ?? {})].join(', ');
    this.#opening = `(function (strapi) { return [(value) => { strapi = value; }, function (${names}) {`;
    const config = readTypeScriptConfig(options.dir);
    this.#resolver = new Resolver(options.dir, config);
    this.#transformer = new Transformer(options.dir, config);
    this.#nodeRequire = createRequire(import.meta.url);
  }

  /** Sets the free name `strapi`, also in modules that are already loaded. */
  give(strapi: unknown): void {
    this.#strapi = strapi;
    for (const set of this.#setters) set(strapi);
  }

  /**
   * Transforms files in advance, which is faster for many files.
   *
   * @param files absolute paths.
   * @throws UsageError with the line of a syntax error.
   */
  prepare(files: readonly string[]): Promise<void> {
    return this.#transformer.prepare(files);
  }

  /**
   * Runs a file once and returns its exports.
   *
   * @throws UsageError for a syntax error; errors of its code.
   */
  load(file: string): unknown {
    const existing = this.#modules.get(file);
    if (existing) return this.#requireComplete(existing).exports;
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

  /** @throws the error of a missing package, unless the current load may lack it too. */
  #requireComplete(module: LoadedModule): LoadedModule {
    const { missed } = module;
    if (missed && !this.#mayLack(missed)) throw missed.error;
    return module;
  }

  /** Whether the current load may lack a package; if so, its modules are marked as lacking it. */
  #mayLack(missed: NonNullable<LoadedModule['missed']>): boolean {
    const { name, path } = missed;
    const [first] = this.#loading;
    if (!this.#options.mayLack?.(name, first ? this.pathOf(first.filename) : path, path)) return false;
    for (const module of this.#loading) module.missed ??= missed;
    return true;
  }

  /** Absolute paths of the files that are loaded. */
  get loadedFiles(): readonly string[] {
    return [...this.#modules.keys()];
  }

  /** The default export of a file; all exports of a CommonJS module. */
  loadDefault(file: string): unknown {
    const exported = this.load(file);
    return isReference(exported) && '__esModule' in exported ? (exported as { default?: unknown }).default : exported;
  }

  /** Whether a loaded file exports nothing. */
  exportsNothing(file: string): boolean {
    const { exports, nothing } = this.#modules.get(file)!;
    return exports === nothing && Reflect.ownKeys(nothing).length === 0;
  }

  /** The file that an import in a module means; undefined for a package. */
  resolve(name: string, from: string): string | undefined {
    return this.#resolver.fileOf(name, from);
  }

  /** The stack of an error with lines of the sources; the error as text if it has no stack. */
  stackOf(error: unknown): string {
    const { stack } = (error ?? {}) as { stack?: unknown };
    return typeof stack === 'string' ? inSources(stack, (file) => this.#transformer.mapOf(file)) : String(error);
  }

  /** An error for the log, with lines of the sources in its stack. */
  inSources(error: Error): object {
    const { name, message, code } = error as NodeJS.ErrnoException;
    return { name, message, code, stack: this.stackOf(error) };
  }

  /** The place in the project where an error was thrown: `src/index.ts:3`; undefined if there is none. */
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
    const isOf = (folder: string): boolean =>
      file.startsWith(folder + sep) && !file.includes(`${sep}node_modules${sep}`, folder.length);
    return [this.#dir, ...(this.#options.packages ?? [])].some(isOf);
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
    const make = script.runInThisContext() as (strapi: unknown) => CompiledModule;
    const { exports } = module;
    const require = this.#requireOf(file, module);
    const [set, run] = make(this.#strapi);
    this.#setters.push(set);
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

  /** `__dirname` of TypeScript files is below `dist`, where Strapi would compile them to. */
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
        if (isAbsent && this.#mayLack({ name: missing, path: this.pathOf(file), error })) return absentPackage(missing);
        if (isAbsent) (error as Error).message = `Cannot find module '${name}': npm install ${missing} adds it`;
        // frames of Node itself would push the importing file out of the stack
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

/**
 * Replaces a package that is not installed and that a configuration file imports for Strapi's panel. Calls and members
 * return it again; converting it to a text or number or listing its keys throws.
 */
function absentPackage(name: string): object {
  const refuse = (): never => {
    throw new Error(`the package ${name} is not installed`);
  };
  const none: object = new Proxy(() => none, {
    get: (_target, key) => {
      if (key === Symbol.toPrimitive || key === Symbol.iterator) return refuse();
      return isProbe(key) ? undefined : none;
    },
    ownKeys: refuse,
    apply: () => none,
    construct: () => none,
  });
  // an import of a module copies its members
  return new Proxy(() => none, {
    get: (_target, key) => (isProbe(key) ? undefined : none),
    apply: () => none,
    construct: () => none,
  });
}

/** Keys that code reads of any value, to see whether it is a promise or an ES module. */
const isProbe = (key: PropertyKey): boolean => typeof key === 'symbol' || key === 'then' || key === '__esModule';

/** The package of an import: `@strapi/icons` of `@strapi/icons/Cog`. */
const packageOfImport = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
