/**
 * The account endpoints: registration, logins, passwords and addresses (docs/reference/accounts.md; other shapes are
 * Strapi's).
 */
import type { Viewer } from '../../access/view.ts';
import type { Config } from '../../config/config.ts';
import { verifyPassword } from '../../content/validation/password-hashing.ts';
import type { FailedSignIn, NoteFailedSignIn } from '../../db/interface/action.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { refusal, validation } from '../../errors.ts';
import { USER_UID } from '../../schema/catalog.ts';
import type { AccountMail } from '../mail/account-mail.ts';
import { findRoleId } from '../roles/roles.ts';
import { type Device, deviceOf } from '../sessions/sessions.ts';
import {
  changeBody,
  confirmationParam,
  confirmationRequestBody,
  forgotBody,
  loginBody,
  registerBody,
  resetBody,
} from './account-bodies.ts';
import { dropConfirmationCode, findConfirmationCode, findResetCode, useResetCode } from './account-codes.ts';
import {
  type AccountRow,
  findByEmail,
  findById,
  findByIdentifier,
  ownAction,
  subjectOf,
  type TakenNames,
} from './account-rows.ts';
import type { AccountSessions, Login } from './account-sessions.ts';
import { readSettings } from './account-settings.ts';
import type { UserWrites } from './user-writes.ts';

export interface AccountsContext {
  readonly config: Pick<Config, 'users'>;
  readonly users: UserWrites;
  readonly mail: AccountMail;
  readonly sessions: AccountSessions;
  readonly noteFailedSignIn: NoteFailedSignIn;
}

const mismatch = () => validation('Invalid identifier or password');

export class Accounts {
  readonly #context: AccountsContext;

  constructor(context: AccountsContext) {
    this.#context = context;
  }

  /**
   * Logs in with an identifier and a password.
   *
   * @throws ContentError 400 for a mismatch, an address that is not confirmed, and a blocked account.
   */
  async login(raw: unknown, viewer: Viewer, name: string | null): Promise<Login> {
    const { users, sessions } = this.#context;
    const settings = await readSettings(users.db);
    if (!settings.localLogin) throw refusal('This provider is disabled');
    const { identifier, password } = loginBody(raw);
    const device = deviceOf(raw, name);
    const account = await findByIdentifier(users.db, identifier);
    // without an account, a decoy is compared for the same time
    if (!(await verifyPassword(password, account?.password)) || !account) {
      this.#noteFailed(account, 'credentials');
      throw mismatch();
    }
    if (settings.confirmsEmail && !account.confirmed) {
      this.#noteFailed(account, 'unconfirmed');
      throw refusal('Your account email is not confirmed');
    }
    if (account.blocked) {
      this.#noteFailed(account, 'blocked');
      throw refusal('Your account has been blocked by an administrator');
    }
    const session = await users.withAccount(account.id, async (tx, now) => {
      // the password may have changed, or the account been blocked, during the comparison
      if (now.password !== account.password || now.blocked) throw mismatch();
      tx.recordAction({ action: 'site.auth.success', ...ownAction(account) });
      return sessions.start(tx, account.id, device);
    });
    if (session === undefined) throw mismatch();
    return sessions.begun(session, await users.record(account.id, ownView(viewer)(account.id)));
  }

  /**
   * Creates an account with the default role and logs it in, unless its address must be confirmed first.
   *
   * @throws ContentError 400 for a wrong body, existing names, and closed registration.
   */
  async register(raw: unknown, viewer: Viewer, name: string | null): Promise<Login> {
    const { config, users, mail, sessions } = this.#context;
    const settings = await readSettings(users.db);
    if (!settings.allowRegister) throw refusal('Register action is currently disabled');
    const { registerFields, validatePassword } = config.users;
    const body = await registerBody(raw, registerFields, validatePassword);
    const device = deviceOf({}, name);
    const role = await findRoleId(users.db, settings.defaultRole);
    if (role === undefined) throw refusal('Impossible to find the default role');
    const attributes = Object.entries(body).filter(([key]) => users.type.attributes.has(key));
    const data = { ...Object.fromEntries(attributes), provider: 'local', confirmed: !settings.confirmsEmail, role };
    const taken = ({ email, username, crossed }: TakenNames) => {
      const found = [email, username, crossed];
      const counts = settings.uniqueEmail ? found.some((kind) => kind !== undefined) : found.includes('local');
      if (counts) throw refusal('Email or Username are already taken');
    };
    const write = {
      data,
      actor: users.full,
      viewerOf: ownView(viewer),
      shape: { populate: 'role' },
      refuseTaken: taken,
    };
    const { record, result } = await users.create(write, async (tx, id) => ({
      id,
      session: settings.confirmsEmail ? undefined : await sessions.start(tx, id, device),
    }));
    if (result.session) return sessions.begun(result.session, record);
    mail.sendConfirmation(result.id, String(body['email'] ?? ''));
    return { jwt: undefined, refreshToken: undefined, user: record };
  }

