/**
 * Roles and their grants: one row of `up_permissions` per role and action, and `galley_permissions` for Galley's own
 * actions (docs/reference/extensions.md).
 */
import { isOwnAction } from '../../access/actions.ts';
import { type AroundRows, beginRow } from '../../content/rows/around-rows.ts';
import { recordRowChange } from '../../content/rows/changes.ts';
import { documentColumns } from '../../content/rows/document-rows.ts';
import { valueLock } from '../../content/rows/locks.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, query, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { type ContentType, PERMISSION_UID, ROLE_UID } from '../../schema/catalog.ts';
import { compileLockRole, compileNextGrantOrder, compileRolePermissions } from '../../sql/accounts/roles.ts';

export interface Role {
  readonly id: number;
  /** `public`, `authenticated` or the type of a project's own role, by which configuration refers to it. */
  readonly type: string;
  readonly name: string;
}

/** The id of the oldest role of a type; undefined if there is none. */
export async function findRoleId(db: Queryable, type: string): Promise<number | undefined> {
  const [row] = await selectRows(db, 'up_roles', ['id'], { type }, ['id']);
  return row === undefined ? undefined : Number(row[0]);
}

/** All roles, in the order of creation. */
export async function listRoles(db: Queryable): Promise<Role[]> {
  const rows = await selectRows(db, 'up_roles', ['id', 'type', 'name'], {}, ['id']);
  return rows.map(([id, type, name]) => ({ id: Number(id), type: String(type ?? ''), name: String(name ?? '') }));
}

/**
 * Creates a role without grants and returns its id; undefined if the type exists. Runs in a transaction.
 *
 * @param around hooks for it.
 */
export async function createRole(
  tx: Transaction,
  roles: ContentType,
  { type, name, description }: { type: string; name: string; description: string | null },
  around?: AroundRows,
): Promise<number | undefined> {
  await tx.lock(() => [valueLock(roles, 'type', null, type)]);
  if ((await findRoleId(tx, type)) !== undefined) return undefined;
  const begun = await beginRow(around, ROLE_UID, 'create', () => ({ data: { name, description, type } }));
  const columns = documentColumns(tx, Date.now());
  const id = await insertRow(tx, 'up_roles', { ...columns, name, description, type });
  recordRowChange(tx, ROLE_UID, String(columns['document_id']), 'created', id, { name });
  await begun.end(id);
  return id;
}

interface Grant {
  readonly id: number;
  readonly action: string;
}

/** Added and removed grants of a role. */
export interface GrantChange {
  readonly added: string[];
  readonly removed: string[];
}

/**
 * Sets a role's grants to exactly `actions`: missing ones are added, others removed, and existing rows stay. Runs in a
 * transaction.
 *
 * @param around hooks for each added or removed grant.
 */
export function setRoleGrants(
  tx: Transaction,
  roleId: number,
  actions: Iterable<string>,
  around?: AroundRows,
): Promise<GrantChange> {
  return changeRoleGrants(tx, roleId, () => actions, around);
}

/**
 * Sets a role's grants to what `change` computes from the present ones. Concurrent changes wait, so that none is lost.
 * Runs in a transaction.
 */
export async function changeRoleGrants(
  tx: Transaction,
  roleId: number,
  change: (granted: ReadonlySet<string>) => Iterable<string>,
  around?: AroundRows,
): Promise<GrantChange> {
  await execute(tx, compileLockRole(), [roleId]);
  const granted = await referenceGrants(tx, roleId);
  const own = await ownGrants(tx, roleId);
  const wanted = new Set(change(new Set([...granted, ...own].map(({ action }) => action))));
  const extra = surplus(granted, wanted);
  const ownExtra = surplus(own, wanted);
  for (const { id } of extra) {
    const begun = await beginRow(around, PERMISSION_UID, 'delete', () => ({ where: { id } }));
    // not left to foreign keys, which a database may lack
    await deleteRows(tx, 'up_permissions_role_lnk', { permission_id: id });
    await deleteRows(tx, 'up_permissions', { id });
    await begun.end(id);
  }
  for (const { id } of ownExtra) await deleteRows(tx, 'galley_permissions', { id });
  const present = new Set([...granted, ...own].map(({ action }) => action));
  const missing = [...wanted].filter((action) => !present.has(action));
  for (const action of missing) await addGrant(tx, roleId, action, around);
  // duplicate rows of a kept action remove no grant
  const removed = new Set([...extra, ...ownExtra].map(({ action }) => action).filter((action) => !wanted.has(action)));
  const revoked = [...removed];
  if (missing.length + extra.length + ownExtra.length > 0) {
    const [role] = await selectRows(tx, 'up_roles', ['document_id', 'name'], { id: roleId });
    const more = { granted: missing, revoked };
    const details = { name: String(role?.[1]), action: 'permission.update' as const, more };
    recordRowChange(tx, ROLE_UID, String(role?.[0]), 'updated', roleId, details);
  }
  return { added: missing, removed: revoked };
}

/** The granted actions of a role. */
export async function grantedActions(db: Queryable, roleId: number): Promise<Set<string>> {
  const grants = [...(await referenceGrants(db, roleId)), ...(await ownGrants(db, roleId))];
  return new Set(grants.map(({ action }) => action));
}

async function referenceGrants(db: Queryable, roleId: number): Promise<Grant[]> {
  const rows = await query(db, compileRolePermissions(), [roleId]);
  return rows.map(([id, action]) => ({ id: Number(id), action: String(action) }));
}

async function ownGrants(db: Queryable, roleId: number): Promise<Grant[]> {
  const rows = await selectRows(db, 'galley_permissions', ['id', 'action'], { role_id: roleId }, ['id']);
  return rows.map(([id, action]) => ({ id: Number(id), action: String(action) }));
}

/** Unwanted grants, and duplicate rows of an action. */
function surplus(grants: readonly Grant[], wanted: ReadonlySet<string>): Grant[] {
  const seen = new Set<string>();
  return grants.filter(({ action }) => {
    if (!wanted.has(action) || seen.has(action)) return true;
    seen.add(action);
    return false;
  });
}

async function addGrant(tx: Transaction, roleId: number, action: string, around?: AroundRows): Promise<void> {
  // Galley's own actions have no row that hooks could see
  if (isOwnAction(action)) {
    await insertRow(tx, 'galley_permissions', { role_id: roleId, action });
    return;
  }
  const begun = await beginRow(around, PERMISSION_UID, 'create', () => ({ data: { action, role: roleId } }));
  const permission = await insertRow(tx, 'up_permissions', { action, ...documentColumns(tx, Date.now()) });
  const rows = await query(tx, compileNextGrantOrder(), [roleId]);
  await insertRow(tx, 'up_permissions_role_lnk', {
    permission_id: permission,
    role_id: roleId,
    permission_ord: Number(rows[0]![0]),
  });
  await begun.end(permission);
}
