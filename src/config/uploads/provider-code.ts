/** A provider of uploads that is code: a package, or a module of the project. */
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import type { UploadConfig } from '../config.ts';
import { type ConfigFile, type ConfigFiles, isTree, type Tree } from '../config-file.ts';
import type { ModuleLoader } from '../modules/loader.ts';
import { valueAt } from '../values.ts';
import type { ProviderCode } from './storage-types.ts';

class FoundProvider implements ProviderCode {
  readonly name: string;
  readonly module: string;
  /** What its `init` is given. */
  readonly #options: unknown;
  /** By the names of its methods. */
  readonly #actionOptions: Tree;
  readonly #load: () => unknown;

  constructor(name: string, module: string, load: () => unknown, options: unknown, actionOptions: Tree) {
    [this.name, this.module, this.#load] = [name, module, load];
    [this.#options, this.#actionOptions] = [options, actionOptions];
  }

  start(): Tree {
    const exported = Object(this.#load()) as {
      readonly init?: unknown;
      readonly default?: { readonly init?: unknown };
    };
    const init = exported.init ?? exported.default?.init;
    if (typeof init !== 'function') throw new Error(`${this.module} exports no function init`);
    return Object(init(this.#options)) as Tree;
  }

  optionsOf(method: string): unknown {
    return this.#actionOptions[method];
  }
}

/**
 * Finds a provider as the reference does: by the name of one of its packages, then by its own. A path counts from the
 * project. Undefined where there is none.
 */
export function findProvider(
  dir: string,
  name: string,
  loader: ModuleLoader,
  { options, actionOptions }: { readonly options: unknown; readonly actionOptions: Tree },
): ProviderCode | undefined {
  const file = join(dir, 'package.json');
  const made = (module: string, load: () => unknown) => new FoundProvider(name, module, load, options, actionOptions);
  if (name.startsWith('.') || isAbsolute(name)) {
    const found = loader.resolve(name, file);
    return found === undefined ? undefined : made(loader.pathOf(found), () => loader.load(found));
  }
  const require = createRequire(file);
  for (const named of [`@strapi/provider-upload-${name.toLowerCase()}`, name.toLowerCase()]) {
    try {
      const found = require.resolve(named);
      return made(named, () => require(found));
    } catch {
      // neither installed nor to be asked for
    }
  }
  return undefined;
}

/** What a provider takes of `config/plugins` `upload.config`, beside its name. */
const TAKEN = ['providerOptions', 'actionOptions'];

/**
 * The file service with the provider that `config/plugins` names, where that is code which is there.
 *
 * @param runs whether code of the project is run.
 */
export function withProvider(
  upload: UploadConfig,
  plugins: ConfigFile,
  { dir, loader, runs }: { readonly dir: string; readonly loader: ModuleLoader; readonly runs: boolean },
): UploadConfig {
  const { storage } = upload;
  if (storage.store !== 'unsupported' || !runs) return upload;
  const [options, actionOptions] = TAKEN.map((key) => valueAt(plugins, `upload.config.${key}`));
  const given = { options, actionOptions: isTree(actionOptions) ? actionOptions : {} };
  const code = findProvider(dir, storage.provider, loader, given);
  return code ? { ...upload, storage: Object.freeze({ ...storage, store: 'code', code }) } : upload;
}

/** Files of `config` without what such a provider takes: all of it counts. */
export function withoutProviderOptions(files: ConfigFiles, { storage }: UploadConfig): ConfigFiles {
  const { upload } = files.plugins.value;
  if (!storage.code || !isTree(upload) || !isTree(upload['config'])) return files;
  const config = Object.fromEntries(Object.entries(upload['config']).filter(([key]) => !TAKEN.includes(key)));
  return { ...files, plugins: { ...files.plugins, value: { ...files.plugins.value, upload: { ...upload, config } } } };
}
