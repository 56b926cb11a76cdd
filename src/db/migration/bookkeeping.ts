/**
 * What a database contains besides content: the tables that Strapi 5 needs to start on it, and our own.
 */

import type { ColumnType, TableDefinition } from '../../schema/layout/table.ts';
import { ROLE_RECORDS_TABLE } from '../../sql/administrators/accounts.ts';
import { REFUSED_TABLE, SAVES_TABLE } from '../../sql/administrators/app-state.ts';
import { EVENTS_TABLE, LISTENING_TABLE } from '../../sql/events/change-log.ts';
import { DELIVERIES_TABLE, LEASES_TABLE, SECRETS_TABLE, WEBHOOKS_TABLE } from '../../sql/events/webhooks.ts';
import { INDEXES_TABLE } from '../../sql/kept-indexes.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { TOTALS_TABLE } from '../../sql/totals.ts';

export const MIGRATIONS_TABLE = 'strapi_migrations_internal';

/** Migrations of the reference that a new database is born with: without them it takes the data for version 4's. */
export const REFERENCE_MIGRATIONS = [
  '5.0.0-rename-identifiers-longer-than-max-length',
  '5.0.0-02-created-document-id',
  '5.0.0-03-created-locale',
  '5.0.0-04-created-published-at',
  '5.0.0-05-drop-slug-fields-index',
  '5.0.0-06-add-document-id-indexes',
  'core::5.0.0-discard-drafts',
  'admin::migrate-prefered-language-dk-to-da',
] as const;

/** A database that has not been through these contains data of version 4. */
export const VERSION_5_MIGRATIONS = ['5.0.0-02-created-document-id', 'core::5.0.0-discard-drafts'] as const;

function table(
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  numbers: 'increments' | 'bigincrements' = 'increments',
): TableDefinition {
  const own = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
  return { name, columns: [{ name: 'id', type: numbers }, ...own], indexes: [], foreignKeys: [] };
}

/** Which migrations of the project the database has been through. Made when the first one is run. */
export const USER_MIGRATIONS: TableDefinition = table('strapi_migrations', { name: 'string', time: 'datetime' });

/** Tables of the reference's own: those that it cannot start without, and that of webhooks. */
export const REFERENCE_TABLES: readonly TableDefinition[] = [
  table(CORE_STORE_TABLE, { key: 'string', value: 'text', type: 'string', environment: 'string', tag: 'string' }),
  table(MIGRATIONS_TABLE, { name: 'string', time: 'datetime' }),
  table(WEBHOOKS_TABLE, { name: 'string', url: 'text', headers: 'json', events: 'json', enabled: 'boolean' }),
];

/**
 * Our own tables; their names start with `galley_`, so that the reference leaves them alone.
 *
 * No foreign keys to the reference's tables: on some engines it changes a table by recreating it, and a cascade would
 * then empty ours. Ids are never given twice, so a grant of a deleted role or token grants nothing.
 */
