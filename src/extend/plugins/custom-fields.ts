/**
 * Reads which custom fields the code of a project registers, where that is written out:
 *
 *     strapi.customFields.register({ name: 'opening-times', type: 'json' });
 *     strapi.customFields.register([{ name: 'color', plugin: 'palette', type: 'string' }]);
 *
 * Schemas name them, and have to be known before anything is run.
 */
import type { Module } from '../reading/module.ts';
import { type AnyNode, chainOf, walk } from '../reading/syntax.ts';
import type { Value } from '../reading/values.ts';
import type { SourceFile } from '../source-files.ts';
import { Sources } from '../sources.ts';

/** What a file that registers custom fields contains. */
export const REGISTERS = /\bcustomFields\b[^;]*\bregister\b/;

/** The types that custom fields are stored as, by the names that schemas give them (`global::opening-times`). */
export async function registeredCustomFields(files: readonly SourceFile[]): Promise<ReadonlyMap<string, string>> {
  const sources = await Sources.open(files);
  const fields = new Map<string, string>();
  for (const { path, text } of files) {
    const module = REGISTERS.test(text) ? sources.module(path) : undefined;
    if (!module) continue;
    walk(module.program, (node) => {
      for (const field of registered(node, module, sources)) fields.set(...field);
    });
  }
  return fields;
}

/** What a call registers; nothing where the node is no such call. */
function registered(node: AnyNode, module: Module, { values }: Sources): readonly (readonly [string, string])[] {
  if (node.type !== 'CallExpression') return [];
  const { steps } = chainOf(node.callee);
  if (steps.at(-1) !== 'register' || steps.at(-2) !== 'customFields') return [];
  const given = node.arguments.flatMap((argument) => {
    const value = values.read(argument, module);
    return value.kind === 'list' ? value.items : [value];
  });
  return given.flatMap((value) => {
    const [name, plugin, type] = ['name', 'plugin', 'type'].map((key) => textAt(value, key));
    if (name === undefined || type === undefined) return [];
    return [[plugin === undefined ? `global::${name}` : `plugin::${plugin}.${name}`, type] as const];
  });
}

function textAt(value: Value, key: string): string | undefined {
  const entry = value.kind === 'object' ? value.entries.get(key) : undefined;
  return entry?.kind === 'literal' && typeof entry.value === 'string' ? entry.value : undefined;
}
