/** What a module imports at run time, in whatever form. */
import type { Module } from '../reading/module.ts';
import { type AnyNode, walk } from '../reading/syntax.ts';
import { requiredSource } from './scopes.ts';

export interface Import {
  /** As it is written: `../lib/words`. */
  readonly source: string;
  readonly line: number;
}

/** The imports of a module with a text. Those of types alone are gone when it is run. */
export function importsOf({ program }: Module, text: string): Import[] {
  const found: Import[] = [];
  walk(program, (node) => {
    const source = sourceOf(node);
    if (source !== undefined) found.push({ source, line: text.slice(0, node.start).split('\n').length });
  });
  return found;
}

function sourceOf(node: AnyNode): string | undefined {
  const { importKind, exportKind, source, expression } = node as Written;
  if (importKind === 'type' || exportKind === 'type') return undefined;
  // `import words = require('../lib/words')`
  const named = (node.type as string) === 'TSExternalModuleReference' ? expression : source;
  if (typeof named === 'object' && named !== null) return typeof named.value === 'string' ? named.value : undefined;
  return node.type === 'CallExpression' ? requiredSource(node) : undefined;
}

/** What nodes have of imports. */
interface Written {
  readonly importKind?: string;
  readonly exportKind?: string;
  readonly source?: { readonly value?: unknown } | null;
  readonly expression?: { readonly value?: unknown } | null;
}
