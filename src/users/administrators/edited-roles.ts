/**
 * Roles of administrators as other administrators edit them. The caller of each method has checked the right for it.
 * Beyond that right, only super admins may give a role more than they may do themselves: other administrators change
 * and delete roles within their own rights, give permissions within them, and lists that grow with the schema only if
 * their own lists do.
 */
import { isWithinRights, mayGive, rightsOf, SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import { codeForName, createRole, deletionProblem, renameRole } from '../../content/roles/role-changes.ts';
import {
  changeRolePermissions,
  exactly,
  type HeldPermission,
  heldPermissions,
  Permittable,
} from '../../content/roles/role-permissions.ts';
import {
  deleteRole,
  listRolePermissions,
  listStoredRoles,
  lockRoles,
  type StoredRole,
  setSecondFactorRequired,
} from '../../content/roles/role-rows.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { notFound, refusal } from '../../errors.ts';
import { at, because, validationFailure } from '../../failures.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { lockAdministrators } from './administrator-rows.ts';
import type { Administrator } from './administrators.ts';
import { beyondRights, FACTOR_KEPT, roleBeyond } from './people.ts';

/** The most roles of a project that is edited in the app. */
export const MOST_ROLES = 200;

/** A role with its permissions. */
export interface RoleWithPermissions extends StoredRole {
  /** Whether the administrator may change or delete it, given the right to change or delete roles. */
  readonly isChangeable: boolean;
  readonly permissions: readonly HeldPermission[];
  /** The number of stored permissions without a meaning here, which stay as they are. */
  readonly others: number;
}

export interface NewRole {
  readonly name: string;
  readonly description: string;
  /** The role whose permissions are copied. */
  readonly from: number | undefined;
}

/** All permissions of an action on a type, or of an action without a type. */
export interface PermissionEdit {
  readonly action: string;
  readonly subject: string | null;
  /** Null: the role loses the permission. */
  readonly permission: HeldPermission | null;
}

/** Missing parts stay as they are. */
export interface RoleEdit {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly requiresSecondFactor?: boolean | undefined;
  readonly permissions?: readonly PermissionEdit[] | undefined;
}

export class EditedRoles {
  readonly #catalog: Catalog;
  readonly #database: Database;

  constructor({ catalog, database }: { readonly catalog: Catalog; readonly database: Database }) {
    this.#catalog = catalog;
    this.#database = database;
  }

  list(): Promise<StoredRole[]> {
    return listStoredRoles(this.#database);
  }

  /** Everything that roles can permit. */
  permittable(): Promise<Permittable> {
    return Permittable.read(this.#catalog, this.#database);
  }

  /** @throws ContentError 404 for an unknown id. */
  async read(caller: Administrator, id: number): Promise<RoleWithPermissions> {
    const permittable = await this.permittable();
    const role = await roleOfId(this.#database, id);
    const permissions = await heldPermissions(this.#database, permittable, role);
    const stored = (await listRolePermissions(this.#database)).filter((one) => one.role.id === id);
    const isChangeable = this.#isChangeable(permittable, caller, role, permissions);
    return { ...role, permissions, isChangeable, others: stored.length - permissions.length };
  }

  /**
   * Creates a role, and returns its row id.
   *
   * @throws ContentError 400 for a name that another role has, an unknown role to copy, and above the limit; 403 for
   *   copying permissions beyond the rights of the caller.
   */
  async create(caller: Administrator, { name, description, from }: NewRole): Promise<number> {
    return this.#database.transaction(async (tx) => {
      await lockRoles(tx);
      const roles = await listStoredRoles(tx);
      if (roles.length >= MOST_ROLES) throw refusal(`there are ${MOST_ROLES} roles already`);
      const model = from === undefined ? undefined : roles.find(({ id }) => id === from);
      if (from !== undefined && !model) throw validationFailure(at('from'), 'This role does not exist');
      if (model?.code === SUPER_ADMIN) throw validationFailure(at('from'), `The role ${model.name} cannot be copied`);
      const id = await createRole(tx, { code: codeForName(roles, name), name, description });
      if (model) {
        const permittable = await Permittable.read(this.#catalog, tx);
        const copied = await heldPermissions(tx, permittable, model);
        await this.#changePermissions(tx, permittable, { caller, role: { id, name }, key: 'from' }, () =>
          copied.map((permission) => ({ ...permission })),
        );
        if (model.requiresSecondFactor) await setSecondFactorRequired(tx, { id, name }, true);
      }
      return id;
    });
  }

  /**
   * Changes a role.
   *
   * @param read checks the edit against everything that can be permitted.
   * @throws ContentError 400 for a name that another role has, and for permissions of Super Admin; 403 for changes
   *   beyond the rights of the caller; 404.
   */
  async change(caller: Administrator, id: number, read: (permittable: Permittable) => RoleEdit): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await lockRoles(tx);
      const role = await roleOfId(tx, id);
      const permittable = await Permittable.read(this.#catalog, tx);
      const { name = role.name, description = role.description, requiresSecondFactor, permissions } = read(permittable);
      await this.#requireChangeable(tx, permittable, caller, role);
      if (role.code === SUPER_ADMIN && permissions) {
        throw validationFailure(at('permissions'), `The role ${role.name} always has every permission`);
      }
      if (name !== role.name || description !== role.description) await renameRole(tx, { id, name, description });
      if (requiresSecondFactor !== undefined && requiresSecondFactor !== role.requiresSecondFactor) {
        if (!requiresSecondFactor && !caller.rights.isSuper) throw beyondRights('secondFactor', FACTOR_KEPT);
        await setSecondFactorRequired(tx, role, requiresSecondFactor);
      }
      if (permissions) {
        await this.#changePermissions(tx, permittable, { caller, role, key: 'permissions' }, (held) =>
          edited(held, permissions),
        );
      }
    });
  }

  /**
   * @throws ContentError 400 for Super Admin, and for a role that administrators have; 403 for a role beyond the rights
   *   of the caller; 404.
   */
  async remove(caller: Administrator, id: number): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await lockRoles(tx);
      await lockAdministrators(tx);
      const role = await roleOfId(tx, id);
      const problem = deletionProblem(role);
      if (problem === 'super') throw refusal(`The role ${role.name} cannot be deleted`);
      if (problem === 'used') throw refusal('Some administrators still have this role');
      await this.#requireChangeable(tx, await Permittable.read(this.#catalog, tx), caller, role);
      await deleteRole(tx, role);
    });
  }

  /** Changes the permissions of a role as far as the caller may. @param key names the value in errors. */
  async #changePermissions(
    tx: Transaction,
    permittable: Permittable,
    of: { readonly caller: Administrator; readonly role: Pick<StoredRole, 'id' | 'name'>; readonly key: string },
    change: (held: readonly HeldPermission[]) => readonly HeldPermission[],
  ): Promise<void> {
    const { caller, role: changed, key } = of;
    const { rights } = caller;
    const own: HeldPermission[] = [];
    if (!rights.isSuper) for (const role of caller.roles) own.push(...(await heldPermissions(tx, permittable, role)));
    await changeRolePermissions(tx, permittable, changed, (held) => {
      const wanted = exactly(held, change(held));
      if (rights.isSuper) return wanted;
      const had = { isSuper: false, rights: this.#rightsOf(permittable, held) };
      return wanted.map((permission) => {
        if (held.includes(permission)) return permission;
        const given = this.#rightsOf(permittable, [permission]);
        if (!given.every((right) => isWithinRights([right], had) || mayGive([right], rights))) {
          const described = permittable.describe(permission);
          const said = `Your roles do not permit this: ${described}`;
          throw beyondRights(key, because(said, 'permissionBeyond', { permission: described }));
        }
        return growingWith(permission, [...held, ...own]);
      });
    });
  }

  /** Super admins change all roles, others those that permit nothing beyond their own rights. */
  #isChangeable(
    permittable: Permittable,
    { rights }: Administrator,
    role: StoredRole,
    held: readonly HeldPermission[],
  ): boolean {
    return rights.isSuper || (role.code !== SUPER_ADMIN && isWithinRights(this.#rightsOf(permittable, held), rights));
  }

  async #requireChangeable(
    tx: Transaction,
    permittable: Permittable,
    caller: Administrator,
    role: StoredRole,
  ): Promise<void> {
    const held = await heldPermissions(tx, permittable, role);
    if (this.#isChangeable(permittable, caller, role, held)) return;
    throw beyondRights('id', roleBeyond(role));
  }

  #rightsOf(permittable: Permittable, held: readonly HeldPermission[]) {
    const stored = held.map((one) => ({ ...one, properties: permittable.properties(one) }));
    return rightsOf(this.#catalog, stored, false).rights;
  }
}

async function roleOfId(db: Queryable, id: number): Promise<StoredRole> {
  const role = (await listStoredRoles(db)).find((one) => one.id === id);
  if (!role) throw notFound();
  return role;
}

/** The permissions of a role after edits. */
function edited(held: readonly HeldPermission[], edits: readonly PermissionEdit[]): HeldPermission[] {
  const isOf =
    ({ action, subject }: PermissionEdit) =>
    (one: HeldPermission) =>
      one.action === action && one.subject === subject;
  const untouched = held.filter((one) => !edits.some((edit) => isOf(edit)(one)));
  const next = edits.flatMap((edit) => {
    const stored = held.find(isOf(edit))?.stored;
    return edit.permission === null ? [] : [{ ...edit.permission, ...(stored && { stored }) }];
  });
  return [...untouched, ...next];
}

/** A permission whose lists grow with the schema only if those of another permission for the same action do. */
function growingWith(permission: HeldPermission, others: readonly HeldPermission[]): HeldPermission {
  const { action, subject, fields, locales, restricted } = permission;
  const grows = (key: 'fields' | 'locales'): boolean =>
    others.some((one) => one.action === action && one.subject === subject && !one.restricted[key]);
  return {
    ...permission,
    restricted: {
      fields: restricted.fields || (fields !== null && !grows('fields')),
      locales: restricted.locales || (locales !== null && !grows('locales')),
    },
  };
}
