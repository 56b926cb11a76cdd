/** The ways on which values flow through a module: declarations, assignments, loops, arguments, returns. */
import type { Module } from '../reading/module.ts';
import { type AnyNode, type FunctionNode, keyOf, plain, returnsOf, type Step, walk } from '../reading/syntax.ts';
import type { Functions } from './functions.ts';
import { jobsAdded, tasksOf } from './jobs.ts';
import { handedTo } from './lists.ts';
import { isAddable } from './meaning.ts';
import { HOLDER, LIST, type Path, UNKNOWN_PATH } from './path.ts';
import type { Scopes } from './scopes.ts';

/** The values of names and functions of a module. */
export interface Holder {
  readonly scopes: Scopes;
  readonly functions: Functions;
  of(expression: AnyNode): readonly Path[];
  extended(path: Path, step: Step): readonly Path[];
  returned(fn: FunctionNode): readonly Path[];
  bind(pattern: AnyNode, path: Path): void;
  hold(fn: FunctionNode, path: Path): void;
  functionOf(expression: AnyNode): { readonly fn: FunctionNode; readonly paths: Holder } | undefined;
  constructorOf(expression: AnyNode): { readonly fn: FunctionNode; readonly paths: Holder } | undefined;
  pathsOf(module: Module): Holder;
  addOwn(name: string): void;
}

/** One way: what flows on it is bound to a name or a pattern. */
export interface Edge {
  readonly to: AnyNode;
  readonly path: () => readonly Path[];
}

/** The ways of a module. */
export function edgesOf(module: Module, holder: Holder): readonly Edge[] {
  const collector = new Collector(holder);
  walk(module.program, (node) => collector.collect(node));
  return collector.edges;
}

class Collector {
  readonly edges: Edge[] = [];
  readonly #on: Holder;

  constructor(on: Holder) {
    this.#on = on;
  }

  collect(node: AnyNode): void {
    const from = (to: AnyNode, expression: AnyNode, step?: { readonly key: Step }): void => {
      const path = () =>
        step ? this.#on.of(expression).flatMap((one) => this.#on.extended(one, step.key)) : this.#on.of(expression);
      this.edges.push({ to, path });
    };
    switch (node.type) {
      case 'VariableDeclarator':
        if (!node.init) break;
        from(node.id, node.init);
        break;
      case 'AssignmentExpression':
      case 'AssignmentPattern':
        this.#collectMember(node.left);
        if (node.left.type !== 'MemberExpression') from(node.left, node.right);
        break;
      case 'ForOfStatement': {
        const left = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]!.id : node.left;
        from(left, node.right, { key: undefined });
        break;
      }
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        for (const returned of returnsOf(node)) {
          const path = () => {
            for (const one of this.#on.of(returned)) this.#on.hold(node, one);
            return [];
          };
          this.edges.push({ to: returned, path });
        }
        break;
      case 'Property':
        // whatever is taken apart: what is called strapi is strapi
        if (keyOf(node) === 'strapi' && this.#on.scopes.parentOf(node)?.type === 'ObjectPattern') {
          this.edges.push({ to: node.value, path: () => [[]] });
        }
        break;
      case 'CallExpression':
      case 'NewExpression':
        this.#collectCall(node.type, node.callee, node.arguments as AnyNode[]);
    }
  }

  /** Members that are added to strapi. */
  #collectMember(left: AnyNode): void {
    const target = plain(left);
    const name = target.type === 'MemberExpression' ? keyOf(target) : undefined;
    if (target.type !== 'MemberExpression' || name === undefined || !isAddable(name)) return;
    const add = (): readonly Path[] => {
      if (this.#on.of(target.object).some((path) => path.length === 0)) this.#on.addOwn(name);
      return [];
    };
    // known before anything flows, since it decides what is data
    const object = plain(target.object);
    const held = object.type === 'MemberExpression' ? keyOf(object) : object.type === 'Identifier' && object.name;
    if (held === 'strapi') this.#on.addOwn(name);
    this.edges.push({ to: target, path: add });
  }

  #collectCall(type: AnyNode['type'], callee: AnyNode, args: readonly AnyNode[]): void {
    const target = plain(callee);
    const method = target.type === 'MemberExpression' ? keyOf(target) : undefined;
    args.forEach((argument, index) => {
      if (index === 0 && target.type === 'MemberExpression' && method !== undefined) {
        this.edges.push({ to: argument, path: () => this.#visit(target.object, method, args) });
        this.edges.push({ to: argument, path: () => this.#bindJobs(target, argument) });
      }
      if (index === 1 && target.type === 'MemberExpression' && method === 'add') {
        this.edges.push({ to: argument, path: () => this.#bindMaker(target.object, argument) });
      }
      this.edges.push({
        to: argument,
        path: () => {
          const called = type === 'NewExpression' ? this.#on.constructorOf(target) : this.#on.functionOf(target);
          const parameter = called && parameterAt(called.fn, args, index);
          if (called && parameter) for (const path of this.#handed(argument)) called.paths.bind(parameter, path);
          return [];
        },
      });
    });
  }

  /** Hands `{ strapi }` to the functions of jobs. */
  #bindJobs(callee: AnyNode, jobs: AnyNode): readonly Path[] {
    if (!jobsAdded(callee, (node) => this.#on.of(node))) return [];
    for (const { node, module } of tasksOf(this.#on.functions.jobsValue(jobs)) ?? []) {
      const [parameter] = node.params as AnyNode[];
      if (parameter) this.#on.pathsOf(module).bind(parameter, [HOLDER]);
    }
    return [];
  }

  /** Hands strapi to a function that makes what `strapi.add` adds. */
  #bindMaker(object: AnyNode, maker: AnyNode): readonly Path[] {
    const called = this.#on.of(object).some((path) => path.length === 0) ? this.#on.functionOf(maker) : undefined;
    const [parameter] = (called?.fn.params ?? []) as AnyNode[];
    if (called && parameter) called.paths.bind(parameter, []);
    return [];
  }

  /** Hands the items of a list to a callback. */
  #visit(object: AnyNode, method: string, args: readonly AnyNode[]): readonly Path[] {
    const lists = this.#on.of(object).filter((path) => path.at(-1) === LIST);
    const called = lists.length > 0 && args[0] ? this.#on.functionOf(args[0]) : undefined;
    if (!called) return [];
    const given = { returned: called.paths.returned(called.fn), initial: args[1] && this.#on.of(args[1]) };
    (called.fn.params as AnyNode[]).forEach((parameter, index) => {
      for (const list of lists) {
        const isRest = parameter.type === 'RestElement';
        const handed = isRest ? [UNKNOWN_PATH] : handedTo(list, method, index, given);
        for (const path of handed) called.paths.bind(parameter, path);
      }
    });
    return [];
  }

  /** The paths of an argument: those of the value, or the holder for `{ strapi }`. */
  #handed(argument: AnyNode): readonly Path[] {
    const node = plain(argument);
    if (node.type !== 'ObjectExpression') return this.#on.of(node);
    const holds = node.properties.some(
      (property) =>
        property.type === 'Property' && keyOf(property) === 'strapi' && this.#on.of(property.value).length > 0,
    );
    return holds ? [[HOLDER]] : [];
  }
}

/** The parameter that an argument comes to; undefined where there is none, or where it is one of many. */
export function parameterAt(fn: FunctionNode, args: readonly AnyNode[], index: number): AnyNode | undefined {
  if (args.slice(0, index + 1).some(({ type }) => type === 'SpreadElement')) return undefined;
  const parameter = (fn.params as AnyNode[])[index];
  return parameter?.type === 'RestElement' ? undefined : parameter;
}
