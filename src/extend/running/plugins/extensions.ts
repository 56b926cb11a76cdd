/** The built-in plugins as `src/extensions/<plugin>/strapi-server` have left them. */
import type { Lifecycles } from '../documents/lifecycles.ts';
import type { Registry } from '../registry.ts';
import type { Schemas } from '../schemas/schemas.ts';
import {
  BuiltInPlugin,
  type ExtensiblePlugin,
  type PluginObject,
  type PluginRoute,
  requirePlugin,
} from './built-in-plugin.ts';
import { ExtendedServices } from './extended-services.ts';

/** A built-in plugin with what the project makes of it. */
interface Extension {
  readonly path: string;
  readonly plugin: BuiltInPlugin;
  readonly left: ExtensiblePlugin;
}

/** What an extension is made in. */
export interface ExtensionRooms {
  /** What `strapi.plugin` gives, by name. */
  readonly objects: Readonly<Record<string, object>>;
  /** Take the schemas that it puts in the place of those of the plugin's types. */
  readonly schemas: Pick<Schemas, 'replace'>;
  /** Take what it adds, and have what the plugin has. */
  readonly registries: Readonly<Record<'policies' | 'middlewares', Registry<unknown>>>;
}

export class Extensions {
  #all: readonly Extension[] = [];
  #withdrawn: ReadonlySet<string> = new Set();
  readonly services: ExtendedServices;

  /** @param tools what services are made with: `{ strapi }`. */
  constructor(tools: () => object) {
    this.services = new ExtendedServices(tools);
  }

  /**
   * Adds one.
   *
   * @param path of the file. @param extend what it exports.
   * @throws Unsupported for what does not give the plugin back, and whatever the code throws.
   */
  add(name: string, path: string, extend: unknown, rooms: ExtensionRooms): void {
    const { objects, schemas, registries } = rooms;
    const object = objects[name] as PluginObject;
    const space = `plugin::${name}.`;
    const services = this.services.factories(name, object.services);
    const known = registries.middlewares.uids.filter((uid) => uid.startsWith(space));
    const middlewares = Object.fromEntries(
      known.map((uid) => [uid.slice(space.length), registries.middlewares.get(uid)]),
    );
    const plugin = new BuiltInPlugin(name, { object, services, middlewares });
    const left = requirePlugin(name, typeof extend === 'function' ? extend(plugin.plugin) : extend);
    for (const [uid, schema] of plugin.replaced) schemas.replace(uid, schema);
    this.services.take(name, path, services, left);
    for (const kind of ['policies', 'middlewares'] as const) {
      for (const [key, part] of Object.entries(left[kind] ?? {})) registries[kind].set(space + key, part);
    }
    this.#all = [...this.#all, { path, plugin, left }];
  }

  /** Paths of the files, by plugin. */
  get paths(): ReadonlyMap<string, string> {
    return new Map(this.#all.map(({ plugin, path }) => [plugin.name, path]));
  }

  /** Adds the lifecycles that they have given types. */
  addLifecycles(lifecycles: Lifecycles): void {
    for (const { plugin } of this.#all) plugin.addLifecycles(lifecycles);
  }

  /** Their `register`, `bootstrap` and `destroy`, with their files. */
  get indexes(): { readonly path: string; readonly index: ExtensiblePlugin }[] {
    return this.#all.map(({ path, left }) => ({ path, index: left }));
  }

  /** Their routes, in their order. @param controllers takes those of the plugins by their uids. */
  routes(controllers: Registry<Record<string, unknown>>): readonly PluginRoute[] {
    const left = this.#all.map((one) => one.plugin.routes(one.left, controllers));
    this.#withdrawn = new Set(left.flatMap(({ withdrawn }) => withdrawn));
    return left.flatMap(({ routes }) => routes);
  }

  /** Routes of the server that they have taken away, once their routes are known: `GET /users/count`. */
  get withdrawn(): ReadonlySet<string> {
    return this.#withdrawn;
  }
}
