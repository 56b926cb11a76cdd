/** The built-in plugins after `src/extensions/<plugin>/strapi-server` has changed them. */
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

/** A built-in plugin with its extension. */
interface Extension {
  /** The file; undefined without one, in which case code may change the plugin at run time. */
  readonly path: string | undefined;
  readonly plugin: BuiltInPlugin;
  readonly left: ExtensiblePlugin;
}

/** The surroundings of an extension. */
export interface ExtensionContext {
  /** The members of `strapi.plugin`, by name. */
  readonly objects: Readonly<Record<string, object>>;
  /** Take the schemas that it puts in the place of those of the plugin's types. */
  readonly schemas: Pick<Schemas, 'replace'>;
  /** The registries that have the parts of the plugin and receive its additions. */
  readonly registries: Readonly<Record<'policies' | 'middlewares', Registry<unknown>>> & {
    readonly controllers: Registry<Record<string, unknown>>;
  };
}

export class Extensions {
  #all: readonly Extension[] = [];
  #withdrawn: ReadonlySet<string> = new Set();
  readonly services: ExtendedServices;

  /** @param tools the argument of services: `{ strapi }`. */
  constructor(tools: () => object) {
    this.services = new ExtendedServices(tools);
  }

  /**
   * Adds one, and waits for it: an extension may be asynchronous, as in the reference.
   *
   * @param path of the file; undefined for a plugin without an extension. @param extend the export of the file.
   * @throws Unsupported for an extension that does not return the plugin; the errors of its code.
   */
  async add(name: string, path: string | undefined, extend: unknown, runtime: ExtensionContext): Promise<void> {
    const { objects, schemas, registries } = runtime;
    const object = objects[name] as PluginObject;
    const space = `plugin::${name}.`;
    const services = this.services.factories(name, object.services);
    const known = registries.middlewares.uids.filter((uid) => uid.startsWith(space));
    const middlewares = Object.fromEntries(
      known.map((uid) => [uid.slice(space.length), registries.middlewares.get(uid)]),
    );
    const plugin = new BuiltInPlugin(name, { object, services, middlewares });
    const extended: unknown = typeof extend === 'function' ? await extend(plugin.plugin) : extend;
    const changed = path === undefined ? plugin.plugin : requirePlugin(name, extended);
    for (const [uid, schema] of plugin.replaced) schemas.replace(uid, schema);
    if (path !== undefined) this.services.take(name, path, services, changed);
    for (const [key, controller] of Object.entries(changed.controllers))
      registries.controllers.set(space + key, controller);
    for (const kind of ['policies', 'middlewares'] as const) {
      for (const [key, part] of Object.entries(changed[kind] ?? {})) registries[kind].set(space + key, part);
    }
    this.#all = [...this.#all, { path, plugin, left: changed }];
  }

  /** Paths of the files, by plugin. */
  get paths(): ReadonlyMap<string, string> {
    return new Map(this.#all.flatMap(({ plugin, path }) => (path === undefined ? [] : [[plugin.name, path]])));
  }

  /** Adds their lifecycles. */
  addLifecycles(lifecycles: Lifecycles): void {
    for (const { plugin } of this.#all) plugin.addLifecycles(lifecycles);
  }

  /** Their `register`, `bootstrap` and `destroy`, with their files. */
  get indexes(): { readonly path: string; readonly index: ExtensiblePlugin }[] {
    return this.#all.flatMap(({ path, left }) => (path === undefined ? [] : [{ path, index: left }]));
  }

  /** The routes of a plugin, which code may change until they are listed; undefined for another plugin. */
  routesOf(name: string): ExtensiblePlugin['routes'] | undefined {
    return this.#all.find(({ plugin }) => plugin.name === name)?.left.routes;
  }

  /** Their routes, in their order. @param controllers those of the plugins by their uids. */
  routes(controllers: Registry<Record<string, unknown>>): readonly PluginRoute[] {
    const listed = this.#all.map((one) => one.plugin.routes(one.left, controllers));
    this.#withdrawn = new Set(listed.flatMap(({ withdrawn }) => withdrawn));
    return listed.flatMap(({ routes }) => routes);
  }

  /** Routes of the server that they have removed, once their routes are listed: `GET /users/count`. */
  get withdrawn(): ReadonlySet<string> {
    return this.#withdrawn;
  }
}
