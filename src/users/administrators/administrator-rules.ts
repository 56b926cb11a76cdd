/** Rules for all writers of administrators: commands, the browser, and code of the project. */
import { SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { validation } from '../../errors.ts';
import { reason } from '../../reasons.ts';
import { LAST_USES_TABLE } from '../../sql/administrators/accounts.ts';
import { revokeToken } from '../sessions/tokens.ts';
import {
  type AdministratorRow,
  deleteAdministrator,
  findAdministrator,
  findAdministratorByEmail,
  findRoleByCode,
  ROLES_TABLE,
  updateAdministrator,
} from './administrator-rows.ts';
import { endSessionsOfAdministrator } from './administrator-sessions.ts';
import { forgetAllRefused } from './refused-actions.ts';
import { dropSecondFactor } from './second-factors.ts';

/** Whether another administrator has an address (in lower case). */
export async function isAddressTaken(db: Queryable, email: string, id?: number): Promise<boolean> {
  const found = await findAdministratorByEmail(db, email);
  return found !== undefined && found.id !== id;
}

/** @throws ContentError 400 unless roles with all ids exist. */
export async function requireRoles(db: Queryable, named: readonly number[]): Promise<void> {
  const known = new Set((await selectRows(db, 'admin_roles', ['id'], {})).map(([id]) => Number(id)));
  if (named.some((id) => !known.has(id))) throw validation('Some of the roles do not exist');
}

/** Row ids of super administrators, including blocked ones, as in the reference. */
async function superAdministrators(db: Queryable): Promise<number[]> {
  const role = await findRoleByCode(db, SUPER_ADMIN);
  const users = role ? await selectRows(db, ROLES_TABLE, ['user_id'], { role_id: role.id }) : [];
  return users.map(([id]) => Number(id));
}

/** Whether an administrator is the only super administrator. */
export async function isLastSuper(db: Queryable, id: number): Promise<boolean> {
  const holders = await superAdministrators(db);
  return holders.length === 1 && holders[0] === id;
}

/**
 * Requires that a super administrator remains.
 *
 * @param leaving row ids of those that lose the role or can no longer use it.
 * @throws ContentError 400 if no other has it.
 */
export async function requireSuperLeft(db: Queryable, leaving: readonly number[]): Promise<void> {
  const holders = await superAdministrators(db);
  if (holders.length > 0 && holders.every((id) => leaving.includes(id)))
    throw validation('You must have at least one user with super admin role.');
}

/**
 * Requires that another super administrator may sign in. Stricter than the reference, which counts blocked ones.
 *
 * @param id the row id of an administrator that loses the role or can no longer use it.
 * @throws ContentError 400 if no other may sign in.
 */
export async function requireActiveSuperLeft(db: Queryable, id: number): Promise<void> {
  const open: number[] = [];
  for (const holder of await superAdministrators(db)) {
    if ((await findAdministrator(db, holder))?.isOpen) open.push(holder);
  }
  if (open.length === 1 && open[0] === id)
    throw validation(
      'This is the last super admin who can sign in. Give another administrator the role first.',
      {},
      reason('lastSuper'),
    );
}

/** Blocks an administrator: ends the sessions and voids the links. The caller requires that a super admin remains. */
export async function blockAdministrator(
  tx: Transaction,
  administrator: Pick<AdministratorRow, 'id' | 'documentId' | 'email'>,
): Promise<void> {
  const blocked = tx.dialect.encode(true, 'boolean');
  await updateAdministrator(tx, administrator, { blocked, ...NO_LINKS });
  await endSessionsOfAdministrator(tx, administrator.id);
}

/** Columns without links for accepting an invitation or setting a password. */
export const NO_LINKS = {
  registration_token: null,
  reset_password_token: null,
  reset_password_token_expires_at: null,
} as const;

/** Lets a blocked administrator, or one who was deactivated in the reference's panel, sign in again. */
export async function unblockAdministrator(
  tx: Transaction,
  administrator: Pick<AdministratorRow, 'id' | 'documentId' | 'email' | 'password'>,
): Promise<void> {
  // an administrator without a password becomes active by accepting an invitation
  const active = administrator.password === null ? {} : { is_active: tx.dialect.encode(true, 'boolean') };
  await updateAdministrator(tx, administrator, { blocked: tx.dialect.encode(false, 'boolean'), ...active });
}

/**
 * Deletes an administrator with its sessions, second factor, unread refusals, roles and, as in the reference, its own
 * tokens.
 */
export async function removeAdministrator(
  tx: Transaction,
  administrator: Pick<AdministratorRow, 'id' | 'documentId' | 'email'>,
): Promise<void> {
  const { id } = administrator;
  const owned = await selectRows(tx, 'strapi_api_tokens_admin_user_owner_lnk', ['api_token_id'], { user_id: id });
  for (const [token] of owned) {
    const [own] = await selectRows(tx, 'strapi_api_tokens', ['id'], { id: Number(token), kind: 'admin' });
    if (own) await revokeToken(tx, Number(token));
  }
  await endSessionsOfAdministrator(tx, id);
  await dropSecondFactor(tx, id);
  await deleteRows(tx, LAST_USES_TABLE, { user_id: id });
  await forgetAllRefused(tx, id);
  await deleteAdministrator(tx, administrator);
}
