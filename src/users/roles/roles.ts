/**
 * Roles and their grants: `up_permissions` rows, one per role and action, and `galley_permissions` for the actions
 * that the reference does not know (docs/reference/extensions.md).
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
  /** `public`, `authenticated` or one that the project made: what configuration calls the role by. */
  readonly type: string;
  readonly name: string;
}

/** The id of the role of a type, of several the oldest; undefined where there is none. */
export async function findRoleId(db: Queryable, type: string): Promise<number | undefined> {
  const [row] = await selectRows(db, 'up_roles', ['id'], { type }, ['id']);
  return row === undefined ? undefined : Number(row[0]);
}

/** All roles, in the order in which they were made. */
export async function listRoles(db: Queryable): Promise<Role[]> {
  const rows = await selectRows(db, 'up_roles', ['id', 'type', 'name'], {}, ['id']);
  return rows.map(([id, type, name]) => ({ id: Number(id), type: String(type ?? ''), name: String(name ?? '') }));
}

/**
 * Makes a role that is granted nothing, and gives its id; undefined where there is one of this type. Run it in a
 * transaction.
 *
 * @param around what is told of it.
 */
export async function makeRole(
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
  recordRowChange(tx, ROLE_UID, String(columns['document_id']), 'created', id);
  await begun.end(id);
  return id;
}

interface Grant {
  readonly id: number;
  readonly action: string;
}

/** What a role was granted, and what was taken from it. */
export interface GrantChange {
  readonly added: string[];
  readonly removed: string[];
}

/**
 * Makes a role's grants exactly `actions`: what is missing is added, what is more is removed, what is there keeps its
 * row. Run it in a transaction.
 *
 * @param around what is told of each that is added or removed.
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
 * Makes a role's grants what `change` gives for those that it has. Others who change them wait, so that nothing of what
 * they grant is lost. Run it in a transaction.
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
    // Not left to the foreign key: a database need not have it.
    await deleteRows(tx, 'up_permissions_role_lnk', { permission_id: id });
    await deleteRows(tx, 'up_permissions', { id });
    await begun.end(id);
  }
  for (const { id } of ownExtra) await deleteRows(tx, 'galley_permissions', { id });
  const present = new Set([...granted, ...own].map(({ action }) => action));
  const missing = [...wanted].filter((action) => !present.has(action));
  for (const action of missing) await addGrant(tx, roleId, action, around);
  if (missing.length + extra.length + ownExtra.length > 0) {
    const [role] = await selectRows(tx, 'up_roles', ['document_id'], { id: roleId });
    recordRowChange(tx, ROLE_UID, String(role?.[0]), 'updated', roleId);
  }
  // second rows of an action that the role keeps take nothing away
  const gone = new Set([...extra, ...ownExtra].map(({ action }) => action).filter((action) => !wanted.has(action)));
  return { added: missing, removed: [...gone] };
}

/** The actions that a role is granted. */
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

/** Grants that are not wanted, and second rows of the same action. */
function surplus(grants: readonly Grant[], wanted: ReadonlySet<string>): Grant[] {
  const seen = new Set<string>();
  return grants.filter(({ action }) => {
    if (!wanted.has(action) || seen.has(action)) return true;
    seen.add(action);
    return false;
  });
}

async function addGrant(tx: Transaction, roleId: number, action: string, around?: AroundRows): Promise<void> {
  // of those that the reference does not know there is no row to tell of
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
