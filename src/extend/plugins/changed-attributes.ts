/**
 * Reads which attributes an extension adds to the types of a built-in plugin, and changes, where that is written out:
 *
 *     plugin.contentTypes.user.schema.attributes.nickname = { type: 'string' };
 *     plugin.contentTypes.user.schema.attributes.email.private = true;
 *     plugin.contentTypes.user.schema.attributes = { ...plugin.contentTypes.user.schema.attributes, age: { type: 'integer' } };
 *     Object.assign(plugin.contentTypes.user.schema.attributes, PROFILE);
 *     const { attributes } = plugin.contentTypes.user.schema;
 *     attributes.phone = { type: 'string' };
 *
 * They become part of the schemas before anything is run.
 */
import { EXTENSIONS } from '../../schema/built-in.ts';
import type { AttributeChange } from '../../schema/files.ts';
import { isAssign, type Module } from '../reading/module.ts';
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
  if (parameter?.type !== 'Identifier' || node.body.type !== 'BlockStatement') return { changes: [], uses: new Set() };
  const extension: Extension = {
    node,
    names: new Map([[parameter.name, { keys: [], said: undefined }]]),
    read: (expression) => sources.values.read(expression, module),
  };
  const changes: AttributeChange[] = [];
  const uses = new Set<AnyNode>();
  for (const statement of node.body.body) {
    if (statement.type === 'VariableDeclaration' && statement.kind === 'const') named(statement, extension);
    const made = statement.type === 'ExpressionStatement' ? changed(plain(statement.expression), extension) : undefined;
    const uid = `plugin::${owner}.${made?.type}`;
    if (made && EXTENSIONS.has(uid)) {
      changes.push(...made.changes.map((change) => ({ uid, file, ...change })));
      for (const use of made.uses) uses.add(use);
    }
    if (mayEnd(statement)) break;
  }
  // from the last one: a name is also used where a later one is taken from it
  for (const [name, { said }] of [...extension.names].reverse()) {
    if (said && isOnlyUsed(name, uses, said, node)) uses.add(said.root);
  }
  return { changes, uses };
}

/** An extension while it is read. */
interface Extension {
  readonly node: FunctionNode;
  /** Names of the plugin and of parts of it, with the members that lead there, and where that is said. */
  readonly names: Map<string, { readonly keys: readonly string[]; readonly said: Said | undefined }>;
  read(expression: AnyNode): Value;
}

/** Where a part of the plugin gets a name. */
interface Said {
  readonly name: AnyNode;
  readonly root: AnyNode;
}

/** What one statement changes. */
interface Changed {
  readonly type: string;
  readonly changes: readonly Change[];
  readonly uses: readonly AnyNode[];
}

/** A place in a type of the plugin: its schema, all attributes, one, or an option of one. */
interface Place {
  readonly root: AnyNode;
  readonly type: string;
  /** Members of the type that lead there. */
  readonly path: readonly string[];
}

/** Keeps the names that a declaration gives to types of the plugin and to what is in them. */
function named(statement: AnyNode & { readonly type: 'VariableDeclaration' }, extension: Extension): void {
  for (const { id, init } of statement.declarations) {
    const from = init ? membersOf(init, extension) : undefined;
    if (from?.keys[0] !== 'contentTypes') continue;
    const [property] = id.type === 'ObjectPattern' && id.properties.length === 1 ? id.properties : [];
    const key = property?.type === 'Property' ? keyOf(property) : undefined;
    const target: AnyNode = property?.type === 'Property' && key !== undefined ? property.value : id;
    if (target.type !== 'Identifier' || extension.names.has(target.name)) continue;
    const keys = key === undefined ? from.keys : [...from.keys, key];
    extension.names.set(target.name, { keys, said: { name: target, root: from.root } });
  }
}

/** Whether a name of a part of the plugin is used in changes that are read alone: elsewhere it may be given to anybody. */
function isOnlyUsed(name: string, uses: ReadonlySet<AnyNode>, said: Said, within: AnyNode): boolean {
  let isOnly = true;
  walk(within, (node, [parent]) => {
    if (node.type !== 'Identifier' || node.name !== name || node === said.name || uses.has(node)) return;
    const isMember = parent?.type === 'MemberExpression' && parent.property === node && !parent.computed;
    const isKey = parent?.type === 'Property' && parent.key === node && parent.value !== node && !parent.computed;
    // of a pattern, the name that it takes apart
    const isOwn = parent?.type === 'Property' && parent.value === said.name;
    isOnly &&= isMember || isKey || isOwn;
  });
  return isOnly;
}

