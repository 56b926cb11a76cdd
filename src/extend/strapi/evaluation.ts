/** Code that is evaluated from a string, or that replaces what packages are loaded: it could be anything. */
import { type AnyNode, keyOf } from '../reading/syntax.ts';
import { isName, type Scopes } from './scopes.ts';

const EVALUATED = 'code evaluated from a string';

/** In words what a node evaluates or replaces; undefined for anything else. */
export function evaluates(node: AnyNode, around: readonly AnyNode[], scopes: Scopes): string | undefined {
  const [parent, outer] = around;
  if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    return keyOf(node.callee) === 'constructor' ? EVALUATED : undefined;
  }
  if (node.type !== 'Identifier' || !parent || scopes.find(node.name, node)) return undefined;
  if (node.name === 'require' && parent.type === 'MemberExpression' && parent.object === node) {
    return keyOf(parent) === 'cache' ? 'change of what packages are loaded' : undefined;
  }
  if ((node.name !== 'eval' && node.name !== 'Function') || isName(node, parent, outer)) return undefined;
  // a comparison, or a member such as Function.prototype
  const isHarmless =
    parent.type === 'BinaryExpression' ||
    parent.type === 'UnaryExpression' ||
    (parent.type === 'MemberExpression' && parent.object === node && node.name === 'Function');
  return isHarmless ? undefined : EVALUATED;
}
