/**
 * Reads code that Strapi runs when it starts (`src/index`, and what it imports): whether it does anything to how
 * requests are served beyond the hooks that hooks.ts finds. Whatever it does with `strapi` that is not known to be
 * harmless may.
 */
import { isHooked } from './hooks.ts';
import type { Module } from './reading/module.ts';
import { type AnyNode, isFunction, isWrapper, keyOf, plain, type Step, walk } from './reading/syntax.ts';
import type { Sources } from './sources.ts';
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
  visit(sources.module(path), path);
  return touches;
}

/** The first thing in a module that is not known to be harmless, in words. */
function unclear(module: Module, sources: Sources): string | undefined {
  let found: string | undefined;
  walk(module.program, (node, around) => {
    if (found !== undefined || node.type !== 'Identifier' || node.name !== 'strapi') return;
    const [parent] = around;
    if (!parent || isName(node, parent, around[1])) return;
    const use = useOf(node, around);
    if (isHooked(use.end)) return;
    if (use.steps.length === 0 ? isHandedOn(node, around, module, sources) : isHarmless(use)) return;
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

interface Use {
  readonly steps: readonly Step[];
  /** The whole chain, and what it stands in. */
  readonly end: AnyNode;
  readonly within: AnyNode | undefined;
}

/** The chain of members and calls that a name begins. */
function useOf(node: AnyNode, around: readonly AnyNode[]): Use {
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
  'query',
  'getModel',
  'customFields',
  'admin',
  'ai',
  'EE',
  'startupLogger',
  'webhookStore',
  'fetch',
]);
const DATABASE = new Set([
  'query',
  'connection',
  'transaction',
  'getConnection',
  'getSchemaConnection',
  'metadata',
  'dialect',
]);

/** Plugins that serve nothing here. */
const ELSEWHERE = new Set(['graphql', 'email', 'content-manager', 'content-type-builder', 'documentation']);

function isHarmless({ steps, end, within }: Use): boolean {
  // where socket.io is kept, by its documentation
  if (steps[0] === 'io') return true;
  if (isChanged(end, within)) return false;
  const [first, second, third, ...rest] = steps;
  if (first === 'config') return second !== 'set' && second !== undefined;
  if (first === 'contentType' || first === 'getModel')
    return typeof second === 'object' && within?.type !== 'VariableDeclarator';
  if (typeof first === 'string' && HARMLESS.has(first)) return true;
  if (first === 'db') return typeof second === 'string' && DATABASE.has(second);
  if (first === 'server') return second === 'httpServer';
  if (first === 'documents' || first === 'service') return typeof second === 'object';
  if (first === 'plugin') {
    const [name] = typeof second === 'object' ? second.call : [];
    if (name?.type === 'Literal' && ELSEWHERE.has(String(name.value))) return true;
    return (
      (third === 'service' && typeof rest[0] === 'object') ||
      (third === 'services' && rest.length > 1) ||
      third === 'config'
    );
  }
  if (first === 'plugins') return third === 'services' && rest.length > 1;
  return first === 'services';
}

/** Whether what a chain ends with is assigned to or deleted. */
function isChanged(end: AnyNode, within: AnyNode | undefined): boolean {
  if (within?.type === 'AssignmentExpression') return within.left === end;
  return within?.type === 'UpdateExpression' || (within?.type === 'UnaryExpression' && within.operator === 'delete');
}

/**
 * Whether strapi itself is handed, by itself or as `{ strapi }`, to a function of the project: one of this file, or of
 * a file that it imports, which is read as well.
 */
function isHandedOn(node: AnyNode, around: readonly AnyNode[], module: Module, sources: Sources): boolean {
  const [parent, object] = around;
  const isWrapped = parent?.type === 'Property' && object?.type === 'ObjectExpression' && parent.value === node;
  const argument = isWrapped ? object : node;
  const call = around[isWrapped ? 2 : 0];
  if (call?.type !== 'CallExpression' || !(call.arguments as AnyNode[]).includes(argument)) return false;
  const callee = plain(call.callee);
  if (callee.type === 'MemberExpression') {
    // a function of a module: `seeds.run({ strapi })`
    const root = plain(callee.object);
    return root.type === 'Identifier' && isOwnImport(root.name, module, sources);
  }
  if (callee.type === 'CallExpression') return isOwnRequire(callee, module, sources);
  if (callee.type !== 'Identifier') return false;
  const declaration = module.declarations.get(callee.name);
  if (declaration?.kind === 'function') return true;
  if (declaration?.kind === 'value' && isFunction(plain(declaration.init))) return true;
  return isOwnImport(callee.name, module, sources);
}

function isOwnImport(name: string, module: Module, sources: Sources): boolean {
  const declaration = module.declarations.get(name);
  if (declaration?.kind === 'import') return sources.imported(module, declaration.source) !== undefined;
  return declaration?.kind === 'value' && isOwnRequire(plain(declaration.init), module, sources);
}

function isOwnRequire(node: AnyNode, module: Module, sources: Sources): boolean {
  const source = requiredBy(node);
  return source !== undefined && sources.imported(module, source) !== undefined;
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
