/** A provider that is code: a package, or a module of the project. */
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { type ConfigFiles, isTree, type Tree } from '../config-file.ts';
import type { ModuleLoader } from './loader.ts';

export interface ProviderModule {
  /** What it is loaded from: a path in the project, or a package. */
  readonly module: string;
  readonly load: () => unknown;
}

/**
 * Finds a provider as the reference does: by the name of one of its packages, then by its own. A path counts from the
 * project. Undefined where there is none.
 *
 * @param packages what the names of the reference's packages begin with: `@strapi/provider-upload-`.
 */
export function findProvider(
  dir: string,
  name: string,
  { loader, packages }: { readonly loader: ModuleLoader; readonly packages: string },
): ProviderModule | undefined {
  const file = join(dir, 'package.json');
  if (name.startsWith('.') || isAbsolute(name)) {
    const found = loader.resolve(name, file);
    return found === undefined ? undefined : { module: loader.pathOf(found), load: () => loader.load(found) };
  }
  const require = createRequire(file);
  for (const named of [packages + name.toLowerCase(), name.toLowerCase()]) {
    try {
      const found = require.resolve(named);
      return { module: named, load: () => require(found) };
    } catch {
      // neither installed nor to be asked for
    }
  }
  return undefined;
}

/** What the `init` of a provider gives. @throws Error for a module that is no provider; whatever its code throws. */
export function startProvider({ module, load }: ProviderModule, ...given: readonly unknown[]): Tree {
  const exported = Object(load()) as { readonly init?: unknown; readonly default?: { readonly init?: unknown } };
  const init = exported.init ?? exported.default?.init;
  if (typeof init !== 'function') throw new Error(`${module} exports no function init`);
  return Object(init(...given)) as Tree;
}

/** Files of `config` without the keys of a plugin's `config` that its provider takes. */
export function withoutOptions(files: ConfigFiles, plugin: string, taken: readonly string[]): ConfigFiles {
  const { value } = files.plugins;
  const options = value[plugin];
  if (!isTree(options) || !isTree(options['config'])) return files;
  const config = Object.fromEntries(Object.entries(options['config']).filter(([key]) => !taken.includes(key)));
  return { ...files, plugins: { ...files.plugins, value: { ...value, [plugin]: { ...options, config } } } };
}
