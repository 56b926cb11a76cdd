/** A provider of uploads that is code: a package, or a module of the project. */
import type { UploadConfig } from '../config.ts';
import { type ConfigFile, type ConfigFiles, isTree, type Tree } from '../config-file.ts';
import type { ModuleLoader } from '../modules/loader.ts';
import { findProvider, type ProviderModule, startProvider, withoutOptions } from '../modules/provider.ts';
import { valueAt } from '../values.ts';
import type { ProviderCode } from './storage-types.ts';

class FoundProvider implements ProviderCode {
  readonly name: string;
  readonly module: string;
  readonly #found: ProviderModule;
  /** What its `init` is given. */
  readonly #options: unknown;
  /** By the names of its methods. */
  readonly #actionOptions: Tree;

  constructor(name: string, found: ProviderModule, options: unknown, actionOptions: Tree) {
    [this.name, this.module, this.#found] = [name, found.module, found];
    [this.#options, this.#actionOptions] = [options, actionOptions];
  }

  start(): Tree {
    return startProvider(this.#found, this.#options);
  }

  optionsOf(method: string): unknown {
    return this.#actionOptions[method];
  }
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
  const found = findProvider(dir, storage.provider, { loader, packages: '@strapi/provider-upload-' });
  const code = found && new FoundProvider(storage.provider, found, options, isTree(actionOptions) ? actionOptions : {});
  return code ? { ...upload, storage: Object.freeze({ ...storage, store: 'code', code }) } : upload;
}

/** Files of `config` without what such a provider takes: all of it counts. */
export function withoutProviderOptions(files: ConfigFiles, { storage }: UploadConfig): ConfigFiles {
  return storage.code ? withoutOptions(files, 'upload', TAKEN) : files;
}