export const OWN_TABLES: readonly TableDefinition[] = [
  // Grants of actions that the reference does not know and would delete from its own tables at its next start.
  table('galley_permissions', { role_id: 'integer', token_id: 'integer', action: 'string' }),
  // Published links whose target is not published yet: the layout cannot store a link to a row that does not exist.
  {
    ...table('galley_pending_links', {
      source_type: 'string',
      source_id: 'integer',
      attribute: 'string',
      target_type: 'string',
      target_document_id: 'string',
      target_locale: 'string',
      link_order: 'double',
      inverse_order: 'double',
    }),
    indexes: [
      { name: 'galley_pending_links_source', columns: ['source_type', 'source_id'], unique: false },
      { name: 'galley_pending_links_target', columns: ['target_document_id'], unique: false },
    ],
  },
  // Links of two-sided relations that drafts have changed, and which document's draft it was.
  {
    ...table('galley_draft_links', {
      source_type: 'string',
      attribute: 'string',
      source_id: 'integer',
      target_type: 'string',
      target_id: 'integer',
      author_type: 'string',
      author_id: 'integer',
    }),
    indexes: [
      // with target_id, so that looking up one link does not use the index of targets: many notes may share one
      { name: 'galley_draft_links_link', columns: ['source_id', 'source_type', 'target_id'], unique: false },
      { name: 'galley_draft_links_target', columns: ['target_id', 'target_type'], unique: false },
      { name: 'galley_draft_links_author', columns: ['author_id', 'author_type'], unique: false },
    ],
  },
  // How many rows content types have.
  {
    ...table(TOTALS_TABLE, { name: 'string', locale: 'string', published: 'boolean', n: 'biginteger' }),
    indexes: [{ name: 'galley_totals_name', columns: ['name', 'locale', 'published'], unique: false }],
  },
  // Indexes that slow reads have asked for, and those made by hand.
  {
    ...table(INDEXES_TABLE, {
      name: 'string',
      on_table: 'string',
      definition: 'text',
      origin: 'string',
      reads: 'integer',
      milliseconds: 'double',
      made_at: 'datetime',
      used_at: 'datetime',
    }),
    indexes: [{ name: 'galley_indexes_name', columns: ['name'], unique: true }],
  },
  // Who changes the bytes of a file, which no transaction guards.
  {
    ...table('galley_file_leases', { file_id: 'integer', owner: 'string', until: 'datetime' }),
    indexes: [{ name: 'galley_file_leases_file', columns: ['file_id'], unique: true }],
  },
  // Logins of accounts: what a user token names, so that it can be revoked.
  {
    ...table('galley_sessions', {
      session_id: 'string',
      user_id: 'integer',
      password_mark: 'string',
      refresh_id: 'string',
      device_id: 'string',
      device_name: 'string',
      created_at: 'datetime',
      active_at: 'datetime',
      expires_at: 'datetime',
      ends_at: 'datetime',
    }),
    indexes: [
      { name: 'galley_sessions_session', columns: ['session_id'], unique: true },
      { name: 'galley_sessions_user', columns: ['user_id'], unique: false },
      { name: 'galley_sessions_expiry', columns: ['expires_at'], unique: false },
    ],
  },
  // What the reference does not keep of an account: since when its tokens without a session count, and the hashes of
  // the codes that were mailed to it.
  {
    ...table('galley_accounts', {
      user_id: 'integer',
      tokens_from: 'datetime',
      reset_hash: 'string',
      reset_until: 'datetime',
      confirmation_hash: 'string',
    }),
    indexes: [
      { name: 'galley_accounts_user', columns: ['user_id'], unique: true },
      { name: 'galley_accounts_reset', columns: ['reset_hash'], unique: false },
      { name: 'galley_accounts_confirmation', columns: ['confirmation_hash'], unique: false },
    ],
  },
  // Sign-ins of administrators. The token in the browser is kept as a hash, and so is the one that it took the place of.
  {
    ...table('galley_admin_sessions', {
      session_id: 'string',
      user_id: 'integer',
      password_mark: 'string',
      token_hash: 'string',
      former_hash: 'string',
      renewed_at: 'datetime',
      token_used: 'boolean',
      remembered: 'boolean',
      device_name: 'string',
      created_at: 'datetime',
      used_at: 'datetime',
      expires_at: 'datetime',
      ends_at: 'datetime',
    }),
    indexes: [
      { name: 'galley_admin_sessions_session', columns: ['session_id'], unique: true },
      { name: 'galley_admin_sessions_token', columns: ['token_hash'], unique: true },
      { name: 'galley_admin_sessions_former', columns: ['former_hash'], unique: false },
      { name: 'galley_admin_sessions_user', columns: ['user_id'], unique: false },
      { name: 'galley_admin_sessions_expiry', columns: ['expires_at'], unique: false },
    ],
  },
  // Second factors of administrators: on once `enabled_at` is set.
  {
    ...table('galley_admin_second_factors', {
      user_id: 'integer',
      secret: 'string',
      enabled_at: 'datetime',
      last_step: 'biginteger',
      recovery_hashes: 'text',
    }),
    indexes: [{ name: 'galley_admin_second_factors_user', columns: ['user_id'], unique: true }],
  },
  // What administrators have chosen in the administration app: JSON by name.
  {
    ...table('galley_admin_settings', { user_id: 'integer', name: 'string', value: 'text' }),
    indexes: [{ name: 'galley_admin_settings_name', columns: ['user_id', 'name'], unique: true }],
  },
  // What the roles of administrators were last aligned with, by type; without a type, which roles receive new types.
  {
    ...table(ROLE_RECORDS_TABLE, { subject: 'string', record: 'text' }),
    indexes: [{ name: 'galley_admin_role_records_subject', columns: ['subject'], unique: true }],
  },
  // What was refused of bulk actions, until whoever has asked for them was told. Times are epoch milliseconds.
  {
    ...table(REFUSED_TABLE, {
      user_id: 'integer',
      content_type: 'string',
      action: 'string',
      locale: 'string',
      made_at: 'biginteger',
      documents: 'text',
    }),
    indexes: [{ name: 'galley_admin_refused_user', columns: ['user_id'], unique: false }],
  },
  // When administrators saved versions of documents last: later changes are those of programs. Times are epoch milliseconds.
  {
    ...table(SAVES_TABLE, {
      content_type: 'string',
      document_id: 'string',
      locale: 'string',
      saved_at: 'biginteger',
    }),
    indexes: [
      { name: 'galley_admin_saves_version', columns: ['content_type', 'document_id', 'locale'], unique: true },
      { name: 'galley_admin_saves_time', columns: ['saved_at'], unique: false },
    ],
  },
  // Which administrators have which documents open, for less than a minute: there are never many of these.
  {
    ...table('galley_admin_presence', {
      content_type: 'string',
      document_id: 'string',
      locale: 'string',
      user_id: 'integer',
      seen_at: 'datetime',
    }),
    indexes: [
      {
        name: 'galley_admin_presence_version',
        columns: ['content_type', 'document_id', 'locale', 'user_id'],
        unique: true,
      },
    ],
  },
  // What webhooks sign with, which the reference does not know.
  {
    ...table(SECRETS_TABLE, { webhook_id: 'integer', secret: 'string' }),
    indexes: [{ name: 'galley_webhook_secrets_webhook', columns: ['webhook_id'], unique: true }],
  },
  // What webhooks are to be sent, written with the change, and what became of it. Times are epoch milliseconds.
  {
    ...table(
      DELIVERIES_TABLE,
      {
        webhook_id: 'integer',
        event: 'string',
        uid: 'string',
        document_id: 'string',
        locale: 'string',
        status: 'string',
        row_id: 'integer',
        changed_at: 'biginteger',
        body: 'text',
        state: 'string',
        attempts: 'integer',
        next_at: 'biginteger',
        tried_at: 'biginteger',
        answer_status: 'integer',
        answer: 'text',
        milliseconds: 'integer',
      },
      'bigincrements',
    ),
    indexes: [
      { name: 'galley_webhook_deliveries_webhook', columns: ['webhook_id', 'id'], unique: false },
      { name: 'galley_webhook_deliveries_due', columns: ['webhook_id', 'state', 'next_at', 'id'], unique: false },
      {
        name: 'galley_webhook_deliveries_document',
        columns: ['webhook_id', 'state', 'document_id', 'uid', 'id'],
        unique: false,
      },
    ],
  },
  // What has changed, for those who listen, and until when it is written down.
  table(
    EVENTS_TABLE,
    {
      uid: 'string',
      document_id: 'string',
      locale: 'string',
      status: 'string',
      kind: 'string',
      changed_at: 'biginteger',
    },
    'bigincrements',
  ),
  {
    ...table(LISTENING_TABLE, { name: 'string', until: 'biginteger' }),
    indexes: [{ name: 'galley_event_listening_name', columns: ['name'], unique: true }],
  },
  // Which process does what one process of many is to do, until an epoch millisecond.
  {
    ...table(LEASES_TABLE, { name: 'string', owner: 'string', until: 'biginteger' }),
    indexes: [{ name: 'galley_leases_name', columns: ['name'], unique: true }],
  },
];

