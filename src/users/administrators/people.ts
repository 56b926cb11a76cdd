/**
 * Administrators as other administrators manage them: invitations, roles, blocking, sessions and second factors. The
 * caller of each method has checked the right for it; this file enforces the limits of such a right:
 *
 * - Only super admins change super admins, and give or take that role.
 * - Other administrators give only roles that permit nothing beyond their own rights. The same applies to changes with
 *   which they could sign in as a person: its address, a new invitation, and removing the second factor. No role that
 *   they give extends rights on documents of people with the same role beyond their own rights.
 * - Only super admins end that a person needs a second factor.
 * - Administrators neither block nor delete themselves, and a super admin who can sign in remains.
 */
import {
  type AdministratorRights,
  dependsOnRoles,
  mayGive,
  type Right,
  rightsOf,
  SUPER_ADMIN,
} from '../../access/administrators/administrator-rights.ts';
import type { Config } from '../../config/config.ts';
import { listRolePermissions, listStoredRoles, lockRoles, type StoredRole } from '../../content/roles/role-rows.ts';
import { type AroundRows, beginRow, transactionOf } from '../../content/rows/around-rows.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError, forbidden, notFound, refusal } from '../../errors.ts';
import { at, because, EMAIL_TAKEN, type Reasoned, validationFailure } from '../../failures.ts';
import { withReason } from '../../reasons.ts';
import { ADMIN_USER_UID, type Catalog } from '../../schema/catalog.ts';
import type { Background } from '../accounts/background.ts';
import type { Mailer } from '../mail/mailer.ts';
import { newPersonBody, personChangeBody } from './administrator-bodies.ts';
import {
  createInvitation,
  INVITATION_LIFESPAN,
  invitationMail,
  linkAddress,
  mailsLinks,
} from './administrator-links.ts';
import {
  type AdministratorRow,
  findAdministrator,
  insertAdministrator,
  isHeldWith,
  type ListedAdministrator,
  listPeople,
  lockAdministrators,
  replaceRoles,
  subjectOf,
  updateAdministrator,
} from './administrator-rows.ts';
import {
  blockAdministrator,
  isAddressTaken,
  NO_LINKS,
  removeAdministrator,
  requireActiveSuperLeft,
  unblockAdministrator,
} from './administrator-rules.ts';
import {
  type AdministratorSession,
  endAdministratorSession,
  endOtherSessions,
  endSessionsOfAdministrator,
  listAdministratorSessions,
} from './administrator-sessions.ts';
import type { Administrator } from './administrators.ts';
import { dropSecondFactor } from './second-factors.ts';

/** `deactivated`: in the reference's panel. */
export type PersonState = 'active' | 'invited' | 'blocked' | 'deactivated';

/** A person as another administrator sees it. */
export interface Person extends ListedAdministrator {
  readonly state: PersonState;
  readonly isCaller: boolean;
  /** Whether the caller may change the person, if it has the right to change people. */
  readonly isChangeable: boolean;
  /** Whether the caller may perform changes that allow signing in as the person. */
  readonly isRecoverable: boolean;
}

/** A role with whether the caller may give it. */
export interface OfferedRole extends StoredRole {
  readonly isGrantable: boolean;
}

/** A link that invites a person. */
export interface Invitation {
  /** The address; null where the public address of the server is not configured. */
  readonly link: string | null;
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Whether it is being mailed. */
  readonly isMailed: boolean;
}

export interface PeopleContext {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly config: Pick<Config, 'host' | 'port' | 'users' | 'admin'>;
  readonly mailer: Mailer;
  readonly background: Background;
  /** The project's hooks for rows of administrators; undefined without code. */
  readonly around?: AroundRows | undefined;
}

/** The message for a change after which a person would no longer need a second factor. */
export const FACTOR_KEPT = because('Only super admins end the requirement of a second factor', 'factorKept');

/** A 403 for a value that goes beyond the rights of the caller. */
export function beyondRights(key: string, { said: message, why }: Reasoned): ContentError {
  const failure = withReason({ path: [key], message, name: 'ForbiddenError' }, why);
  return new ContentError('ForbiddenError', message, { errors: [failure] }, { reason: why });
}

/** The refusal of a person who has more rights than the caller. */
const PERSON_BEYOND = because('This person has rights that you do not have', 'personBeyond');

