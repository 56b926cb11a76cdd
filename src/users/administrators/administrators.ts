/**
 * The administrators' own accounts, and signing in. Identity and rights are read from the database for each request, so
 * that changes take effect at once, wherever they were made.
 */
import {
  type AdministratorRights,
  type FileOperation,
  type Operation,
  rightsOf,
  type StoredPermission,
  SUPER_ADMIN,
} from '../../access/administrators/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import type { Views } from '../../access/views.ts';
import { type AroundRows, beginRow, transactionOf } from '../../content/rows/around-rows.ts';
import { hashPassword, verifyPassword } from '../../content/validation/password-hashing.ts';
import type { FailedSignIn, NoteFailedSignIn } from '../../db/interface/action.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError, forbidden, notFound, refusal } from '../../errors.ts';
import { LruCache } from '../../lru-cache.ts';
import { type Reason, reason } from '../../reasons.ts';
import { ADMIN_USER_UID, type Catalog } from '../../schema/catalog.ts';
import { type AccountRow, findByIdentifier } from '../accounts/account-rows.ts';
import { readSettings } from '../accounts/account-settings.ts';
import { findRoleId, grantedActions } from '../roles/roles.ts';
import { passwordMark } from '../sessions/sessions.ts';
import {
  codeBody,
  firstAdministratorBody,
  passwordAndCodeBody,
  passwordBody,
  passwordChangeBody,
  profileBody,
  signInBody,
  tokenBody,
} from './administrator-bodies.ts';
import {
  type AdministratorRole,
  type AdministratorRow,
  findAdministrator,
  findAdministratorByEmail,
  findRoleByCode,
  hasSuperAdministrator,
  insertAdministrator,
  lockAdministrators,
  ownAction,
  permissionsOfAdministrator,
  rolesOfAdministrator,
  setPassword,
  subjectOf,
  updateAdministrator,
} from './administrator-rows.ts';
import {
  type BrowserToken,
  endAdministratorSession,
  endOtherSessions,
  endSessionsOfAdministrator,
  findAdministratorSession,
  findOpenSession,
  isReplayed,
  type Lifespans,
  listAdministratorSessions,
  type OpenSession,
  startAdministratorSession,
  useAdministratorSession,
} from './administrator-sessions.ts';
import type { FirstToken } from './first-token.ts';
import {
  dropSecondFactor,
  enableSecondFactor,
  offerSecret,
  recoveryCodesLeft,
  renewRecoveryCodes,
  useCode,
} from './second-factors.ts';
import { totpUri } from './totp.ts';

/** An administrator that may sign in. */
export interface OpenAdministrator {
  readonly row: AdministratorRow;
  readonly roles: readonly AdministratorRole[];
  readonly rights: AdministratorRights;
  /** Whether a role requires a second factor. */
  readonly isSecondFactorRequired: boolean;
  /** Whether the administrator must set up the required second factor first. Until then there are no rights. */
  readonly isSecondFactorDue: boolean;
}

/** A signed-in administrator. */
export interface Administrator extends OpenAdministrator {
  readonly session: Pick<OpenSession, 'id' | 'remembered'>;
}

/** A signed-in administrator, with a new token for the browser; undefined: it keeps its token. */
export interface SignedIn {
  readonly administrator: Administrator;
  readonly given: BrowserToken | undefined;
}

export interface AdministratorsContext {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly views: Views;
  /** Actions guarded by code of the project, with their log messages. */
  readonly closed: ReadonlyMap<string, string>;
  readonly encryptionKey: string | undefined;
  readonly firstToken: FirstToken;
  readonly lifespans: Lifespans;
  readonly noteFailedSignIn: NoteFailedSignIn;
  /** The project's hooks for rows of administrators; undefined without code. */
  readonly around?: AroundRows | undefined;
}

/**
 * Counts an attempt at an administrator's secret before it is checked. Returns a function that removes a correct one
 * from the count. Throws ContentError 429 above the limit.
 */
export type CountAttempt = (administrator: number) => Promise<() => void>;

/** The name of the app in authenticator apps. */
const ISSUER = 'Galley';
/** Cached rights, by sets of permissions. */
const RIGHTS = 200;
/** The sign-in action of site users. */
const SITE_SIGN_IN = 'plugin::users-permissions.auth.callback';

