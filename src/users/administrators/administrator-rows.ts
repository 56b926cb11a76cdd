/** Reads and writes administrators in `admin_users`. */
import { type StoredPermission, SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import { personOf } from '../../content/administration/form-values.ts';
import { recordRowChange } from '../../content/rows/changes.ts';
import { documentColumns, MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import type { NewAction } from '../../db/interface/action.ts';
import type { Actor } from '../../db/interface/actor.ts';
import type { Queryable, Row } from '../../db/interface/queryable.ts';
import {
  deleteRows,
  insertRow,
  jsonOf,
  query,
  type RowValues,
  selectRows,
  updateRows,
} from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { textOrNull } from '../../plain-values.ts';
import { ADMIN_USER_UID } from '../../schema/catalog.ts';
import {
  compileAdministratorOfEmail,
  compileAdministratorOfId,
  compileAdministrators,
  compileAdministratorsOfIds,
  compileAdministratorsOfRole,
  compileNextAdministratorOrder,
  compilePeople,
  compilePermissionsOfAdministrator,
  compileRolesOfAdministrator,
  compileRolesOfPeople,
} from '../../sql/administrators/accounts.ts';
import { isTrue } from '../accounts/account-rows.ts';

const TABLE = 'admin_users';
/** The link table of administrators and roles. */
export const ROLES_TABLE = 'admin_users_roles_lnk';

export interface AdministratorRow {
  readonly id: number;
  readonly documentId: string;
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly username: string | null;
  readonly preferedLanguage: string | null;
  /** The bcrypt hash; null if there is none, as for an invited administrator. */
  readonly password: string | null;
  /** Whether it may sign in: it has accepted its invitation and is not blocked. */
  readonly isOpen: boolean;
  readonly isBlocked: boolean;
  readonly hasSecondFactor: boolean;
}

export interface AdministratorRole {
  readonly id: number;
  readonly name: string;
  readonly code: string;
}

/** A role of an administrator. */
export interface HeldRole extends AdministratorRole {
  readonly requiresSecondFactor: boolean;
}

export interface NewAdministrator {
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly username?: string | null;
  /** The code of a language. */
  readonly preferedLanguage?: string | null;
  /** The bcrypt hash; null for an invited administrator. */
  readonly password: string | null;
  /** Whether it may sign in, unless it is blocked. */
  readonly isActive?: boolean;
  readonly blocked?: boolean;
}

/** The administrator of an address in lower case. */
export async function findAdministratorByEmail(db: Queryable, email: string): Promise<AdministratorRow | undefined> {
  const rows = await query(db, compileAdministratorOfEmail(), [email]);
  return rows.map(administratorOf)[0];
}

/** The administrator of a row id. */
export async function findAdministrator(db: Queryable, id: number): Promise<AdministratorRow | undefined> {
  if (id > MAX_ROW_ID) return undefined;
  const rows = await query(db, compileAdministratorOfId(), [id]);
  return rows.map(administratorOf)[0];
}

/** The administrators of some row ids; those that no longer exist are missing. */
export async function findAdministrators(db: Queryable, ids: readonly number[]): Promise<AdministratorRow[]> {
  if (ids.length === 0) return [];
  return (await query(db, compileAdministratorsOfIds(db.dialect), [JSON.stringify(ids.map((one) => [one]))])).map(
    administratorOf,
  );
}

/** All administrators, in the order of creation. */
export async function listAdministrators(db: Queryable): Promise<AdministratorRow[]> {
  return (await query(db, compileAdministrators())).map(administratorOf);
}

/** An administrator as the subject of an action. */
export const subjectOf = ({ id, email }: Pick<AdministratorRow, 'id' | 'email'>) => ({
  type: ADMIN_USER_UID,
  id: String(id),
  name: email,
});

/** An administrator as the actor of changes, without an address. */
export const actorOf = (row: AdministratorRow): Omit<Actor, 'address'> => ({
  kind: 'administrator',
  id: row.id,
  name: personOf(row)?.name ?? null,
});

/** What an administrator does to the own account, in the log of actions. */
export const ownAction = (row: AdministratorRow): Omit<NewAction, 'action'> => ({
  ...subjectOf(row),
  by: actorOf(row),
});

/** An administrator with the state of the invitation, the last use and the roles. */
export interface ListedAdministrator extends AdministratorRow {
  /** Epoch milliseconds; null if unknown. */
  readonly createdAt: number | null;
  /** Until when the invitation is valid; null without one. */
  readonly invitedUntil: number | null;
  readonly lastUsedAt: number | null;
  readonly roles: readonly HeldRole[];
}

/** Administrators in the order of creation. @param after the row id after which they begin. */
export async function listPeople(
  db: Queryable,
  { after, most }: { readonly after: number; readonly most: number },
): Promise<ListedAdministrator[]> {
  const rows = await query(db, compilePeople(most), [after]);
  const people = rows.map((row) => {
    const [createdAt, token, usedAt] = row.slice(-3);
    const [, expires] = /^(\d+)\./.exec(String(token ?? '')) ?? [];
    return {
      ...administratorOf(row),
      createdAt: createdAt === null ? null : Number(createdAt),
      invitedUntil: expires === undefined ? null : Number(expires),
      lastUsedAt: usedAt === null ? null : Number(usedAt),
    };
  });
  const [first, last] = [people[0]?.id, people.at(-1)?.id];
  const held = first === undefined ? [] : await query(db, compileRolesOfPeople(), [first, last!]);
  const roles = Map.groupBy(held, ([user]) => Number(user));
  return people.map((one) => ({ ...one, roles: (roles.get(one.id) ?? []).map(([, ...role]) => roleOf(role)) }));
}

/**
 * Locks administrators, their addresses and roles until the transaction ends, so that addresses stay unique and a super
 * administrator remains. To be called before either is read.
 */
export async function lockAdministrators(tx: Transaction): Promise<void> {
  await tx.lock(() => [{ key: 'galley administrators', shared: false }]);
}

/** Whether a super administrator can sign in or has a valid invitation. */
export async function hasSuperAdministrator(db: Queryable, now = Date.now()): Promise<boolean> {
  const rows = await query(db, compileAdministratorsOfRole(), [SUPER_ADMIN]);
  return rows.some(([active, blocked, password, invitation]) => {
    if (isTrue(blocked)) return false;
    if (isTrue(active)) return password !== null;
    // tokens of the reference do not expire
    const [, expires] = /^(\d+)\./.exec(String(invitation ?? '')) ?? [];
    return invitation !== null && (expires === undefined || now < Number(expires));
  });
}

/** The roles of an administrator. */
export async function rolesOfAdministrator(db: Queryable, id: number): Promise<HeldRole[]> {
  return (await query(db, compileRolesOfAdministrator(), [id])).map(roleOf);
}

const roleOf = ([role, name, code, factor]: Row): HeldRole => ({
  id: Number(role),
  name: String(name),
  code: String(code),
  requiresSecondFactor: Number(factor) > 0,
});

/** The permissions of an administrator's roles. */
export async function permissionsOfAdministrator(db: Queryable, id: number): Promise<StoredPermission[]> {
  const rows = await query(db, compilePermissionsOfAdministrator(), [id]);
  return rows.map(([action, subject, properties, conditions]) => ({
    action: String(action),
    subject: textOrNull(subject),
    properties: jsonOf(properties),
    conditions: jsonOf(conditions),
  }));
}

/** The role with a code; undefined if there is none. */
export async function findRoleByCode(db: Queryable, code: string): Promise<AdministratorRole | undefined> {
  const [row] = await selectRows(db, 'admin_roles', ['id', 'name', 'code'], { code }, ['id']);
  return row && { id: Number(row[0]), name: String(row[1]), code: String(row[2]) };
}

/** Creates an administrator with roles, by default able to sign in. Returns its row id. The address must be free. */
export async function insertAdministrator(
  tx: Transaction,
  { email, firstname, lastname, password, ...more }: NewAdministrator,
  roles: readonly number[],
  now = Date.now(),
): Promise<number> {
  const columns = documentColumns(tx, now);
  const { username = null, preferedLanguage: language = null, isActive = true, blocked = false } = more;
  const open = { is_active: tx.dialect.encode(isActive, 'boolean'), blocked: tx.dialect.encode(blocked, 'boolean') };
  const names = { email, firstname, lastname, username, prefered_language: language };
  const id = await insertRow(tx, TABLE, { ...columns, ...names, password, ...open });
  await linkRoles(tx, id, roles);
  recordRowChange(tx, ADMIN_USER_UID, String(columns['document_id']), 'created', id, { name: email });
  return id;
}

/** Whether an administrator has a role together with one of other roles. @param others row ids of roles. */
export async function isHeldWith(db: Queryable, role: number, others: readonly number[]): Promise<boolean> {
  if (others.length === 0) return false;
  const holdersOf = async (id: number) =>
    (await selectRows(db, ROLES_TABLE, ['user_id'], { role_id: id })).map(([user]) => Number(user));
  const holders = new Set(await holdersOf(role));
  for (const other of others) if ((await holdersOf(other)).some((id) => holders.has(id))) return true;
  return false;
}

/** Adds roles to an administrator, after its other roles. */
async function linkRoles(tx: Transaction, id: number, roles: readonly number[], behind = 0): Promise<void> {
  for (const [index, role] of roles.entries()) {
    const [order] = await query(tx, compileNextAdministratorOrder(), [role]);
    const link = { user_id: id, role_id: role, role_ord: behind + index + 1, user_ord: Number(order![0]) };
    await insertRow(tx, ROLES_TABLE, link);
  }
}

/** Replaces the roles of an administrator. Remaining roles keep their order. */
export async function replaceRoles(
  tx: Transaction,
  { id, documentId, email }: Pick<AdministratorRow, 'id' | 'documentId' | 'email'>,
  roles: readonly number[],
): Promise<void> {
  const now = (await selectRows(tx, ROLES_TABLE, ['role_id'], { user_id: id })).map(([role]) => Number(role));
  for (const role of now) if (!roles.includes(role)) await deleteRows(tx, ROLES_TABLE, { user_id: id, role_id: role });
  const unchanged = roles.filter((role) => now.includes(role));
  const added = roles.filter((role) => !now.includes(role));
  for (const [index, role] of unchanged.entries())
    await updateRows(tx, ROLES_TABLE, { role_ord: index + 1 }, { user_id: id, role_id: role });
  await linkRoles(tx, id, added, unchanged.length);
  if (added.length + now.length > unchanged.length)
    recordRowChange(tx, ADMIN_USER_UID, documentId, 'updated', id, { name: email, fields: ['roles'] });
}

/** Deletes the row of an administrator and its roles. */
export async function deleteAdministrator(
  tx: Transaction,
  { id, documentId, email }: Pick<AdministratorRow, 'id' | 'documentId' | 'email'>,
): Promise<void> {
  await deleteRows(tx, ROLES_TABLE, { user_id: id });
  await deleteRows(tx, TABLE, { id });
  recordRowChange(tx, ADMIN_USER_UID, documentId, 'deleted', id, { name: email });
}

/** Changes columns of an administrator. */
export async function updateAdministrator(
  tx: Transaction,
  { id, documentId, email }: Pick<AdministratorRow, 'id' | 'documentId' | 'email'>,
  columns: RowValues,
  now = Date.now(),
): Promise<void> {
  await updateRows(tx, TABLE, { ...columns, updated_at: tx.dialect.encodeTime(now) }, { id });
  // the hashes of links are no field
  const fields = Object.keys(columns).filter((column) => !column.includes('token'));
  recordRowChange(tx, ADMIN_USER_UID, documentId, 'updated', id, { name: email, fields });
}

/** Columns for the hash of a new password; links for setting another one become invalid. */
export const passwordColumns = (password: string): RowValues => ({
  password,
  reset_password_token: null,
  reset_password_token_expires_at: null,
});

/** Stores the hash of a password. */
export function setPassword(
  tx: Transaction,
  administrator: Pick<AdministratorRow, 'id' | 'documentId' | 'email'>,
  password: string,
): Promise<void> {
  return updateAdministrator(tx, administrator, passwordColumns(password));
}

function administratorOf(row: Row): AdministratorRow {
  const [id, documentId, email, firstname, lastname, username, language, password, active, blocked, factor] = row;
  return {
    id: Number(id),
    documentId: String(documentId),
    email: String(email ?? ''),
    firstname: textOrNull(firstname),
    lastname: textOrNull(lastname),
    username: textOrNull(username),
    preferedLanguage: textOrNull(language),
    password: textOrNull(password),
    isOpen: isTrue(active) && !isTrue(blocked),
    isBlocked: isTrue(blocked),
    hasSecondFactor: factor !== null,
  };
}
