/**
 * Links for accepting an invitation or setting a new password. A link has a random token after `#`, which browsers do
 * not send, so that it reaches no log, proxy or other site. The database stores its hash and expiry in the column where
 * the reference has the token itself.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { type AroundRows, beginRow, transactionOf } from '../../content/rows/around-rows.ts';
import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import { hashPassword } from '../../content/validation/password-hashing.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { type RowValues, selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { forbidden, refusal } from '../../errors.ts';
import { ADMIN_USER_UID, type Catalog } from '../../schema/catalog.ts';
import { isTrue } from '../accounts/account-rows.ts';
import type { Background } from '../accounts/background.ts';
import { type Mail, mailOf, serverUrl } from '../mail/mail.ts';
import type { Mailer } from '../mail/mailer.ts';
import { emailBody, invitedBody, newPasswordBody, tokenBody } from './administrator-bodies.ts';
import {
  type AdministratorRow,
  findAdministrator,
  findAdministratorByEmail,
  lockAdministrators,
  ownAction,
  passwordColumns,
  subjectOf,
  updateAdministrator,
} from './administrator-rows.ts';
import {
  type BrowserToken,
  endSessionsOfAdministrator,
  type Lifespans,
  startAdministratorSession,
} from './administrator-sessions.ts';

const MINUTE = 60_000;
/** Milliseconds that links are valid. */
export const INVITATION_LIFESPAN = 7 * 24 * 60 * MINUTE;
export const RESET_LIFESPAN = 60 * MINUTE;
/** Milliseconds between two mails that reset a password. */
const MAIL_PAUSE = MINUTE;

const BYTES = 32;
/** The row id of the administrator, and the random part. */
const TOKEN = /^(\d{1,15})-[\w-]{43}$/;
/** Stands for a missing administrator: no row has this id. */
const NOBODY_ID = 0;

type Kind = 'invitation' | 'reset';
const COLUMNS = { invitation: 'registration_token', reset: 'reset_password_token' } as const;
const LIFESPANS = { invitation: INVITATION_LIFESPAN, reset: RESET_LIFESPAN } as const;

type LinkConfig = Pick<Config, 'host' | 'port' | 'users' | 'admin'>;

/** The address of the page for a token. */
export function linkAddress(config: LinkConfig, kind: Kind, token: string): string {
  const { origin, path } = config.admin;
  return `${origin ?? serverUrl(config)}${path}/${kind === 'invitation' ? 'invitation' : 'reset'}#${token}`;
}

/** Whether links are mailed. In development mails are written to the log, which must not contain tokens. */
export function mailsLinks({ users: { email } }: Pick<Config, 'users'>): boolean {
  return email.code !== undefined || (email.transport !== 'log' && email.transport !== 'none');
}

/** The mail of an invitation. */
export function invitationMail(to: string, address: string): Mail {
  return mailOf(to, 'You are invited to edit content', [
    'You are invited to edit content. Open this link to choose your name and password:',
    address,
    'The link works once, within 7 days.',
  ]);
}

/** Creates a token that invites an administrator; earlier ones become invalid. */
export function createInvitation(
  tx: Transaction,
  administrator: Pick<AdministratorRow, 'id' | 'email'>,
  now = Date.now(),
): Promise<string> {
  tx.recordAction({ action: 'user.invite', ...subjectOf(administrator) });
  return createToken(tx, 'invitation', administrator.id, now);
}

async function createToken(tx: Transaction, kind: Kind, id: number, now: number): Promise<string> {
  const token = `${id}-${randomBytes(BYTES).toString('base64url')}`;
  const expires = now + LIFESPANS[kind];
  const columns: RowValues = { [COLUMNS[kind]]: `${expires}.${hashOf(token)}` };
  const expiry = kind === 'reset' ? { reset_password_token_expires_at: tx.dialect.encodeTime(expires) } : {};
  await updateRows(tx, 'admin_users', { ...columns, ...expiry }, { id });
  return token;
}

/** The administrator of a token; undefined for an invalid one. */
async function findByToken(
  db: Queryable,
  kind: Kind,
  token: string,
  now = Date.now(),
): Promise<AdministratorRow | undefined> {
  const named = Number(TOKEN.exec(token)?.[1] ?? NOBODY_ID);
  const id = named > MAX_ROW_ID ? NOBODY_ID : named;
  const [row] = await selectRows(db, 'admin_users', [COLUMNS[kind], 'is_active', 'blocked'], { id });
  const [stored, isActive, isBlocked] = row ?? [];
  const [expires = '', hash = ''] = String(stored ?? '').split('.');
  const [own, received] = [Buffer.from(hash), Buffer.from(hashOf(token))];
  const isSame = own.length === received.length && timingSafeEqual(own, received);
  const isInTime = /^\d+$/.test(expires) && now < Number(expires);
  // an active administrator has accepted the invitation; an inactive one has no password to reset
  const isOpen = !isTrue(isBlocked) && isTrue(isActive) === (kind === 'reset');
  return isSame && isInTime && isOpen ? findAdministrator(db, id) : undefined;
}

