/**
 * Follows strapi, and what is taken out of it, through the names of all modules of a project: variables, patterns,
 * parameters of the project's functions, what these return. An expression has the paths from strapi that it may be.
 */
import type { Module } from '../reading/module.ts';
import { type AnyNode, type FunctionNode, isFunction, keyOf, plain, type Step, textOf } from '../reading/syntax.ts';
import { type Export, exportsOf, WHOLE } from './exports.ts';
import { type Edge, edgesOf, type Holder } from './flow.ts';
import { type AllFunctions, type FunctionOf, Functions } from './functions.ts';
import { isList, resultOf } from './lists.ts';
import { meaningOf } from './meaning.ts';
import { isObjectOfLanguage, isPackage } from './packages.ts';
import {
  CONTEXT,
  GLOBAL,
  isLoose,
  LIST,
  MAKER,
  moduleOf,
  moduleRoot,
  PAIR,
  type Path,
  packageOf,
  packageRoot,
  UNKNOWN_PATH,
} from './path.ts';
import { type Binding, requiredSource, Scopes } from './scopes.ts';

/** Beyond these a value counts as one that may be any part of strapi. */
const PATHS = 12;
const STEPS = 10;
/** Members of strapi where the argument of a call determines what the call returns. */
const NAMED: ReadonlySet<string> = new Set(['api', 'config', 'get', 'plugin', 'server']);
const DEPTH = 500;

/** Names that the contexts of requests have in every controller, policy and middleware. */
const NAMES_OF_CONTEXT = /^(?:ctx|context|\w+Context)$/;
/** Parts of a context that lead back to it. */
const OF_CONTEXT: ReadonlySet<Step> = new Set(['ctx', 'request', 'response']);

/** A prototype of whatever object. */
const PROTOTYPE: Path = [packageRoot('a prototype'), 'prototype'];
const NAMES_OF_GLOBAL: ReadonlySet<string> = new Set(['globalThis', 'global', 'window', 'self']);

/** A function of the project, with the paths of its module. */
export interface Called {
  readonly fn: FunctionNode;
  readonly paths: ModulePaths;
}

/** What one module asks of all of them. */
export interface AllPaths extends AllFunctions {
  /** Rises with everything that is found to hold a path. */
  changes: number;
  /** Members that the project has added to strapi. */
  readonly own: ReadonlySet<string>;
  addOwn(name: string): void;
  in(module: Module): ModulePaths;
  /** The module at a path. */
  at(path: string): ModulePaths | undefined;
  /** The module that an import names; undefined for one that is not of the project. */
  importedBy(from: Module, source: string): ModulePaths | undefined;
}

/** One module, with the values that its names may have. */
export class ModulePaths implements Holder {
  readonly module: Module;
  readonly scopes: Scopes;
  readonly functions: Functions;
  readonly #all: AllPaths;
  readonly #exports: readonly Export[];
  /** What names, returns of functions and exports may be. */
  readonly #held = new Map<Binding | FunctionNode | string, Map<string, Path>>();
  readonly #edges: readonly Edge[];
  #depth = 0;

