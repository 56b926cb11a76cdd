/** What the methods of lists give, whose items are parts of strapi, and what their callbacks are handed. */
import { type AnyNode, type FunctionNode, keyOf, plain } from '../reading/syntax.ts';
import { LIST, PAIR, type Path, UNKNOWN_PATH } from './path.ts';
import type { Scopes } from './scopes.ts';

/** Those that give a list of the same items. */
const SAME: ReadonlySet<string> = new Set([
  ...[
    'concat',
    'filter',
    'flat',
    'reverse',
    'slice',
    'sort',
    'splice',
    'toReversed',
    'toSorted',
    'toSpliced',
    'values',
  ],
]);
/** Those that give one of the items. */
const ITEM: ReadonlySet<string> = new Set(['at', 'find', 'findLast', 'pop', 'shift']);
/** Those that give neither. */
const NEITHER: ReadonlySet<string> = new Set([
  ...['every', 'findIndex', 'findLastIndex', 'forEach', 'includes', 'indexOf', 'join', 'keys', 'lastIndexOf', 'push'],
  ...['some', 'unshift'],
]);
/** Those whose arguments are values, and not called. */
const WITHOUT_CALLBACK: ReadonlySet<string> = new Set([
  ...['at', 'concat', 'flat', 'includes', 'indexOf', 'join', 'lastIndexOf', 'pop', 'push', 'reverse', 'shift', 'slice'],
  ...['splice', 'toReversed', 'toSpliced', 'unshift', 'values', 'keys', 'entries'],
]);

export const takesCallback = (method: string): boolean => !WITHOUT_CALLBACK.has(method);

const isReducing = (method: string): boolean => method === 'reduce' || method === 'reduceRight';

/** What a method of a list gives. `returned` is what its callback returns, `initial` what a second argument may be. */
export function resultOf(
  list: Path,
  method: string,
  returned: readonly Path[],
  initial: readonly Path[],
): readonly Path[] {
  const item = list.slice(0, -1);
  if (SAME.has(method)) return [list];
  if (ITEM.has(method)) return [item];
  if (NEITHER.has(method)) return [];
  if (method === 'entries') return [[...item, PAIR, LIST]];
  if (method === 'map') return returned.map((path) => [...path, LIST]);
  if (method === 'flatMap') return returned.map((path) => (path.at(-1) === LIST ? path : [...path, LIST]));
  return isReducing(method) ? [...returned, ...initial] : [UNKNOWN_PATH];
}

/** What the parameter at an index of a callback is handed by a method of a list. */
export function handedTo(
  list: Path,
  method: string,
  index: number,
  { returned, initial }: { returned: readonly Path[]; initial: readonly Path[] | undefined },
): readonly Path[] {
  const item = list.slice(0, -1);
  if (isReducing(method)) {
    if (index === 0) return initial ? [...returned, ...initial] : [...returned, item];
    return index === 1 ? [item] : index === 3 ? [list] : [];
  }
  if (index === 0 || (index === 1 && /sort/i.test(method))) return [item];
  return index === 2 ? [list] : [];
}

/** Built-in functions that only read what they are passed, as a callback. */
export const LOOKING: ReadonlySet<string> = new Set(['Boolean', 'Number', 'String']);

/** Whether an expression is a list for certain, whose methods are those of the language. */
export function isList(expression: AnyNode, scopes: Scopes): boolean {
  const node = plain(expression);
  if (node.type === 'ArrayExpression') return true;
  if (node.type === 'Identifier') {
    const init = scopes.find(node.name, node)?.init;
    return init !== undefined && init !== node && isList(init, scopes);
  }
  if (node.type !== 'CallExpression') return false;
  const callee = plain(node.callee);
  if (callee.type !== 'MemberExpression') return false;
  const object = plain(callee.object);
  const method = keyOf(callee) ?? '';
  if (object.type === 'Identifier' && object.name === 'Object' && !scopes.find('Object', object)) {
    return /^(?:keys|values|entries)$/.test(method);
  }
  return (SAME.has(method) || method === 'map' || method === 'flatMap') && isList(object, scopes);
}

/** What a function in the place of a callback returns is only looked at, or part of what the method gives. */
export const isCallbackOfList = (callee: AnyNode, fn: FunctionNode | AnyNode, scopes: Scopes): boolean => {
  const target = plain(callee);
  if (target.type !== 'MemberExpression' || !fn) return false;
  const method = keyOf(target);
  const isKnown =
    method !== undefined &&
    (SAME.has(method) || ITEM.has(method) || NEITHER.has(method) || /^(?:flatM|m)ap$/.test(method));
  return isKnown && takesCallback(method) && isList(target.object, scopes);
};
