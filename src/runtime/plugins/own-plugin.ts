/**
 * A plugin of the project, in `src/plugins` or in a package: its parts have uids such as `plugin::<name>.<part>`, and
 * its routes are below its name.
 */
import { createEnv } from '../../config/environment.ts';
import { UsageError } from '../../errors.ts';
import type { PluginType } from '../../schema/files.ts';
import type { Lifecycles, Subscriber } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import { guarded } from '../guarded.ts';
import type { Registry } from '../registry.ts';
import { type ListedRoute, listed } from '../requests/routes.ts';
import type { Settings } from '../strapi/settings.ts';
import { moduleParts, PART_KINDS, type PartKind } from './module-parts.ts';

type PluginParts = Record<string, unknown>;

export interface PluginContext {
  /** `{ strapi }`. */
  readonly tools: object;
  readonly settings: Settings;
  readonly lifecycles: Lifecycles;
  readonly contentTypes: Readonly<Record<string, unknown>>;
  readonly registries: Readonly<Record<PartKind, Pick<Registry<unknown>, 'get' | 'set' | 'uids'>>>;
  /** Receives the members of `strapi.plugin`, by name. */
  readonly objects: Record<string, object>;
}

/** A plugin whose file is loaded. */
export interface LoadedPlugin {
  readonly name: string;
  /** The file, by its path in the project. */
  readonly entry: string;
  readonly exported: PluginParts;
}

/** A loaded plugin. */
export interface StartedPlugin {
  readonly entry: string;
  /** Its `register`, `bootstrap` and `destroy`. */
  readonly index: PluginParts;
  routes(): readonly ListedRoute[];
}

/**
 * A plugin as its file exports it: an object, or a function of `{ env }` that returns one.
 *
 * @throws Error for anything else; the errors of the function.
 */
export function madePlugin(exported: unknown): PluginParts {
  const plugin: unknown = typeof exported === 'function' ? exported({ env: createEnv(process.env) }) : exported;
  if (!isPlain(plugin)) throw new Error('a plugin exports an object, or a function that returns one');
  return plugin;
}

/** The content types of a plugin, in the form of schema files. */
export function typesOf({ name, entry, exported }: LoadedPlugin): PluginType[] {
  const types = Object.entries(isPlain(exported['contentTypes']) ? exported['contentTypes'] : {});
  return types.map(([key, given]): PluginType => {
    const schema = isPlain(given) && isPlain(given['schema']) ? given['schema'] : {};
    // values that are not JSON cannot be in a schema
    const raw = JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
    const { info } = raw;
    raw['collectionName'] ||= `${name}_${(isPlain(info) && info['singularName']) || key}`.toLowerCase();
    return { uid: `plugin::${name}.${key}`, file: entry, raw };
  });
}

interface PluginRouter {
  readonly type: unknown;
  readonly prefix: unknown;
  readonly routes: readonly unknown[];
}

/** The routers of a plugin for the content API. A list of routes by itself is for the admin panel. */
function routersOf(routes: unknown, tools: object): PluginRouter[] {
  if (!isPlain(routes)) return [];
  return Object.values(routes)
    .map((written): PluginRouter => {
      const router: unknown = typeof written === 'function' ? written(tools) : written;
      const { type, prefix, routes: listed = [] } = (router ?? {}) as Partial<PluginRouter>;
      return { type, prefix, routes: listed };
    })
    .filter(({ type }) => type === 'content-api');
}

/**
 * Registers the parts of a plugin.
 *
 * @throws UsageError for a configuration that it refuses; the errors of its code.
 */
export function startPlugin({ name, entry, exported }: LoadedPlugin, runtime: PluginContext): StartedPlugin {
  const { registries, settings, lifecycles, tools } = runtime;
  const space = `plugin::${name}`;
  const partsOf = (kind: string): PluginParts => (isPlain(exported[kind]) ? exported[kind] : {});
  settings.set(space, configOf(name, exported['config'], settings.get(space)));
  for (const kind of PART_KINDS) {
    for (const [key, part] of Object.entries(partsOf(kind))) registries[kind].set(`${space}.${key}`, part);
  }
  for (const [key, type] of Object.entries(partsOf('contentTypes'))) {
    const own = isPlain(type) ? type['lifecycles'] : undefined;
    if (own !== undefined) lifecycles.addType(`${space}.${key}`, own as Subscriber);
  }
  const members = Object.defineProperties(moduleParts(space, registries, runtime.contentTypes), {
    config: {
      enumerable: true,
      value: (path?: string | readonly string[], fallback?: unknown) =>
        settings.get(
          [space, ...(path === undefined ? [] : typeof path === 'string' ? path.split('.') : path)],
          fallback,
        ),
    },
    routes: { enumerable: true, value: exported['routes'] },
  });
  runtime.objects[name] = guarded(`strapi.plugin('${name}')`, members);
  return {
    entry,
    index: exported,
    routes: () =>
      routersOf(exported['routes'], tools).flatMap(({ prefix, routes }) => {
        const before = typeof prefix === 'string' ? prefix : `/${name}`;
        // the plugin chooses their paths: none is the core route of a type
        return routes.map((route) => ({
          ...listed(route, before, { api: '', path: entry, space }),
          core: undefined,
        }));
      }),
  };
}

/** The settings of `config/plugins` over the defaults of the plugin. */
function configOf(name: string, declared: unknown, written: unknown): unknown {
  const { default: fallback, validator } = (isPlain(declared) ? declared : {}) as {
    default?: unknown;
    validator?: unknown;
  };
  const usual: unknown = typeof fallback === 'function' ? fallback({ env: createEnv(process.env) }) : fallback;
  const config = merged(usual ?? {}, written ?? {});
  if (typeof validator !== 'function') return config;
  try {
    validator(config);
  } catch (error) {
    throw new UsageError(`Error regarding ${name} config: ${(error as Error).message}`, 1);
  }
  return config;
}

/** Lists are merged entry by entry, as the reference does. */
function merged(below: unknown, over: unknown): unknown {
  if (over === undefined) return below;
  if (Array.isArray(below) && Array.isArray(over)) {
    const length = Math.max(below.length, over.length);
    return Array.from({ length }, (_, index) => merged(below[index], over[index]));
  }
  if (!isPlain(below) || !isPlain(over)) return over;
  const keys = new Set([...Object.keys(below), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(below[key], over[key])]));
}