const mismatch = (): ContentError => refusal('Invalid credentials', reason('credentials'));
const unauthorized = (message: string, details = {}, why?: Reason): ContentError =>
  new ContentError('UnauthorizedError', message, details, { reason: why });

export class Administrators {
  readonly #context: AdministratorsContext;
  readonly #rights = new LruCache<string, AdministratorRights>(RIGHTS);

  constructor(context: AdministratorsContext) {
    this.#context = context;
  }

  /**
   * The administrator of a token; undefined for an unknown or ended session, or an administrator that may not sign in.
   *
   * @param renews whether the use is noted, and the token renewed when due.
   */
  async identify(token: string | undefined, renews: boolean): Promise<SignedIn | undefined> {
    if (token === undefined) return undefined;
    const { database, lifespans } = this.#context;
    const session = await findAdministratorSession(database, token);
    const row = session && (await this.#ownerOf(session));
    if (!session || !row) return undefined;
    if (isReplayed(session)) {
      // one of its two users has stolen it
      await database.transaction(async (tx) => {
        const isEnded = await endAdministratorSession(tx, row.id, session.id);
        if (isEnded) tx.recordAction({ action: 'admin.session.end', ...subjectOf(row), more: { reason: 'replayed' } });
      });
      return undefined;
    }
    const renewed = renews ? await useAdministratorSession(database, session, { token, lifespans }) : undefined;
    return { administrator: await this.#administrator(row, session), given: renewed };
  }

  /** The administrator of a session; undefined for an ended one, or an administrator that may not sign in. */
  async ofSession(id: string): Promise<Administrator | undefined> {
    const session = await findOpenSession(this.#context.database, id);
    const row = session && (await this.#ownerOf(session));
    return session && row && (await this.#administrator(row, session));
  }

  /** The administrator of a row id, without a session; undefined for one that may not sign in. */
  async ofId(id: number): Promise<OpenAdministrator | undefined> {
    const row = await findAdministrator(this.#context.database, id);
    return row?.isOpen ? this.#open(row) : undefined;
  }

  /** The viewer for an operation of an administrator on documents. */
  viewer({ row, rights }: Pick<Administrator, 'row' | 'rights'>, operation: Operation): Viewer {
    const { views, closed } = this.#context;
    return { view: views.administrator(rights, closed)[operation], values: { administratorId: row.id } };
  }

  /** The viewer for an operation of an administrator on files. */
  libraryViewer({ row, rights }: Administrator, operation: FileOperation): Viewer {
    const { views, closed } = this.#context;
    return { view: views.library(rights, closed)[operation], values: { administratorId: row.id } };
  }

  /** Whether project code guards an action of the content API, which is therefore closed to administrators. */
  isClosed(action: string): boolean {
    return this.#context.closed.has(action);
  }

  /** Whether the first administrator can be created: no super administrator can sign in or is invited. */
  async areMissing(): Promise<boolean> {
    return !(await hasSuperAdministrator(this.#context.database));
  }

  /**
   * Signs in with an address, a password and a second factor, if there is one.
   *
   * @param device the browser's name.
   * @param countCode counts attempts at a second factor.
   * @param countSiteSignIn counts an attempt at the password of a site user, as the site's sign-in does; false above
   *   its limit.
   * @throws ContentError 400 for any mismatch; 401 if a code is needed or wrong.
   */
  async signIn(
    raw: unknown,
    device: string | null,
    countCode: CountAttempt,
    countSiteSignIn: () => Promise<boolean>,
  ): Promise<SignedIn> {
    const { database, encryptionKey, lifespans } = this.#context;
    const { email, password, code, remember } = signInBody(raw);
    const found = await findAdministratorByEmail(database, email);
    // without an administrator, a decoy is compared for the same time
    const fits = await verifyPassword(password, found?.password);
    if (!found || !fits || !found.isOpen) {
      this.#noteFailed(found, fits ? 'blocked' : 'credentials');
      throw await this.#mismatchOf(email, password, countSiteSignIn);
    }
    if (found.hasSecondFactor) {
      if (code === undefined) throw unauthorized('A code is required', { secondFactor: true });
      const giveBack = await countCode(found.id);
      const isRight = await database.transaction((tx) => useCode(tx, found.id, code, encryptionKey));
      if (!isRight) {
        this.#noteFailed(found, 'code');
        throw unauthorized('Invalid code', { secondFactor: true }, reason('code'));
      }
      giveBack();
    }
    const tokens = await database.transaction(async (tx) => {
      // the password may have changed, or the account been closed, during the comparison
      const now = await findAdministrator(tx, found.id);
      if (!now?.isOpen || now.password !== found.password || now.hasSecondFactor !== found.hasSecondFactor) {
        throw mismatch();
      }
      const more = { secondFactor: found.hasSecondFactor, ...(device !== null && { device }) };
      tx.recordAction({ action: 'admin.auth.success', ...ownAction(now), more });
      return startAdministratorSession(tx, now, { remembered: remember, device, lifespans });
    });
    return { administrator: await this.#administrator(found, { id: tokens.id, remembered: remember }), given: tokens };
  }

  /**
   * Checks a token for creating the first administrator.
   *
   * @throws ContentError 400 for a wrong body, else as `createFirst`, without revealing more.
   */
  async checkFirst(raw: unknown): Promise<void> {
    await this.#requireFirst(tokenBody(raw));
  }

  /**
   * Creates the first administrator, a super administrator, and signs it in.
   *
   * @throws ContentError 400 for a wrong body, and the address of another administrator; 403 for another token than the
   *   printed one, and if a super administrator can sign in or is invited.
   */
  async createFirst(raw: unknown, device: string | null): Promise<SignedIn> {
    const { around, lifespans } = this.#context;
    const { token, password, ...names } = firstAdministratorBody(raw);
    await this.#requireFirst(token);
    const hash = await hashPassword(password);
    const { row, given: tokens } = await this.#writing(async (tx) => {
      await lockAdministrators(tx);
      if (await hasSuperAdministrator(tx)) throw forbidden();
      if (await findAdministratorByEmail(tx, names.email)) throw refusal('Email already taken', reason('emailTaken'));
      const role = await findRoleByCode(tx, SUPER_ADMIN);
      if (!role) throw refusal(`The role ${SUPER_ADMIN} is missing`);
      const data = { ...names, username: null, isActive: true, registrationToken: null, roles: [role.id] };
      const begun = await beginRow(around, ADMIN_USER_UID, 'create', () => ({ data }));
      const id = await insertAdministrator(tx, { ...names, password: hash }, [role.id]);
      await begun.end(id);
      const row = (await findAdministrator(tx, id))!;
      tx.recordAction({ action: 'admin.auth.success', ...ownAction(row) });
      return { row, given: await startAdministratorSession(tx, row, { remembered: false, device, lifespans }) };
    });
    return { administrator: await this.#administrator(row, { id: tokens.id, remembered: false }), given: tokens };
  }

  /** Ends the session of a token, if there is one. */
  async signOut(token: string | undefined): Promise<void> {
    const { database } = this.#context;
    const session = token === undefined ? undefined : await findAdministratorSession(database, token);
    if (!session) return;
    await database.transaction(async (tx) => {
      const row = await findAdministrator(tx, session.userId);
      const isEnded = await endAdministratorSession(tx, session.userId, session.id);
      if (isEnded && row) tx.recordAction({ action: 'admin.logout', ...ownAction(row) });
    });
  }

  /** The open sessions of an administrator, by last use. */
  sessions({ row }: Administrator) {
    return listAdministratorSessions(this.#context.database, row.id);
  }

  /** @throws ContentError 404 for no such session. */
  async endSession({ row }: Administrator, id: string): Promise<void> {
    await this.#context.database.transaction(async (tx) => {
      if (!(await endAdministratorSession(tx, row.id, id))) throw notFound('Session not found');
      tx.recordAction({ action: 'admin.session.end', ...subjectOf(row) });
    });
  }

  /** Ends all other sessions of an administrator. */
  async endOthers({ row, session }: Administrator): Promise<void> {
    await this.#context.database.transaction(async (tx) => {
      await endOtherSessions(tx, row.id, session.id);
      tx.recordAction({ action: 'admin.session.end', ...subjectOf(row) });
    });
  }

  /** @throws ContentError 400 for a wrong body. */
  async updateProfile({ row, session }: Administrator, raw: unknown): Promise<Administrator> {
    const { database, around } = this.#context;
    const { preferedLanguage, ...names } = profileBody(raw);
    const where = { id: row.id };
    await this.#writing(async (tx) => {
      const data = { ...names, preferedLanguage };
      const begun = await beginRow(around, ADMIN_USER_UID, 'update', () => ({ where, data }));
      await updateAdministrator(tx, row, { ...names, prefered_language: preferedLanguage });
      await begun.end(row.id);
    });
    return this.#administrator((await findAdministrator(database, row.id)) ?? row, session);
  }

  /**
   * Sets a new password and ends all other sessions.
   *
   * @throws ContentError 400 for a wrong body, and a wrong current password.
   */
  async changePassword({ row, session }: Administrator, raw: unknown, device: string | null, count: CountAttempt) {
    const { around, lifespans } = this.#context;
    const { currentPassword, password } = passwordChangeBody(raw);
    await this.#requirePassword(row, currentPassword, count);
    const hash = await hashPassword(password);
    const { remembered } = session;
    const { now, given: tokens } = await this.#writing(async (tx) => {
      await this.#requireSame(tx, row);
      const begun = await beginRow(around, ADMIN_USER_UID, 'update', () => ({ where: { id: row.id }, data: {} }));
      await setPassword(tx, row, hash);
      await begun.end(row.id);
      await endSessionsOfAdministrator(tx, row.id);
      const now = (await findAdministrator(tx, row.id))!;
      return { now, given: await startAdministratorSession(tx, now, { remembered, device, lifespans }) };
    });
    return { administrator: await this.#administrator(now, { id: tokens.id, remembered }), given: tokens };
  }

  /**
   * Offers a second factor, which is enabled by sending one of its codes.
   *
   * @throws ContentError 400 if one is enabled already.
   */
  async offerSecondFactor({ row }: Administrator): Promise<{ readonly secret: string; readonly uri: string }> {
    const { database, encryptionKey } = this.#context;
    const secret = await database.transaction((tx) => offerSecret(tx, row.id, encryptionKey));
    if (secret === undefined) throw refusal('The second factor is on already');
    return { secret, uri: totpUri(secret, row.email, ISSUER) };
  }

  /**
   * Enables the offered second factor, ends all other sessions, and returns the recovery codes.
   *
   * @throws ContentError 400 for a code that does not match.
   */
  async enableSecondFactor({ row, session }: Administrator, raw: unknown, count: CountAttempt) {
    const { database, encryptionKey } = this.#context;
    const code = codeBody(raw);
    const giveBack = await count(row.id);
    const recoveryCodes = await database.transaction(async (tx) => {
      const codes = await enableSecondFactor(tx, row.id, code, encryptionKey);
      if (codes === undefined) throw refusal('Invalid code', reason('code'));
      await endOtherSessions(tx, row.id, session.id);
      tx.recordAction({ action: 'admin.second-factor.enable', ...subjectOf(row) });
      return codes;
    });
    giveBack();
    return recoveryCodes;
  }

  /** @throws ContentError 400 for a wrong password. */
  async disableSecondFactor({ row }: Administrator, raw: unknown, count: CountAttempt): Promise<void> {
    await this.#requirePassword(row, passwordBody(raw), count);
    await this.#context.database.transaction(async (tx) => {
      await this.#requireSame(tx, row);
      await dropSecondFactor(tx, row.id);
      tx.recordAction({ action: 'admin.second-factor.disable', ...subjectOf(row) });
    });
  }

