/** Places where a value is only read, or from which it is followed. */
import { type AnyNode, isFunction, isWrapper, keyOf, plain, type Step, type Use, walk } from '../reading/syntax.ts';
import { exportedBy, WHOLE } from './exports.ts';
import { parameterAt } from './flow.ts';
import { isCallbackOfList, takesCallback } from './lists.ts';
import type { ModulePaths } from './module-paths.ts';
import { isPackage } from './packages.ts';
import { HOLDER, LIST, MAKER, type Meaning, moduleOf, type Path } from './path.ts';
import { requiredSource, type Scopes } from './scopes.ts';

/** A module, and what is asked while its uses are judged. */
export interface Surroundings {
  readonly paths: ModulePaths;
  /** Whether Strapi itself loads what the module exports. */
  readonly loaded: boolean;
  /** Whether the chain that goes on behind a node is harmless. */
  readonly goesOn: (path: Path, node: AnyNode) => boolean;
}

/** Places where a value is only read. */
const LOOKS: ReadonlySet<string> = new Set([
  'BinaryExpression',
  'DoWhileStatement',
  'ExpressionStatement',
  'ForInStatement',
  'IfStatement',
  'SwitchCase',
  'SwitchStatement',
  'UnaryExpression',
  'WhileStatement',
]);
/** Those that pass a value on to what is around them. */
const PASSING: ReadonlySet<string> = new Set(['AwaitExpression', 'LogicalExpression', 'SequenceExpression']);

/** Whether a value is in a place where it is only read, or from which it is followed. */
export function isKnownPlace(meaning: Meaning, path: Path, use: Use, around: Surroundings): boolean {
  const { scopes } = around.paths;
  let node = use.end;
  for (let outer = use.within; outer; outer = scopes.parentOf(outer)) {
    if (isWrapper(outer) || PASSING.has(outer.type)) node = outer;
    else if (outer.type === 'ConditionalExpression') {
      if (outer.test === node) return true;
      node = outer;
    } else if (isSpread(meaning, path, outer)) node = outer;
    else if (outer.type === 'AssignmentExpression' && outer.right === node && hasNamesOnly(outer.left)) node = outer;
    else if (outer.type === 'TemplateLiteral') return scopes.parentOf(outer)?.type !== 'TaggedTemplateExpression';
    else if (LOOKS.has(outer.type)) return true;
    else if (isContinued(node, outer)) return around.goesOn(path, node);
    else return isKept(meaning, path, { node, within: outer }, around);
  }
  return true;
}

/** Whether a chain goes on behind parentheses. */
const isContinued = (node: AnyNode, outer: AnyNode): boolean =>
  (outer.type === 'MemberExpression' && outer.object === node) ||
  (outer.type === 'CallExpression' && outer.callee === node);

/** A copy of a schema or of a list has the same objects below it, and is followed. */
const isSpread = (meaning: Meaning, path: Path, outer: AnyNode): boolean =>
  (meaning === 'schema' || path.at(-1) === LIST) &&
  (outer.type === 'SpreadElement' || outer.type === 'ObjectExpression' || outer.type === 'ArrayExpression');

/** Whether a pattern or a name keeps its value only under names. */
function hasNamesOnly(pattern: AnyNode): boolean {
  let only = plain(pattern).type !== 'MemberExpression';
  walk(pattern, (node, [parent]) => {
    const isTarget = parent === undefined || parent.type !== 'AssignmentPattern' || parent.left === node;
    if (node.type === 'MemberExpression' && isTarget) only = false;
  });
  return only;
}

interface Place {
  readonly node: AnyNode;
  readonly within: AnyNode;
}

function isKept(meaning: Meaning, path: Path, place: Place, { paths, loaded }: Surroundings): boolean {
  const { node, within } = place;
  switch (within.type) {
    case 'VariableDeclarator':
    case 'AssignmentPattern':
      return true;
    case 'ForOfStatement':
      return within.left.type === 'VariableDeclaration' || hasNamesOnly(within.left);
    case 'MemberExpression':
      // the name of a member
      return within.property === node;
    case 'AssignmentExpression':
      // followed: members that are called strapi again, and exports
      if (isExportable(path) && !loaded && exportedBy(within.left, paths.scopes) !== undefined) return true;
      return path.length === 0 && within.left.type === 'MemberExpression' && keyOf(within.left) === 'strapi';
    case 'ExportSpecifier':
      return isExportable(path);
    case 'ExportDefaultDeclaration':
      return isExportable(path) && !loaded;
    case 'CallExpression':
    case 'NewExpression':
      return isHandedOn(meaning, path, place, paths);
    case 'SpreadElement':
    case 'Property': {
      if (within.type === 'Property' && within.key === node && within.value !== node) return true;
      const object = paths.scopes.parentOf(within);
      const outer = object?.type === 'ObjectExpression' ? paths.scopes.parentOf(object) : undefined;
      if (!object || !outer) return false;
      if (outer.type === 'AssignmentExpression') {
        return isExportable(path) && !loaded && exportedBy(outer.left, paths.scopes) === WHOLE;
      }
      if (within.type === 'SpreadElement') return false;
      if (outer.type === 'NewExpression' && isSocketServer(path, plain(outer.callee), paths)) return true;
      if (outer.type === 'CallExpression' && isOfUtils(outer.callee, paths)) return true;
      const isHolder = path.length === 0 && keyOf(within) === 'strapi';
      return isHolder && isHandedOn(meaning, [HOLDER], { node: object, within: outer }, paths);
    }
    case 'ReturnStatement':
    case 'ArrowFunctionExpression':
      // what a function gives is followed where it is called, and the function wherever else it is named
      return paths.scopes.around(node).some(isFunction);
    default:
      return false;
  }
}

