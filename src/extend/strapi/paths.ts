/** Follows strapi through all modules of a project, until nothing new comes of it. */
import type { Module } from '../reading/module.ts';
import type { AnyNode } from '../reading/syntax.ts';
import type { Value } from '../reading/values.ts';
import type { Sources } from '../sources.ts';
import type { Functions } from './functions.ts';
import { type AllPaths, ModulePaths } from './module-paths.ts';

/** The paths of all modules. */
export class Paths implements AllPaths {
  /** Rises with everything that is found to hold a path. */
  changes = 0;
  /** Members that the project has added to strapi. */
  readonly own = new Set<string>();
  readonly #sources: Sources;
  readonly #modules = new Map<Module, ModulePaths>();

  /** Follows strapi through some modules, and those that they hand it to. `bind` tells the parameters that have it. */
  constructor(sources: Sources, modules: Iterable<Module>, bind: (paths: Paths) => void) {
    this.#sources = sources;
    for (const module of modules) this.in(module);
    bind(this);
    for (let moved = true; moved; ) {
      moved = false;
      // those that are reached while going round are appended, and visited too
      for (const paths of this.#modules.values()) moved = paths.flow() || moved;
    }
  }

  in(module: Module): ModulePaths {
    const known = this.#modules.get(module) ?? new ModulePaths(module, this);
    this.#modules.set(module, known);
    return known;
  }

  addOwn(name: string): void {
    if (this.own.has(name)) return;
    this.own.add(name);
    this.changes++;
  }

  /** All modules that were reached. */
  reached(): Iterable<ModulePaths> {
    return this.#modules.values();
  }

  /** The module that an import names; undefined for one that is not of the project. */
  importedBy(from: Module, source: string): ModulePaths | undefined {
    const module = this.#sources.imported(from, source);
    return module && this.in(module);
  }

  at(path: string): ModulePaths | undefined {
    const module = this.#sources.module(path);
    return module && this.in(module);
  }

  functionsIn(module: Module): Functions {
    return this.in(module).functions;
  }

  imported(from: Module, source: string): Module | undefined {
    return this.#sources.imported(from, source);
  }

  exportedBy(module: Module): Value {
    return this.#sources.values.exported(module);
  }

  valueOf(expression: AnyNode, module: Module): Value {
    return this.#sources.values.read(expression, module);
  }
}