/** The members of the plugin that an expression leads through; undefined for any other expression. */
function membersOf(
  expression: AnyNode,
  { names }: Extension,
): { readonly root: AnyNode; readonly keys: readonly string[] } | undefined {
  const { root, steps } = chainOf(expression);
  const start = root.type === 'Identifier' ? names.get(root.name) : undefined;
  const keys = steps.filter((step) => typeof step === 'string');
  return start && keys.length === steps.length ? { root, keys: [...start.keys, ...keys] } : undefined;
}

function placeOf(expression: AnyNode, extension: Extension): Place | undefined {
  const { root, keys = [] } = membersOf(expression, extension) ?? {};
  const [contentTypes, type, schema, ...path] = keys;
  if (root === undefined || type === undefined || contentTypes !== 'contentTypes' || schema !== 'schema')
    return undefined;
  return { root, type, path };
}

/** What an expression changes; undefined where that is not written out. */
function changed(expression: AnyNode, extension: Extension): Changed | undefined {
  if (expression.type === 'CallExpression') return assigned(expression, extension);
  if (expression.type !== 'AssignmentExpression' || expression.operator !== '=') return undefined;
  const { left, right } = expression;
  const place = placeOf(left, extension);
  if (!place) return undefined;
  const { root, type, path } = place;
  const [part, name, option] = path;
  // what the panel shows of a type
  if (part === 'info') return { type, changes: [], uses: [root] };
  if (part === 'attributes' && name !== undefined && path.length <= 3) {
    const value = jsonOf(extension.read(right));
    return value === undefined ? undefined : { type, changes: [{ name, option, value }], uses: [root] };
  }
  const all = path.length > 1 ? undefined : part === undefined ? ofSchema(right, extension) : ofAll(right, extension);
  return all?.type === type ? { ...all, uses: [root, ...all.uses] } : undefined;
}

/** `Object.assign(plugin.contentTypes.user.schema.attributes, …)`. */
function assigned(call: AnyNode & { readonly type: 'CallExpression' }, extension: Extension): Changed | undefined {
  const [target, ...others] = call.arguments as AnyNode[];
  const place = isAssign(plain(call.callee)) && target ? placeOf(target, extension) : undefined;
  if (place?.path.length !== 1 || place.path[0] !== 'attributes') return undefined;
  const changes = others.map((other) => entriesOf(extension.read(other)));
  return changes.every((one) => one !== undefined)
    ? { type: place.type, changes: changes.flat(), uses: [place.root] }
    : undefined;
}

/** All attributes there are, spread, and others behind them. */
function ofAll(right: AnyNode, extension: Extension): Changed | undefined {
  const list = plain(right);
  const [all, ...others] = list.type === 'ObjectExpression' ? list.properties : [];
  const place = all?.type === 'SpreadElement' ? placeOf(all.argument, extension) : undefined;
  if (place?.path.length !== 1 || place.path[0] !== 'attributes') return undefined;
  const changes = others.map((property): readonly Change[] | undefined => {
    if (property.type === 'SpreadElement') return entriesOf(extension.read(property.argument));
    const key = keyOf(property);
    const value = jsonOf(extension.read(property.value));
    return key === undefined || value === undefined ? undefined : [{ name: key, option: undefined, value }];
  });
  return changes.every((one) => one !== undefined)
    ? { type: place.type, changes: changes.flat(), uses: [place.root] }
    : undefined;
}

/** The schema there is, spread, with other attributes behind it. */
function ofSchema(right: AnyNode, extension: Extension): Changed | undefined {
  const list = plain(right);
  const [all, attributes, ...others] = list.type === 'ObjectExpression' ? list.properties : [];
  const place = all?.type === 'SpreadElement' ? placeOf(all.argument, extension) : undefined;
  if (place?.path.length !== 0 || attributes?.type !== 'Property' || others.length > 0) return undefined;
  const made = keyOf(attributes) === 'attributes' ? ofAll(attributes.value, extension) : undefined;
  return made?.type === place.type ? { ...made, uses: [place.root, ...made.uses] } : undefined;
}

/** The attributes of an object that is written out. */
function entriesOf(value: Value): readonly Change[] | undefined {
  const attributes = value.kind === 'object' ? jsonOf(value) : undefined;
  if (attributes === undefined) return undefined;
  return Object.entries(attributes as object).map(([name, one]) => ({ name, option: undefined, value: one }));
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
