/**
 * Follows strapi, and what is taken out of it, through the names of all modules of a project: variables, patterns,
 * parameters of the project's functions, what these return. An expression has the paths from strapi that it may be.
 */
import type { Module } from '../reading/module.ts';
import {
  type AnyNode,
  type FunctionNode,
  isFunction,
  keyOf,
  plain,
  returnsOf,
  type Step,
  walk,
} from '../reading/syntax.ts';
import type { Sources } from '../sources.ts';
import { meaningOf } from './meaning.ts';
import { GLOBAL, HOLDER, type Path } from './path.ts';
import { type Binding, requiredSource, Scopes } from './scopes.ts';

/** Beyond these a value counts as one that is not known. */
const PATHS = 8;
const STEPS = 10;
const DEPTH = 12;

const UNKNOWN_PATH: Path = [undefined];
const NAMES_OF_GLOBAL: ReadonlySet<string> = new Set(['globalThis', 'global', 'window', 'self']);
/** Methods of lists that hand their items to a function. */
const VISITING: ReadonlySet<string> = new Set([
  'forEach',
  'map',
  'filter',
  'find',
  'some',
  'every',
  'flatMap',
  'reduce',
]);

type Edge = { readonly to: AnyNode; readonly path: () => readonly Path[] };

/** One module, with what its names may hold. */
export class ModulePaths {
  readonly module: Module;
  readonly scopes: Scopes;
  readonly #all: Paths;
  readonly #held = new Map<Binding, Map<string, Path>>();
  readonly #edges: Edge[] = [];
  readonly #returned = new Map<FunctionNode, { stamp: number; paths: Path[] }>();
  readonly #functions = new Map<AnyNode, { fn: FunctionNode; paths: ModulePaths } | undefined>();
  #depth = 0;