/** Whether a link for resetting the password was created a moment ago. */
async function hasRecentReset(db: Queryable, id: number, now: number): Promise<boolean> {
  const [row] = await selectRows(db, 'admin_users', ['reset_password_token'], { id });
  const [, expires] = /^(\d+)\./.exec(String(row?.[0] ?? '')) ?? [];
  return expires !== undefined && Number(expires) > now + RESET_LIFESPAN - MAIL_PAUSE;
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export interface AdministratorLinksContext {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly config: LinkConfig;
  readonly mailer: Mailer;
  readonly background: Background;
  readonly lifespans: Lifespans;
  /** The project's hooks for rows of administrators; undefined without code. */
  readonly around?: AroundRows | undefined;
}

/** Actions without signing in: using a link, or requesting one. */
export class AdministratorLinks {
  readonly #context: AdministratorLinksContext;

  constructor(context: AdministratorLinksContext) {
    this.#context = context;
  }

  /** Whether links that reset passwords are mailed. */
  get isMailed(): boolean {
    return mailsLinks(this.#context.config);
  }

  /** The invited person. @throws ContentError 400 for a wrong body, 403 for an unknown, used or expired token. */
  async invited(raw: unknown): Promise<Pick<AdministratorRow, 'email' | 'firstname' | 'lastname'>> {
    const row = await findByToken(this.#context.database, 'invitation', tokenBody(raw));
    if (!row) throw forbidden();
    const { email, firstname, lastname } = row;
    return { email, firstname, lastname };
  }

  /**
   * Accepts an invitation: sets name and password, and signs the administrator in.
   *
   * @param device the browser's name.
   * @throws ContentError as `invited`.
   */
  async accept(raw: unknown, device: string | null): Promise<BrowserToken> {
    const { around, lifespans } = this.#context;
    const { token, password, ...names } = invitedBody(raw);
    if (!(await findByToken(this.#context.database, 'invitation', token))) throw forbidden();
    const hash = await hashPassword(password);
    return transactionOf(this.#context, [ADMIN_USER_UID], async (tx) => {
      await lockAdministrators(tx);
      const row = await findByToken(tx, 'invitation', token);
      if (!row) throw forbidden();
      const data = { ...names, isActive: true, registrationToken: null };
      const begun = await beginRow(around, ADMIN_USER_UID, 'update', () => ({ where: { id: row.id }, data }));
      const open = { is_active: tx.dialect.encode(true, 'boolean'), registration_token: null };
      await updateAdministrator(tx, row, { ...names, ...passwordColumns(hash), ...open });
      await begun.end(row.id);
      tx.recordAction({ action: 'admin.auth.success', ...ownAction({ ...row, ...names }) });
      return startAdministratorSession(tx, { ...row, password: hash }, { remembered: false, device, lifespans });
    });
  }

  /**
   * Mails a link for resetting the password to the administrator with an address, if it may sign in. It happens after
   * the answer and takes the same time without an administrator.
   *
   * @throws ContentError 400 for a wrong body, and if no mail is sent.
   */
  mailReset(raw: unknown): void {
    const email = emailBody(raw);
    if (!this.isMailed) throw refusal('Mail is not configured');
    const { database, config, mailer, background } = this.#context;
    background.run('a mail that resets the password of an administrator', async () => {
      const now = Date.now();
      const found = await findAdministratorByEmail(database, email);
      const isRecent = await hasRecentReset(database, found?.id ?? NOBODY_ID, now);
      const isMeant = found?.isOpen === true && !isRecent;
      const token = await database.transaction((tx) => {
        if (isMeant) tx.recordAction({ action: 'user.forgot-password', ...subjectOf(found) });
        return createToken(tx, 'reset', isMeant ? found.id : NOBODY_ID, now);
      });
      const mail = mailOf(email, 'Set a new password', [
        'A new password was requested for your account. Set one here within an hour:',
        linkAddress(config, 'reset', token),
        'If you did not request it, ignore this mail: your password stays as it is.',
      ]);
      await mailer.send(mail, isMeant);
    });
  }

  /** Refuses an invalid token for resetting a password. @throws ContentError as `invited`. */
  async checkReset(raw: unknown): Promise<void> {
    if (!(await findByToken(this.#context.database, 'reset', tokenBody(raw)))) throw forbidden();
  }

  /**
   * Sets a new password and ends all sessions. It does not sign in, since a second factor may be needed.
   *
   * @throws ContentError as `invited`.
   */
  async reset(raw: unknown): Promise<void> {
    const { around } = this.#context;
    const { token, password } = newPasswordBody(raw);
    if (!(await findByToken(this.#context.database, 'reset', token))) throw forbidden();
    const hash = await hashPassword(password);
    await transactionOf(this.#context, [ADMIN_USER_UID], async (tx) => {
      await lockAdministrators(tx);
      const row = await findByToken(tx, 'reset', token);
      if (!row) throw forbidden();
      const begun = await beginRow(around, ADMIN_USER_UID, 'update', () => ({ where: { id: row.id }, data: {} }));
      await updateAdministrator(tx, row, passwordColumns(hash));
      await begun.end(row.id);
      await endSessionsOfAdministrator(tx, row.id);
    });
  }
}
