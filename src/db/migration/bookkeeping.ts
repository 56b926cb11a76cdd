/** The tables of a database besides content: those that Strapi 5 needs to start on it, and Galley's own. */
import { WORKFLOW_TABLES } from '../../schema/layout/review-tables.ts';
import type { ColumnType, ForeignKeyDefinition, IndexDefinition, TableDefinition } from '../../schema/layout/table.ts';
import {
  LAST_USES_TABLE,
  OWN_PERMISSIONS_TABLE,
  REQUIRED_FACTORS_TABLE,
  ROLE_RECORDS_TABLE,
} from '../../sql/administrators/accounts.ts';
import { REFUSED_TABLE, SAVES_TABLE } from '../../sql/administrators/app-state.ts';
import { AUDIT_TABLE, FORWARDING_TABLE } from '../../sql/audit.ts';
import { EVENTS_TABLE, LISTENING_TABLE } from '../../sql/events/change-log.ts';
import { DELIVERIES_TABLE, LEASES_TABLE, SECRETS_TABLE, WEBHOOKS_TABLE } from '../../sql/events/webhooks.ts';
import { HEALTH_TABLE } from '../../sql/health.ts';
import { CONTENTS_TABLE, TRASH_TABLE, VERSIONS_TABLE } from '../../sql/history.ts';
import { IMPORT_ROWS_TABLE, IMPORTS_TABLE } from '../../sql/imports.ts';
import { RELEASE_ACTIONS_TABLE, RELEASE_LINKS_TABLE, RELEASES_TABLE, REVERTED_TABLE } from '../../sql/releases.ts';
import { COMMENTS_TABLE } from '../../sql/review.ts';
import { SCHEDULED_TABLE } from '../../sql/schedule.ts';
import { CORE_STORE_TABLE, SERVERS_TABLE } from '../../sql/settings.ts';
import { INDEXES_TABLE } from '../../sql/stored-indexes.ts';
import { STRAPI_VERSIONS_TABLE } from '../../sql/strapi-history.ts';
import { TOTALS_TABLE } from '../../sql/totals.ts';
import { RESTORED_ROWS_TABLE } from '../../sql/trash.ts';

export const MIGRATIONS_TABLE = 'strapi_migrations_internal';
/** The tables that the reference has created. Galley neither reads nor writes it. */
export const STRAPI_SCHEMA_TABLE = 'strapi_database_schema';
/** Tables of roles, permissions and locales: they have rows in a new database. */
export const SEEDED_TABLES: readonly string[] = [
  ...['up_permissions_role_lnk', 'up_permissions', 'up_roles', 'i18n_locale'],
  ...['admin_permissions_role_lnk', 'admin_permissions', 'admin_roles', 'galley_admin_role_records'],
];

/**
 * Migrations of the reference that are recorded in a new database; without them the reference would take it for one of
 * version 4.
 */
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

/** Without these migrations a database contains data of version 4. */
export const VERSION_5_MIGRATIONS = ['5.0.0-02-created-document-id', 'core::5.0.0-discard-drafts'] as const;

function table(
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  indexes: readonly IndexDefinition[] = [],
  numbers: 'increments' | 'bigincrements' = 'increments',
): TableDefinition {
  const own = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
  return { name, columns: [{ name: 'id', type: numbers }, ...own], indexes, foreignKeys: [] };
}

const index = (name: string, ...columns: string[]): IndexDefinition => ({ name, columns, unique: false });

const unique = (name: string, ...columns: string[]): IndexDefinition => ({ name, columns, unique: true });

/** A foreign key and its index, which have one name, as in the reference. */
function reference(
  name: string,
  column: string,
  to: string,
  onDelete: ForeignKeyDefinition['onDelete'],
): { readonly index: IndexDefinition; readonly key: ForeignKeyDefinition } {
  return { index: index(name, column), key: { name, column, references: { table: to, column: 'id' }, onDelete } };
}

/** A table with the columns, indexes and foreign keys of a content type of the reference. */
function documentTable(name: string, columns: Readonly<Record<string, ColumnType>>): TableDefinition {
  const creators = ['created_by_id', 'updated_by_id'].map((column) =>
    reference(`${name}_${column}_fk`, column, 'admin_users', 'SET NULL'),
  );
  const { locale = 'string', ...own } = columns;
  const times = { created_at: 'datetime', updated_at: 'datetime', published_at: 'datetime' } as const;
  const all = { document_id: 'string', ...own, locale, ...times, created_by_id: 'integer', updated_by_id: 'integer' };
  const indexes = [index(`${name}_documents_idx`, 'document_id', 'locale', 'published_at')];
  const whole = table(name, all as Readonly<Record<string, ColumnType>>, [
    ...indexes,
    ...creators.map((creator) => creator.index),
  ]);
  return { ...whole, foreignKeys: creators.map(({ key }) => key) };
}

