/** Roles of administrators and their permissions, as rows of the reference's tables. */
import { isOwnAction } from '../../access/administrators/administrator-rights.ts';
import type { NewPermission, RolePermission } from '../../access/administrators/role-alignment.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, jsonOf, query, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import {
  compileAdministratorRoles,
  compileNextPermissionOrder,
  compileRolePermissionRows,
  OWN_PERMISSIONS_TABLE,
  REQUIRED_FACTORS_TABLE,
} from '../../sql/administrators/accounts.ts';
import { documentColumns } from '../rows/document-rows.ts';

/** A role of administrators. */
export interface StoredRole {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  readonly description: string;
  /** How many administrators have it. */
  readonly administrators: number;
  /** Whether administrators with the role must have a second factor. */
  readonly requiresSecondFactor: boolean;
}

/** Makes other transactions that change roles of administrators wait until this one ends. Call it before reading them. */
export async function lockRoles(tx: Transaction): Promise<void> {
  await tx.lock(() => [{ key: 'galley administrator roles', shared: false }]);
}

/** All roles of administrators, the oldest first. */
export async function listStoredRoles(db: Queryable): Promise<StoredRole[]> {
  return (await query(db, compileAdministratorRoles())).map(
    ([id, name, code, description, administrators, factor]) => ({
      id: Number(id),
      name: String(name ?? code),
      code: String(code),
      description: String(description ?? ''),
      administrators: Number(administrators),
      requiresSecondFactor: Number(factor) > 0,
    }),
  );
}

/** Adds a role without permissions and returns its row id. Its name and its code must be free. */
export async function insertRole(
  tx: Transaction,
  { name, code, description }: Pick<StoredRole, 'name' | 'code' | 'description'>,
): Promise<number> {
  const id = await insertRow(tx, 'admin_roles', { ...documentColumns(tx, Date.now()), name, code, description });
  tx.recordAction({ action: 'role.create', ...roleSubject({ id, name }) });
  return id;
}

/** A role as the subject of an action. */
export const roleSubject = ({ id, name }: Pick<StoredRole, 'id' | 'name'>) => ({
  type: 'admin::role',
  id: String(id),
  name,
});

/** Renames a role and changes its description. */
export async function updateRole(
  tx: Transaction,
  { id, name, description }: Pick<StoredRole, 'id' | 'name' | 'description'>,
): Promise<void> {
  const updated = { name, description, updated_at: tx.dialect.encodeTime(Date.now()) };
  await updateRows(tx, 'admin_roles', updated, { id });
  tx.recordAction({ action: 'role.update', ...roleSubject({ id, name }), fields: ['name', 'description'] });
}

/** Sets whether administrators with a role must have a second factor. Takes effect with their next request. */
export async function setSecondFactorRequired(
  tx: Transaction,
  role: Pick<StoredRole, 'id' | 'name'>,
  isRequired: boolean,
): Promise<void> {
  await deleteRows(tx, REQUIRED_FACTORS_TABLE, { role_id: role.id });
  if (isRequired) await insertRow(tx, REQUIRED_FACTORS_TABLE, { role_id: role.id });
  tx.recordAction({ action: 'role.update', ...roleSubject(role), fields: ['secondFactor'] });
}

/** Deletes a role with its permissions. No administrator may have it. */
export async function deleteRole(tx: Transaction, role: Pick<StoredRole, 'id' | 'name'>): Promise<void> {
  const { id } = role;
  for (const permission of await listRolePermissions(tx)) {
    if (permission.role.id === id) await deletePermission(tx, permission.id);
  }
  await deleteRows(tx, REQUIRED_FACTORS_TABLE, { role_id: id });
  await deleteRows(tx, 'admin_roles', { id });
  tx.recordAction({ action: 'role.delete', ...roleSubject(role) });
}

/** The permissions of all roles, the oldest first. */
export async function listRolePermissions(db: Queryable): Promise<RolePermission[]> {
  const rows = await query(db, compileRolePermissionRows());
  return rows.map(([id, action, subject, properties, conditions, role, name, code]) => ({
    id: Number(id),
    action: String(action),
    subject: subject === null ? null : String(subject),
    properties: jsonOf(properties),
    conditions: jsonOf(conditions),
    role: { id: Number(role), name: String(name ?? code), code: String(code) },
  }));
}

/** Adds a permission to a role and returns its row id. */
export async function insertPermission(
  tx: Transaction,
  {
    role,
    action,
    subject,
    properties,
    conditions,
  }: Omit<NewPermission, 'subject'> & { readonly subject: string | null },
): Promise<number> {
  if (isOwnAction(action)) return -(await insertRow(tx, OWN_PERMISSIONS_TABLE, { role_id: role, action }));
  const permission = await insertRow(tx, 'admin_permissions', {
    ...documentColumns(tx, Date.now()),
    action,
    action_parameters: '{}',
    subject,
    properties: JSON.stringify(properties),
    conditions: JSON.stringify(conditions),
  });
  const [order] = await execute(tx, compileNextPermissionOrder(), [role]);
  const link = { permission_id: permission, role_id: role, permission_ord: Number(order![0]) };
  await insertRow(tx, 'admin_permissions_role_lnk', link);
  return permission;
}

/** Changes the properties of a permission. */
export async function updatePermission(
  tx: Transaction,
  id: number,
  properties: Readonly<Record<string, unknown>>,
): Promise<void> {
  const updated = { properties: JSON.stringify(properties), updated_at: tx.dialect.encodeTime(Date.now()) };
  await updateRows(tx, 'admin_permissions', updated, { id });
}

/** Deletes a permission of a role. */
export async function deletePermission(tx: Transaction, id: number): Promise<void> {
  if (id < 0) return deleteRows(tx, OWN_PERMISSIONS_TABLE, { id: -id });
  // a database may lack the foreign key that would do this
  await deleteRows(tx, 'admin_permissions_role_lnk', { permission_id: id });
  await deleteRows(tx, 'admin_permissions', { id });
}
