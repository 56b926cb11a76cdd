/** Providers of uploads and mail that are code: packages, or modules of the project. */
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { secretTexts } from '../secret-texts.ts';
import type { EmailConfig, MailProvider, ProviderCode, UploadConfig, UsersConfig } from './config.ts';
import { type ConfigFile, type ConfigFiles, isTree, type Tree } from './config-file.ts';
import type { ModuleLoader } from './modules/loader.ts';
import { valueAt } from './values.ts';

class UploadProvider implements ProviderCode {
  readonly name: string;
  readonly module: string;
  readonly #provider: ProviderModule;
  /** The argument of its `init`. */
  readonly #options: unknown;
  /** The options of its methods, by name. */
  readonly #actionOptions: Tree;

  constructor(name: string, provider: ProviderModule, options: unknown, actionOptions: Tree) {
    [this.name, this.module, this.#provider] = [name, provider.module, provider];
    [this.#options, this.#actionOptions] = [options, actionOptions];
  }

  start(): Tree {
    return startProvider(this.#provider, this.#options);
  }

  optionsOf(method: string): unknown {
    return this.#actionOptions[method];
  }

  get secrets(): readonly string[] {
    return secretTexts([this.#options, this.#actionOptions]);
  }
}

/** The settings of `config/plugins` `upload.config` that a provider receives. */
const UPLOAD_OPTIONS = ['providerOptions', 'actionOptions'];

/**
 * The file service with the configured provider, if that is code and exists.
 *
 * @param runs whether code of the project runs.
 */
export function withProvider(
  upload: UploadConfig,
  plugins: ConfigFile,
  { dir, loader, runs }: { readonly dir: string; readonly loader: ModuleLoader; readonly runs: boolean },
): UploadConfig {
  const { storage } = upload;
  if (storage.store !== 'unsupported' || !runs) return upload;
  const [options, actionOptions] = UPLOAD_OPTIONS.map((key) => valueAt(plugins, `upload.config.${key}`));
  const provider = findProvider(dir, storage.provider, { loader, packages: '@strapi/provider-upload-' });
  if (!provider) return upload;
  const code = new UploadProvider(storage.provider, provider, options, isTree(actionOptions) ? actionOptions : {});
  return { ...upload, storage: Object.freeze({ ...storage, store: 'code', code }) };
}

/** Configuration files without the settings of an upload provider that is code, all of which are used. */
export function withoutProviderOptions(files: ConfigFiles, { storage }: UploadConfig): ConfigFiles {
  return storage.code ? withoutOptions(files, 'upload', UPLOAD_OPTIONS) : files;
}

interface ProviderModule {
  /** A path in the project, or a package. */
  readonly module: string;
  readonly load: () => unknown;
}

/**
 * Finds a provider as the reference does: first a package with the reference's prefix, then one with the exact name. Paths
 * are relative to the project. Undefined if there is none.
 *
 * @param packages the prefix of the reference's packages: `@strapi/provider-upload-`.
 */
function findProvider(
  dir: string,
  name: string,
  { loader, packages }: { readonly loader: ModuleLoader; readonly packages: string },
): ProviderModule | undefined {
  const file = join(dir, 'package.json');
  if (name.startsWith('.') || isAbsolute(name)) {
    const module = loader.resolve(name, file);
    return module === undefined ? undefined : { module: loader.pathOf(module), load: () => loader.load(module) };
  }
  const require = createRequire(file);
  for (const named of [packages + name.toLowerCase(), name.toLowerCase()]) {
    try {
      const module = require.resolve(named);
      return { module: named, load: () => require(module) };
    } catch {
      // not installed, or not exported
    }
  }
  return undefined;
}

/** Calls a provider's `init`. @throws Error for a module that is no provider; errors of its code. */
function startProvider({ module, load }: ProviderModule, ...options: readonly unknown[]): Tree {
  const exported = Object(load()) as { readonly init?: unknown; readonly default?: { readonly init?: unknown } };
  const init = exported.init ?? exported.default?.init;
  if (typeof init !== 'function') throw new Error(`${module} exports no function init`);
  return Object(init(...options)) as Tree;
}

/** Configuration files without some keys of a plugin's `config`. */
function withoutOptions(files: ConfigFiles, plugin: string, keys: readonly string[]): ConfigFiles {
  const { value } = files.plugins;
  const options = value[plugin];
  if (!isTree(options) || !isTree(options['config'])) return files;
  const config = Object.fromEntries(Object.entries(options['config']).filter(([key]) => !keys.includes(key)));
  return { ...files, plugins: { ...files.plugins, value: { ...value, [plugin]: { ...options, config } } } };
}

class CodeMailProvider implements MailProvider {
  readonly name: string;
  readonly module: string;
  readonly #provider: ProviderModule;
  readonly #options: readonly unknown[];
  #methods: Tree | undefined;

  constructor(name: string, provider: ProviderModule, options: readonly unknown[]) {
    [this.name, this.module, this.#provider, this.#options] = [name, provider.module, provider, options];
  }

  begin(): void {
    this.#started();
  }

  async send(options: object): Promise<void> {
    await (this.#started()['send'] as (options: object) => unknown)(options);
  }

  get secrets(): readonly string[] {
    return secretTexts(this.#options);
  }

  #started(): Tree {
    if (this.#methods) return this.#methods;
    const methods = startProvider(this.#provider, ...this.#options);
    if (typeof methods['send'] !== 'function') throw new Error(`${this.module} returns no function send`);
    // `send` may use `this`, as in the reference
    const send = methods['send'].bind(methods) as unknown;
    this.#methods = { ...methods, send };
    return this.#methods;
  }
}

/**
 * The settings of accounts with the configured mail provider, if that is code and exists.
 *
 * @param runs whether code of the project runs.
 */
export function withMailProvider(
  users: UsersConfig,
  plugins: ConfigFile,
  { dir, loader, runs }: { readonly dir: string; readonly loader: ModuleLoader; readonly runs: boolean },
): UsersConfig {
  const { email } = users;
  const { provider: name } = email;
  if (name === undefined || !runs) return users;
  const provider = findProvider(dir, name, { loader, packages: '@strapi/provider-email-' });
  if (!provider) return users;
  const { transport: _, unsupported: __, ...rest } = email;
  const settings = { ...Object(valueAt(plugins, 'email.config.settings')), ...addressesOf(email) };
  const code = new CodeMailProvider(name, provider, [valueAt(plugins, 'email.config.providerOptions'), settings]);
  return { ...users, email: { ...rest, transport: 'code', code } };
}

/** Addresses that may come from the environment instead of a file. */
const addressesOf = ({ defaultFrom, defaultReplyTo }: EmailConfig): Tree => ({
  ...(defaultFrom === undefined ? {} : { defaultFrom }),
  ...(defaultReplyTo === undefined ? {} : { defaultReplyTo }),
});

/** Configuration files without the settings of a mail provider that is code, all of which are used. */
export function withoutMailOptions(files: ConfigFiles, { email: { code } }: UsersConfig): ConfigFiles {
  return code ? withoutOptions(files, 'email', ['providerOptions', 'settings']) : files;
}
