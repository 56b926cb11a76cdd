/**
 * Reads which attributes an extension adds to the types of a built-in plugin, and changes, where that is written out:
 *
 *     plugin.contentTypes.user.schema.attributes.nickname = { type: 'string' };
 *     plugin.contentTypes.user.schema.attributes.email.private = true;
 *     plugin.contentTypes.user.schema.attributes = { ...plugin.contentTypes.user.schema.attributes, age: { type: 'integer' } };
 *
 * They become part of the schemas before anything is run.
 */
import { EXTENSIONS } from '../../schema/built-in.ts';
import type { AttributeChange } from '../../schema/files.ts';
import type { Module } from '../reading/module.ts';
import { type AnyNode, chainOf, type FunctionNode, isFunction, keyOf, plain, walk } from '../reading/syntax.ts';
import type { Value } from '../reading/values.ts';
import type { SourceFile } from '../source-files.ts';
import { Sources } from '../sources.ts';

export interface ChangedAttributes {
  readonly changes: readonly AttributeChange[];
  /** Where the plugin is named in these changes. */
  readonly uses: ReadonlySet<AnyNode>;
}

type Change = Pick<AttributeChange, 'name' | 'option' | 'value'>;

/** A function that extends a plugin. */
export interface ExtensionFunction {
  readonly node: FunctionNode;
  readonly module: Module;
}

/** What the extensions of a project change in attributes. */
export async function attributeChanges(files: readonly SourceFile[]): Promise<readonly AttributeChange[]> {
  const extensions = files.filter(({ role, text }) => role === 'extension' && text.includes('contentTypes'));
  if (extensions.length === 0) return [];
  const sources = await Sources.open(files);
  return extensions.flatMap((file) => {
    const module = file.unread === undefined ? sources.module(file.path) : undefined;
    const extension = module && sources.values.exported(module);
    return extension?.kind === 'function' ? changedAttributes(extension, sources, file).changes : [];
  });
}

/** What an extension changes in attributes, of what it does in any case: statements of its own, up to one that may end it. */
export function changedAttributes(
  { node, module }: ExtensionFunction,
  sources: Sources,
  { owner, path: file }: SourceFile,
): ChangedAttributes {
  const [parameter] = node.params;
  const changes: AttributeChange[] = [];
  const uses = new Set<AnyNode>();
  if (parameter?.type !== 'Identifier' || node.body.type !== 'BlockStatement') return { changes, uses };
  const read = (expression: AnyNode) => jsonOf(sources.values.read(expression, module));
  for (const statement of node.body.body) {
    const assignment = statement.type === 'ExpressionStatement' ? plain(statement.expression) : undefined;
    if (assignment?.type === 'AssignmentExpression' && assignment.operator === '=') {
      const left = placeOf(assignment.left, parameter.name);
      const uid = `plugin::${owner}.${left?.type}`;
      const made = left && EXTENSIONS.has(uid) ? changed(left, assignment.right, parameter.name, read) : undefined;
      changes.push(...(made?.changes ?? []).map((change) => ({ uid, file, ...change })));
      for (const use of made?.uses ?? []) uses.add(use);
    }
    if (mayEnd(statement)) break;
  }
  return { changes, uses };
}

/** A place in the attributes of a type: all of them, one, or an option of one. */
interface Place {
  readonly root: AnyNode;
  readonly type: string;
  readonly names: readonly string[];
}

/** The place that an expression means; undefined for any other expression. */
function placeOf(expression: AnyNode, plugin: string): Place | undefined {
  const { root, steps } = chainOf(expression);
  if (root.type !== 'Identifier' || root.name !== plugin) return undefined;
  const keys = steps.filter((step) => typeof step === 'string');
  const [contentTypes, type, schema, attributes, ...names] = keys;
  const isWhole = keys.length === steps.length && names.length <= 2 && type !== undefined;
  const isMeant = contentTypes === 'contentTypes' && schema === 'schema' && attributes === 'attributes';
  return isWhole && isMeant ? { root, type, names } : undefined;
}

/** What an assignment changes; undefined where that is not written out. */
function changed(
  { root, type, names: [name, option] }: Place,
  right: AnyNode,
  plugin: string,
  read: (expression: AnyNode) => unknown,
): { readonly changes: readonly Change[]; readonly uses: readonly AnyNode[] } | undefined {
  if (name !== undefined) {
    const value = read(right);
    return value === undefined ? undefined : { changes: [{ name, option, value }], uses: [root] };
  }
  // all there are, spread, and others behind them
  const list = plain(right);
  const [all, ...others] = list.type === 'ObjectExpression' ? list.properties : [];
  const spread = all?.type === 'SpreadElement' ? placeOf(all.argument, plugin) : undefined;
  if (spread?.type !== type || spread.names.length > 0) return undefined;
  const changes = others.map((property): Change | undefined => {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    const value = property.type === 'Property' ? read(property.value) : undefined;
    return key === undefined || value === undefined ? undefined : { name: key, option: undefined, value };
  });
  return changes.every((one) => one !== undefined) ? { changes, uses: [root, spread.root] } : undefined;
}

/** A value that JSON has; undefined for any other, and for what is not written out. */
function jsonOf(value: Value): unknown {
  if (value.kind === 'literal') return value.value;
  if (value.kind === 'list' && !value.open) {
    const items = value.items.map(jsonOf);
    return items.includes(undefined) ? undefined : items;
  }
  if (value.kind !== 'object' || value.open) return undefined;
  const entries = [...value.entries].map(([key, one]) => [key, jsonOf(one)] as const);
  return entries.some(([, one]) => one === undefined) ? undefined : Object.fromEntries(entries);
}

/** Whether a statement may end the function that it is in, so that what follows is not reached. */
function mayEnd(statement: AnyNode): boolean {
  let ends = false;
  const visit = ({ type }: AnyNode): void => {
    ends ||= type === 'ReturnStatement' || type === 'ThrowStatement';
  };
  walk(statement, visit, (node) => !isFunction(node));
  return ends;
}