  constructor(module: Module, all: AllPaths) {
    this.module = module;
    this.#all = all;
    this.scopes = new Scopes(module);
    this.#exports = exportsOf(module, this.scopes);
    this.functions = new Functions(module, this.scopes, { exports: this.#exports, all });
    this.#edges = edgesOf(module, this);
  }

  /** Lets values flow once along every way of the module. Whether anything new has come of it. */
  flow(): boolean {
    const before = this.#all.changes;
    for (const { to, path } of this.#edges) for (const one of path()) this.bind(to, one);
    for (const one of this.#exports) {
      if ('node' in one) for (const path of this.of(one.node)) this.hold(one.name, path);
      else {
        const other = this.#all.importedBy(this.module, one.source);
        if (one.imported !== WHOLE) for (const path of other?.exported(one.imported) ?? []) this.hold(one.name, path);
        else if (one.name !== WHOLE) for (const path of other?.namespace() ?? []) this.hold(one.name, path);
        else
          for (const name of other?.exportedNames() ?? []) {
            if (name !== 'default') for (const path of other?.exported(name) ?? []) this.hold(name, path);
          }
      }
    }
    return this.#all.changes > before;
  }

  /** What the module exports under a name may be. */
  exported(name: string): readonly Path[] {
    const whole = [...(this.#held.get(WHOLE)?.values() ?? [])];
    // a CommonJS module is its own default export
    const own =
      name === 'default' ? [...whole, ...this.namespace()] : whole.flatMap((path) => this.extended(path, name));
    return [...(this.#held.get(name)?.values() ?? []), ...own];
  }

  exportedNames(): string[] {
    return [...this.#held.keys()].filter((key) => typeof key === 'string');
  }

  /** The module as an object, where anything that it exports is part of strapi. */
  namespace(): readonly Path[] {
    const isPart = (path: Path): boolean => !isLoose(meaningOf(path, literalIn, this.#all.own));
    const holds = this.exportedNames().some((name) => [...this.#held.get(name)!.values()].some(isPart));
    return holds ? [[moduleRoot(this.module.path)]] : [];
  }

  /** The paths that an expression may be; none for what has nothing to do with strapi. */
  of(expression: AnyNode): readonly Path[] {
    if (this.#depth >= DEPTH) return [UNKNOWN_PATH];
    this.#depth++;
    try {
      return this.#of(plain(expression));
    } finally {
      this.#depth--;
    }
  }

  #of(node: AnyNode): readonly Path[] {
    if (isFunction(node)) return this.#ofFunction(node);
    switch (node.type) {
      case 'Identifier':
        return node.name === 'strapi' ? [[]] : this.#ofName(node.name, node);
      case 'MemberExpression': {
        const key = keyOf(node);
        if (key === 'strapi') return isMemberStrapi(node, this.scopes) ? [[]] : [];
        return this.of(node.object).flatMap((path) => this.extended(path, key));
      }
      case 'CallExpression':
        return this.#ofCall(node.callee, node.arguments as AnyNode[], node);
      case 'ImportExpression': {
        const source = textOf(node.source as AnyNode);
        return source === undefined ? [] : this.#ofModule(source);
      }
      case 'AwaitExpression':
        return this.of(node.argument);
      case 'LogicalExpression':
        return [...this.of(node.left), ...this.of(node.right)];
      case 'ConditionalExpression':
        return [...this.of(node.consequent), ...this.of(node.alternate)];
      case 'SequenceExpression':
        return this.of(node.expressions.at(-1)!);
      case 'AssignmentExpression':
        return node.operator === '=' ? this.of(node.right) : [...this.of(node.left), ...this.of(node.right)];
      case 'ObjectExpression':
        // a copy has the same objects below it
        return node.properties.flatMap((one) => (one.type === 'SpreadElement' ? this.of(one.argument) : []));
      case 'ArrayExpression':
        return node.elements.flatMap((one) => (one?.type === 'SpreadElement' ? this.of(one.argument) : []));
      default:
        return [];
    }
  }

  #ofName(name: string, node: AnyNode): readonly Path[] {
    const binding = this.scopes.find(name, node);
    if (!binding) {
      if (NAMES_OF_GLOBAL.has(name)) return [[GLOBAL]];
      return isObjectOfLanguage(name) ? [[packageRoot(name)]] : [];
    }
    const held = [...(this.#held.get(binding)?.values() ?? [])];
    const { fn, from } = binding;
    if (fn) return [...held, ...this.#ofFunction(fn)];
    if (!from) return NAMES_OF_CONTEXT.test(name) ? [...held, [CONTEXT]] : held;
    return [...held, ...(from.name === '*' ? this.#ofModule(from.source) : this.#ofImported(from))];
  }

  #ofImported({ source, name }: { readonly source: string; readonly name: string }): readonly Path[] {
    const own = this.#all.importedBy(this.module, source);
    if (own || !isPackage(source)) return own?.exported(name) ?? [];
    return [name === 'default' ? [packageRoot(source)] : [packageRoot(source), name]];
  }

  /** A module as an object. */
  #ofModule(source: string): readonly Path[] {
    const own = this.#all.importedBy(this.module, source);
    return own || !isPackage(source) ? (own?.namespace() ?? []) : [[packageRoot(source)]];
  }

  /** A function that gives a part of strapi may only be called. */
  #ofFunction(fn: FunctionNode): readonly Path[] {
    return this.returned(fn).some((path) => !isLoose(meaningOf(path, literalIn, this.#all.own))) ? [[MAKER]] : [];
  }

  #ofCall(callee: AnyNode, args: readonly AnyNode[], node: AnyNode): readonly Path[] {
    const source = requiredSource(node);
    if (source !== undefined) return this.#ofModule(source);
    const called = this.functionOf(callee);
    if (called) return called.paths.returned(called.fn);
    const target = plain(callee);
    if (target.type === 'MemberExpression' && target.object.type === 'Identifier') {
      const name = `${target.object.name}.${keyOf(target)}`;
      const given = args[0] ? this.of(args[0]) : [];
      if (name === 'Object.assign') return args.flatMap((argument) => this.of(argument));
      if (name === 'Object.freeze' || name === 'Array.from') return given;
      if (name === 'Object.create') return given.filter((path) => packageOf(path) === undefined);
      if (name === 'Object.getPrototypeOf' || name === 'Reflect.getPrototypeOf') return [PROTOTYPE];
      if (name === 'Object.values' || name === 'Object.entries') {
        const marks = name === 'Object.values' ? [LIST] : [PAIR, LIST];
        return given.flatMap((path) => this.extended(path, undefined)).map((path) => [...path, ...marks]);
      }
      if (target.object.name === 'Object' && given.length > 0) return [];
    }
    const known = this.of(target);
    if (known.length === 0 && target.type === 'MemberExpression' && isList(target.object, this.scopes)) {
      // a list of something else, of which parts of strapi may be made
      const method = keyOf(target) ?? '';
      if (/^(?:flatM|m)ap$|^reduce/.test(method)) return resultOf([LIST], method, this.#returnedBy(args[0]), []);
    }
    return known.flatMap((path) => this.extended(path, { call: args }));
  }

  #returnedBy(callback: AnyNode | undefined): readonly Path[] {
    const called = callback && this.functionOf(callback);
    return called?.paths.returned(called.fn) ?? [];
  }

  /** A path and one step more. What lies in data is data. */
  extended(path: Path, step: Step): readonly Path[] {
    if (step === 'strapi') return [[]];
    const last = path.at(-1);
    if (last === LIST) {
      if (typeof step === 'object') return [UNKNOWN_PATH];
      const isIndex = step === undefined || /^\d+$/.test(step);
      return [isIndex ? path.slice(0, -1) : [...path, step]];
    }
    if (last === PAIR) return step === '0' || step === 'length' ? [] : [path.slice(0, -1)];
    if (path.at(-2) === LIST) {
      if (typeof step !== 'object' || typeof last !== 'string') return last === 'length' ? [] : [UNKNOWN_PATH];
      const [callback, initial] = step.call;
      return resultOf(path.slice(0, -1), last, this.#returnedBy(callback), initial ? this.of(initial) : []);
    }
    if (last === CONTEXT && path.length === 1) {
      return step === 'app' ? [['server', 'app']] : OF_CONTEXT.has(step) ? [path] : [];
    }
    const module = moduleOf(path);
    if (module !== undefined) {
      return typeof step === 'string' && path.length === 1
        ? (this.#all.at(module)?.exported(step) ?? [])
        : [UNKNOWN_PATH];
    }
    if (path.length === 1 && path[0] === GLOBAL && typeof step === 'string' && isObjectOfLanguage(step)) {
      return [[packageRoot(step)]];
    }
    const meaning = path.length > 0 ? meaningOf(path, literalIn, this.#all.own) : 'shared';
    if (meaning === 'free' && !(packageOf(path) !== undefined && step === 'prototype')) return [path];
    return [path.length >= STEPS ? UNKNOWN_PATH : [...path, step]];
  }

  /** What a function of the module may return. */
  returned(fn: FunctionNode): readonly Path[] {
    return [...(this.#held.get(fn)?.values() ?? [])];
  }

  /** The function of the project that an expression stands for, with the paths of its module. */
  functionOf(expression: AnyNode): Called | undefined {
    return this.#called(this.functions.of(expression));
  }

  /** What `new` runs for an expression: the function itself, or the constructor of a class of the project. */
  constructorOf(expression: AnyNode): Called | undefined {
    return this.#called(this.functions.constructorOf(expression));
  }

  #called(found: FunctionOf | undefined): Called | undefined {
    return found && { fn: found.fn, paths: this.#all.in(found.module) };
  }

  pathsOf(module: Module): ModulePaths {
    return this.#all.in(module);
  }

  addOwn(name: string): void {
    this.#all.addOwn(name);
  }

  /** Gives a name, or the names of a pattern, a path. */
  bind(pattern: AnyNode, path: Path): void {
    switch (pattern.type) {
      case 'Identifier': {
        const binding = this.scopes.find(pattern.name, pattern);
        if (binding) this.hold(binding, path);
        break;
      }
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          // what is left of an object has the same objects below it
          if (property.type !== 'Property') this.bind(property.argument, path);
          else for (const one of this.extended(path, keyOf(property))) this.bind(property.value, one);
        }
        break;
      case 'ArrayPattern':
        pattern.elements.forEach((element, index) => {
          const step = path.at(-1) === PAIR ? String(index) : undefined;
          if (element?.type === 'RestElement' && path.at(-1) === LIST) this.bind(element.argument, path);
          else if (element) for (const one of this.extended(path, step)) this.bind(element, one);
        });
        break;
      case 'AssignmentPattern':
        this.bind(pattern.left, path);
        break;
      case 'RestElement':
        this.bind(pattern.argument, UNKNOWN_PATH);
        break;
      default:
        if ('parameter' in pattern) this.bind(pattern.parameter as AnyNode, path);
    }
  }

  /** Lets a name, a function that returns, or an export hold a path. */
  hold(holder: Binding | FunctionNode | string, path: Path): void {
    // below data there is only data
    const isRoot = path.length === 1 && packageOf(path) === undefined;
    if (!isRoot && path.length > 0 && meaningOf(path, literalIn, this.#all.own) === 'free') return;
    const held = this.#held.get(holder) ?? new Map<string, Path>();
    this.#held.set(holder, held);
    const known = held.size < PATHS ? path : UNKNOWN_PATH;
    const isNamed = typeof path[0] === 'string' && NAMED.has(path[0]);
    const wordOf = (args: readonly AnyNode[]): unknown => (isNamed ? textIn(args[0]) : null);
    const key = JSON.stringify(
      known.map((step) => (typeof step === 'object' ? ['()', wordOf(step.call)] : (step ?? null))),
    );
    if (held.has(key)) return;
    held.set(key, known);
    this.#all.changes++;
  }
}

/** Whether a member is strapi: anything of this name, except what package.json says under it. */
export function isMemberStrapi(node: AnyNode & { type: 'MemberExpression' }, scopes: Scopes): boolean {
  if (keyOf(node) !== 'strapi') return false;
  const object = plain(node.object);
  const source = object.type === 'Identifier' ? scopes.find(object.name, object)?.from?.source : requiredSource(object);
  return source?.endsWith('.json') !== true;
}

function textIn(node: AnyNode | undefined): unknown {
  return node?.type === 'Literal' ? String(node.value) : null;
}

/** The text that is written there itself. */
const literalIn = (node: AnyNode | undefined): string | undefined =>
  node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
