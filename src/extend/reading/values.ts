/**
 * Reads values out of code without running it: texts, lists, objects and functions that are written down, through
 * variables, imports of the project's own files and simple functions. What is not certain is `unknown`.
 */
import type { Declaration, Module } from './module.ts';
import { type AnyNode, type FunctionNode, isFunction, keyOf, plain, returnsOf } from './syntax.ts';

export type CoreFactory = 'createCoreRouter' | 'createCoreController' | 'createCoreService';

export type Value =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null | undefined }
  /** `open`: there may be other items. */
  | { readonly kind: 'list'; readonly items: readonly Value[]; readonly open: boolean }
  /** `open`: there may be other entries, and any entry may be another. */
  | { readonly kind: 'object'; readonly entries: ReadonlyMap<string, Value>; readonly open: boolean }
  | { readonly kind: 'function'; readonly node: FunctionNode; readonly module: Module; readonly bound: Bound }
  /** What one of Strapi's factories makes. */
  | { readonly kind: 'core'; readonly factory: CoreFactory; readonly uid: Value; readonly options: Value }
  /** In a list: the routes that a core router makes. */
  | { readonly kind: 'coreRoutes'; readonly router: Value & { readonly kind: 'core' } }
  /** Strapi's own package, or what is below these keys of it. */
  | { readonly kind: 'package'; readonly keys: readonly string[] }
  | { readonly kind: 'unknown' };

/** Values of a function's parameters while it is read. */
export type Bound = ReadonlyMap<string, Value>;

/** Finds the module that an import names; undefined for one that is not of the project, or not understood. */
export type Resolve = (from: Module, source: string) => Module | undefined;

export const UNKNOWN: Value = { kind: 'unknown' };
export const NOTHING: Value = { kind: 'literal', value: undefined };
const UNBOUND: Bound = new Map();
/** Calls and names within one another. */
const MAX_DEPTH = 60;

const FACTORIES: ReadonlySet<string> = new Set(['createCoreRouter', 'createCoreController', 'createCoreService']);
const STRAPI = '@strapi/strapi';

/** Reads the values of modules. */
export class Values {
  readonly #resolve: Resolve;
  #depth = 0;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** What a module exports: its default export, or `module.exports`. */
  exported(module: Module): Value {
    const { exported } = module;
    if (exported.kind === 'nothing') return { kind: 'object', entries: new Map(), open: false };
    if (exported.kind === 'value') return this.read(exported.node, module);
    if (exported.kind === 'unknown') return UNKNOWN;
    const entries = [...exported.names].map(([name, node]): [string, Value] => [name, this.read(node, module)]);
    return { kind: 'object', entries: new Map(entries), open: false };
  }

  /** The value of an expression. */
  read(node: AnyNode, module: Module, bound: Bound = UNBOUND): Value {
    if (this.#depth >= MAX_DEPTH) return UNKNOWN;
    this.#depth++;
    try {
      return this.#read(plain(node), module, bound);
    } finally {
      this.#depth--;
    }
  }

  #read(node: AnyNode, module: Module, bound: Bound): Value {
    const read = (inner: AnyNode): Value => this.read(inner, module, bound);
    if (isFunction(node)) return { kind: 'function', node, module, bound };
    switch (node.type) {
      case 'Literal': {
        const { value } = node;
        const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
        return isPlain ? { kind: 'literal', value: value as string | number | boolean | null } : UNKNOWN;
      }
      case 'TemplateLiteral': {
        const parts = node.expressions.map((part) => textOf(read(part)));
        if (parts.includes(undefined)) return UNKNOWN;
        const text = node.quasis
          .map(({ value }, index) => `${value.cooked ?? value.raw}${parts[index] ?? ''}`)
          .join('');
        return { kind: 'literal', value: text };
      }
      case 'ArrayExpression':
        return this.#list(node.elements, module, bound);
      case 'ObjectExpression':
        return this.#object(node.properties, module, bound);
      case 'Identifier':
        return this.#name(node.name, module, bound);
      case 'MemberExpression': {
        const key = node.computed ? textOf(read(node.property)) : keyOf(node);
        return key === undefined ? UNKNOWN : memberOf(read(node.object), key);
      }
      case 'NewExpression': {
        const isSet = node.callee.type === 'Identifier' && node.callee.name === 'Set' && node.arguments.length === 1;
        return isSet ? read(node.arguments[0]!) : UNKNOWN;
      }
      case 'CallExpression':
        return this.#call(node.callee, node.arguments, module, bound);
      case 'ConditionalExpression': {
        const truth = truthOf(read(node.test));
        return truth === undefined ? UNKNOWN : read(truth ? node.consequent : node.alternate);
      }
      case 'LogicalExpression': {
        const left = read(node.left);
        const truth = node.operator === '??' ? presenceOf(left) : truthOf(left);
        if (truth === undefined) return UNKNOWN;
        return truth === (node.operator === '&&') ? read(node.right) : left;
      }
      default:
        return UNKNOWN;
    }
  }