/** The refusal of a role that permits more than the roles of the caller. */
export const roleBeyond = ({ name }: { readonly name: string }): Reasoned =>
  because(`The role ${name} permits more than your roles`, 'roleBeyond', { name });

export class People {
  readonly #context: PeopleContext;

  constructor(context: PeopleContext) {
    this.#context = context;
  }

  /** Whether invitations can be mailed: mail and the public address of the server are configured. */
  get isMailed(): boolean {
    const { config } = this.#context;
    return mailsLinks(config) && config.admin.origin !== undefined;
  }

  /** A page of people in the order of creation. @param after the row id after which it begins. */
  async list(caller: Administrator, page: { readonly after: number; readonly most: number }): Promise<Person[]> {
    const { database } = this.#context;
    const rights = await this.#rightsOfRoles(database);
    return (await listPeople(database, page)).map((row) => this.#personOf(caller, row, rights));
  }

  /** A person with the open sessions. @throws ContentError 404 for an unknown id. */
  async read(
    caller: Administrator,
    id: number,
  ): Promise<{ readonly person: Person; readonly sessions: readonly AdministratorSession[] }> {
    const { database } = this.#context;
    return { person: await this.#find(database, caller, id), sessions: await listAdministratorSessions(database, id) };
  }

  /** All roles, for giving them to people. */
  async roles(caller: Administrator): Promise<OfferedRole[]> {
    const { database } = this.#context;
    const rights = await this.#rightsOfRoles(database);
    return (await listStoredRoles(database)).map((role) => ({
      ...role,
      isGrantable: isGrantable(caller, role, rights),
    }));
  }

  /**
   * Invites a person.
   *
   * @throws ContentError 400 for a wrong body and an address that another administrator has, 403 for roles beyond the
   *   rights of the caller.
   */
  async invite(caller: Administrator, raw: unknown): Promise<{ readonly id: number; readonly invitation: Invitation }> {
    const { email, roles, isMailed, ...names } = newPersonBody(raw);
    const now = Date.now();
    const { id, token } = await this.#writing(async (tx, around) => {
      await this.#requireGrantable(tx, caller, roles);
      if (await isAddressTaken(tx, email)) throw validationFailure(at('email'), EMAIL_TAKEN, email);
      const data = { email, ...names, username: null, isActive: false, blocked: false, registrationToken: null, roles };
      const begun = await beginRow(around, ADMIN_USER_UID, 'create', () => ({ data }));
      const id = await insertAdministrator(tx, { email, ...names, password: null, isActive: false }, roles, now);
      await begun.end(id);
      return { id, token: await createInvitation(tx, { id, email }, now) };
    });
    return { id, invitation: this.#invitation({ email, token, isMailed, now }) };
  }

  /**
   * Creates a new invitation for a person who has not accepted one; the earlier one becomes invalid.
   *
   * @throws ContentError 400 for a person who has a password or is blocked, 403 as `change`, 404.
   */
  async inviteAgain(caller: Administrator, id: number, isMailed: boolean): Promise<Invitation> {
    const now = Date.now();
    const { email, token } = await this.#changing(caller, id, async (tx, person) => {
      if (!person.isRecoverable) throw beyondRights('id', PERSON_BEYOND);
      if (person.state !== 'invited') throw refusal('Only a person without a password can be invited');
      return { email: person.email, token: await createInvitation(tx, person, now) };
    });
    return this.#invitation({ email, token, isMailed, now });
  }

  /**
   * Changes names, address and roles of a person. A changed address voids links that were mailed to the old one.
   *
   * @throws ContentError 400 for a wrong body, an address that is taken, the caller's own address, and if no super admin
   *   would remain; 403 for changes beyond the rights of the caller; 404.
   */
  async change(caller: Administrator, id: number, raw: unknown): Promise<void> {
    const { roles, email, ...names } = personChangeBody(raw);
    await this.#changing(caller, id, async (tx, person, around) => {
      const isMoved = email !== undefined && email !== person.email;
      // an open session alone does not allow to move the account to another address
      if (isMoved && person.isCaller)
        throw validationFailure(at('email'), because('You cannot change your own address', 'ownAddress'));
      if (isMoved && !person.isRecoverable) {
        throw beyondRights('email', PERSON_BEYOND);
      }
      if (isMoved && (await isAddressTaken(tx, email, id))) {
        throw validationFailure(at('email'), EMAIL_TAKEN, email);
      }
      const held = person.roles.map((role) => role.id);
      if (roles) {
        await this.#requireGrantable(tx, caller, roles, held);
        const superRole = person.roles.find(({ code }) => code === SUPER_ADMIN)?.id;
        if (superRole !== undefined && !roles.includes(superRole)) {
          if (!caller.rights.isSuper) throw beyondRights('roles', SUPER_ONLY);
          await requireActiveSuperLeft(tx, id);
        }
        if (!caller.rights.isSuper && person.roles.some((role) => role.requiresSecondFactor)) {
          const remaining = (await listStoredRoles(tx)).filter((role) => roles.includes(role.id));
          if (!remaining.some((role) => role.requiresSecondFactor)) throw beyondRights('roles', FACTOR_KEPT);
        }
      }
      const data = { ...names, ...(isMoved && { email }), ...(roles && { roles }) };
      const begun = await beginRow(around, ADMIN_USER_UID, 'update', () => ({ where: { id }, data }));
      await updateAdministrator(tx, person, { ...names, ...(isMoved && { email, ...NO_LINKS }) });
      if (roles) await replaceRoles(tx, person, roles);
      await begun.end(id);
    });
  }

  /** Ends the sessions of a person, who cannot sign in until unblocked. @throws ContentError as `change`. */
  async block(caller: Administrator, id: number): Promise<void> {
    await this.#changing(caller, id, async (tx, person, around) => {
      if (person.isCaller) throw refusal('You cannot block yourself');
      await requireActiveSuperLeft(tx, id);
      const data = { blocked: true, registrationToken: null };
      const begun = await beginRow(around, ADMIN_USER_UID, 'update', () => ({ where: { id }, data }));
      await blockAdministrator(tx, person);
      await begun.end(id);
    });
  }

  /** Lets a person sign in again. @throws ContentError as `change`. */
  async unblock(caller: Administrator, id: number): Promise<void> {
    await this.#changing(caller, id, async (tx, person, around) => {
      const data = { blocked: false, ...(person.password === null ? {} : { isActive: true }) };
      const begun = await beginRow(around, ADMIN_USER_UID, 'update', () => ({ where: { id }, data }));
      await unblockAdministrator(tx, person);
      await begun.end(id);
    });
  }

  /** Deletes a person with everything that belongs to the person alone. @throws ContentError as `change`. */
  async remove(caller: Administrator, id: number): Promise<void> {
    await this.#changing(caller, id, async (tx, person, around) => {
      if (person.isCaller) throw refusal('You cannot delete yourself');
      await requireActiveSuperLeft(tx, id);
      const begun = await beginRow(around, ADMIN_USER_UID, 'delete', () => ({ where: { id } }));
      await removeAdministrator(tx, person);
      await begun.end(id);
    });
  }

  /**
   * Ends one session of a person, or all; of the caller's own all others.
   *
   * @throws ContentError as `change`, and 404 for an unknown session.
   */
  async endSessions(caller: Administrator, id: number, session?: string): Promise<void> {
    await this.#changing(caller, id, async (tx, person) => {
      if (session === undefined) {
        if (person.isCaller) await endOtherSessions(tx, id, caller.session.id);
        else await endSessionsOfAdministrator(tx, id);
      } else if (!(await endAdministratorSession(tx, id, session))) throw notFound('Session not found');
      tx.recordAction({ action: 'admin.session.end', ...subjectOf(person) });
    });
  }

  /**
   * Removes the second factor of a person who has lost the device, and ends the sessions. Administrators turn off their
   * own on the page of their account, with their password.
   *
   * @throws ContentError as `change`.
   */
  async resetSecondFactor(caller: Administrator, id: number): Promise<void> {
    await this.#changing(caller, id, async (tx, person) => {
      if (person.isCaller) throw refusal('Turn off your own second factor in your account');
      if (!person.isRecoverable) throw beyondRights('id', PERSON_BEYOND);
      await dropSecondFactor(tx, id);
      await endSessionsOfAdministrator(tx, id);
      tx.recordAction({ action: 'admin.second-factor.disable', ...subjectOf(person) });
    });
  }

  #invitation(of: {
    readonly email: string;
    readonly token: string;
    readonly isMailed: boolean;
    readonly now: number;
  }) {
    const { config, mailer, background } = this.#context;
    const { email, token, now } = of;
    const address = linkAddress(config, 'invitation', token);
    const isMailed = of.isMailed && this.isMailed;
    if (isMailed) {
      background.run('a mail that invites an administrator', async () => {
        await mailer.send(invitationMail(email, address));
      });
    }
    const link = config.admin.origin === undefined ? null : address;
    return { link, token, expiresAt: now + INVITATION_LIFESPAN, isMailed };
  }

  /** The rights of each role by row id, without Super Admin. */
  async #rightsOfRoles(db: Queryable): Promise<RoleRights> {
    const permissions = Map.groupBy(await listRolePermissions(db), ({ role }) => role.id);
    return new Map([...permissions].map(([role, all]) => [role, rightsOf(this.#context.catalog, all, false).rights]));
  }

  #personOf(caller: Administrator, row: ListedAdministrator, rights: RoleRights): Person {
    const isSuper = row.roles.some(({ code }) => code === SUPER_ADMIN);
    const isChangeable = caller.rights.isSuper || !isSuper;
    const together = row.roles.flatMap(({ id }) => rights.get(id) ?? []);
    const isEqual = row.roles.every(({ id }) => caller.roles.some((own) => own.id === id));
    const isRecoverable = isChangeable && (isEqual || mayGive(together, caller.rights));
    return { ...row, state: stateOf(row), isCaller: row.id === caller.row.id, isChangeable, isRecoverable };
  }

  async #find(db: Queryable, caller: Administrator, id: number): Promise<Person> {
    const row = await findAdministrator(db, id);
    const [listed] = row ? await listPeople(db, { after: id - 1, most: 1 }) : [];
    if (listed?.id !== id) throw notFound();
    return this.#personOf(caller, listed, await this.#rightsOfRoles(db));
  }

  /** @param held ids of the roles that the person has. */
  async #requireGrantable(
    tx: Transaction,
    caller: Administrator,
    roles: readonly number[],
    held: readonly number[] = [],
  ): Promise<void> {
    const known = new Map((await listStoredRoles(tx)).map((role) => [role.id, role]));
    const rights = await this.#rightsOfRoles(tx);
    for (const id of roles) {
      const role = known.get(id);
      if (!role) throw validationFailure(at('roles'), 'Some of the roles do not exist');
      if (held.includes(id) || isGrantable(caller, role, rights)) continue;
      throw beyondRights('roles', role.code === SUPER_ADMIN ? SUPER_ONLY : roleBeyond(role));
    }
    if (caller.rights.isSuper) return;
    const added = roles.filter((id) => !held.includes(id));
    const extending = [...rights].flatMap(([id, all]) =>
      all.some((right) => dependsOnRoles(right) && !mayGive([right], caller.rights)) ? [id] : [],
    );
    for (const id of added) {
      if (!roles.some((one) => extending.includes(one)) && !(await isHeldWith(tx, id, extending))) continue;
      const { name } = known.get(id)!;
      const said = `The role ${name} gives access to documents beyond your roles`;
      throw beyondRights('roles', because(said, 'roleExtends', { name }));
    }
  }

  /** Changes a person, under the locks of roles and administrators. */
  #changing<T>(
    caller: Administrator,
    id: number,
    work: (tx: Transaction, person: Person, around: AroundRows | undefined) => Promise<T>,
  ): Promise<T> {
    return this.#writing(async (tx, around) => {
      const person = await this.#find(tx, caller, id);
      if (!person.isChangeable) throw forbidden();
      return work(tx, person, around);
    });
  }

  #writing<T>(work: (tx: Transaction, around: AroundRows | undefined) => Promise<T>): Promise<T> {
    const { around } = this.#context;
    return transactionOf(this.#context, [ADMIN_USER_UID], async (tx) => {
      await lockRoles(tx);
      await lockAdministrators(tx);
      return work(tx, around);
    });
  }
}

type RoleRights = ReadonlyMap<number, readonly Right[]>;

const SUPER_ONLY = because('Only super admins give and take the role Super Admin', 'superOnly');

function isGrantable(
  { rights }: { readonly rights: AdministratorRights },
  { id, code }: Pick<StoredRole, 'id' | 'code'>,
  roles: RoleRights,
): boolean {
  return rights.isSuper || (code !== SUPER_ADMIN && mayGive(roles.get(id) ?? [], rights));
}

function stateOf({ isBlocked, isOpen, password }: AdministratorRow): PersonState {
  if (isBlocked) return 'blocked';
  if (isOpen) return 'active';
  return password === null ? 'invited' : 'deactivated';
}