const TELLING: ReadonlySet<string> = new Set(['console', 'JSON', 'util']);
const KEEPING_OF_OBJECT: ReadonlySet<string> = new Set([
  'keys',
  'values',
  'entries',
  'getOwnPropertyNames',
  'getPrototypeOf',
  'hasOwn',
  'freeze',
  'is',
]);
/** Methods of `Object` that give something with the same objects below it, which is followed. */
const RETURNING: ReadonlySet<string> = new Set(['assign', 'create']);
/** Parts of strapi that read the schemas which they are handed. */
const READING_SCHEMAS: ReadonlySet<Step> = new Set([
  ...['contentAPI', 'db', 'documents', 'entityService', 'entityValidator', 'log', 'query'],
]);

const isOfUtils = (callee: AnyNode, { scopes }: ModulePaths): boolean => rootSource(callee, scopes) === '@strapi/utils';

const isFunctionArgument = (node: AnyNode, paths: ModulePaths): boolean => paths.functionOf(node) !== undefined;

/** Whether a callback is called only by a method of a list. */
function isCallback(callee: AnyNode & { type: 'MemberExpression' }, node: AnyNode, paths: ModulePaths): boolean {
  if (isCallbackOfList(callee, node, paths.scopes)) return true;
  return takesCallback(keyOf(callee) ?? 'at') && paths.of(callee.object).some((path) => path.at(-1) === LIST);
}

/** Whether a value is handed to a function that is followed, or to one that is known to only look. */
function isHandedOn(meaning: Meaning, path: Path, { node, within }: Place, paths: ModulePaths): boolean {
  if (within.type !== 'CallExpression' && within.type !== 'NewExpression') return false;
  const args = within.arguments as AnyNode[];
  const index = args.indexOf(node);
  if (index < 0) return false;
  const callee = plain(within.callee);
  if (isSocketServer(path, callee, paths)) return true;
  if (callee.type === 'MemberExpression' && within.type === 'CallExpression') {
    const object = plain(callee.object);
    const name = object.type === 'Identifier' ? object.name : '';
    if (TELLING.has(name) || (name === 'Object' && KEEPING_OF_OBJECT.has(keyOf(callee) ?? ''))) return true;
    if (paths.of(object).some((one) => one[0] === 'log')) return true;
    if (name === 'Object' && RETURNING.has(keyOf(callee) ?? '')) return true;
    if (name === 'Array' && (keyOf(callee) === 'isArray' || (keyOf(callee) === 'from' && args.length === 1)))
      return true;
    if (isFunctionArgument(node, paths) && isCallback(callee, node, paths)) return true;
  }
  if (isOfUtils(callee, paths)) return true;
  if (meaning === 'schema' && paths.of(callee).some(([first]) => READING_SCHEMAS.has(first))) return true;
  const called = within.type === 'NewExpression' ? paths.constructorOf(callee) : paths.functionOf(callee);
  if (!called) return false;
  const parameter = parameterAt(called.fn, args, index);
  const isOpen = (called.fn.params as AnyNode[]).some(({ type }) => type === 'RestElement');
  if (usesArguments(called.fn) || (isOpen && parameter === undefined)) return false;
  // one that takes fewer parameters does not see it
  return (
    parameter !== undefined || (index >= called.fn.params.length && !args.some(({ type }) => type === 'SpreadElement'))
  );
}

/** Whether every import of a value is followed. */
export const isExportable = (path: Path): boolean =>
  path.length === 1 && (path[0] === MAKER || moduleOf(path) !== undefined);

/** socket.io and ws listen to the HTTP server alongside its requests. */
function isSocketServer(path: Path, callee: AnyNode, { scopes }: ModulePaths): boolean {
  if (path.length !== 2 || path[0] !== 'server' || path[1] !== 'httpServer') return false;
  const source = rootSource(callee, scopes);
  return source === 'socket.io' || source === 'ws';
}

/** The package that a value is handed to: by its name, and where. */
export function packageHanded(
  node: AnyNode,
  { scopes }: ModulePaths,
): { readonly name: string; readonly at: number } | undefined {
  let inner = node;
  for (const outer of scopes.around(node)) {
    if (outer.type === 'CallExpression' || outer.type === 'NewExpression') {
      if (!(outer.arguments as AnyNode[]).includes(inner)) return undefined;
      const name = rootSource(outer.callee, scopes);
      return name === undefined || !isPackage(name) ? undefined : { name, at: outer.start };
    }
    if (isFunction(outer)) return undefined;
    inner = outer;
  }
  return undefined;
}

/** What the first name of a chain is imported from. */
function rootSource(expression: AnyNode, scopes: Scopes): string | undefined {
  let root = plain(expression);
  while (root.type === 'MemberExpression') root = plain(root.object);
  return root.type === 'Identifier' ? scopes.find(root.name, root)?.from?.source : requiredSource(root);
}

/** Whether a function reads its arguments other than by its parameters. */
export function usesArguments(fn: AnyNode): boolean {
  let used = false;
  walk(fn, (node) => {
    if (node.type === 'Identifier' && node.name === 'arguments') used = true;
  });
  return used;
}
