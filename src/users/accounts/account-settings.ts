/** The project's settings of accounts: entries of the core store, as in the reference. */
import { readSetting, storeSetting } from '../../db/interface/core-store.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { at, because, Failures, flagsIn } from '../../failures.ts';
import { type JsonObject, objectOrEmpty } from '../../plain-values.ts';
import { findRoleId } from '../roles/roles.ts';

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

export const TEMPLATES = ['reset_password', 'email_confirmation'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

/** A template of the entry `plugin_users-permissions_email`; missing parts are undefined. */
export interface MailTemplate {
  readonly fromName: string | undefined;
  readonly fromAddress: string | undefined;
  readonly replyTo: string | undefined;
  readonly subject: string | undefined;
  readonly message: string | undefined;
}

/** The settings of the entry `ADVANCED`, in the reference's names and form. */
export interface AdvancedSettings {
  readonly unique_email: boolean;
  readonly allow_register: boolean;
  readonly email_confirmation: boolean;
  /** Empty for the page of this server. */
  readonly email_confirmation_redirection: string;
  readonly email_reset_password: string;
  readonly default_role: string;
}

/** The core-store entry of mail templates. */
export const MAILS = 'plugin_users-permissions_email';
const ADVANCED = 'plugin_users-permissions_advanced';
const FLAGS = ['unique_email', 'allow_register', 'email_confirmation'] as const;
const PAGES = ['email_confirmation_redirection', 'email_reset_password'] as const;
/** Characters of an address. */
const LONGEST_PAGE = 2000;

/** Reads the settings; missing ones have the defaults of a new project. */
export async function readSettings(db: Queryable): Promise<AccountSettings> {
  const advanced = await readSetting(db, ADVANCED);
  const grant = await readSetting(db, 'plugin_users-permissions_grant');
  return {
    ...changeableIn(advanced),
    confirmationRedirection: text(advanced['email_confirmation_redirection']) ?? '/',
    resetPage: text(advanced['email_reset_password']) ?? '',
    localLogin: objectOrEmpty(grant['email'])['enabled'] !== false,
  };
}

/** Settings of the entry `ADVANCED`. */
const changeableIn = (advanced: JsonObject) => ({
  allowRegister: advanced['allow_register'] !== false,
  uniqueEmail: advanced['unique_email'] !== false,
  confirmsEmail: advanced['email_confirmation'] === true,
  defaultRole: text(advanced['default_role']) ?? 'authenticated',
});

/** Reads the settings that an administrator can change. */
export const readAdvancedSettings = async (db: Queryable): Promise<AdvancedSettings> =>
  advancedIn(await readSetting(db, ADVANCED));

/** The settings of the entry `ADVANCED` as an administrator sees them. */
function advancedIn(stored: JsonObject): AdvancedSettings {
  const { uniqueEmail, allowRegister, confirmsEmail, defaultRole } = changeableIn(stored);
  return {
    unique_email: uniqueEmail,
    allow_register: allowRegister,
    email_confirmation: confirmsEmail,
    email_confirmation_redirection: text(stored['email_confirmation_redirection']) ?? '',
    email_reset_password: text(stored['email_reset_password']) ?? '',
    default_role: defaultRole,
  };
}

/**
 * Changes settings of accounts. Keys that the body leaves out stay unchanged, and so do unknown ones in the database.
 *
 * @throws ContentError 400 with the paths of all wrong values.
 */
export async function changeAdvancedSettings(tx: Transaction, body: unknown): Promise<AdvancedSettings> {
  await tx.lock(() => [{ key: 'galley account settings', shared: false }]);
  const wanted = objectOrEmpty(body);
  const failures = new Failures();
  const change = flagsIn(wanted, FLAGS, failures);
  for (const key of PAGES) {
    const value = wanted[key];
    if (value === undefined) continue;
    if (!isPage(value)) failures.add(at(key), because(`${key} must be a valid URL`, 'url'), value);
    change[key] = value === '' ? null : value;
  }
  const role = wanted['default_role'];
  if (role !== undefined) {
    const isRole = typeof role === 'string' && (await findRoleId(tx, role)) !== undefined;
    if (!isRole) failures.add(at('default_role'), 'default_role must be the type of a role', role);
    change['default_role'] = role;
  }
  failures.throwAny();
  const stored = await readSetting(tx, ADVANCED);
  const changed = { ...advancedIn(stored), ...stored, ...change };
  await storeSetting(tx, ADVANCED, changed);
  tx.recordAction({ action: 'settings.update', type: 'settings', id: 'accounts', fields: Object.keys(change) });
  return advancedIn(changed);
}

/** An address with http or https, or none. */
function isPage(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > LONGEST_PAGE || !value.isWellFormed()) return false;
  return value === '' || (/^https?:\/\//i.test(value) && URL.canParse(value) && !/[\s\p{Cc}]/u.test(value));
}

/** Reads a template of a mail. */
export const readTemplate = async (db: Queryable, name: TemplateName): Promise<MailTemplate> =>
  templateIn(await readSetting(db, MAILS), name);

/** A template of the entry `MAILS`. */
export function templateIn(entry: Readonly<Record<string, unknown>>, name: TemplateName): MailTemplate {
  const options = objectOrEmpty(objectOrEmpty(entry[name])['options']);
  const from = objectOrEmpty(options['from']);
  return {
    fromName: text(from['name']),
    fromAddress: text(from['email']),
    replyTo: text(options['response_email']),
    subject: text(options['object']),
    message: text(options['message']),
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
