/** Reads `src/extensions/<plugin>/strapi-server`: what it puts in the place of a built-in plugin's own. */

import { actionsOf } from '../../access/actions.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { AttributeChange } from '../../schema/files.ts';
import { extensionTouches } from '../lifecycles.ts';
import { type AnyNode, isFunction, isWrapper, keyOf, plain, walk } from '../reading/syntax.ts';
import type { Value } from '../reading/values.ts';
import { valueMayRefuse } from '../refuses.ts';
import { type OwnRoute, ownRoute, takenOver } from '../routers.ts';
import type { SourceFile } from '../source-files.ts';
import type { Sources } from '../sources.ts';
import { allActions, type Touch } from '../touch.ts';
import { changedAttributes } from './changed-attributes.ts';

/** Plugins whose endpoints Galley has; extensions of others change nothing here. */
const BUILT_IN: ReadonlySet<string> = new Set(['users-permissions', 'upload', 'i18n']);

/** Services of accounts, with their members, that the reference asks about whoever makes a request, whatever it is for. */
const SIGNS_IN = /^(?:user(?:\.fetchAuthenticatedUser)?|jwt(?:\.(?:getToken|verify))?|permission(?:\..*)?)?$/;

/** What of an extension of accounts stands before requests of the content API alone: the panel asks none of it. */
const OF_API = /^(?:overridden |change of (?:services|routes|policies|middlewares)(?:\.|$))/;

export interface ExtensionParts {
  /** Takes the routes that it adds. */
  readonly own?: OwnRoute[];
  /** What the catalog has of extensions. */
  readonly changes?: readonly AttributeChange[];
}

/** What the extension of a plugin touches. */
export function pluginExtension(
  catalog: Catalog,
  sources: Sources,
  file: SourceFile,
  { own = [], changes = [] }: ExtensionParts = {},
): Touch[] {
  if (!BUILT_IN.has(file.owner)) return [];
  const module = sources.module(file.path);
  if (module?.exported.kind === 'nothing') return [];
  const plugin = `plugin::${file.owner}`;
  // of the panel's own way to accounts is one controller alone
  const isOfApi = (what: string): boolean =>
    file.owner === 'users-permissions' && OF_API.test(what) && !what.includes('contentmanageruser');
  const touch = (actions: readonly string[], what: string, refuses: boolean): Touch => ({
    ...{ actions, code: file.path, what, refuses },
    ofApi: isOfApi(what),
  });
  const types = [...catalog.contentTypes.keys()].filter((uid) => uid.startsWith(`${plugin}.`));
  const everything = (what: string) => touch([...actionsOf(plugin), ...types], what, true);
  const extension: Value = module ? sources.values.exported(module) : { kind: 'unknown' };
  if (!module || extension.kind !== 'function') return [everything('extension that is not written out')];
  const [parameter] = extension.node.params;
  if (parameter === undefined) return [];
  if (parameter.type !== 'Identifier') return [everything('extension that is not written out')];
  const touches: Touch[] = [];
  const isKnown = changes.some((change) => change.file === file.path);
  const uses = isKnown ? changedAttributes(extension, sources, file).uses : new Set<AnyNode>();
  walk(extension.node, (node, around) => {
    if (uses.has(node)) return;
    if (node === parameter || node.type !== 'Identifier' || node.name !== parameter.name || isKey(node, around[0]))
      return;
    const { keys, end, within } = membersOf(node, around);
    const enclosing = around.find(isFunction);
    if (keys.length === 0 && enclosing === extension.node && isReturned(end, within, extension.node)) return;
    const [first, second, third, fourth] = keys;
    if (first === 'controllers' && second !== undefined && third !== undefined) {
      // read for itself: the core's own action, to be called
      if (within?.type !== 'AssignmentExpression' || within.left !== end) return;
      const value = sources.values.read(within.right, extension.module);
      const action = `${plugin}.${second}.${third}`;
      // an action of the project's own is added to those of the plugin
      const isAdded = keys.length === 3 && !actionsOf(plugin).includes(action);
      if (!isAdded) touches.push(touch([action], `overridden ${second}.${third}`, valueMayRefuse(value, sources)));
    } else if (first === 'controllers' && second !== undefined) {
      touches.push(touch(actionsOf(`${plugin}.${second}`), `overridden controller ${second}`, true));
    } else if (
      first === 'routes' &&
      third === 'routes' &&
      (fourth === 'push' || fourth === 'unshift') &&
      within?.type === 'CallExpression'
    ) {
      for (const argument of within.arguments) {
        const routes =
          argument.type === 'SpreadElement' ? sources.values.read(argument.argument, extension.module) : undefined;
        const items = routes
          ? routes.kind === 'list' && !routes.open
            ? routes.items
            : undefined
          : [sources.values.read(argument, extension.module)];
        const read = items?.map((item) => ownRoute(item, `/${file.owner}`, file, 'plugin'));
        if (read?.every((route) => route !== undefined)) own.push(...read);
        else touches.push(allActions(file.path, 'a route that is not written out', { kind: 'unreadRoutes' }));
      }
    } else if (first === 'contentTypes' && third === 'lifecycles' && isAssigned(end, within)) {
      const value = sources.values.read(within.right, extension.module);
      const one: Value =
        fourth === undefined ? value : { kind: 'object', entries: new Map([[fourth, value]]), open: false };
      touches.push(...extensionTouches(catalog, sources, one, `${plugin}.${second}`, file.path));
    } else if (keys.length === 0) touches.push(everything('extension that is not written out'));
    else if (first === 'services' && file.owner === 'users-permissions' && SIGNS_IN.test(keys.slice(1, 3).join('.')))
      touches.push({ ...allActions(file.path, `change of ${keys.join('.')}`), ofApi: true });
    else {
      // attributes that it hides would show through other types
      const shown = first !== 'contentTypes' ? [] : second === undefined ? types : [`${plugin}.${second}`];
      touches.push(touch([...actionsOf(plugin), ...shown], `change of ${keys.join('.')}`, true));
    }
  });
  return [...touches, ...takenOver(catalog, new Map(), own)];
}

