/** Whether a module does anything to strapi that may stand before requests or change their answers. */
import { isHooked } from '../hooks.ts';
import { type AnyNode, isFunction, isWrapper, keyOf, plain, type Use, useOf, walk } from '../reading/syntax.ts';
import { textOf } from '../reading/values.ts';
import type { Sources } from '../sources.ts';
import { type Meaning, meaningOf } from './meaning.ts';
import { HOLDER, type Path } from './path.ts';
import { isMemberStrapi, type ModulePaths, parameterAt } from './paths.ts';
import { isName, requiredSource, type Scopes } from './scopes.ts';

export interface UseOptions {
  readonly sources: Sources;
  /** Whether the module runs when Strapi starts, where schemas may still be changed by what they are handed to. */
  readonly starts: boolean;
  /** Members that the project has added to strapi. */
  readonly own: ReadonlySet<string>;
}

/** What is done that is not known to be harmless. */
export interface Unclear {
  /** In words. */
  readonly what: string;
  /** Whether it may stand before stored files as well. */
  readonly files: boolean;
}

/** The first thing in a module that is not known to be harmless; undefined where there is none. */
export function unclearUse(paths: ModulePaths, options: UseOptions): Unclear | undefined {
  let found: Unclear | undefined;
  walk(paths.module.program, (node, around) => {
    if (found !== undefined) return;
    const changed = madeOfText(node, paths) ?? patched(node, paths);
    if (changed !== undefined) found = { what: changed, files: true };
    if (found !== undefined || !isReference(node, around, paths)) return;
    const held = paths.of(node);
    if (held.length === 0) return;
    const use = useOf(node, around);
    if (isHooked(use.end)) return;
    for (const one of held) {
      const path = [...one, ...use.steps];
      const what = judge(path, use, paths, options);
      if (what !== undefined) found ??= { what, files: !isOfContent(path) };
    }
  });
  return found;
}

/** Whether a way leads to what stands before content alone. */
const isOfContent = ([first, second]: Path): boolean =>
  first === 'documents' || (first === 'db' && second === 'lifecycles');

/** Whether a node begins a chain: a name that is used, a member called `strapi`, or a call of the project's own. */
function isReference(node: AnyNode, around: readonly AnyNode[], paths: ModulePaths): boolean {
  if (node.type === 'MemberExpression') return isMemberStrapi(node, paths.scopes);
  if (node.type === 'CallExpression') return paths.of(node.callee).length === 0;
  const [parent, outer] = around;
  return node.type === 'Identifier' && parent !== undefined && !isName(node, parent, outer);
}

/** Code that is made of a text, which could be anything. */
function madeOfText(node: AnyNode, { scopes }: ModulePaths): string | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const callee = plain(node.callee);
  const isText = callee.type === 'Identifier' && (callee.name === 'eval' || callee.name === 'Function');
  return isText && !scopes.find(callee.name, callee) ? 'code that is made of a text' : undefined;
}

const SERVING = /^(?:@strapi\/|koa(?:-|$)|@koa\/|knex$)/;
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

/** A change of a package that requests are served with. */
function patched(node: AnyNode, { scopes }: ModulePaths): string | undefined {
  const target =
    node.type === 'AssignmentExpression' && plain(node.left).type === 'MemberExpression'
      ? node.left
      : node.type === 'CallExpression' && isChanger(node.callee, scopes)
        ? node.arguments[0]
        : undefined;
  if (!target) return undefined;
  const source = rootSource(target, scopes);
  return source !== undefined && SERVING.test(source) ? `change of the package ${source}` : undefined;
}

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

function judge(path: Path, use: Use, paths: ModulePaths, options: UseOptions): string | undefined {
  const text = (node: AnyNode | undefined) => node && textOf(options.sources.values.read(node, paths.module));
  const meaning = meaningOf(path, text, options.own);
  if (meaning === 'free') return isReplaced(path, use, paths, options) ? wordsOf(path) : undefined;
  if (meaning === 'unclear') return wordsOf(path);
  if (isChanged(use, paths)) return isStored(path, use, paths) ? undefined : wordsOf(path);
  return isKnownPlace(meaning, path, use, paths, options) ? undefined : wordsOf(path);
}

/** Whether a member of strapi itself is replaced. */
function isReplaced(path: Path, use: Use, paths: ModulePaths, { own }: UseOptions): boolean {
  const [first] = path;
  if (typeof first !== 'string' || path.length > 1 || first === 'io' || own.has(first)) return false;
  return isChanged(use, paths);
}

/** `this.strapi = strapi`: it is strapi under its own name again. */
const isStored = (path: Path, { within }: Use, paths: ModulePaths): boolean =>
  path.length === 0 &&
  within?.type === 'AssignmentExpression' &&
  paths.of(within.right).some((given) => given.length === 0);

