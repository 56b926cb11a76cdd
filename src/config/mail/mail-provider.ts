/** A provider of mail that is code: a package, or a module of the project. */
import type { UsersConfig } from '../config.ts';
import type { ConfigFile, ConfigFiles, Tree } from '../config-file.ts';
import type { ModuleLoader } from '../modules/loader.ts';
import { findProvider, type ProviderModule, startProvider, withoutOptions } from '../modules/provider.ts';
import { valueAt } from '../values.ts';
import type { EmailConfig, MailProvider } from './mail-types.ts';

class FoundMailProvider implements MailProvider {
  readonly name: string;
  readonly module: string;
  readonly #found: ProviderModule;
  readonly #given: readonly unknown[];
  #methods: Tree | undefined;

  constructor(name: string, found: ProviderModule, given: readonly unknown[]) {
    [this.name, this.module, this.#found, this.#given] = [name, found.module, found, given];
  }

  begin(): void {
    this.#started();
  }

  async send(options: object): Promise<void> {
    await (this.#started()['send'] as (options: object) => unknown)(options);
  }

  #started(): Tree {
    if (this.#methods) return this.#methods;
    const methods = startProvider(this.#found, ...this.#given);
    if (typeof methods['send'] !== 'function') throw new Error(`${this.module} gives no function send`);
    // it may be a method of what there is, as in the reference
    const send = methods['send'].bind(methods) as unknown;
    this.#methods = { ...methods, send };
    return this.#methods;
  }
}

/**
 * The settings of accounts with the provider of mail that `config/plugins` names, where that is code which is there.
 *
 * @param runs whether code of the project is run.
 */
export function withMailProvider(
  users: UsersConfig,
  plugins: ConfigFile,
  { dir, loader, runs }: { readonly dir: string; readonly loader: ModuleLoader; readonly runs: boolean },
): UsersConfig {
  const { email } = users;
  const { provider: name } = email;
  if (name === undefined || !runs) return users;
  const found = findProvider(dir, name, { loader, packages: '@strapi/provider-email-' });
  if (!found) return users;
  const { transport: _, unsupported: __, ...rest } = email;
  const settings = { ...Object(valueAt(plugins, 'email.config.settings')), ...given(email) };
  const code = new FoundMailProvider(name, found, [valueAt(plugins, 'email.config.providerOptions'), settings]);
  return { ...users, email: { ...rest, transport: 'code', code } };
}

/** What the environment may have said in the place of a file. */
const given = ({ defaultFrom, defaultReplyTo }: EmailConfig): Tree => ({
  ...(defaultFrom === undefined ? {} : { defaultFrom }),
  ...(defaultReplyTo === undefined ? {} : { defaultReplyTo }),
});

/** Files of `config` without what such a provider takes: all of it counts. */
export function withoutMailOptions(files: ConfigFiles, { email: { code } }: UsersConfig): ConfigFiles {
  return code ? withoutOptions(files, 'email', ['providerOptions', 'settings']) : files;
}
