/** Administrators as stored in `admin_users`, looked up and written. */
import { type StoredPermission, SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import { recordRowChange } from '../../content/rows/changes.ts';
import { documentColumns, MAX_ROW_ID } from '../../content/rows/document-rows.ts';
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
  compileAdministratorsOfRole,
  compileNextAdministratorOrder,
  compilePermissionsOfAdministrator,
  compileRolesOfAdministrator,
} from '../../sql/administrators/accounts.ts';
import { isTrue } from '../accounts/account-rows.ts';

const TABLE = 'admin_users';
/** Which administrators have which roles. */
export const ROLES_TABLE = 'admin_users_roles_lnk';

export interface AdministratorRow {
  readonly id: number;
  readonly documentId: string;
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly username: string | null;
  readonly preferedLanguage: string | null;
  /** The bcrypt hash; null where there is none, as for somebody who was invited. */
  readonly password: string | null;
  /** Whether it may sign in: it has confirmed an invitation, and is not blocked. */
  readonly isOpen: boolean;
  readonly isBlocked: boolean;
  readonly hasSecondFactor: boolean;
}

export interface AdministratorRole {
  readonly id: number;
  readonly name: string;
  readonly code: string;
}

export interface NewAdministrator {
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly username?: string | null;
  /** The code of a language. */
  readonly preferedLanguage?: string | null;
  /** The bcrypt hash; null for somebody who is invited. */
  readonly password: string | null;
  /** Whether it may sign in, where it is not blocked. */
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

/** All administrators, in the order in which they were made. */
export async function listAdministrators(db: Queryable): Promise<AdministratorRow[]> {
  return (await query(db, compileAdministrators())).map(administratorOf);
}

/**
 * Keeps others from making administrators, and from giving one another address or other roles, until the transaction
 * ends: an address is taken once, and somebody keeps the role of all rights. Taken before either is asked.
 */
export async function lockAdministrators(tx: Transaction): Promise<void> {
  await tx.lock(() => [{ key: 'galley administrators', shared: false }]);
}

/** Whether an administrator with the role of all rights can sign in, or has an invitation that is still valid. */
export async function hasSuperAdministrator(db: Queryable, now = Date.now()): Promise<boolean> {
  const rows = await query(db, compileAdministratorsOfRole(), [SUPER_ADMIN]);
  return rows.some(([active, blocked, password, invitation]) => {
    if (isTrue(blocked)) return false;
    if (isTrue(active)) return password !== null;
    // tokens of the reference have no expiry
    const [, expires] = /^(\d+)\./.exec(String(invitation ?? '')) ?? [];
    return invitation !== null && (expires === undefined || now < Number(expires));
  });
}

/** The roles of an administrator. */
export async function rolesOfAdministrator(db: Queryable, id: number): Promise<AdministratorRole[]> {
  const rows = await query(db, compileRolesOfAdministrator(), [id]);
  return rows.map(([role, name, code]) => ({ id: Number(role), name: String(name), code: String(code) }));
}

/** What the roles of an administrator permit. */
export async function permissionsOfAdministrator(db: Queryable, id: number): Promise<StoredPermission[]> {
  const rows = await query(db, compilePermissionsOfAdministrator(), [id]);
  return rows.map(([action, subject, properties, conditions]) => ({
    action: String(action),
    subject: textOrNull(subject),
    properties: jsonOf(properties),
    conditions: jsonOf(conditions),
  }));
}

/** The role of a code; undefined where there is none. */
export async function findRoleByCode(db: Queryable, code: string): Promise<AdministratorRole | undefined> {
  const [row] = await selectRows(db, 'admin_roles', ['id', 'name', 'code'], { code }, ['id']);
  return row && { id: Number(row[0]), name: String(row[1]), code: String(row[2]) };
}

/**
 * Makes an administrator with some roles, who may sign in where nothing else is said, and gives the row id. The address
 * must not be taken.
 */
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
  recordRowChange(tx, ADMIN_USER_UID, String(columns['document_id']), 'created', id);
  return id;
}

/** Gives an administrator roles that it does not have, behind as many that it has. */
export async function linkRoles(tx: Transaction, id: number, roles: readonly number[], behind = 0): Promise<void> {
  for (const [index, role] of roles.entries()) {
    const [order] = await query(tx, compileNextAdministratorOrder(), [role]);
    const link = { user_id: id, role_id: role, role_ord: behind + index + 1, user_ord: Number(order![0]) };
    await insertRow(tx, ROLES_TABLE, link);
  }
}

/** Gives somebody other roles. Those that stay keep their place among the people who have them. */
export async function replaceRoles(tx: Transaction, id: number, roles: readonly number[]): Promise<void> {
  const now = (await selectRows(tx, ROLES_TABLE, ['role_id'], { user_id: id })).map(([role]) => Number(role));
  for (const role of now) if (!roles.includes(role)) await deleteRows(tx, ROLES_TABLE, { user_id: id, role_id: role });
  const kept = roles.filter((role) => now.includes(role));
  const added = roles.filter((role) => !now.includes(role));
  for (const [index, role] of kept.entries())
    await updateRows(tx, ROLES_TABLE, { role_ord: index + 1 }, { user_id: id, role_id: role });
  await linkRoles(tx, id, added, kept.length);
}

/** Takes the row of an administrator away, with its roles. */
export async function deleteAdministrator(
  tx: Transaction,
  { id, documentId }: Pick<AdministratorRow, 'id' | 'documentId'>,
): Promise<void> {
  await deleteRows(tx, ROLES_TABLE, { user_id: id });
  await deleteRows(tx, TABLE, { id });
  recordRowChange(tx, ADMIN_USER_UID, documentId, 'deleted', id);
}

/** Gives columns of an administrator other values. */
export async function updateAdministrator(
  tx: Transaction,
  { id, documentId }: Pick<AdministratorRow, 'id' | 'documentId'>,
  columns: RowValues,
  now = Date.now(),
): Promise<void> {
  await updateRows(tx, TABLE, { ...columns, updated_at: tx.dialect.encodeTime(now) }, { id });
  recordRowChange(tx, ADMIN_USER_UID, documentId, 'updated', id);
}

/** Columns of the hash of a new password, which makes what was sent to set another one void. */
export const passwordColumns = (password: string): RowValues => ({
  password,
  reset_password_token: null,
  reset_password_token_expires_at: null,
});

/** Sets the hash of a password. */
export function setPassword(
  tx: Transaction,
  administrator: Pick<AdministratorRow, 'id' | 'documentId'>,
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