/** Whether what a chain ends with is assigned to, deleted, or handed to a function that changes it. */
function isChanged({ end, within }: Use, { scopes }: ModulePaths): boolean {
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

/** Places where a value is only looked at. */
const LOOKS: ReadonlySet<string> = new Set([
  'BinaryExpression',
  'DoWhileStatement',
  'ExpressionStatement',
  'ForInStatement',
  'IfStatement',
  'SwitchCase',
  'SwitchStatement',
  'TemplateLiteral',
  'UnaryExpression',
  'WhileStatement',
]);
/** Those that pass a value on to what is around them. */
const PASSING: ReadonlySet<string> = new Set(['AwaitExpression', 'LogicalExpression', 'SequenceExpression']);

/** Whether a value stands where it is only looked at, or where it is followed. */
function isKnownPlace(meaning: Meaning, path: Path, use: Use, paths: ModulePaths, options: UseOptions): boolean {
  const { scopes } = paths;
  let node = use.end;
  for (let outer = use.within; outer; outer = scopes.parentOf(outer)) {
    if (isWrapper(outer) || PASSING.has(outer.type)) node = outer;
    else if (outer.type === 'ConditionalExpression') {
      if (outer.test === node) return true;
      node = outer;
    } else if (LOOKS.has(outer.type)) return true;
    else return isKept(meaning, path, { node, within: outer }, paths, options);
  }
  return true;
}

interface Place {
  readonly node: AnyNode;
  readonly within: AnyNode;
}

function isKept(meaning: Meaning, path: Path, place: Place, paths: ModulePaths, options: UseOptions): boolean {
  const { node, within } = place;
  // settings may go anywhere, and schemas once the server has started
  const isLoose = meaning === 'read' || (meaning === 'schema' && !options.starts);
  switch (within.type) {
    case 'VariableDeclarator':
    case 'AssignmentPattern':
      return true;
    case 'ForOfStatement':
      return true;
    case 'AssignmentExpression': {
      // followed: names, and members that are called strapi again
      if (within.left.type !== 'MemberExpression') return true;
      return isLoose || (path.length === 0 && keyOf(within.left) === 'strapi');
    }
    case 'CallExpression':
    case 'NewExpression':
      return isLoose || isHandedOn(path, place, paths);
    case 'Property': {
      if (isLoose) return true;
      const object = paths.scopes.parentOf(within);
      const outer = object?.type === 'ObjectExpression' ? paths.scopes.parentOf(object) : undefined;
      if (!object || !outer) return false;
      if (outer.type === 'NewExpression' && isSocketServer(path, plain(outer.callee), paths)) return true;
      return (
        path.length === 0 && keyOf(within) === 'strapi' && isHandedOn([HOLDER], { node: object, within: outer }, paths)
      );
    }
    case 'ReturnStatement':
    case 'ArrowFunctionExpression':
      return isLoose || isReturnFollowed(node, paths);
    case 'SpreadElement':
      return isLoose;
    default:
      return isLoose;
  }
}

const TELLING: ReadonlySet<string> = new Set(['console', 'JSON', 'util']);
const KEEPING_OF_OBJECT: ReadonlySet<string> = new Set(['keys', 'values', 'entries', 'hasOwn', 'freeze', 'is']);

/** Whether a value is handed to a function that is followed, or to one that is known to only look. */
function isHandedOn(path: Path, { node, within }: Place, paths: ModulePaths): boolean {
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
    if (name === 'Array' && keyOf(callee) === 'isArray') return true;
  }
  if (rootSource(callee, paths.scopes) === '@strapi/utils') return true;
  const called = within.type === 'NewExpression' ? paths.constructorOf(callee) : paths.functionOf(callee);
  if (!called) return false;
  const parameter = parameterAt(called.fn, args, index);
  if (usesArguments(called.fn)) return false;
  // one that takes fewer parameters does not see it
  return (
    parameter !== undefined || (index >= called.fn.params.length && !args.some(({ type }) => type === 'SpreadElement'))
  );
}

/** socket.io and ws listen to the HTTP server beside the requests. */
function isSocketServer(path: Path, callee: AnyNode, { scopes }: ModulePaths): boolean {
  if (path.length !== 2 || path[0] !== 'server' || path[1] !== 'httpServer') return false;
  const source = rootSource(callee, scopes);
  return source === 'socket.io' || source === 'ws';
}

/** What the first name of a chain is imported from. */
function rootSource(expression: AnyNode, scopes: Scopes): string | undefined {
  let root = plain(expression);
  while (root.type === 'MemberExpression') root = plain(root.object);
  return root.type === 'Identifier' ? scopes.find(root.name, root)?.from?.source : requiredSource(root);
}

/** Whether a function looks at its arguments beside its parameters. */
export function usesArguments(fn: AnyNode): boolean {
  let used = false;
  walk(fn, (node) => {
    if (node.type === 'Identifier' && node.name === 'arguments') used = true;
  });
  return used;
}

/** Whether the function that returns a value is a named one, whose calls are followed wherever it is called. */
function isReturnFollowed(node: AnyNode, { scopes }: ModulePaths): boolean {
  const fn = scopes.around(node).find(isFunction);
  if (!fn) return false;
  const parent = scopes.parentOf(fn);
  if (fn.type === 'FunctionDeclaration') return true;
  if (parent?.type === 'VariableDeclarator') return parent.id.type === 'Identifier';
  if (parent?.type === 'ExportDefaultDeclaration') return true;
  if (parent?.type !== 'AssignmentExpression') return false;
  let target = plain(parent.left);
  while (target.type === 'MemberExpression') target = plain(target.object);
  return target.type === 'Identifier' && (target.name === 'module' || target.name === 'exports');
}

/** `use of strapi.server.use()`, or that it is handed on as a whole. */
function wordsOf(path: Path): string {
  if (path.length === 0 || path[0] === HOLDER) return 'strapi handed to code that is not known';
  const words = path.map((step) => (typeof step === 'string' ? step : step === undefined ? '[…]' : '()'));
  return `use of strapi.${words.join('.')}`.replaceAll('.()', '()').replaceAll('.[', '[');
}