  constructor(module: Module, all: Paths) {
    this.module = module;
    this.#all = all;
    this.scopes = new Scopes(module);
    walk(module.program, (node) => this.#collect(node));
  }

  /** Lets values flow once along every way of the module. Whether anything new has come of it. */
  flow(): boolean {
    const before = this.#all.changes;
    for (const { to, path } of this.#edges) for (const one of path()) this.bind(to, one);
    return this.#all.changes > before;
  }

  /** The paths that an expression may be; none for what has nothing to do with strapi. */
  of(expression: AnyNode): readonly Path[] {
    if (this.#depth >= DEPTH) return [];
    this.#depth++;
    try {
      return this.#of(plain(expression));
    } finally {
      this.#depth--;
    }
  }

  #of(node: AnyNode): readonly Path[] {
    switch (node.type) {
      case 'Identifier': {
        if (node.name === 'strapi') return [[]];
        const binding = this.scopes.find(node.name, node);
        if (!binding) return NAMES_OF_GLOBAL.has(node.name) ? [[GLOBAL]] : [];
        return [...(this.#held.get(binding)?.values() ?? [])];
      }
      case 'MemberExpression': {
        const key = keyOf(node);
        if (key === 'strapi') return isMemberStrapi(node, this.scopes) ? [[]] : [];
        return this.of(node.object).flatMap((path) => extended(path, key));
      }
      case 'CallExpression':
        return this.#ofCall(node.callee, node.arguments as AnyNode[]);
      case 'AwaitExpression':
        return this.of(node.argument);
      case 'LogicalExpression':
        return [...this.of(node.left), ...this.of(node.right)];
      case 'ConditionalExpression':
        return [...this.of(node.consequent), ...this.of(node.alternate)];
      case 'SequenceExpression':
        return this.of(node.expressions.at(-1)!);
      case 'AssignmentExpression':
        return this.of(node.right);
      default:
        return [];
    }
  }

  #ofCall(callee: AnyNode, args: readonly AnyNode[]): readonly Path[] {
    const called = this.functionOf(callee);
    if (called) return called.paths.returned(called.fn);
    const target = plain(callee);
    if (target.type === 'MemberExpression' && target.object.type === 'Identifier' && target.object.name === 'Object') {
      const name = keyOf(target);
      const given = args[0] ? this.of(args[0]) : [];
      if (name === 'assign' || name === 'freeze') return given;
      return name === 'values' || name === 'entries' ? given.flatMap((path) => extended(path, undefined)) : [];
    }
    return this.of(target).flatMap((path) => extended(path, { call: args }));
  }

  /** What a function of the module may return. */
  returned(fn: FunctionNode): readonly Path[] {
    const known = this.#returned.get(fn);
    if (known?.stamp === this.#all.changes) return known.paths;
    // a function that calls itself returns what its other ways return
    const result = { stamp: this.#all.changes, paths: [] as Path[] };
    this.#returned.set(fn, result);
    result.paths = returnsOf(fn).flatMap((returned) => this.of(returned));
    return result.paths;
  }

  /** The function of the project that an expression stands for, with the paths of its module. */
  functionOf(expression: AnyNode): { fn: FunctionNode; paths: ModulePaths } | undefined {
    const node = plain(expression);
    if (isFunction(node)) return { fn: node, paths: this };
    if (node.type === 'Identifier') {
      const binding = this.scopes.find(node.name, node);
      if (!binding) return undefined;
      if (binding.fn) return { fn: binding.fn, paths: this };
      if (!binding.from) return undefined;
    } else if (node.type !== 'MemberExpression' && node.type !== 'CallExpression') return undefined;
    if (!this.#functions.has(node)) this.#functions.set(node, this.#all.functionOf(node, this.module));
    return this.#functions.get(node);
  }

  /** What `new` runs for an expression: the function itself, or the constructor of a class of the project. */
  constructorOf(expression: AnyNode): { fn: FunctionNode; paths: ModulePaths } | undefined {
    const node = plain(expression);
    if (node.type !== 'Identifier') return undefined;
    const binding = this.scopes.find(node.name, node);
    const { from } = binding ?? {};
    if (!from) return binding?.constructs ? { fn: binding.constructs, paths: this } : this.functionOf(node);
    const module = this.#all.imported(this.module, from.source);
    const fn = module && this.#all.in(module).scopes.classNamed(from.name === '*' ? node.name : from.name);
    return fn && { fn, paths: this.#all.in(module) };
  }

  /** Gives a name, or the names of a pattern, a path. */
  bind(pattern: AnyNode, path: Path): void {
    switch (pattern.type) {
      case 'Identifier': {
        const binding = this.scopes.find(pattern.name, pattern);
        if (binding) this.#hold(binding, path);
        break;
      }
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          if (property.type !== 'Property') this.bind(property.argument, this.#rest(path));
          else for (const one of extended(path, keyOf(property))) this.bind(property.value, one);
        }
        break;
      case 'ArrayPattern':
        for (const element of pattern.elements)
          if (element) for (const one of extended(path, undefined)) this.bind(element, one);
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

  /** What a pattern leaves of an object: strapi is in what is left of its holder, and may be taken out again. */
  #rest(path: Path): Path {
    return path.length === 0 || path[0] === HOLDER ? path : [...path, undefined];
  }

  #hold(binding: Binding, path: Path): void {
    const held = this.#held.get(binding) ?? new Map<string, Path>();
    this.#held.set(binding, held);
    const known = held.size < PATHS ? path : UNKNOWN_PATH;
    const key = JSON.stringify(
      known.map((step) => (typeof step === 'object' ? ['()', wordOf(step.call[0])] : (step ?? null))),
    );
    if (held.has(key)) return;
    held.set(key, known);
    this.#all.changes++;
  }

  #collect(node: AnyNode): void {
    const from = (to: AnyNode, expression: AnyNode, step?: { readonly key: Step }): void => {
      const path = () => (step ? this.of(expression).flatMap((one) => extended(one, step.key)) : this.of(expression));
      this.#edges.push({ to, path });
    };
    switch (node.type) {
      case 'VariableDeclarator':
        if (node.init) from(node.id, node.init);
        break;
      case 'AssignmentExpression':
      case 'AssignmentPattern':
        if (node.left.type !== 'MemberExpression') from(node.left, node.right);
        break;
      case 'ForOfStatement': {
        const left = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]!.id : node.left;
        from(left, node.right, { key: undefined });
        break;
      }
      case 'Property':
        // whatever is taken apart: what is called strapi is strapi
        if (keyOf(node) === 'strapi' && this.scopes.parentOf(node)?.type === 'ObjectPattern') {
          this.#edges.push({ to: node.value, path: () => [[]] });
        }
        break;
      case 'CallExpression':
      case 'NewExpression':
        this.#collectCall(node.type, node.callee, node.arguments as AnyNode[]);
    }
  }

  #collectCall(type: AnyNode['type'], callee: AnyNode, args: readonly AnyNode[]): void {
    const target = plain(callee);
    args.forEach((argument, index) => {
      const fn = plain(argument);
      if (isFunction(fn) && target.type === 'MemberExpression' && VISITING.has(keyOf(target) ?? '')) {
        for (const parameter of fn.params as AnyNode[]) {
          const path = () => this.of(target.object).flatMap((one) => extended(one, undefined));
          this.#edges.push({ to: parameter, path });
        }
      }
      this.#edges.push({
        to: argument,
        path: () => {
          const called = type === 'NewExpression' ? this.constructorOf(target) : this.functionOf(target);
          const parameter = called && parameterAt(called.fn, args, index);
          if (called && parameter) for (const path of this.handed(argument)) called.paths.bind(parameter, path);
          return [];
        },
      });
    });
  }

  /** The paths of an argument: those of the value, or the holder for `{ strapi }`. */
  handed(argument: AnyNode): readonly Path[] {
    const node = plain(argument);
    if (node.type !== 'ObjectExpression') return this.of(node);
    const holds = node.properties.some(
      (property) => property.type === 'Property' && keyOf(property) === 'strapi' && this.of(property.value).length > 0,
    );
    return holds ? [[HOLDER]] : [];
  }
}

/** The paths of all modules. */
export class Paths {
  /** Rises with everything that is found to hold a path. */
  changes = 0;
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

  /** All modules that were reached. */
  reached(): Iterable<ModulePaths> {
    return this.#modules.values();
  }

  imported(from: Module, source: string): Module | undefined {
    return this.#sources.imported(from, source);
  }

  functionOf(expression: AnyNode, module: Module): { fn: FunctionNode; paths: ModulePaths } | undefined {
    const value = this.#sources.values.read(expression, module);
    return value.kind === 'function' ? { fn: value.node, paths: this.in(value.module) } : undefined;
  }
}

/** Whether a member is strapi: whatever is called so, but for what package.json says under this name. */
export function isMemberStrapi(node: AnyNode & { type: 'MemberExpression' }, scopes: Scopes): boolean {
  if (keyOf(node) !== 'strapi') return false;
  const object = plain(node.object);
  const source = object.type === 'Identifier' ? scopes.find(object.name, object)?.from?.source : requiredSource(object);
  return source?.endsWith('.json') !== true;
}

/** The parameter that an argument comes to; undefined where there is none, or where it is one of many. */
export function parameterAt(fn: FunctionNode, args: readonly AnyNode[], index: number): AnyNode | undefined {
  if (args.slice(0, index + 1).some(({ type }) => type === 'SpreadElement')) return undefined;
  const parameter = (fn.params as AnyNode[])[index];
  return parameter?.type === 'RestElement' ? undefined : parameter;
}

/** A path and one step more. What lies in data is data, and what lies in a schema is of the schema. */
function extended(path: Path, step: Step): Path[] {
  if (step === 'strapi') return [[]];
  const meaning = path.length > 0 ? meaningOf(path, () => undefined, NO_MEMBERS) : 'shared';
  const isDeep = meaning === 'free' || (meaning === 'schema' && path.length > 2) || path.length >= STEPS;
  return [isDeep ? path : [...path, step]];
}

const NO_MEMBERS: ReadonlySet<string> = new Set();

function wordOf(node: AnyNode | undefined): unknown {
  return node?.type === 'Literal' ? String(node.value) : null;
}
