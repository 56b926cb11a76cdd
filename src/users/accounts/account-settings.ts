/** The project's settings of accounts: entries of the core store, as in the reference. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { selectRows } from '../../db/interface/statements.ts';
import { isObject } from '../../plain-values.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';

/** The entry `plugin_users-permissions_advanced`. */
export interface AccountSettings {
  readonly allowRegister: boolean;
  /** Whether an address may belong to one account only, whatever its provider. */
  readonly uniqueEmail: boolean;
  /** Whether accounts must confirm their address before a login. */
  readonly confirmsEmail: boolean;
  /** The `type` of the role of new accounts. */
  readonly defaultRole: string;
  /** The page to redirect to after a confirmation. */
  readonly confirmationRedirection: string;
  /** The page of mailed reset codes. */
  readonly resetPage: string;
  /** Whether password logins are enabled: `plugin_users-permissions_grant`, `email.enabled`. */
  readonly localLogin: boolean;
}

export type TemplateName = 'reset_password' | 'email_confirmation';

/** A template of the entry `plugin_users-permissions_email`; missing parts are undefined. */
export interface MailTemplate {
  readonly fromName: string | undefined;
  readonly fromAddress: string | undefined;
  readonly replyTo: string | undefined;
  readonly subject: string | undefined;
  readonly message: string | undefined;
}

type Tree = Readonly<Record<string, unknown>>;

/** Reads the settings; missing ones have the defaults of a new project. */
export async function readSettings(db: Queryable): Promise<AccountSettings> {
  const advanced = await entry(db, 'plugin_users-permissions_advanced');
  const grant = await entry(db, 'plugin_users-permissions_grant');
  return {
    allowRegister: advanced['allow_register'] !== false,
    uniqueEmail: advanced['unique_email'] !== false,
    confirmsEmail: advanced['email_confirmation'] === true,
    defaultRole: text(advanced['default_role']) ?? 'authenticated',
    confirmationRedirection: text(advanced['email_confirmation_redirection']) ?? '/',
    resetPage: text(advanced['email_reset_password']) ?? '',
    localLogin: tree(grant['email'])['enabled'] !== false,
  };
}

/** Reads a template of a mail. */
export async function readTemplate(db: Queryable, name: TemplateName): Promise<MailTemplate> {
  const options = tree(tree((await entry(db, 'plugin_users-permissions_email'))[name])['options']);
  const from = tree(options['from']);
  return {
    fromName: text(from['name']),
    fromAddress: text(from['email']),
    replyTo: text(options['response_email']),
    subject: text(options['object']),
    message: text(options['message']),
  };
}

async function entry(db: Queryable, key: string): Promise<Tree> {
  const [row] = await selectRows(db, CORE_STORE_TABLE, ['value'], { key }, ['id']);
  try {
    return tree(JSON.parse(String(row?.[0] ?? '{}')));
  } catch {
    return {};
  }
}

const tree = (value: unknown): Tree => (isObject(value) ? (value as Tree) : {});
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
