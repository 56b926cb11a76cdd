/**
 * The plugins of the project itself, below `src/plugins`: where the code of each is, which content types it has, and
 * which actions its routes may be granted. For that their modules are loaded, and called what says which parts there are.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { createEnv } from '../../config/environment.ts';
import { ModuleLoader } from '../../config/modules/loader.ts';
import { codeEndings } from '../../config/modules/resolver.ts';
import type { PluginType } from '../../schema/files.ts';
import { isPlain } from '../running/documents/plain-params.ts';
import { guarded } from '../running/guarded.ts';
import { CodeError, instantiated, methodsOf } from '../running/registry.ts';
import { type CoreMade, type CoreRouter, substitutes } from '../running/strapi/packages.ts';
import { ownPlugin } from '../source-files.ts';

export interface OwnPlugin {
  readonly name: string;
  /** Its folder, and the file that is loaded, by their paths in the project. */
  readonly folder: string;
  readonly entry: string;
  readonly types: readonly PluginType[];
  /** Actions of its routes. */
  readonly actions: readonly string[];
  /** How many routes it has that are the admin panel's, which are not there. */
  readonly panelRoutes: number;
  /** Why it cannot be loaded; undefined where it can. */
  readonly failure: string | undefined;
}

/** Where the server code of a plugin begins, without the ending. */
const ENTRIES = ['strapi-server', 'server/src/index', 'server/index'];

/** What is said of an entry that hands on what is to be built. */
const NOT_BUILT = /Cannot find module '[^']*\bdist\b/;

/** What functions are given before there is a `strapi`. */
const NO_TOOLS = { strapi: guarded('strapi, before the project runs,', {}) };

const CORE_NAMES = ['find', 'findOne', 'create', 'update', 'delete'];

/** The plugins of a project that `config/plugins` enables; none where no code is to be run. */
export function ownPlugins({ dir, code }: Pick<Config, 'dir' | 'code'>): OwnPlugin[] {
  if (!code.run) return [];
  return code.plugins.flatMap(({ name, enabled, resolve }) => {
    const folder = enabled && resolve !== undefined ? ownPlugin(dir, resolve) : undefined;
    if (folder === undefined) return [];
    const path = `src/plugins/${folder}`;
    const entries = ENTRIES.flatMap((entry) => {
      const files = codeEndings(dir).map((ending) => `${path}/${entry}${ending}`);
      return files.find((file) => existsSync(join(dir, file))) ?? [];
    });
    return entries.length === 0 ? [] : [readPlugin(dir, { name, folder: path }, entries)];
  });
}

/** @param entries files that the plugin may begin in; the first may be one that hands on what is built and not there. */
function readPlugin(dir: string, place: Pick<OwnPlugin, 'name' | 'folder'>, entries: readonly string[]): OwnPlugin {
  const loader = new ModuleLoader({
    dir,
    strapi: guarded('strapi, at the top of a module,', {}),
    substitute: inert(dir),
  });
  let failure: string | undefined;
  for (const entry of entries) {
    try {
      const exported = madePlugin(loader.loadDefault(join(dir, entry)));
      return { ...place, entry, ...partsOf(place.name, entry, exported), failure: undefined };
    } catch (error) {
      failure ??= new CodeError(error, place.name, loader).message.split('\n', 1)[0]!;
      if (!NOT_BUILT.test(failure)) break;
    }
  }
  return { ...place, entry: entries[0]!, types: [], actions: [], panelRoutes: 0, failure };
}

/**
 * A plugin as its file exports it: an object, or a function of `{ env }` that gives one.
 *
 * @throws Error for anything else; whatever the function throws.
 */
export function madePlugin(exported: unknown): Record<string, unknown> {
  const made: unknown = typeof exported === 'function' ? exported({ env: createEnv(process.env) }) : exported;
  if (!isPlain(made)) throw new Error('a plugin exports an object, or a function that gives one');
  return made;
}