  /** Mails a code to the account of an address. The answer does not reveal whether there is one. */
  forgotPassword(raw: unknown): void {
    const { email } = forgotBody(raw);
    this.#context.mail.sendReset(email);
  }

  /**
   * Sets the password of the account of a mailed code, ends its sessions and logs it in.
   *
   * @throws ContentError 400 for a wrong body, and an invalid code.
   */
  async resetPassword(raw: unknown, viewer: Viewer, name: string | null): Promise<Login> {
    const { config, users } = this.#context;
    const { password, code } = await resetBody(raw, config.users.validatePassword);
    const id = await findResetCode(users.db, code);
    const wrongCode = () => validation('Incorrect code provided');
    if (id === undefined) throw wrongCode();
    return this.#setPassword(id, password, viewer, deviceOf({}, name), async (tx) => {
      if (!(await useResetCode(tx, id, code))) throw wrongCode();
    });
  }

  /**
   * Changes the password of the caller's account, ends its sessions and begins a new one.
   *
   * @throws ContentError 400 for callers without an account, a wrong body, and a wrong current password.
   */
  async changePassword(raw: unknown, viewer: Viewer, name: string | null): Promise<Login> {
    const { config, users } = this.#context;
    const { userId } = viewer.values;
    if (userId === undefined) throw refusal('You must be authenticated to reset your password');
    const { password, currentPassword } = await changeBody(raw, config.users.validatePassword);
    const wrongPassword = () => validation('The provided current password is invalid');
    const account = await findById(users.db, userId);
    if (!(await verifyPassword(currentPassword, account?.password)) || !account) throw wrongPassword();
    if (currentPassword === password) {
      throw validation('Your new password must be different than your current password');
    }
    return this.#setPassword(userId, password, viewer, deviceOf({}, name), async (_, now) => {
      if (now.password !== account.password) throw wrongPassword();
    });
  }

  /**
   * Confirms an address by its mailed code. Returns the page to redirect to.
   *
   * @throws ContentError 400 for an invalid code.
   */
  async confirmEmail(params: Readonly<Record<string, unknown>>): Promise<string> {
    const { users } = this.#context;
    const code = confirmationParam(params);
    const invalid = () => validation('Invalid token');
    const id = await findConfirmationCode(users.db, code);
    if (id === undefined) throw invalid();
    const write = {
      data: { confirmed: true },
      actor: users.full,
      viewerOf: () => users.full,
      shape: { fields: ['id'] },
      refuseTaken: () => {},
    };
    await users.update(
      id,
      write,
      (tx) => dropConfirmationCode(tx, id),
      async (tx) => {
        if ((await findConfirmationCode(tx, code)) !== id) throw invalid();
      },
    );
    return (await readSettings(users.db)).confirmationRedirection;
  }

  /**
   * Mails a new code to an unconfirmed address and returns the address.
   *
   * @throws ContentError 400 if it is already confirmed, or the account is blocked.
   */
  async requestConfirmation(raw: unknown): Promise<string> {
    const { users, mail } = this.#context;
    const email = confirmationRequestBody(raw).email.toLowerCase();
    const account = await findByEmail(users.db, email);
    if (account?.confirmed) throw refusal('Already confirmed');
    if (account?.blocked) throw refusal('User blocked');
    mail.sendConfirmation(account?.id, email);
    return account?.email ?? email;
  }

  #noteFailed(account: AccountRow | undefined, reason: FailedSignIn['reason']): void {
    this.#context.noteFailedSignIn({ action: 'site.auth.error', reason, account: account && subjectOf(account) });
  }

  async #setPassword(
    id: number,
    password: string,
    viewer: Viewer,
    device: Device,
    before: NonNullable<Parameters<UserWrites['update']>[3]>,
  ): Promise<Login> {
    const { users, sessions } = this.#context;
    const write = {
      data: { password },
      actor: users.full,
      viewerOf: ownView(viewer),
      shape: {},
      refuseTaken: () => {},
    };
    // the update ends all sessions, so this one begins after it
    const start = (tx: Transaction) => sessions.start(tx, id, device);
    const { record, result } = await users.update(id, write, start, before);
    return sessions.begun(result, record);
  }
}

/**
 * The caller has just proved its identity and sees its own account: the fields of the caller's View, with the account's
 * own values.
 */
const ownView =
  ({ view }: Viewer) =>
  (userId: number): Viewer => ({ view: view.showingAll(USER_UID), values: { userId } });
