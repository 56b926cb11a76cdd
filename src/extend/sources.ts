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

  #programOf({ path, text }: SourceFile): Program | undefined {
    if (!path.endsWith('.json')) return this.#parse(path, text);
    return this.#parse(path.replace(/\.json$/, '.js'), `module.exports = (${text.trim()}\n);`);
  }

  /** The module that an import by a relative path names. */
  imported(from: Module, source: string): Module | undefined {
    if (!source.startsWith('.')) return undefined;
    const path = posix.join(posix.dirname(from.path), source);
    return this.find(path) ?? this.find(`${path.replace(/\/$/, '')}/index`);
  }

  /** The module at a path without its ending, or with that of JavaScript for a TypeScript file. */
  find(path: string): Module | undefined {
    const endings = ['', '.ts', '.js', '.cjs', '.mjs', '.cts', '.mts'];
    const found = [...endings.map((ending) => path + ending), path.replace(/\.js$/, '.ts')].find((name) =>
      this.#byPath.has(name),
    );
    return found === undefined ? undefined : this.module(found);
  }
}
