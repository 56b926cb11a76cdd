/** Walking through parsed code. Nodes are ESTree's; those of TypeScript are among them, with their own types. */
import type {
  AnonymousFunctionDeclaration,
  AnyNode,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
} from 'acorn';

export type { AnyNode, Pattern, Program } from 'acorn';

export type FunctionNode =
  | FunctionDeclaration
  | AnonymousFunctionDeclaration
  | FunctionExpression
  | ArrowFunctionExpression;

/** A node and the nodes around it, the nearest first. */
export type Visitor = (node: AnyNode, around: readonly AnyNode[]) => void;

/** Visits a node and everything in it, from the outside in. `enters` may leave out what is in a node. */
export function walk(root: AnyNode, visit: Visitor, enters: (node: AnyNode) => boolean = () => true): void {
  const descend = (node: AnyNode, around: readonly AnyNode[]): void => {
    visit(node, around);
    if (node !== root && !enters(node)) return;
    const inside = [node, ...around];
    for (const child of childrenOf(node)) descend(child, inside);
  };
  descend(root, []);
}

function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  for (const key in node) {
    const value = (node as unknown as Record<string, unknown>)[key];
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      if (isNode(value)) children.push(value);
    } else for (const item of value) if (isNode(item)) children.push(item);
  }
  return children;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
  );
}

/** Wrappers that change nothing about a value: parentheses, optional chains, what TypeScript says about types. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'ParenthesizedExpression',
  'ChainExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
]);

export const isWrapper = (node: AnyNode): boolean => WRAPPERS.has(node.type);

/** The expression within its wrappers. */
export function plain(node: AnyNode): AnyNode {
  let inner = node;
  while (isWrapper(inner)) inner = (inner as unknown as { expression: AnyNode }).expression;
  return inner;
}

/** The name of an object's key or a member's property; undefined for one that is computed. */
export function keyOf(
  node: { key: AnyNode; computed: boolean } | { property: AnyNode; computed: boolean },
): string | undefined {
  const key = plain('key' in node ? node.key : node.property);
  if (key.type === 'Literal') return String(key.value);
  if (key.type === 'TemplateLiteral') return textOf(key);
  return key.type === 'Identifier' && !node.computed ? key.name : undefined;
}

/** The text that an expression writes out, in quotes or in backticks; undefined for any other. */
export function textOf(expression: AnyNode): string | undefined {
  const node = plain(expression);
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

/** One step of a chain such as `strapi.db.query('x').findOne()`: a name, a call, or a computed name (undefined). */
export type Step = string | { readonly call: readonly AnyNode[] } | undefined;

/** A chain of members and calls, with what it begins with. */
export interface Chain {
  readonly root: AnyNode;
  readonly steps: readonly Step[];
}

/** The chain that an expression is. For one that is neither a member nor a call: itself, without a step. */
export function chainOf(expression: AnyNode): Chain {
  const steps: Step[] = [];
  let node = plain(expression);
  for (;;) {
    if (node.type === 'MemberExpression') {
      steps.unshift(keyOf(node));
      node = plain(node.object);
    } else if (node.type === 'CallExpression') {
      steps.unshift({ call: node.arguments });
      node = plain(node.callee);
    } else if (node.type === 'AwaitExpression') node = plain(node.argument);
    else return { root: node, steps };
  }
}

/** The chain around a node, and where it ends. */
export interface Use {
  readonly steps: readonly Step[];
  /** The whole chain, and what contains it. */
  readonly end: AnyNode;
  readonly within: AnyNode | undefined;
}

/** The chain of members and calls that a node begins; `around` are the nodes around it, the nearest first. */
export function useOf(node: AnyNode, around: readonly AnyNode[]): Use {
  const steps: Step[] = [];
  let end = node;
  for (const outer of around) {
    if (isWrapper(outer) || (outer.type === 'AwaitExpression' && steps.length > 0)) end = outer;
    else if (outer.type === 'MemberExpression' && outer.object === end) {
      steps.push(keyOf(outer));
      end = outer;
    } else if (outer.type === 'CallExpression' && outer.callee === end) {
      steps.push({ call: outer.arguments });
      end = outer;
    } else return { steps, end, within: outer };
  }
  return { steps, end, within: undefined };
}

/** Names that a pattern declares. */
export function namesOf(pattern: AnyNode): string[] {
  const names: string[] = [];
  const read = (node: AnyNode | null): void => {
    if (node === null) return;
    switch (node.type) {
      case 'Identifier':
        names.push(node.name);
        break;
      case 'ObjectPattern':
        for (const property of node.properties) read(property.type === 'RestElement' ? property : property.value);
        break;
      case 'ArrayPattern':
        node.elements.forEach(read);
        break;
      case 'RestElement':
        read(node.argument);
        break;
      case 'AssignmentPattern':
        read(node.left);
        break;
      default:
        // parameter properties of TypeScript's constructors
        if ('parameter' in node) read(node.parameter as AnyNode);
    }
  };
  read(pattern);
  return names;
}

/** The expressions that a function returns, those of functions within it left out. */
export function returnsOf(node: FunctionNode): AnyNode[] {
  if (node.body.type !== 'BlockStatement') return [node.body];
  const returned: AnyNode[] = [];
  walk(
    node.body,
    (inner) => {
      if (inner.type === 'ReturnStatement' && inner.argument) returned.push(inner.argument);
    },
    (inner) => !isFunction(inner) && inner.type !== 'ClassExpression' && inner.type !== 'ClassDeclaration',
  );
  return returned;
}
