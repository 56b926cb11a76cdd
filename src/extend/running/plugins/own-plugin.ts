/** A plugin of the project itself while it runs: its parts are found by `plugin::<name>.<part>`, its routes below its name. */
import { createEnv } from '../../../config/environment.ts';
import { UsageError } from '../../../errors.ts';
import { isOfContent, madePlugin, type OwnPlugin, routersOf } from '../../plugins/own-plugins.ts';
import type { Lifecycles, Subscriber } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import { guarded } from '../guarded.ts';
import type { Registry } from '../registry.ts';
import { type ListedRoute, listed } from '../requests/routes.ts';
import type { Settings } from '../strapi/settings.ts';
import { moduleParts, PART_KINDS, type PartKind } from './module-parts.ts';

type Parts = Record<string, unknown>;

export interface PluginRooms {
  /** `{ strapi }`. */
  readonly tools: object;
  readonly settings: Settings;
  readonly lifecycles: Lifecycles;
  readonly contentTypes: Readonly<Record<string, unknown>>;
  readonly registries: Readonly<Record<PartKind, Pick<Registry<unknown>, 'get' | 'set' | 'uids'>>>;
  /** Takes what `strapi.plugin` gives, by name. */
  readonly objects: Record<string, object>;
}

/** What a plugin has become. */
export interface StartedPlugin {
  /** Its `register`, `bootstrap` and `destroy`. */
  readonly index: Parts;
  routes(): readonly ListedRoute[];
}

/**
 * Puts the parts of a plugin in their places.
 *
 * @param exported what its file exports.
 * @throws UsageError for a configuration that it does not take; whatever its code throws.
 */
export function startPlugin({ name, entry }: OwnPlugin, given: unknown, rooms: PluginRooms): StartedPlugin {
  const exported = madePlugin(given);
  const { registries, settings, lifecycles, tools } = rooms;
  const space = `plugin::${name}`;
  const partsOf = (kind: string): Parts => (isPlain(exported[kind]) ? exported[kind] : {});
  settings.set(space, configOf(name, exported['config'], settings.get(space)));
  for (const kind of PART_KINDS) {
    for (const [key, part] of Object.entries(partsOf(kind))) registries[kind].set(`${space}.${key}`, part);
  }
  for (const [key, type] of Object.entries(partsOf('contentTypes'))) {
    const own = isPlain(type) ? type['lifecycles'] : undefined;
    if (own !== undefined) lifecycles.addType(`${space}.${key}`, own as Subscriber);
  }
  const members = Object.defineProperties(moduleParts(space, registries, rooms.contentTypes), {
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
  rooms.objects[name] = guarded(`strapi.plugin('${name}')`, members);
  return {
    index: exported,
    routes: () =>
      routersOf(exported['routes'], tools)
        .filter(isOfContent)
        .flatMap(({ prefix, routes }) => {
          const before = typeof prefix === 'string' ? prefix : `/${name}`;
          // where they are is the plugin's matter: none is the core route of a type
          return routes.map((route) => ({
            ...listed(route, before, { api: '', path: entry, space }),
            core: undefined,
          }));
        }),
  };
}

/** What `config/plugins` says over what the plugin says by default. */
function configOf(name: string, declared: unknown, given: unknown): unknown {
  const { default: fallback, validator } = (isPlain(declared) ? declared : {}) as {
    default?: unknown;
    validator?: unknown;
  };
  const usual: unknown = typeof fallback === 'function' ? fallback({ env: createEnv(process.env) }) : fallback;
  const config = merged(usual ?? {}, given ?? {});
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
