/** The built-in plugins as `src/extensions/<plugin>/strapi-server` have left them. */
import type { AttributeChange } from '../../../schema/files.ts';
import type { Lifecycles } from '../documents/lifecycles.ts';
import type { Registry } from '../registry.ts';
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

export class Extensions {
  #all: readonly Extension[] = [];
  readonly services: ExtendedServices;

  /** @param tools what services are made with: `{ strapi }`. */
  constructor(tools: () => object) {
    this.services = new ExtendedServices(tools);
  }

  /**
   * Adds one.
   *
   * @param path of the file. @param extend what it exports. @param object the plugin as `strapi.plugin` gives it.
   * @throws Unsupported for what does not give the plugin back, and whatever the code throws.
   */
  add(name: string, path: string, extend: unknown, object: PluginObject, changes: readonly AttributeChange[]): void {
    const services = this.services.factories(name, object.services);
    const plugin = new BuiltInPlugin(name, object, services, changes);
    const left = requirePlugin(name, typeof extend === 'function' ? extend(plugin.plugin) : extend);
    this.services.take(name, path, services, left);
    this.#all = [...this.#all, { path, plugin, left }];
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
  routes(controllers: Registry<Record<string, unknown>>): PluginRoute[] {
    return this.#all.flatMap(({ plugin, left }) => plugin.routes(left, controllers));
  }
}
