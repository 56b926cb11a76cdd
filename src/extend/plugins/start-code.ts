/**
 * Reads code that Strapi runs when it starts: `src/index`, and what it imports. What it does to strapi is found by
 * strapi/touches.ts.
 */
import type { Value } from '../reading/values.ts';
import type { Sources } from '../sources.ts';
import { importsOf } from '../strapi/imports.ts';
import { allActions, type Touch } from '../touch.ts';

/** What is not known of the start code in a file, and in the files that it imports. */
export function startCode(sources: Sources, path: string): readonly Touch[] {
  const seen = new Set<string>();
  const touches: Touch[] = [];
  const visit = (file: string, by: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const module = sources.module(file);
    if (!module) touches.push(allActions(file, `start code that cannot be read${by}`, { files: true }));
    // what names no file is a package, data, or not there: then it ends the start
    for (const { source, isFolder, line } of module ? importsOf(module, sources.textOf(file)) : []) {
      const paths = isFolder ? sources.inFolder(file, source) : [sources.pathOf(file, source)];
      for (const imported of paths) {
        if (imported !== undefined && !imported.endsWith('.json')) visit(imported, `, imported in ${file}:${line}`);
      }
    }
  };
  visit(path, '');
  const entry = sources.module(path);
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
