/** The statements that change what caches and open tabs depend on. */
import { SCHEDULED_TABLE } from '../../sql/schedule.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';

/**
 * The tables of tokens, roles, accounts, locales, webhooks, workflows and releases, from which caches are read, of
 * administrators, their roles and sessions, whose changes open tabs follow, and of scheduled work, for which processes
 * wait.
 */
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
  'strapi_releases',
  'strapi_webhooks',
  'galley_webhook_secrets',
  'galley_event_listening',
  'admin_users',
  'admin_roles',
  'admin_permissions',
  'admin_permissions_role_lnk',
  'galley_admin_permissions',
  'admin_users_roles_lnk',
  'galley_admin_required_factors',
  'galley_admin_second_factors',
  'galley_admin_sessions',
  SCHEDULED_TABLE,
  'strapi_workflows',
  'strapi_workflows_stages',
  'strapi_workflows_stages_workflow_lnk',
  'strapi_workflows_stage_required_to_publish_lnk',
  'strapi_workflows_stages_permissions_lnk',
  CORE_STORE_TABLE,
];

const tables = (names: readonly string[]): string => `"?(?:${names.join('|')})"?(?![\\w"])`;
/** No cache depends on sessions that begin or continue, only on those that end. */
const SESSION_TABLES: readonly string[] = ['galley_sessions', 'galley_admin_sessions'];
/**
 * The last use of a token is written often and matters to no cache, and no process waits for work that another one has
 * claimed or ended.
 */
const CHANGES = new RegExp(
  `^\\s*(?:(?:insert into|update)\\s+${tables(CACHED_TABLES.filter((name) => !SESSION_TABLES.includes(name)))}` +
    `(?!\\s+set\\s+"(?:last_used_at|owner)")|delete from\\s+${tables(CACHED_TABLES)})`,
  'i',
);

/** Whether a statement changes what caches depend on, if it changes any row. */
export function changesCached(text: string): boolean {
  return CHANGES.test(text);
}
