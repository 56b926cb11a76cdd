/** Finds where code hooks into what serves requests, in whatever file and function it stands. */
import type { Catalog } from '../schema/catalog.ts';
import { actionsOnDocuments, DOCUMENT_ACTION_NAMES } from './actions.ts';
import { selectionsOf } from './document-middleware.ts';
import { subscription } from './lifecycles.ts';
import type { Module } from './reading/module.ts';
import { type AnyNode, chainOf, isWrapper, keyOf, type Step, useOf, walk } from './reading/syntax.ts';
import type { Value } from './reading/values.ts';
import { valueMayRefuse } from './refuses.ts';
import type { Sources } from './sources.ts';
import { isStrapi, namesOfStrapi } from './strapi-names.ts';
import { allActions, type Touch } from './touch.ts';

/** A text without any of these has no hook. */
const WORDS = ['.use', '.subscribe', 'lifecycles', 'strapi'];

/** Registries whose members serve requests. */
const REGISTRIES = new Set([
  'sanitizers',
  'validators',
  'controllers',
  'services',
  'policies',
  'middlewares',
  'auth',
  'content-types',
  'apis',
  'plugins',
]);

export const mayHook = (text: string): boolean => WORDS.some((word) => text.includes(word));

/** What the hooks of a module touch: document middlewares, subscribed lifecycles, routes and middlewares of the server. */
export function hooksOf(catalog: Catalog, sources: Sources, module: Module): Touch[] {
  const touches: Touch[] = [];
  const names = namesOfStrapi(module.program);
  walk(module.program, (node, around) => {
    const kept = keptHook(node, around, names);
    if (kept !== undefined) touches.push(allActions(module.path, kept, { files: !BESIDE_FILES.has(kept) }));
    if (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression') {
      const { root, steps } = chainOf(node.left);
      const isOfStrapi = root.type === 'Identifier' && root.name === 'strapi' && steps.length > 1;
      if (isOfStrapi) touches.push(allActions(module.path, `change of strapi.${wordsOf(steps).join('.')}`));
    }
    if (node.type !== 'CallExpression') return;
    const hook = hookOf(node.callee);
    const argument = (index: number): Value =>
      node.arguments[index] ? sources.values.read(node.arguments[index], module) : { kind: 'unknown' };
    if (hook === 'documents') touches.push(...documentMiddleware(catalog, sources, argument(0), module.path));
    else if (hook === 'lifecycles') touches.push(...subscription(catalog, sources, argument(0), module.path));
    else if (hook !== undefined)
      touches.push(allActions(module.path, hook, { files: hook.startsWith('strapi.server') }));
  });
  return touches;
}

/** What a call hooks into; undefined for one that does not. */
export function hookOf(callee: AnyNode): string | undefined {
  const { root, steps } = chainOf(callee);
  const last = steps.at(-1);
  if (typeof last !== 'string') return undefined;
  const words = wordsOf(steps);
  const before = words.slice(0, -1);
  if (last === 'use' && before.at(-1) === 'documents') return 'documents';
  if (last === 'subscribe' && before.at(-1) === 'lifecycles') return 'lifecycles';
  if (root.type !== 'Identifier') return undefined;
  const server = before.lastIndexOf('server');
  if (server >= 0 && server > words.length - 4 && SERVER_METHODS.has(last))
    return `strapi.${words.slice(server).join('.')}`;
  const registry = before.at(-1) ?? '';
  const isStrapi = root.name === 'strapi' || before.at(-2) === 'get';
  return isStrapi && REGISTRIES.has(registry) && CHANGES.has(last) ? `change of strapi's ${registry}` : undefined;
}

/** What hooks are made with, which code may take out of strapi and hook into elsewhere. */
const HOOKABLE = new Set(['documents', 'db', 'lifecycles', 'server']);

/** Those that stand before no stored file. */
const BESIDE_FILES: ReadonlySet<string> = new Set(['strapi.documents', 'strapi.db.lifecycles']);

/** What a node takes out of strapi to hook into it under another name; undefined if it takes nothing of the kind. */
function keptHook(node: AnyNode, around: readonly AnyNode[], names: ReadonlySet<string>): string | undefined {
  if (node.type === 'ObjectPattern') return takenApart(node, around, names);
  if (node.type !== 'MemberExpression') return undefined;
  const key = keyOf(node);
  const isOfStrapi = isStrapi(node.object, names);
  if (isOfStrapi && key === undefined) return 'computed member of strapi';
  if (key !== 'lifecycles' && !(isOfStrapi && (key === 'documents' || key === 'server'))) return undefined;
  const { steps, end, within } = useOf(node, around);
  const [next, call] = steps;
  if (isHooked(end)) return undefined;
  // those that an extension gives a type are read by plugin-extension.ts
  if (key === 'lifecycles' && !isOfStrapi && within?.type === 'AssignmentExpression' && within.left === end)
    return undefined;
  if (key === 'lifecycles')
    return next === 'subscribe' && typeof call === 'object' ? undefined : 'strapi.db.lifecycles';
  if (key === 'documents') {
    const isCalled = typeof next === 'object' || (next === 'use' && typeof call === 'object');
    return isCalled ? undefined : 'strapi.documents';
  }
  return next === 'httpServer' ? undefined : 'strapi.server';
}

/** The same of a pattern that takes strapi apart, or takes lifecycles out of anything. */
function takenApart(
  node: AnyNode & { type: 'ObjectPattern' },
  around: readonly AnyNode[],
  names: ReadonlySet<string>,
): string | undefined {
  const outer = around.find((one) => !isWrapper(one) && one.type !== 'AssignmentPattern');
  const from =
    outer?.type === 'VariableDeclarator'
      ? outer.init
      : outer?.type === 'AssignmentExpression'
        ? outer.right
        : undefined;
  const [nearest] = around;
  const isDefault = nearest?.type === 'AssignmentPattern' && isStrapi(nearest.right, names);
  const isInner = outer?.type === 'Property' && keyOf(outer) === 'strapi';
  const isOfStrapi = isInner || isDefault || (from ? isStrapi(from, names) : false);
  for (const property of node.properties) {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    if (key === 'lifecycles' || (isOfStrapi && (key === undefined || HOOKABLE.has(key)))) return 'strapi taken apart';
  }
  return undefined;
}

const CHANGES = new Set(['add', 'set', 'extend', 'register']);
const SERVER_METHODS = new Set(['use', 'routes', 'get', 'post', 'put', 'patch', 'delete', 'del', 'all']);

/** The names of a chain, and the texts that its calls are given first. */
function wordsOf(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if (typeof step === 'string') return [step];
    const [first] = step?.call ?? [];
    return first?.type === 'Literal' && typeof first.value === 'string' ? [first.value] : [];
  });
}

function documentMiddleware(catalog: Catalog, sources: Sources, middleware: Value, code: string): Touch[] {
  const touched = new Set<string>();
  for (const { uid, action } of selectionsOf(middleware, sources.values)) {
    for (const type of uid ?? catalog.contentTypes.keys()) {
      for (const name of action ?? DOCUMENT_ACTION_NAMES) {
        for (const one of actionsOnDocuments(catalog, type, name)) touched.add(one);
      }
    }
  }
  if (touched.size === 0) return [];
  const refuses = valueMayRefuse(middleware, sources);
  return [{ actions: [...touched], code, what: 'document middleware', refuses }];
}

/** Whether a node is called in its chain with a hook that `hooksOf` has read. */
export function isHooked(chainEnd: AnyNode): boolean {
  return chainEnd.type === 'CallExpression' && hookOf(chainEnd.callee) !== undefined;
}