  /** The number of unused recovery codes; undefined without a second factor. */
  recoveryCodes({ row }: Administrator): ReturnType<typeof recoveryCodesLeft> {
    return recoveryCodesLeft(this.#context.database, row.id);
  }

  /**
   * Replaces all recovery codes. They survive a lost second factor, so creating them needs its code.
   *
   * @throws ContentError 400 for a wrong password or code, and without a second factor.
   */
  async renewRecoveryCodes(
    { row }: Administrator,
    raw: unknown,
    count: { readonly passwords: CountAttempt; readonly codes: CountAttempt },
  ): Promise<readonly string[]> {
    const { database, encryptionKey } = this.#context;
    const { password, code } = passwordAndCodeBody(raw);
    if (!row.hasSecondFactor) throw refusal('The second factor is not on');
    await this.#requirePassword(row, password, count.passwords);
    const giveBack = await count.codes(row.id);
    const recoveryCodes = await database.transaction(async (tx) => {
      await this.#requireSame(tx, row);
      if (!(await useCode(tx, row.id, code, encryptionKey))) throw refusal('Invalid code', reason('code'));
      const codes = await renewRecoveryCodes(tx, row.id);
      if (codes === undefined) throw refusal('The second factor is not on');
      tx.recordAction({ action: 'admin.second-factor.renew-codes', ...subjectOf(row) });
      return codes;
    });
    giveBack();
    return recoveryCodes;
  }

  #noteFailed(row: AdministratorRow | undefined, reason: FailedSignIn['reason']): void {
    this.#context.noteFailedSignIn({ action: 'admin.auth.error', reason, account: row && subjectOf(row) });
  }