  #list(elements: readonly (AnyNode | null)[], module: Module, bound: Bound): Value {
    const items: Value[] = [];
    let open = false;
    for (const element of elements) {
      if (element === null) continue;
      if (element.type !== 'SpreadElement') items.push(this.read(element, module, bound));
      else {
        const spread = this.read(element.argument, module, bound);
        if (spread.kind === 'list') items.push(...spread.items);
        open ||= spread.kind !== 'list' || spread.open;
      }
    }
    return { kind: 'list', items, open };
  }

  #object(properties: readonly AnyNode[], module: Module, bound: Bound): Value {
    let entries = new Map<string, Value>();
    let open = false;
    for (const property of properties) {
      if (property.type === 'SpreadElement') {
        const spread = this.read(property.argument, module, bound);
        if (spread.kind === 'object' && !spread.open) entries = new Map([...entries, ...spread.entries]);
        else if (!(spread.kind === 'literal' && !spread.value)) {
          // what is spread may take the place of everything before it
          open = true;
          entries = new Map([...entries.keys()].map((key) => [key, UNKNOWN]));
        }
        continue;
      }
      if (property.type !== 'Property') return UNKNOWN;
      const key = property.computed ? textOf(this.read(property.key, module, bound)) : keyOf(property);
      if (key === undefined || key === '__proto__') {
        open = true;
        entries = new Map([...entries.keys()].map((name) => [name, UNKNOWN]));
      } else if (property.kind === 'set') entries.set(key, UNKNOWN);
      else {
        const value = this.read(property.value, module, bound);
        entries.set(key, property.kind === 'get' ? this.result(value) : value);
      }
    }
    return { kind: 'object', entries, open };
  }

  #name(name: string, module: Module, bound: Bound): Value {
    if (name === 'undefined') return NOTHING;
    const declaration = module.declarations.get(name);
    if (declaration?.kind === 'ambiguous') return UNKNOWN;
    const value = bound.get(name) ?? (declaration ? this.#declared(declaration, module, bound) : UNKNOWN);
    const isFixed = value.kind === 'literal' || value.kind === 'function' || value.kind === 'package';
    return module.changed.has(name) && !isFixed ? UNKNOWN : value;
  }

  #declared(declaration: Declaration, module: Module, bound: Bound): Value {
    switch (declaration.kind) {
      case 'function':
        return { kind: 'function', node: declaration.node, module, bound };
      case 'value': {
        if (declaration.init.type === 'VariableDeclarator') return NOTHING;
        return declaration.keys.reduce(memberOf, this.read(declaration.init, module, bound));
      }
      case 'import':
        return this.#imported(module, declaration.source, declaration.keys);
      default:
        return UNKNOWN;
    }
  }

  #imported(from: Module, source: string, keys: readonly string[]): Value {
    if (source === STRAPI) return { kind: 'package', keys: keys.filter((key) => key !== 'default') };
    const module = this.#resolve(from, source);
    if (!module) return UNKNOWN;
    const { exported } = module;
    const [first, ...rest] = keys;
    if (first === undefined) return UNKNOWN;
    // a module that exports one value is its default export; an ES module may export names besides it
    if (first === 'default' || exported.kind !== 'names') {
      const value = this.exported(module);
      return (first === 'default' ? rest : keys).reduce(memberOf, value);
    }
    const node = exported.names.get(first);
    return node ? rest.reduce(memberOf, this.read(node, module)) : UNKNOWN;
  }

  #call(callee: AnyNode, args: readonly AnyNode[], module: Module, bound: Bound): Value {
    const target = plain(callee);
    const argument = (index: number): Value => (args[index] ? this.read(args[index], module, bound) : NOTHING);
    if (args.some((arg) => arg.type === 'SpreadElement')) return UNKNOWN;
    if (target.type === 'Identifier' && target.name === 'require' && !module.declarations.has('require')) {
      const source = textOf(argument(0));
      if (source === undefined) return UNKNOWN;
      if (source === STRAPI) return { kind: 'package', keys: [] };
      const required = this.#resolve(module, source);
      return required ? this.exported(required) : UNKNOWN;
    }
    if (target.type === 'MemberExpression') {
      const on = this.read(target.object, module, bound);
      const method = keyOf(target);
      if (method === 'concat' && on.kind === 'list') {
        const spread = args.map((arg) => ({ type: 'SpreadElement', argument: arg }) as unknown as AnyNode);
        const added = this.#list(spread, module, bound);
        if (added.kind !== 'list') return UNKNOWN;
        return { kind: 'list', items: [...on.items, ...added.items], open: on.open || added.open };
      }
      if (method === 'freeze' && target.object.type === 'Identifier' && target.object.name === 'Object')
        return argument(0);
    }
    const called = this.read(target, module, bound);
    if (called.kind === 'package') {
      const factory = called.keys.at(-1) ?? '';
      if (!FACTORIES.has(factory) || called.keys.length > 2) return UNKNOWN;
      return { kind: 'core', factory: factory as CoreFactory, uid: argument(0), options: argument(1) };
    }
    return called.kind === 'function'
      ? this.result(
          called,
          args.map((_, index) => argument(index)),
        )
      : UNKNOWN;
  }

  /** What a function returns: that of its only `return`. Anything else than a function: unknown. */
  result(called: Value, args: readonly Value[] = []): Value {
    if (called.kind !== 'function') return UNKNOWN;
    const { node, module } = called;
    const returned = returnsOf(node);
    if (returned.length !== 1 || node.async || node.generator) return UNKNOWN;
    const bound = new Map(called.bound);
    node.params.forEach((parameter, index) => {
      const given = args[index] ?? NOTHING;
      if (parameter.type === 'Identifier') bound.set(parameter.name, given);
      if (parameter.type === 'AssignmentPattern' && parameter.left.type === 'Identifier') {
        const isLeftOut = given.kind === 'literal' && given.value === undefined;
        bound.set(parameter.left.name, isLeftOut ? this.read(parameter.right, module, bound) : given);
      }
    });
    return this.read(returned[0]!, module, bound);
  }
}

