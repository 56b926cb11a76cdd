/** Reads the server code of a plugin that is not built in: what it would do to requests other than its own. */
import type { Catalog } from '../../schema/catalog.ts';
import { hooksOf } from '../hooks.ts';
import type { Module } from '../reading/module.ts';
import { type AnyNode, keyOf, plain } from '../reading/syntax.ts';
import { memberOf, textOf, type Value } from '../reading/values.ts';
import { type OwnRoute, ownRoute, takenOver } from '../routers.ts';
import { type SourceFile, sourceFile } from '../source-files.ts';
import { Sources } from '../sources.ts';
import { HOLDER } from '../strapi/path.ts';
import type { Paths } from '../strapi/paths.ts';
import { unclearTouches } from '../strapi/touches.ts';
import { allActions, type Touch } from '../touch.ts';
import type { OwnPlugin } from './own-plugins.ts';
import type { PluginPackage } from './plugin-packages.ts';

/** Which parameter of the functions below a member of a plugin is given `{ strapi }`. */
const FACTORIES: readonly { readonly member: string; readonly index: number }[] = [
  { member: 'services', index: 0 },
  { member: 'controllers', index: 0 },
  { member: 'middlewares', index: 1 },
  { member: 'policies', index: 2 },
];
const START_FUNCTIONS = ['register', 'bootstrap', 'destroy'];

/** What a plugin touches. All of it goes by the plugin's name. */
export async function pluginTouches(catalog: Catalog, plugin: PluginPackage): Promise<Touch[]> {
  const unread = plugin.files.find((file) => file.unread !== undefined);
  if (unread) return [allActions(plugin.code, unread.unread!, { files: true })];
  if (plugin.entry === undefined) return [];
  const sources = await Sources.open(plugin.files);
  const modules = plugin.files.filter(({ path }) => !path.endsWith('.json')).map(({ path }) => sources.module(path));
  const entry = sources.module(plugin.entry);
  if (!entry || modules.includes(undefined)) {
    return [allActions(plugin.code, 'code of the plugin that cannot be parsed', { files: true })];
  }
  const made = pluginOf(entry, sources);
  const known = modules.filter((module) => module !== undefined);
  const touches = [
    ...known.flatMap((module) => hooksOf(catalog, sources, module)),
    ...unclearTouches(sources, known, (paths) => bindFactories(made, paths)),
    ...startTouches(made, plugin),
    ...routeTouches(catalog, sources, made, plugin),
  ];
  return touches.map((touch) => ({ ...touch, code: plugin.code }));
}

/**
 * What the entry of a plugin exports. Bundles declare its parts once at the top, under names that stand for other
 * things in functions.
 */
function pluginOf(entry: Module, sources: Sources): Value {
  const exported = sources.values.exported(entry);
  const made = exported.kind === 'function' ? sources.values.result(exported) : exported;
  if (made.kind !== 'unknown' || entry.exported.kind !== 'value') return made;
  const node = atTop(entry.exported.node, entry);
  if (node.type !== 'ObjectExpression') return made;
  const entries = new Map<string, Value>();
  for (const property of node.properties) {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    if (property.type !== 'Property' || key === undefined) return made;
    entries.set(key, sources.values.read(atTop(property.value, entry), entry));
  }
  return { kind: 'object', entries, open: false };
}

/** The value that a constant at the top of a module has. */
function atTop(expression: AnyNode, { program }: Module): AnyNode {
  const node = plain(expression);
  if (node.type !== 'Identifier') return node;
  for (const statement of program.body as AnyNode[]) {
    if (statement.type === 'FunctionDeclaration' && statement.id?.name === node.name) return statement;
    if (statement.type !== 'VariableDeclaration' || statement.kind !== 'const') continue;
    const found = statement.declarations.find(({ id }) => id.type === 'Identifier' && id.name === node.name);
    if (found?.init) return plain(found.init);
  }
  return node;
}

