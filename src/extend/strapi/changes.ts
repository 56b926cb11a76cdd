/** Whether the end of a chain is changed in its place. */
import { type AnyNode, keyOf, plain, type Use } from '../reading/syntax.ts';
import type { ModulePaths } from './module-paths.ts';
import { CONTEXT, type Path, packageOf } from './path.ts';
import type { Scopes } from './scopes.ts';

/** Functions that change what they are handed first. */
const CHANGERS: ReadonlySet<string> = new Set([
  'assign',
  'assignIn',
  'defaults',
  'defaultsDeep',
  'defineProperties',
  'defineProperty',
  'deleteProperty',
  'extend',
  'merge',
  'mergeWith',
  'pull',
  'remove',
  'set',
  'setPrototypeOf',
  'setWith',
  'unset',
  'update',
]);

function isChanger(callee: AnyNode, scopes: Scopes): boolean {
  const target = plain(callee);
  const isMember = target.type === 'MemberExpression';
  const object = isMember ? plain(target.object) : target;
  const name = isMember ? keyOf(target) : target.type === 'Identifier' ? target.name : undefined;
  if (object.type !== 'Identifier' || !CHANGERS.has(name ?? '')) return false;
  const source = scopes.find(object.name, object)?.from?.source;
  // those of lodash/fp leave what they are handed as it is
  if (source !== undefined) return /^lodash(?!.*\bfp\b)/.test(source);
  return isMember && /^(?:Object|Reflect|_+|lodash\w*)$/.test(object.name);
}

/** Whether a member of strapi itself is replaced. */
export function isReplaced(path: Path, use: Use, paths: ModulePaths, own: ReadonlySet<string>): boolean {
  const [first] = path;
  if (
    typeof first !== 'string' ||
    path.length > 1 ||
    first === 'io' ||
    first === CONTEXT ||
    packageOf(path) !== undefined ||
    own.has(first)
  )
    return false;
  return isChanged(use, paths);
}

/** `this.strapi = strapi`: it is strapi under its own name again. */
export const isStored = (path: Path, { within }: Use, paths: ModulePaths): boolean =>
  path.length === 0 &&
  within?.type === 'AssignmentExpression' &&
  paths.of(within.right).some((given) => given.length === 0);

/** Whether what a chain ends with is assigned to, deleted, or handed to a function that changes it. */
export function isChanged({ end, within }: Use, { scopes }: ModulePaths): boolean {
  if (within === undefined) return false;
  switch (within.type) {
    case 'AssignmentExpression':
    case 'ForInStatement':
    case 'ForOfStatement':
      return within.left === end;
    case 'UpdateExpression':
      return true;
    case 'UnaryExpression':
      return within.operator === 'delete';
    case 'CallExpression':
      return isChanger(within.callee, scopes) && within.arguments[0] === end;
    case 'ArrayPattern':
      return true;
    case 'Property':
      return scopes.parentOf(within)?.type === 'ObjectPattern' && within.value === end;
    default:
      return false;
  }
}