/** The core-store entry that holds the code of the default locale. */
export const DEFAULT_LOCALE = 'plugin_i18n_default_locale';

/** Other core-store entries of a new database: what the content API reads, with the reference's values. */
export const CORE_STORE: readonly { readonly key: string; readonly type: string; readonly value: unknown }[] = [
  {
    key: 'plugin_users-permissions_advanced',
    type: 'object',
    value: {
      unique_email: true,
      allow_register: true,
      email_confirmation: false,
      email_reset_password: null,
      email_confirmation_redirection: null,
      default_role: 'authenticated',
    },
  },
  {
    key: 'plugin_upload_settings',
    type: 'object',
    value: { sizeOptimization: true, responsiveDimensions: true, autoOrientation: false, aiMetadata: true },
  },
];

/** The roles of a new database with the account actions that the reference grants them. */
export const ROLES = [
  {
    name: 'Authenticated',
    description: 'Default role given to authenticated user.',
    type: 'authenticated',
    actions: ['auth.logout', 'auth.getSessions', 'auth.revokeSession', 'user.me', 'auth.changePassword'],
  },
  {
    name: 'Public',
    description: 'Default role given to unauthenticated user.',
    type: 'public',
    actions: [
      'auth.callback',
      'auth.connect',
      'auth.forgotPassword',
      'auth.resetPassword',
      'auth.register',
      'auth.emailConfirmation',
      'auth.sendEmailConfirmation',
      'auth.refresh',
    ],
  },
] as const;

/** Actions that the role of everyone has in a new project, without `ACCOUNT_ACTION_PREFIX`. */
export const PUBLIC_ACTIONS: readonly string[] = ROLES[1].actions;

/** What an action of `ROLES` is preceded by in `up_permissions.action`. */
export const ACCOUNT_ACTION_PREFIX = 'plugin::users-permissions.';