function partsOf(name: string, file: string, exported: Record<string, unknown>) {
  const types = Object.entries(isPlain(exported['contentTypes']) ? exported['contentTypes'] : {}).map(
    ([key, given]): PluginType => {
      const schema = isPlain(given) && isPlain(given['schema']) ? given['schema'] : {};
      // what is not JSON would not be in a schema
      const raw = JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
      raw['collectionName'] ||= `${name}_${singularName(raw) ?? key}`.toLowerCase();
      return { uid: `plugin::${name}.${key}`, file, raw };
    },
  );
  const { routers, areRead } = readRouters(exported['routes']);
  const [ofContent, ofPanel] = [routers.filter(isOfContent), routers.filter((router) => !isOfContent(router))];
  const count = ofPanel.reduce((sum, { routes }) => sum + routes.length, 0);
  const handlers = ofContent.flatMap(({ routes }) =>
    routes.flatMap((route) =>
      isPlain(route) && typeof route['handler'] === 'string' ? [route['handler'].trim()] : [],
    ),
  );
  const all = areRead ? handlers : [...handlers, ...methodNames(exported['controllers'])];
  const actions = all.map((handler) =>
    handler.startsWith(`plugin::${name}.`) ? handler : `plugin::${name}.${handler}`,
  );
  return { types, actions: [...new Set(actions)], panelRoutes: count };
}

/** The routers of a plugin, as far as they are known before there is a `strapi`. */
function readRouters(routes: unknown): { readonly routers: readonly PluginRouter[]; readonly areRead: boolean } {
  if (!isPlain(routes)) return { routers: routersOf(routes, {}), areRead: true };
  const routers: PluginRouter[] = [];
  let areRead = true;
  for (const [name, router] of Object.entries(routes)) {
    try {
      routers.push(...routersOf({ [name]: router }, NO_TOOLS));
    } catch {
      areRead &&= name === 'admin';
    }
  }
  return { routers, areRead };
}

const made = (given: unknown, tools: object = NO_TOOLS): unknown =>
  typeof given === 'function' ? instantiated(given, tools) : given;

/** What the methods of controllers are called as handlers; those of controllers that want a `strapi` are not known. */
function methodNames(controllers: unknown): string[] {
  return Object.entries(isPlain(controllers) ? controllers : {}).flatMap(([name, controller]) => {
    try {
      return methodsOf(made(controller) as Record<string, unknown>).map((method) => `${name}.${method}`);
    } catch {
      return [];
    }
  });
}

function singularName({ info }: Record<string, unknown>): unknown {
  return isPlain(info) ? info['singularName'] : undefined;
}

export interface PluginRouter {
  readonly type: unknown;
  readonly prefix: unknown;
  readonly routes: readonly unknown[];
}

/** The routers of a plugin. A list of routes by itself is one of the panel. @param tools what functions are given. */
export function routersOf(routes: unknown, tools: object): PluginRouter[] {
  if (Array.isArray(routes)) return [{ type: 'admin', prefix: undefined, routes }];
  if (!isPlain(routes)) return [];
  return Object.values(routes).map((given): PluginRouter => {
    const router: unknown = typeof given === 'function' ? given(tools) : given;
    const { type, prefix, routes = [] } = (router ?? {}) as Partial<PluginRouter>;
    return { type, prefix, routes };
  });
}

export const isOfContent = ({ type }: PluginRouter): boolean => type === 'content-api';

/** What packages of Strapi give while nothing is called. */
function inert(dir: string): (name: string) => unknown {
  const none = () => ({});
  const controller = ({ own }: CoreMade, tools: object) => ({
    ...Object.fromEntries(CORE_NAMES.map((name) => [name, none])),
    ...(made(own, tools) as object),
  });
  const routesOf = ({ uid }: CoreRouter) => CORE_NAMES.map((name) => ({ handler: `${uid}.${name}` }));
  return substitutes({ controller, service: none, routesOf }, {}, { dir, sanitize: {}, validate: {} });
}