/** Routes of the plugins below `src/plugins`, whose other code is read with that of the project. */
export function ownPluginRoutes(catalog: Catalog, sources: Sources, plugins: readonly OwnPlugin[]): Touch[] {
  const entries = new Map<string, SourceFile>();
  for (const file of sources.files) {
    if (file.isElsewhere) continue;
    const name = /^(?:[^/]+\/)*?src\/plugins\/([^/]+)\/(?:strapi-server|server\/(?:src\/)?index)\.[^/]+$/.exec(
      file.path,
    )?.[1];
    // Strapi loads strapi-server, which may hand on what is in the folder
    const known = name === undefined ? undefined : entries.get(name);
    if (name !== undefined && (!known || file.path.includes('/strapi-server.'))) entries.set(name, file);
  }
  return [...entries].flatMap(([folder, { path }]) => {
    const entry = sources.module(path);
    const files = sources.files.filter((file) => file.path.includes(`src/plugins/${folder}/`));
    const { name } = plugins.find((plugin) => plugin.folder === `src/plugins/${folder}`) ?? { name: folder };
    return entry ? routeTouches(catalog, sources, pluginOf(entry, sources), { code: path, name, files }) : [];
  });
}

/** Start functions of which it is not known what they take. */
function startTouches(made: Value, { code }: PluginPackage): Touch[] {
  const isKnown =
    made.kind === 'object' &&
    START_FUNCTIONS.every((name) => ['function', 'literal'].includes(memberOf(made, name).kind));
  return isKnown ? [] : [allActions(code, 'start functions that are not written out', { files: true })];
}

function bindFactories(made: Value, paths: Paths): void {
  const bind = (value: Value, index: number): void => {
    if (value.kind !== 'function') return;
    const parameter = (value.node.params as AnyNode[])[index];
    if (parameter) paths.in(value.module).bind(parameter, [HOLDER]);
  };
  for (const name of START_FUNCTIONS) bind(memberOf(made, name), 0);
  for (const { member, index } of FACTORIES) {
    const all = memberOf(made, member);
    if (all.kind === 'object') for (const value of all.entries.values()) bind(value, index);
  }
}

/**
 * Routes of the plugin that answer requests of core or built-in ones. They are below its name, or a prefix of theirs.
 */
function routeTouches(
  catalog: Catalog,
  { values }: Sources,
  made: Value,
  plugin: Pick<PluginPackage, 'code' | 'name' | 'files'>,
): Touch[] {
  const unclear = (): Touch[] =>
    // without a prefix of their own, all routes are below the plugin's name
    plugin.files.some(({ text }) => /\bprefix\b/.test(text)) || isTakenName(catalog, plugin.name)
      ? [{ ...allActions(plugin.code, 'routes that are not written out', { kind: 'unreadRoutes' }), ofApi: true }]
      : [];
  const routers = memberOf(made, 'routes');
  // a bare list is one of the admin panel
  if (routers.kind === 'literal' || routers.kind === 'list') return [];
  if (routers.kind !== 'object' || routers.open) return unclear();
  const own: OwnRoute[] = [];
  for (const given of routers.entries.values()) {
    const value = given.kind === 'function' ? values.result(given) : given;
    if (textOf(memberOf(value, 'type')) === 'admin') continue;
    const list = memberOf(value, 'routes');
    const prefix = memberOf(value, 'prefix');
    const before = prefix.kind === 'literal' && prefix.value === undefined ? `/${plugin.name}` : textOf(prefix);
    const read = list.kind === 'list' && !list.open ? list.items : undefined;
    const owner = { ...sourceFile(plugin.code, ''), owner: plugin.name };
    const routes = read?.map((route) => ownRoute(route, before, owner, 'plugin'));
    if (!routes?.every((route) => route !== undefined)) return unclear();
    own.push(...routes);
  }
  return takenOver(catalog, new Map(), own).map((touch) => ({ ...touch, ofApi: true }));
}

/** Whether a type's routes are below the name of a plugin. */
const isTakenName = (catalog: Catalog, name: string): boolean =>
  [...catalog.contentTypes.values()].some(
    ({ pluralName, singularName }) => name === pluralName || name === singularName,
  );