  /**
   * The refusal of a wrong address or password. With the right password of a site user it explains that site users do
   * not sign in here. Without a site user, a decoy is compared for the same time.
   */
  async #mismatchOf(email: string, password: string, countSiteSignIn: () => Promise<boolean>): Promise<ContentError> {
    const isCounted = await countSiteSignIn();
    const siteUser = await this.#siteUser(email);
    const user = isCounted ? siteUser : undefined;
    const fits = await verifyPassword(password, user?.password);
    if (!user || !fits) return mismatch();
    return refusal('Invalid credentials', reason('siteUser'));
  }

  /** The site user that the site would sign in with an address and the right password. */
  async #siteUser(email: string): Promise<AccountRow | undefined> {
    const { database, closed } = this.#context;
    const { localLogin, confirmsEmail } = await readSettings(database);
    const role = await findRoleId(database, 'public');
    const granted = role === undefined ? new Set<string>() : await grantedActions(database, role);
    const user = await findByIdentifier(database, email);
    const isOpen = localLogin && granted.has(SITE_SIGN_IN) && !closed.has(SITE_SIGN_IN);
    return user && isOpen && !user.blocked && (user.confirmed || !confirmsEmail) ? user : undefined;
  }

  async #requireFirst(token: string): Promise<void> {
    const { database, firstToken } = this.#context;
    if (!firstToken.is(token) || (await hasSuperAdministrator(database))) throw forbidden();
  }

  /** Runs a transaction that writes administrators, with the project's hooks. */
  #writing<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return transactionOf(this.#context, [ADMIN_USER_UID], work);
  }

  async #requirePassword(row: AdministratorRow, password: string, count: CountAttempt): Promise<void> {
    const giveBack = await count(row.id);
    if (!(await verifyPassword(password, row.password))) {
      this.#noteFailed(row, 'credentials');
      throw refusal('Invalid password', reason('password'));
    }
    giveBack();
  }

  /** Requires that the compared password is still current. */
  async #requireSame(tx: Transaction, { id, password }: AdministratorRow): Promise<void> {
    const now = await findAdministrator(tx, id);
    if (!now?.isOpen || now.password !== password)
      throw unauthorized('Missing or invalid credentials', {}, reason('signedOut'));
  }

  /** The administrator of a session, if it may sign in and still has the password with which the session began. */
  async #ownerOf({ userId, passwordMark: mark }: Pick<OpenSession, 'userId' | 'passwordMark'>) {
    const row = await findAdministrator(this.#context.database, userId);
    return row?.isOpen && passwordMark(row.password) === mark ? row : undefined;
  }

  async #administrator(row: AdministratorRow, session: Administrator['session']): Promise<Administrator> {
    return { ...(await this.#open(row)), session };
  }

  async #open(row: AdministratorRow): Promise<OpenAdministrator> {
    const { database, catalog } = this.#context;
    const roles = await rolesOfAdministrator(database, row.id);
    const isSecondFactorRequired = roles.some(({ requiresSecondFactor }) => requiresSecondFactor);
    const isSecondFactorDue = isSecondFactorRequired && !row.hasSecondFactor;
    const isSuper = !isSecondFactorDue && roles.some(({ code }) => code === SUPER_ADMIN);
    const hasNone = isSuper || isSecondFactorDue;
    const permissions: StoredPermission[] = hasNone ? [] : await permissionsOfAdministrator(database, row.id);
    const key = isSuper ? 'super' : JSON.stringify(permissions);
    let rights = this.#rights.get(key);
    if (!rights) {
      rights = rightsOf(catalog, permissions, isSuper);
      this.#rights.set(key, rights);
    }
    return { row, roles, rights, isSecondFactorRequired, isSecondFactorDue };
  }
}