/** The links of releases to their actions, in order. */
function releaseLinks(): TableDefinition {
  const ends = [
    reference(`${RELEASE_LINKS_TABLE}_fk`, 'release_action_id', RELEASE_ACTIONS_TABLE, 'CASCADE'),
    reference(`${RELEASE_LINKS_TABLE}_ifk`, 'release_id', RELEASES_TABLE, 'CASCADE'),
  ];
  const columns = { release_action_id: 'integer', release_id: 'integer', release_action_ord: 'double' } as const;
  const links = table(RELEASE_LINKS_TABLE, columns, [
    ...ends.map((end) => end.index),
    unique(`${RELEASE_LINKS_TABLE}_uq`, 'release_action_id', 'release_id'),
    index(`${RELEASE_LINKS_TABLE}_oifk`, 'release_action_ord'),
  ]);
  return { ...links, foreignKeys: ends.map(({ key }) => key) };
}

/** The project's migrations that have run. Created with the first one. */
export const USER_MIGRATIONS: TableDefinition = table('strapi_migrations', { name: 'string', time: 'datetime' });

/** Indexes of Galley's own on tables of the reference that a database may lack, and that are not added. */
export const OPTIONAL_TABLES: readonly TableDefinition[] = [
  {
    ...{ name: STRAPI_VERSIONS_TABLE, columns: [], foreignKeys: [] },
    indexes: [index('galley_strapi_versions_document', 'related_document_id', 'content_type', 'created_at', 'id')],
  },
];

/** Tables of the reference: those that it needs to start, and those of webhooks, review stages and releases. */
export const REFERENCE_TABLES: readonly TableDefinition[] = [
  ...WORKFLOW_TABLES,
  table(CORE_STORE_TABLE, { key: 'string', value: 'text', type: 'string', environment: 'string', tag: 'string' }),
  table(MIGRATIONS_TABLE, { name: 'string', time: 'datetime' }),
  table(WEBHOOKS_TABLE, { name: 'string', url: 'text', headers: 'json', events: 'json', enabled: 'boolean' }),
  documentTable(RELEASES_TABLE, {
    ...{ name: 'string', released_at: 'datetime', scheduled_at: 'datetime', timezone: 'string', status: 'string' },
  }),
  documentTable(RELEASE_ACTIONS_TABLE, {
    ...{ type: 'string', content_type: 'string', entry_document_id: 'string', locale: 'string' },
    is_entry_valid: 'boolean',
  }),
  releaseLinks(),
];

/**
 * Galley's own tables; their names start with `galley_`, so that the reference leaves them alone.
 *
 * They have no foreign keys to the reference's tables: on some engines the reference changes a table by recreating it,
 * and a cascade would then empty ours. Ids are never reused, so a grant of a deleted role or token grants nothing.
 */
