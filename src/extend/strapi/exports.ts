/** What a module exports, under which names: ES modules, CommonJS, and what compilers make of the one for the other. */
import type { Module } from '../reading/module.ts';
import { type AnyNode, chainOf, keyOf, namesOf, plain, walk } from '../reading/syntax.ts';
import type { Scopes } from './scopes.ts';

/** The name of what `module.exports` is given as a whole. */
export const WHOLE = '*';

export type Export =
  | { readonly name: string; readonly node: AnyNode }
  /** Handed on from another module: one name, or all of them. */
  | { readonly name: string; readonly source: string; readonly imported: string };

/** The exports of a module. */
export function exportsOf({ program }: Module, scopes: Scopes): Export[] {
  const found: Export[] = [];
  walk(program, (node) => {
    if (node.type === 'ExportDefaultDeclaration') found.push({ name: 'default', node: node.declaration as AnyNode });
    else if (node.type === 'ExportAllDeclaration') {
      const name = node.exported ? nameOf(node.exported) : WHOLE;
      found.push({ name, source: String(node.source.value), imported: WHOLE });
    } else if (node.type === 'ExportNamedDeclaration') {
      for (const { local, exported } of node.specifiers) {
        const name = nameOf(exported);
        if (node.source) found.push({ name, source: String(node.source.value), imported: nameOf(local) });
        else found.push({ name, node: local as AnyNode });
      }
      const { declaration } = node;
      if (declaration?.type === 'FunctionDeclaration') found.push({ name: declaration.id.name, node: declaration });
      if (declaration?.type !== 'VariableDeclaration') return;
      for (const one of identifiersOf(declaration.declarations.map(({ id }) => id))) {
        found.push({ name: (one as { name: string }).name, node: one });
      }
    } else if (node.type === 'AssignmentExpression') {
      const name = exportedBy(node.left, scopes);
      if (name === undefined) return;
      const value = plain(node.right);
      if (name !== WHOLE || value.type !== 'ObjectExpression') found.push({ name, node: node.right });
      else {
        for (const property of value.properties) {
          if (property.type !== 'Property') found.push({ name: WHOLE, node: property.argument });
          else found.push({ name: keyOf(property) ?? WHOLE, node: property.value });
        }
      }
    }
  });
  return found;
}

/** The name that an assignment to `exports.name` exports, `*` for `module.exports`; undefined for another target. */
export function exportedBy(left: AnyNode, scopes: Scopes): string | undefined {
  const { root, steps } = chainOf(left);
  if (root.type !== 'Identifier' || scopes.find(root.name, root)) return undefined;
  const names =
    root.name === 'module' && steps[0] === 'exports' ? steps.slice(1) : root.name === 'exports' ? steps : undefined;
  if (names === undefined || names.length > 1) return undefined;
  if (names.length === 0) return root.name === 'module' ? WHOLE : undefined;
  return typeof names[0] === 'string' ? names[0] : undefined;
}

const nameOf = (node: AnyNode): string => String('name' in node ? node.name : (node as { value?: unknown }).value);

function identifiersOf(patterns: readonly AnyNode[]): AnyNode[] {
  const found: AnyNode[] = [];
  for (const pattern of patterns) {
    const names = new Set(namesOf(pattern));
    walk(pattern, (node, [parent]) => {
      const isKey = parent?.type === 'Property' && parent.key === node && parent.value !== node;
      if (node.type === 'Identifier' && names.has(node.name) && !isKey) found.push(node);
    });
  }
  return found;
}
