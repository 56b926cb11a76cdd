/** Which declaration an identifier means, by JavaScript's scopes. Without `with` and `eval`, the text determines it. */
import type { Module } from '../reading/module.ts';
import {
  type AnyNode,
  type FunctionNode,
  isFunction,
  isWrapper,
  namesOf,
  plain,
  textOf,
  walk,
} from '../reading/syntax.ts';

/** A declared name. One object for each declaration of a scope. */
export interface Binding {
  readonly name: string;
  /** The function that the name stands for, where it is declared once, with a function, and never assigned. */
  readonly fn: FunctionNode | undefined;
  /** The constructor of the class that it stands for. */
  readonly constructs: FunctionNode | undefined;
  /** What it is imported from, under which name (`*` for all of it). */
  readonly from: { readonly source: string; readonly name: string } | undefined;
  /** The expression that it is declared with, where it is declared once and never assigned. */
  readonly init: AnyNode | undefined;
}

type Open = { -readonly [Key in keyof Binding]: Binding[Key] } & { count: number };

const BLOCKS: ReadonlySet<string> = new Set([
  'Program',
  'BlockStatement',
  'StaticBlock',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'CatchClause',
  'TSModuleBlock',
]);

/** The nodes around each node of a module, and what each identifier in it means. */
export class Scopes {
  readonly #parents = new Map<AnyNode, AnyNode>();
  readonly #declared = new Map<AnyNode, Map<string, Open>>();
  readonly #classes = new Map<string, FunctionNode>();

  constructor({ program }: Module) {
    const assigned: AnyNode[] = [];
    walk(program, (node, around) => {
      const [parent] = around;
      if (parent) this.#parents.set(node, parent);
      this.#declare(node, around);
      if (node.type === 'AssignmentExpression') assigned.push(node.left);
      if (node.type === 'ForOfStatement' || node.type === 'ForInStatement') assigned.push(node.left);
    });
    for (const left of assigned) {
      for (const name of namesOf(left)) {
        const binding = this.#find(name, left);
        if (!binding) continue;
        binding.fn = undefined;
        binding.init = undefined;
      }
    }
  }

  /** The node that contains a node. */
  parentOf(node: AnyNode): AnyNode | undefined {
    return this.#parents.get(node);
  }

  /** The nodes around a node, the nearest first. */
  around(node: AnyNode): AnyNode[] {
    const around: AnyNode[] = [];
    for (let outer = this.#parents.get(node); outer; outer = this.#parents.get(outer)) around.push(outer);
    return around;
  }

  /** The declaration that a name means at a node; undefined for a global one. */
  find(name: string, at: AnyNode): Binding | undefined {
    return this.#find(name, at);
  }

  /** The constructor of the class that a module declares under a name, or exports as `default`. */
  classNamed(name: string): FunctionNode | undefined {
    return this.#classes.get(name);
  }

  #find(name: string, at: AnyNode): Open | undefined {
    for (let scope: AnyNode | undefined = at; scope; scope = this.#parents.get(scope)) {
      const found = this.#declared.get(scope)?.get(name);
      if (found) return found;
    }
    return undefined;
  }

