/**
 * Reads code that Strapi runs when it starts: `src/index`, and what it imports. What it does to strapi is found by
 * strapi/touches.ts.
 */
import type { Module } from '../reading/module.ts';
import { type AnyNode, walk } from '../reading/syntax.ts';
import type { Value } from '../reading/values.ts';
import type { Sources } from '../sources.ts';
import { allActions, type Touch } from '../touch.ts';

/** What is not known of the start code in a file, and in the files that it imports. */
export function startCode(sources: Sources, path: string): readonly Touch[] {
  const seen = new Set<Module>();
  const touches: Touch[] = [];
  const visit = (module: Module | undefined, name: string): void => {
    if (!module) touches.push(allActions(name, 'start code that cannot be read', { files: true }));
    else if (!seen.has(module)) {
      seen.add(module);
      for (const source of importsOf(module)) {
        if (source.startsWith('.') && !source.endsWith('.json')) visit(sources.imported(module, source), module.path);
      }
    }
  };
  const entry = sources.module(path);
  visit(entry, path);
  if (entry && !startsPlainly(sources.values.exported(entry))) {
    touches.push(allActions(path, 'start functions that are not written out', { files: true }));
  }
  return touches;
}

const START_FUNCTIONS = ['register', 'bootstrap', 'destroy'];

/** Whether the start functions that a module exports are known. */
function startsPlainly(exported: Value): boolean {
  if (exported.kind === 'function' || exported.kind === 'literal') return true;
  if (exported.kind !== 'object' || exported.open) return false;
  return START_FUNCTIONS.every((name) => {
    const value = exported.entries.get(name);
    return value === undefined || value.kind === 'literal' || value.kind === 'function';
  });
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
