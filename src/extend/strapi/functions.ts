/** Which function of the project an expression stands for, through names, members of objects and imports. */
import type { Module } from '../reading/module.ts';
import { type AnyNode, type FunctionNode, isFunction, keyOf, plain, walk } from '../reading/syntax.ts';
import { memberOf, type Value } from '../reading/values.ts';
import { type Export, WHOLE } from './exports.ts';
import { isName, type Scopes } from './scopes.ts';

/** A function, and the module that contains it. */
export interface FunctionOf {
  readonly fn: FunctionNode;
  readonly module: Module;
}

/** What the functions of one module ask of the others. */
export interface AllFunctions {
  functionsIn(module: Module): Functions;
  /** The module that an import names; undefined for one that is not of the project. */
  imported(from: Module, source: string): Module | undefined;
  valueOf(expression: AnyNode, module: Module): Value;
  /** What a module exports. */
  exportedBy(module: Module): Value;
}

/** Modules that hand a name on to one another. */
const DEPTH = 50;

/** The functions that the expressions of a module stand for. */
export class Functions {
  readonly #module: Module;
  readonly #scopes: Scopes;
  readonly #exports: readonly Export[];
  readonly #all: AllFunctions;
  readonly #known = new Map<AnyNode, FunctionOf | undefined>();

  constructor(module: Module, scopes: Scopes, { exports, all }: { exports: readonly Export[]; all: AllFunctions }) {
    this.#module = module;
    this.#scopes = scopes;
    this.#exports = exports;
    this.#all = all;
  }

  /** The function that an expression stands for; undefined where that is not certain. */
  of(expression: AnyNode): FunctionOf | undefined {
    const node = plain(expression);
    if (isFunction(node)) return { fn: node, module: this.#module };
    // compiled modules call what they import as `(0, imported.name)()`
    if (node.type === 'SequenceExpression') return this.of(node.expressions.at(-1)!);
    if (node.type === 'Identifier') {
      const binding = this.#scopes.find(node.name, node);
      if (!binding) return undefined;
      if (binding.fn) return { fn: binding.fn, module: this.#module };
      if (!binding.from) return undefined;
    } else if (node.type !== 'MemberExpression' && node.type !== 'CallExpression') return undefined;
    if (!this.#known.has(node)) this.#known.set(node, this.#read(node) ?? this.#imported(node));
    return this.#known.get(node);
  }

  /** What `new` runs for an expression: the function itself, or the constructor of a class of the project. */
  constructorOf(expression: AnyNode): FunctionOf | undefined {
    const node = plain(expression);
    if (node.type !== 'Identifier') return undefined;
    const binding = this.#scopes.find(node.name, node);
    const { from } = binding ?? {};
    if (!from) return binding?.constructs ? { fn: binding.constructs, module: this.#module } : this.of(node);
    const module = this.#all.imported(this.#module, from.source);
    const fn = module && this.#all.functionsIn(module).classNamed(from.name === '*' ? node.name : from.name);
    return fn && module && { fn, module };
  }

  /** The constructor of the class that the module declares under a name. */
  classNamed(name: string): FunctionNode | undefined {
    return this.#scopes.classNamed(name);
  }

  /** The function that is exported under a name, if there is only one. */
  exported(name: string, depth = 0): FunctionOf | undefined {
    if (depth > DEPTH) return undefined;
    const isGiven = (one: Export): boolean => !('node' in one) || one.node.type !== 'UnaryExpression';
    const [named, ...others] = this.#exports.filter((one) => one.name === name && isGiven(one));
    if (others.length > 0) return undefined;
    if (named && 'node' in named) return this.of(named.node);
    if (named) return this.#handedOn(named.source, named.imported, depth);
    const wholes = this.#exports.filter((one) => one.name === WHOLE);
    if (wholes.some((one) => 'node' in one)) return undefined;
    const found = wholes.flatMap((one) => ('source' in one ? (this.#handedOn(one.source, name, depth) ?? []) : []));
    return found.length === 1 ? found[0] : undefined;
  }

  #handedOn(source: string, name: string, depth: number): FunctionOf | undefined {
    const module = name === WHOLE ? undefined : this.#all.imported(this.#module, source);
    return module && this.#all.functionsIn(module).exported(name, depth + 1);
  }

  #read(node: AnyNode): FunctionOf | undefined {
    const value = this.#all.valueOf(node, this.#module);
    return value.kind === 'function' ? { fn: value.node, module: value.module } : undefined;
  }

  /** The function of another module that a name, or a member of a module, stands for. */
  #imported(node: AnyNode): FunctionOf | undefined {
    const isMember = node.type === 'MemberExpression';
    const object = isMember ? plain(node.object) : node;
    const from = object.type === 'Identifier' ? this.#scopes.find(object.name, object)?.from : undefined;
    const name = isMember ? keyOf(node) : from?.name;
    if (!from || name === undefined || isMember !== (from.name === '*')) return undefined;
    return this.#handedOn(from.source, name, 0);
  }

  /** The value of jobs. A name that is used in no other place has what it was declared with. */
  jobsValue(jobs: AnyNode): Value {
    const node = plain(jobs);
    const binding = node.type === 'Identifier' ? this.#scopes.find(node.name, node) : undefined;
    let uses = 0;
    walk(this.#module.program, (one, [parent, outer]) => {
      const isNamed = binding && one.type === 'Identifier' && one.name === binding.name;
      if (isNamed && parent && !isName(one, parent, outer)) uses++;
    });
    if (uses > 1) return this.#all.valueOf(node, this.#module);
    if (binding?.init) return this.#all.valueOf(binding.init, this.#module);
    const { from } = binding ?? {};
    const module = from && this.#all.imported(this.#module, from.source);
    if (!from || !module) return this.#all.valueOf(node, this.#module);
    const exported = this.#all.exportedBy(module);
    return from.name === 'default' || from.name === '*' ? exported : memberOf(exported, from.name);
  }
}
