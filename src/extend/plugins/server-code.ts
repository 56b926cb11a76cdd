/** Reads code that starts Strapi itself: whether it does anything else (see server-files.ts). */
import { type AnyNode, chainOf, isFunction, keyOf, plain, walk } from '../reading/syntax.ts';
import type { SourceFile } from '../source-files.ts';
import type { Sources } from '../sources.ts';
import { requiredSource } from '../strapi/scopes.ts';
import { allActions, type Touch } from '../touch.ts';

/** Methods by what they may be called on: a name, or a package that is required. */
const HARMLESS: Readonly<Record<string, ReadonlySet<string>>> = {
  process: new Set(['on', 'once', 'exit', 'cwd']),
  console: new Set(['log', 'info', 'warn', 'error']),
  path: new Set(['join', 'resolve', 'dirname']),
  dotenv: new Set(['config']),
};
const STARTING = new Set(['createStrapi', 'compileStrapi', 'load', 'start']);
const CHAINING = new Set(['then', 'catch', 'finally']);

/** What a file of the project that starts Strapi touches: everything, where it does anything else. */
export function serverTouches(sources: Sources, { path }: SourceFile): Touch[] {
  const module = sources.module(path);
  if (module && onlyStarts(module.program)) return [];
  return [allActions(path, 'code that starts Strapi', { files: true })];
}

/** Whether a program only starts Strapi: what it calls is known, and it changes nothing but the environment. */
function onlyStarts(program: AnyNode): boolean {
  let isPlain = true;
  walk(program, (node) => {
    if (node.type === 'CallExpression') isPlain &&= isHarmlessCall(node);
    else if (node.type === 'ImportDeclaration') isPlain &&= !String(node.source.value).startsWith('.');
    else if (node.type === 'AssignmentExpression') isPlain &&= setsEnvironment(node.left);
    else if (node.type === 'VariableDeclarator')
      isPlain &&=
        !(node.id.type === 'Identifier' && Object.hasOwn(HARMLESS, node.id.name)) ||
        isImported(node.init, (node.id as { name: string }).name);
    else isPlain &&= !/^(?:New|Update|TaggedTemplate|Import)Expression$|^(?:Class|Export|With)/.test(node.type);
    if (node.type === 'UnaryExpression') isPlain &&= node.operator !== 'delete';
  });
  return isPlain;
}

function isHarmlessCall(node: AnyNode & { type: 'CallExpression' }): boolean {
  const callee = plain(node.callee);
  if (requiredSource(node) !== undefined) return !requiredSource(node)!.startsWith('.');
  // `require('@strapi/strapi')()`, as in older projects
  if (callee.type === 'CallExpression') return requiredSource(callee) === '@strapi/strapi';
  if (callee.type === 'Identifier') return STARTING.has(callee.name);
  if (callee.type !== 'MemberExpression') return false;
  const name = keyOf(callee) ?? '';
  if (CHAINING.has(name))
    return node.arguments.every((argument) => isFunction(plain(argument as AnyNode)) || isConsole(argument as AnyNode));
  if (STARTING.has(name)) return node.arguments.every(({ type }) => type === 'ObjectExpression');
  const object = plain(callee.object);
  const owner = object.type === 'Identifier' ? object.name : requiredSource(object);
  return owner !== undefined && Object.hasOwn(HARMLESS, owner) && HARMLESS[owner]!.has(name);
}

const isConsole = (node: AnyNode): boolean => {
  const { root, steps } = chainOf(node);
  return root.type === 'Identifier' && root.name === 'console' && steps.length === 1;
};

/** Whether a name such as `path` is given the package of that name. */
const isImported = (init: AnyNode | null | undefined, name: string): boolean =>
  init !== null && init !== undefined && requiredSource(plain(init))?.replace('node:', '') === name;

/** `process.env.NAME = …`. */
function setsEnvironment(left: AnyNode): boolean {
  const { root, steps } = chainOf(left);
  return root.type === 'Identifier' && root.name === 'process' && steps.length === 2 && steps[0] === 'env';
}
