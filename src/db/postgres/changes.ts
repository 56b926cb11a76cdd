/** Which statements change what caches depend on, so that other processes are notified at once. */
import { CORE_STORE_TABLE } from '../../sql/settings.ts';

/** Where tokens, roles, accounts, locales and webhooks are: what is kept of them is read from there. */
export const CACHED_TABLES: readonly string[] = [
  'strapi_api_tokens',
  'strapi_api_token_permissions',
  'strapi_api_token_permissions_token_lnk',
  'up_roles',
  'up_permissions',
  'up_permissions_role_lnk',
  'up_users',
  'up_users_role_lnk',
  'galley_permissions',
  'galley_accounts',
  'galley_sessions',
  'i18n_locale',
  'strapi_webhooks',
  'galley_webhook_secrets',
  'galley_event_listening',
  CORE_STORE_TABLE,
];

const tables = (names: readonly string[]): string => `"?(?:${names.join('|')})"?(?![\\w"])`;
/**
 * No cache depends on sessions that begin or continue: what matters is that one ends. The last use of a token is
 * written often and means nothing to others.
 */
const CHANGES = new RegExp(
  `^\\s*(?:(?:insert into|update)\\s+${tables(CACHED_TABLES.filter((name) => name !== 'galley_sessions'))}` +
    `(?!\\s+set\\s+"last_used_at")|delete from\\s+${tables(CACHED_TABLES)})`,
  'i',
);

/** Whether a statement, if it changes any row, changes what caches depend on. */
export function changesCached(text: string): boolean {
  return CHANGES.test(text);
}