/** The value at a key of a value. */
export function memberOf(value: Value, key: string): Value {
  if (value.kind === 'object') return value.entries.get(key) ?? (value.open ? UNKNOWN : NOTHING);
  if (value.kind === 'package') return { kind: 'package', keys: key === 'default' ? value.keys : [...value.keys, key] };
  if (value.kind === 'core' && value.factory === 'createCoreRouter') {
    if (key === 'routes') return { kind: 'list', items: [{ kind: 'coreRoutes', router: value }], open: false };
    if (key === 'prefix') return memberOf(value.options, 'prefix');
  }
  if (value.kind === 'literal' && value.value === undefined) return NOTHING;
  return UNKNOWN;
}

/** The text of a value; undefined for anything else. */
export function textOf(value: Value): string | undefined {
  return value.kind === 'literal' && typeof value.value === 'string' ? value.value : undefined;
}

/** Whether a value counts as true; undefined when that is not known. */
export function truthOf(value: Value): boolean | undefined {
  if (value.kind === 'unknown') return undefined;
  return value.kind !== 'literal' || Boolean(value.value);
}

function presenceOf(value: Value): boolean | undefined {
  if (value.kind === 'unknown') return undefined;
  return !(value.kind === 'literal' && (value.value === undefined || value.value === null));
}

/** Texts of a list; undefined when it may contain anything else. */
export function textsOf(value: Value): string[] | undefined {
  if (value.kind !== 'list' || value.open) return undefined;
  const texts = value.items.map(textOf);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
