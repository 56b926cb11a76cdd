/** The modules of a project's code files. */
import { posix } from 'node:path';
import { type Module, readModule } from './reading/module.ts';
import { loadParser } from './reading/parser.ts';
import type { Program } from './reading/syntax.ts';
import { Values } from './reading/values.ts';
import type { SourceFile } from './source-files.ts';

/** Modules of source files by path, parsed when they are first asked for. */
export class Sources {
  readonly files: readonly SourceFile[];
  readonly values: Values;
  readonly #byPath: ReadonlyMap<string, SourceFile>;
  readonly #parse: Awaited<ReturnType<typeof loadParser>>;
  readonly #modules = new Map<string, Module | undefined>();

  private constructor(files: readonly SourceFile[], parse: Awaited<ReturnType<typeof loadParser>>) {
    this.files = files;
    this.#byPath = new Map(files.map((file) => [file.path, file]));
    this.#parse = parse;
    this.values = new Values((from, source) => this.imported(from, source));
  }

  static async open(files: readonly SourceFile[]): Promise<Sources> {
    return new Sources(files, await loadParser(files.map(({ path }) => path)));
  }

  /** The module of a file; undefined for one that is not there or cannot be parsed. */
  module(path: string): Module | undefined {
    if (this.#modules.has(path)) return this.#modules.get(path);
    const file = this.#byPath.get(path);
    const program = file?.unread === undefined ? file && this.#programOf(file) : undefined;
    const module = program && readModule(path, program);
    this.#modules.set(path, module);
    return module;
  }

  /** The file at a path. */
  file(path: string): SourceFile | undefined {
    return this.#byPath.get(path);
  }

  textOf(path: string): string {
    return this.file(path)?.text ?? '';
  }

  #programOf({ path, text }: SourceFile): Program | undefined {
    if (!path.endsWith('.json')) return this.#parse(path, text);
    return this.#parse(path.replace(/\.json$/, '.js'), `module.exports = (${text.trim()}\n);`);
  }

  /** The module of the project that an import names; undefined for a package, and for what is not there. */
  imported(from: Module, source: string): Module | undefined {
    const path = this.pathOf(from.path, source);
    return path === undefined ? undefined : this.module(path);
  }

  /** The path of the file that an import names; undefined for one that is not of the project. */
  pathOf(from: string, source: string): string | undefined {
    const told = this.#byPath.get(from)?.imports?.get(source);
    if (told !== undefined || !source.startsWith('.')) return told;
    const path = posix.join(posix.dirname(from), source);
    return this.#at(path) ?? this.#at(`${path.replace(/\/$/, '')}/index`);
  }

  /** The paths of the files in a folder that an import names, and below it. */
  inFolder(from: string, source: string): string[] {
    const folder = posix.join(posix.dirname(from), source);
    return this.files.map(({ path }) => path).filter((path) => path.startsWith(folder));
  }

  /** The module at a path without its ending, or with that of JavaScript for a TypeScript file. */
  find(path: string): Module | undefined {
    const found = this.#at(path);
    return found === undefined ? undefined : this.module(found);
  }

  #at(path: string): string | undefined {
    const endings = ['', '.ts', '.js', '.cjs', '.mjs', '.cts', '.mts'];
    return [...endings.map((ending) => path + ending), path.replace(/\.js$/, '.ts')].find((name) =>
      this.#byPath.has(name),
    );
  }
}
