/** Finds where code hooks into what serves requests, in any file and function. */

import { actionsOnDocuments, DOCUMENT_ACTION_NAMES } from '../access/actions.ts';
import type { Catalog } from '../schema/catalog.ts';
import { selectionsOf } from './document-middleware.ts';
import { subscription } from './lifecycles.ts';
import type { Module } from './reading/module.ts';
import { type AnyNode, chainOf, plain, walk } from './reading/syntax.ts';
import type { Value } from './reading/values.ts';
import { valueMayRefuse } from './refuses.ts';
import type { Sources } from './sources.ts';
import type { Touch } from './touch.ts';

/** A text without any of these has no hook, and nothing to do with strapi. */
const WORDS = ['.use', '.subscribe', 'lifecycles', 'strapi'];

/** What touches say of it. */
export const DOCUMENT_MIDDLEWARE = 'document middleware';

export const mayHook = (text: string): boolean => WORDS.some((word) => text.includes(word));

/** What the document middlewares and the subscribed lifecycles of a module touch. */
export function hooksOf(catalog: Catalog, sources: Sources, module: Module): Touch[] {
  const touches: Touch[] = [];
  walk(module.program, (node) => {
    if (node.type !== 'CallExpression') return;
    const hook = hookOf(node.callee);
    const argument: Value = node.arguments[0] ? sources.values.read(node.arguments[0], module) : { kind: 'unknown' };
    if (hook === 'documents') touches.push(...documentMiddleware(catalog, sources, argument, module.path));
    else if (hook === 'lifecycles') touches.push(...subscription(catalog, sources, argument, module.path));
  });
  return touches;
}

/** Whether a node is a call, awaited or not, of a hook that `hooksOf` has read. */
export function isHooked(chainEnd: AnyNode): boolean {
  let node = plain(chainEnd);
  while (node.type === 'AwaitExpression') node = plain(node.argument);
  return node.type === 'CallExpression' && hookOf(node.callee) !== undefined;
}

/** What a call hooks into: `….documents.use(…)` or `….lifecycles.subscribe(…)`, whatever it is called on. */
function hookOf(callee: AnyNode): 'documents' | 'lifecycles' | undefined {
  const { steps } = chainOf(callee);
  const [before, last] = [steps.at(-2), steps.at(-1)];
  if (last === 'use' && before === 'documents') return 'documents';
  return last === 'subscribe' && before === 'lifecycles' ? 'lifecycles' : undefined;
}

function documentMiddleware(catalog: Catalog, sources: Sources, middleware: Value, code: string): Touch[] {
  const touched = new Set<string>();
  for (const { uid, action } of selectionsOf(middleware, sources.values, {
    uid: [...catalog.contentTypes.keys()],
    action: DOCUMENT_ACTION_NAMES,
  })) {
    for (const type of uid ?? catalog.contentTypes.keys()) {
      for (const name of action ?? DOCUMENT_ACTION_NAMES) {
        for (const one of actionsOnDocuments(catalog, type, name)) touched.add(one);
      }
    }
  }
  if (touched.size === 0) return [];
  const refuses = valueMayRefuse(middleware, sources);
  return [{ actions: [...touched], code, what: DOCUMENT_MIDDLEWARE, kind: 'hook', refuses }];
}