/**
 * The routes that the file of an extension writes out, wherever in it: what they perform may be granted, however they come
 * to the plugin.
 */
export function writtenRoutes(sources: Sources, file: SourceFile): OwnRoute[] {
  const module = BUILT_IN.has(file.owner) ? sources.module(file.path) : undefined;
  const routes: OwnRoute[] = [];
  if (!module) return routes;
  walk(module.program, (node) => {
    if (node.type !== 'ObjectExpression') return;
    const route = ownRoute(sources.values.read(node, module), `/${file.owner}`, file, 'plugin');
    if (route?.handler.includes('.')) routes.push(route);
  });
  return routes;
}

const isAssigned = (end: AnyNode, within: AnyNode | undefined): within is AnyNode & { type: 'AssignmentExpression' } =>
  within?.type === 'AssignmentExpression' && within.left === end;

function isKey(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed;
  return parent?.type === 'Property' && parent.key === node && parent.value !== node && !parent.computed;
}

/** The members that are reached from a name, and what contains them. */
function membersOf(
  node: AnyNode,
  around: readonly AnyNode[],
): { keys: string[]; end: AnyNode; within: AnyNode | undefined } {
  const keys: string[] = [];
  let end = node;
  for (const outer of around) {
    const key = outer.type === 'MemberExpression' && outer.object === end ? keyOf(outer) : undefined;
    if (key !== undefined) keys.push(key);
    else if (!isWrapper(outer)) return { keys, end, within: outer };
    end = outer;
  }
  return { keys, end, within: undefined };
}

/** Whether the plugin itself is only given back. */
function isReturned(end: AnyNode, within: AnyNode | undefined, extension: AnyNode): boolean {
  if (within?.type === 'ReturnStatement') return true;
  return within === extension && 'body' in extension && plain(extension.body as AnyNode) === plain(end);
}
