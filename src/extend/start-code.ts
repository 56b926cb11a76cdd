/**
 * Reads code that Strapi runs when it starts (`src/index`, and what it imports): whether it does anything to how
 * requests are served beyond the hooks that hooks.ts finds. Whatever it does with `strapi` that is not known to be
 * harmless may.
 */
import { isHooked } from './hooks.ts';
import type { Module } from './reading/module.ts';
import { type AnyNode, isFunction, keyOf, type Step, type Use, useOf, walk } from './reading/syntax.ts';
import type { Value } from './reading/values.ts';
import type { Sources } from './sources.ts';
import { isHiddenStrapi, takesStrapi } from './strapi-names.ts';
import { allActions, type Touch } from './touch.ts';

/** What the start code in a file, and in the files that it imports, touches beyond its hooks. */
export function startCode(sources: Sources, path: string): Touch[] {
  const seen = new Set<Module>();
  const touches: Touch[] = [];
  const visit = (module: Module | undefined, name: string): void => {
    if (!module) touches.push(allActions(name, 'start code that cannot be read', { files: true }));
    else if (!seen.has(module)) {
      seen.add(module);
      const found = unclear(module, sources);
      if (found !== undefined) touches.push(allActions(module.path, found, { files: true }));
      for (const source of importsOf(module)) {
        if (source.startsWith('.') && !source.endsWith('.json')) visit(sources.imported(module, source), module.path);
      }
    }
  };
  const entry = sources.module(path);
  visit(entry, path);
  if (entry && !startsPlainly(sources.values.exported(entry))) {
    touches.push(
      allActions(path, 'start functions that take strapi in another way than as { strapi }', { files: true }),
    );
  }
  return touches;
}

const START_FUNCTIONS = ['register', 'bootstrap', 'destroy'];

/** Whether the start functions that a module exports are known, and take strapi under its name. */
function startsPlainly(exported: Value): boolean {
  if (exported.kind === 'function') return takesStrapi(exported.node, 0, 'wrapped');
  if (exported.kind !== 'object') return exported.kind === 'literal';
  if (exported.open) return false;
  return START_FUNCTIONS.every((name) => {
    const value = exported.entries.get(name);
    return value === undefined || value.kind === 'literal' || (value.kind === 'function' && startsPlainly(value));
  });
}

/** The first thing in a module that is not known to be harmless, in words. */
function unclear(module: Module, sources: Sources): string | undefined {
  let found: string | undefined;
  walk(module.program, (node, around) => {
    if (found === undefined && isHiddenStrapi(node)) found = 'strapi under another name';
    if (found !== undefined || node.type !== 'Identifier' || node.name !== 'strapi') return;
    const [parent] = around;
    if (!parent || isName(node, parent, around[1])) return;
    const use = useOf(node, around);
    if (isHooked(use.end)) return;
    if (use.steps.length === 0 ? isHandedOn(node, around, module, sources) : isHarmless(use, module)) return;
    found = `use of strapi.${use.steps.map((step) => (typeof step === 'string' ? step : '()')).join('.')}`.replaceAll(
      '.()',
      '()',
    );
    if (use.steps.length === 0) found = 'strapi handed to code that is not known';
  });
  return found;
}

/** Whether an identifier is a key, a property, or a declaration: not a use of the value. */
function isName(node: AnyNode, parent: AnyNode, outer: AnyNode | undefined): boolean {
  if (parent.type === 'MemberExpression') return parent.property === node && !parent.computed;
  if (parent.type === 'Property' && outer?.type === 'ObjectPattern') return true;
  if (parent.type === 'Property') return parent.key === node && !parent.computed && parent.value !== node;
  if (parent.type === 'AssignmentPattern') return parent.left === node;
  if (isFunction(parent)) return (parent.params as AnyNode[]).includes(node);
  return parent.type === 'VariableDeclarator' ? parent.id === node : /^TS|^Import|^Export|Pattern$/.test(parent.type);
}

/** Members of strapi that only look, tell, or keep data: whatever is done below them. */
const HARMLESS = new Set([
  'log',
  'dirs',
  'config',
  'cron',
  'eventHub',
  'telemetry',
  'requestContext',
  'store',
  'entityService',
  'customFields',
  'admin',
  'ai',
  'EE',
  'startupLogger',
  'webhookStore',
  'fetch',
]);
const DATABASE = new Set(['connection', 'transaction', 'getConnection', 'getSchemaConnection', 'dialect']);

/** Plugins that serve nothing here. */
const ELSEWHERE = new Set(['graphql', 'email', 'content-manager', 'content-type-builder', 'documentation']);

function isHarmless(use: Use, module: Module): boolean {
  const { steps, end, within } = use;
  // where socket.io is kept, by its documentation
  if (steps[0] === 'io') return true;
  if (isChanged(end, within)) return false;
  const [first, second, third] = steps;
  if (first === 'config') return second !== 'set' && second !== undefined;
  if (first === 'contentType' || first === 'getModel') return isLookedAt(use, 2);
  if (typeof first === 'string' && HARMLESS.has(first)) return true;
  if (first === 'db' && second === 'metadata') return third === 'get' && isLookedAt(use, 4);
  if (first === 'db' && second !== 'query') return typeof second === 'string' && DATABASE.has(second);
  if (first === 'server') return second === 'httpServer';
  if (first === 'plugin') {
    const [name] = typeof second === 'object' ? second.call : [];
    if (name?.type === 'Literal' && ELSEWHERE.has(String(name.value))) return true;
    if (third === 'config') return true;
  }
  const length = lengthToShared(steps);
  return length !== undefined && isOnlyCalled(use, length, module);
}