export const OWN_TABLES: readonly TableDefinition[] = [
  // Processes that serve the database, with the change of the schema for which their requests wait, and the time of their
  // last sign of life in milliseconds (schema-holds.ts).
  table(SERVERS_TABLE, { process: 'string', held: 'string', seen: 'biginteger' }),
  // Grants of actions that the reference does not know and would delete from its own tables at its next start.
  table('galley_permissions', { role_id: 'integer', token_id: 'integer', action: 'string' }),
  // Published links whose target is not published yet: the layout cannot store a link to a missing row.
  table(
    'galley_pending_links',
    {
      source_type: 'string',
      source_id: 'integer',
      attribute: 'string',
      target_type: 'string',
      target_document_id: 'string',
      target_locale: 'string',
      link_order: 'double',
      inverse_order: 'double',
    },
    [
      index('galley_pending_links_source', 'source_type', 'source_id'),
      index('galley_pending_links_target', 'target_document_id'),
    ],
  ),
  // Links of two-sided relations that drafts have changed, with the document whose draft changed them.
  table(
    'galley_draft_links',
    {
      source_type: 'string',
      attribute: 'string',
      source_id: 'integer',
      target_type: 'string',
      target_id: 'integer',
      author_type: 'string',
      author_id: 'integer',
    },
    [
      // includes target_id, so that looking up one link does not use the index of targets, which many notes may share
      index('galley_draft_links_link', 'source_id', 'source_type', 'target_id'),
      index('galley_draft_links_target', 'target_id', 'target_type'),
      index('galley_draft_links_author', 'author_id', 'author_type'),
    ],
  ),
  // The numbers of rows of content types.
  table(TOTALS_TABLE, { name: 'string', locale: 'string', published: 'boolean', n: 'biginteger' }, [
    index('galley_totals_name', 'name', 'locale', 'published'),
  ]),
  // Indexes for slow reads, and indexes created by command.
  table(
    INDEXES_TABLE,
    {
      name: 'string',
      on_table: 'string',
      definition: 'text',
      origin: 'string',
      reads: 'integer',
      milliseconds: 'double',
      made_at: 'datetime',
      used_at: 'datetime',
    },
    [unique('galley_indexes_name', 'name')],
  ),
  // Leases of files, whose bytes no transaction protects.
  table('galley_file_leases', { file_id: 'integer', owner: 'string', until: 'datetime' }, [
    unique('galley_file_leases_file', 'file_id'),
  ]),
  // Logins of accounts: user tokens name them, so that they can be revoked.
  table(
    'galley_sessions',
    {
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
    },
    [
      unique('galley_sessions_session', 'session_id'),
      index('galley_sessions_user', 'user_id'),
      index('galley_sessions_expiry', 'expires_at'),
    ],
  ),
  // Data of accounts that the reference does not store: the time from which tokens without a session are valid, and the
  // hashes of mailed codes.
  table(
    'galley_accounts',
    {
      user_id: 'integer',
      tokens_from: 'datetime',
      reset_hash: 'string',
      reset_until: 'datetime',
      confirmation_hash: 'string',
    },
    [
      unique('galley_accounts_user', 'user_id'),
      index('galley_accounts_reset', 'reset_hash'),
      index('galley_accounts_confirmation', 'confirmation_hash'),
    ],
  ),
  // Sign-ins of administrators. The browser's token and the token before it are stored as hashes.
  table(
    'galley_admin_sessions',
    {
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
    },
    [
      unique('galley_admin_sessions_session', 'session_id'),
      unique('galley_admin_sessions_token', 'token_hash'),
      index('galley_admin_sessions_former', 'former_hash'),
      index('galley_admin_sessions_user', 'user_id'),
      index('galley_admin_sessions_expiry', 'expires_at'),
    ],
  ),
  // Second factors of administrators; enabled once `enabled_at` is set.
  table(
    'galley_admin_second_factors',
    {
      user_id: 'integer',
      secret: 'string',
      enabled_at: 'datetime',
      last_step: 'biginteger',
      recovery_hashes: 'text',
    },
    [unique('galley_admin_second_factors_user', 'user_id')],
  ),
  // Roles of administrators that require a second factor.
  table(REQUIRED_FACTORS_TABLE, { role_id: 'integer' }, [unique('galley_admin_required_factors_role', 'role_id')]),
  // When administrators used the administration last, which remains when their sessions end.
  table(LAST_USES_TABLE, { user_id: 'integer', used_at: 'datetime' }, [
    unique('galley_admin_last_uses_user', 'user_id'),
  ]),
  // Settings of administrators in the administration app: JSON by name.
  table('galley_admin_settings', { user_id: 'integer', name: 'string', value: 'text' }, [
    unique('galley_admin_settings_name', 'user_id', 'name'),
  ]),
  // The record of the last alignment of administrators' roles, by type; without a type, the roles that receive new
  // types.
  table(ROLE_RECORDS_TABLE, { subject: 'string', record: 'text' }, [
    unique('galley_admin_role_records_subject', 'subject'),
  ]),
  // Refused documents of bulk actions, until they are reported to the administrator. Times are epoch milliseconds.
  table(
    REFUSED_TABLE,
    {
      user_id: 'integer',
      content_type: 'string',
      action: 'string',
      locale: 'string',
      made_at: 'biginteger',
      documents: 'text',
    },
    [index('galley_admin_refused_user', 'user_id')],
  ),
  // When administrators last saved versions of documents: later changes were made by programs. Times are epoch
  // milliseconds.
  table(
    SAVES_TABLE,
    {
      content_type: 'string',
      document_id: 'string',
      locale: 'string',
      saved_at: 'biginteger',
    },
    [
      unique('galley_admin_saves_version', 'content_type', 'document_id', 'locale'),
      index('galley_admin_saves_time', 'saved_at'),
    ],
  ),
  // The documents that administrators have open, each row for less than a minute: there are never many.
  table(
    'galley_admin_presence',
    {
      content_type: 'string',
      document_id: 'string',
      locale: 'string',
      user_id: 'integer',
      seen_at: 'datetime',
    },
    [unique('galley_admin_presence_version', 'content_type', 'document_id', 'locale', 'user_id')],
  ),
  // Secrets with which webhooks are signed, which the reference does not know.
  table(SECRETS_TABLE, { webhook_id: 'integer', secret: 'string' }, [
    unique('galley_webhook_secrets_webhook', 'webhook_id'),
  ]),
  // Webhook deliveries, written with their change, and their outcome. Times are epoch milliseconds.
  table(
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
    [
      index('galley_webhook_deliveries_webhook', 'webhook_id', 'id'),
      index('galley_webhook_deliveries_due', 'webhook_id', 'state', 'next_at', 'id'),
      index('galley_webhook_deliveries_document', 'webhook_id', 'state', 'document_id', 'uid', 'id'),
    ],
    'bigincrements',
  ),
  // Changes for event listeners, and until when they are logged.
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
    [],
    'bigincrements',
  ),
  table(LISTENING_TABLE, { name: 'string', until: 'biginteger' }, [unique('galley_event_listening_name', 'name')]),
  // States of documents that were replaced or removed, and their actors. The content moves to a table of its own, where
  // equal contents are stored once and compressed.
  table(
    VERSIONS_TABLE,
    {
      content_type: 'string',
      document_id: 'string',
      locale: 'string',
      status: 'string',
      row_id: 'integer',
      changed_at: 'datetime',
      created_by_id: 'integer',
      changed_by_id: 'integer',
      replaced_at: 'biginteger',
      reason: 'string',
      actor_kind: 'string',
      actor_id: 'integer',
      actor_name: 'string',
      content: 'text',
      content_id: 'biginteger',
    },
    [
      index('galley_versions_document', 'document_id', 'content_type', 'id'),
      index('galley_versions_type', 'content_type', 'replaced_at'),
      index('galley_versions_content', 'content_id', 'id'),
    ],
    'bigincrements',
  ),
  table(
    CONTENTS_TABLE,
    { hash: 'string', packed: 'text' },
    [unique('galley_version_contents_hash', 'hash')],
    'bigincrements',
  ),
  // Deletions of documents, files and folders, with JSON of their rows (id, locale and status of each, as their versions
  // name them) and of the links that they ended. Of files and folders, which have no versions, also the columns of the
  // rows, and the document id of the folder with which a file was deleted. Times are epoch milliseconds; 0: the
  // deletion cannot be restored, and the upkeep removes it.
  table(
    TRASH_TABLE,
    {
      content_type: 'string',
      document_id: 'string',
      rows: 'text',
      links: 'text',
      content: 'text',
      folder: 'string',
      deleted_at: 'biginteger',
      actor_kind: 'string',
      actor_id: 'integer',
      actor_name: 'string',
    },
    [
      index('galley_trash_document', 'document_id', 'content_type'),
      index('galley_trash_folder', 'folder'),
      index('galley_trash_time', 'deleted_at'),
    ],
    'bigincrements',
  ),
  // The rows that restored rows have now: links in the trash have their former ids. Times are epoch milliseconds.
  table(
    RESTORED_ROWS_TABLE,
    { content_type: 'string', former_id: 'integer', row_id: 'integer', restored_at: 'biginteger' },
    [
      index('galley_restored_rows_former', 'former_id', 'content_type'),
      index('galley_restored_rows_time', 'restored_at'),
    ],
    'bigincrements',
  ),
  // Permissions of administrators' roles that the reference does not know and would delete from its own table.
  table(OWN_PERMISSIONS_TABLE, { role_id: 'integer', action: 'string' }, [
    unique('galley_admin_permissions_role', 'role_id', 'action'),
  ]),
  // Samples of the health of servers: of minutes, which are added up to longer periods. Times are epoch milliseconds.
  table(HEALTH_TABLE, { minutes: 'integer', at: 'biginteger', process: 'string', sample: 'text' }, [
    unique('galley_health_sample', 'minutes', 'at', 'process'),
    index('galley_health_at', 'at'),
  ]),
  // The log of actions. Its rows are added and, after a long time, removed, but never changed. Times are epoch
  // milliseconds; ids follow them.
  table(
    AUDIT_TABLE,
    {
      at: 'biginteger',
      action: 'string',
      actor: 'string',
      actor_name: 'string',
      address: 'string',
      subject_type: 'string',
      subject_id: 'string',
      subject_name: 'string',
      details: 'text',
    },
    [
      index('galley_audit_actor', 'actor', 'id'),
      index('galley_audit_type', 'subject_type', 'id'),
      index('galley_audit_action', 'action', 'id'),
    ],
    'bigincrements',
  ),
  // Up to which entry the log of actions has been sent to each target.
  table(FORWARDING_TABLE, { target: 'string', position: 'biginteger' }, [
    unique('galley_audit_forwarding_target', 'target'),
  ]),
  // Comments of administrators on documents and their fields. Times are epoch milliseconds.
  table(
    COMMENTS_TABLE,
    {
      content_type: 'string',
      document_id: 'string',
      locale: 'string',
      thread_id: 'integer',
      field: 'text',
      body: 'text',
      mentions: 'text',
      author_id: 'integer',
      author_name: 'text',
      created_at: 'biginteger',
      edited_at: 'biginteger',
      resolved_at: 'biginteger',
      resolved_by: 'integer',
    },
    [
      index('galley_comments_version', 'document_id', 'content_type', 'locale'),
      index('galley_comments_thread', 'thread_id'),
    ],
  ),
  // Leases of work that only one process does, until an epoch millisecond.
  table(LEASES_TABLE, { name: 'string', owner: 'string', until: 'biginteger' }, [unique('galley_leases_name', 'name')]),
  // Releases that were reverted, whose state the reference would not know. Times are epoch milliseconds.
  table(REVERTED_TABLE, { release_id: 'integer', reverted_at: 'biginteger' }, [
    unique('galley_reverted_releases_release', 'release_id'),
  ]),
  // Work that is due at a time, and what became of it. Times are epoch milliseconds; until `next_at` nothing is done.
  table(
    SCHEDULED_TABLE,
    {
      kind: 'string',
      content_type: 'string',
      target: 'string',
      subject: 'text',
      due_at: 'biginteger',
      next_at: 'biginteger',
      state: 'string',
      owner: 'string',
      attempts: 'integer',
      by_kind: 'string',
      by_id: 'integer',
      by_name: 'string',
      created_at: 'biginteger',
      ended_at: 'biginteger',
      result: 'text',
    },
    [
      index('galley_scheduled_next', 'state', 'next_at', 'id'),
      index('galley_scheduled_due', 'due_at', 'id'),
      index('galley_scheduled_target', 'target', 'content_type'),
      index('galley_scheduled_end', 'ended_at'),
    ],
  ),
  // Imports of files as rows, with their counts, and each row that was written or failed: with its place in the file, the
  // time of the written version, and the versions of the history with the state before, by which it is undone.
  table(
    IMPORTS_TABLE,
    {
      ...{ content_type: 'string', file_name: 'string', options: 'text', state: 'string', lease: 'string' },
      ...{ total: 'integer', done: 'integer', created: 'integer', updated: 'integer', failed: 'integer' },
      ...{ undone: 'integer', kept: 'integer', by_kind: 'string', by_id: 'integer', by_name: 'string' },
      ...{ started_at: 'biginteger', ended_at: 'biginteger' },
    },
    [index('galley_imports_type', 'content_type', 'id'), index('galley_imports_time', 'started_at')],
  ),
  table(
    IMPORT_ROWS_TABLE,
    {
      ...{ import_id: 'integer', place: 'integer', kind: 'string', document_id: 'string', locale: 'string' },
      ...{ version: 'biginteger', version_before: 'biginteger', draft_before: 'biginteger' },
      published_before: 'biginteger',
      ...{ problem: 'text', undone: 'string' },
    },
    [
      index('galley_import_rows_import', 'import_id', 'id'),
      index('galley_import_rows_document', 'document_id', 'version'),
    ],
    'bigincrements',
  ),
];

/** The core-store entry with the code of the default locale. */
export const DEFAULT_LOCALE = 'plugin_i18n_default_locale';

/** The other core-store entries of a new database that the content API reads, with the reference's values. */
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

/** Actions that everyone may call in a new project, without `ACCOUNT_ACTION_PREFIX`. */
export const PUBLIC_ACTIONS: readonly string[] = ROLES[1].actions;

/** The prefix of the actions of `ROLES` in `up_permissions.action`. */
export const ACCOUNT_ACTION_PREFIX = 'plugin::users-permissions.';
