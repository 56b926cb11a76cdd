/**
 * The plugins of the project itself, below `src/plugins`: where the code of each is, which content types it has, and
 * which actions its routes may be granted. For that their modules are loaded, and nothing of them is called.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { codeEndings } from '../../config/modules/endings.ts';
import { ModuleLoader } from '../../config/modules/loader.ts';
import type { PluginType } from '../../schema/files.ts';
import { isPlain } from '../running/documents/plain-params.ts';
import { guarded } from '../running/guarded.ts';
import { CodeError } from '../running/registry.ts';
import { type CoreRouter, substitutes } from '../running/strapi/packages.ts';
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
      const exported = loader.loadDefault(join(dir, entry));
      if (!isPlain(exported)) throw new Error('a plugin exports an object');
      return { ...place, entry, ...partsOf(place.name, entry, exported), failure: undefined };
    } catch (error) {
      failure ??= new CodeError(error, place.name, loader).message.split('\n', 1)[0]!;
      if (!NOT_BUILT.test(failure)) break;
    }
  }
  return { ...place, entry: entries[0]!, types: [], actions: [], panelRoutes: 0, failure };
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
  const routers = routersOf(exported['routes'], {});
  const [ofContent, ofPanel] = [routers.filter(isOfContent), routers.filter((router) => !isOfContent(router))];
  const count = ofPanel.reduce((sum, { routes }) => sum + routes.length, 0);
  const actions = ofContent.flatMap(({ routes }) =>
    routes.flatMap((route) => {
      const handler = isPlain(route) && typeof route['handler'] === 'string' ? route['handler'].trim() : undefined;
      if (handler === undefined) return [];
      return [handler.startsWith(`plugin::${name}.`) ? handler : `plugin::${name}.${handler}`];
    }),
  );
  return { types, actions: [...new Set(actions)], panelRoutes: count };
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
  const routesOf = ({ uid }: CoreRouter) => CORE_NAMES.map((name) => ({ handler: `${uid}.${name}` }));
  return substitutes({ controller: none, service: none, routesOf }, { dir, sanitize: {}, validate: {} });
}