/** How many steps lead to an object that requests are served with as well: a service, a repository, a query. */
function lengthToShared(steps: readonly Step[]): number | undefined {
  const [first, second, third, fourth] = steps;
  const isCalled = typeof second === 'object';
  if (first === 'documents' || first === 'service' || first === 'query') return isCalled ? 2 : undefined;
  if (first === 'services') return steps.length > 1 && !isCalled ? 2 : undefined;
  if (first === 'db') return second === 'query' && typeof third === 'object' ? 3 : undefined;
  if (first !== 'plugins' && (first !== 'plugin' || !isCalled)) return undefined;
  if (third === 'service') return first === 'plugin' && typeof fourth === 'object' ? 4 : undefined;
  return third === 'services' && steps.length > 3 && typeof fourth !== 'object' ? 4 : undefined;
}

/** Methods that every object has: they hand it on, or change it. */
const isOwnMethod = (step: Step): boolean => typeof step === 'string' && !(step in Object.prototype);

/**
 * Whether nothing but methods of a shared object are called: at once, or through a constant that is used for nothing
 * else. An object that is kept or handed on in any other way may be changed there.
 */
function isOnlyCalled({ steps, end, within }: Use, length: number, module: Module): boolean {
  if (steps.length > length) return isOwnMethod(steps[length]) && typeof steps[length + 1] === 'object';
  if (within?.type !== 'VariableDeclarator' || within.init !== end || within.id.type !== 'Identifier') return false;
  const { id } = within;
  // a name that is declared twice, or assigned, is no value
  if (module.declarations.get(id.name)?.kind !== 'value') return false;
  let isSafe = true;
  walk(module.program, (node, around) => {
    if (node.type === 'ExportNamedDeclaration' && node.declaration?.type === 'VariableDeclaration') {
      if (node.declaration.declarations.includes(within)) isSafe = false;
    }
    if (node.type !== 'Identifier' || node.name !== id.name || node === id) return;
    const [parent] = around;
    if (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) return;
    const [method, call] = useOf(node, around).steps;
    if (!isOwnMethod(method) || typeof call !== 'object') isSafe = false;
  });
  return isSafe;
}

const LOOKS = new Set(['ExpressionStatement', 'BinaryExpression', 'IfStatement', 'UnaryExpression', 'TemplateLiteral']);

/** Whether a model is read where it stands: neither kept nor handed on, and nothing in it is called. */
function isLookedAt({ steps, within }: Use, length: number): boolean {
  const isModel = typeof steps[length - 1] === 'object';
  const isRead = steps.slice(length).every((step) => typeof step === 'string');
  return isModel && isRead && within !== undefined && LOOKS.has(within.type);
}

/** Whether what a chain ends with is assigned to or deleted. */
function isChanged(end: AnyNode, within: AnyNode | undefined): boolean {
  if (within?.type === 'AssignmentExpression') return within.left === end;
  return within?.type === 'UpdateExpression' || (within?.type === 'UnaryExpression' && within.operator === 'delete');
}

/**
 * Whether strapi itself is handed, by itself or as `{ strapi }`, to a function of the project that takes it under its
 * name: one of this file, or of a file that it imports, which is read as well.
 */
function isHandedOn(node: AnyNode, around: readonly AnyNode[], module: Module, sources: Sources): boolean {
  const [parent, object] = around;
  const isProperty = parent?.type === 'Property' && object?.type === 'ObjectExpression' && parent.value === node;
  const isWrapped = isProperty && keyOf(parent) === 'strapi';
  const argument = isWrapped ? object : node;
  const call = around[isWrapped ? 2 : 0];
  if (call?.type !== 'CallExpression' || !(call.arguments as AnyNode[]).includes(argument)) return false;
  const called = sources.values.read(call.callee, module);
  if (called.kind !== 'function') return false;
  const index = (call.arguments as AnyNode[]).indexOf(argument as AnyNode);
  if (call.arguments.slice(0, index).some(({ type }) => type === 'SpreadElement')) return false;
  return takesStrapi(called.node, index, isWrapped ? 'wrapped' : 'bare');
}

function requiredBy(node: AnyNode): string | undefined {
  const isRequire =
    node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require';
  const [source] = isRequire ? node.arguments : [];
  return source?.type === 'Literal' && typeof source.value === 'string' ? source.value : undefined;
}

/** What a module imports at run time, in whatever form. */
function importsOf(module: Module): string[] {
  const sources: string[] = [];
  walk(module.program, (node) => {
    const isType = 'importKind' in node && node.importKind === 'type';
    if ('source' in node && node.source && typeof node.source === 'object' && !isType) {
      const { value } = node.source as { value?: unknown };
      if (typeof value === 'string') sources.push(value);
    }
    const required = requiredBy(node);
    if (required !== undefined) sources.push(required);
  });
  return sources;
}