  #declare(node: AnyNode, around: readonly AnyNode[]): void {
    const add = (scope: AnyNode | undefined, name: string, more: Partial<Open> = {}): void => {
      if (!scope) return;
      const names = this.#declared.get(scope) ?? new Map<string, Open>();
      this.#declared.set(scope, names);
      const known = names.get(name);
      if (!known)
        names.set(name, {
          name,
          fn: undefined,
          constructs: undefined,
          from: undefined,
          init: undefined,
          count: 1,
          ...more,
        });
      else {
        // declared again: no single value is known
        known.count++;
        known.fn = undefined;
        known.constructs = undefined;
        known.init = undefined;
        known.from ??= more.from;
      }
    };
    const block = () => around.find((outer) => BLOCKS.has(outer.type));
    const whole = () => around.find((outer) => isFunction(outer) || outer.type === 'Program');
    if (node.type === 'VariableDeclarator') {
      const [declaration] = around;
      const isVar = declaration?.type === 'VariableDeclaration' && declaration.kind === 'var';
      const init = node.init ? plain(node.init) : undefined;
      const fn = node.id.type === 'Identifier' && init && isFunction(init) ? init : undefined;
      const source = init && requiredSource(init);
      for (const name of namesOf(node.id)) {
        const from = source === undefined ? undefined : { source, name: node.id.type === 'Identifier' ? '*' : name };
        add(isVar ? whole() : block(), name, { fn, from, init: node.id.type === 'Identifier' ? init : undefined });
      }
    } else if (node.type === 'ImportDeclaration') {
      for (const specifier of node.specifiers) {
        const imported = specifier.type === 'ImportSpecifier' ? specifier.imported : undefined;
        const plainName = specifier.type === 'ImportDefaultSpecifier' ? 'default' : '*';
        const name = imported ? String('name' in imported ? imported.name : imported.value) : plainName;
        add(around.at(-1) ?? node, specifier.local.name, { from: { source: String(node.source.value), name } });
      }
    } else if (isFunction(node)) {
      for (const parameter of node.params as AnyNode[]) for (const name of namesOf(parameter)) add(node, name);
      const { id } = node as { id?: { name: string } | null };
      if (id) add(node.type === 'FunctionDeclaration' ? block() : node, id.name, { fn: node });
    } else if (node.type === 'ClassDeclaration') {
      const constructs = constructorIn(node);
      if (constructs) this.#classes.set(node.id?.name ?? 'default', constructs);
      if (constructs && around[0]?.type === 'ExportDefaultDeclaration') this.#classes.set('default', constructs);
      if (node.id) add(block(), node.id.name, { constructs });
    } else if (node.type === 'ClassExpression' && node.id) add(node, node.id.name);
    else if (node.type === 'CatchClause' && node.param) for (const name of namesOf(node.param)) add(node, name);
  }
}

function constructorIn(node: AnyNode & { type: 'ClassDeclaration' }): FunctionNode | undefined {
  const found = node.body.body.find((one) => one.type === 'MethodDefinition' && one.kind === 'constructor');
  const value = found?.type === 'MethodDefinition' ? (found.value as AnyNode) : undefined;
  return value && isFunction(value) ? value : undefined;
}

/** What `require('…')`, and a member of it, is made of. */
export function requiredSource(expression: AnyNode): string | undefined {
  let node = plain(expression);
  while (node.type === 'MemberExpression') node = plain(node.object);
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return undefined;
  const { name } = node.callee;
  const [source] = node.arguments;
  // bundlers and TypeScript wrap what they require: __toESM(require('x')), __importDefault(require('x'))
  if (/^_+(?:import|to|interop)/i.test(name)) return source ? requiredSource(source as AnyNode) : undefined;
  return name === 'require' && source ? textOf(source as AnyNode) : undefined;
}

/** Whether an identifier is a key, a property, a label or a declared name: not a use of a value. */
export function isName(node: AnyNode, parent: AnyNode, outer: AnyNode | undefined): boolean {
  if (isWrapper(parent)) return (parent as unknown as { expression: AnyNode }).expression !== node;
  switch (parent.type) {
    case 'MemberExpression':
      return parent.property === node && !parent.computed;
    case 'Property':
      if (outer?.type === 'ObjectPattern') return !(parent.computed && parent.key === node);
      return parent.key === node && !parent.computed && parent.value !== node;
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.key === node && !parent.computed;
    case 'AssignmentPattern':
      return parent.left === node;
    case 'AssignmentExpression':
    case 'ForInStatement':
    case 'ForOfStatement':
      return parent.left === node;
    case 'VariableDeclarator':
      return parent.id === node;
    case 'ExportSpecifier':
      return parent.exported === node && parent.local !== node;
    case 'ClassDeclaration':
    case 'ClassExpression':
      return parent.id === node;
    default:
      if (isFunction(parent))
        return (parent.params as AnyNode[]).includes(node) || (parent as { id?: unknown }).id === node;
      return /^TS|^Import|Pattern$|^RestElement$|^Label|^Break|^Continue|^MetaProperty/.test(parent.type);
  }
}
