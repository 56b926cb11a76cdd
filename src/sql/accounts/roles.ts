/** Roles of accounts and their grants as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

/** The number of accounts of each role that has any. */
export function compileCountByRole(): Sql {
  return sql`select "role_id", count(*) from "up_users_role_lnk" group by "role_id"`;
}

/** The actions granted to a role, each after `0`, and its type after `1`. Value: the role. */
export function compileRoleGrants(): Sql {
  return sql`select 0, p."action" from "up_permissions" p
          join "up_permissions_role_lnk" l on l."permission_id" = p."id" where l."role_id" = ${slot(0)}
          union select 0, "action" from "galley_permissions" where "role_id" = ${slot(0)}
          union select 1, "type" from "up_roles" where "id" = ${slot(0)}`;
}

/** The role and the action of each grant of a role. */
export function compileGrantsOfRoles(): Sql {
  return sql`select l."role_id", p."action" from "up_permissions" p
          join "up_permissions_role_lnk" l on l."permission_id" = p."id"
          union select "role_id", "action" from "galley_permissions" where "role_id" is not null`;
}

/** `id` and `action` of the rows of `up_permissions` of a role. Value: the role. */
export function compileRolePermissions(): Sql {
  return sql`select p."id", p."action" from "up_permissions" p
      join "up_permissions_role_lnk" l on l."permission_id" = p."id" where l."role_id" = ${slot(0)} order by p."id"`;
}

/** The next order of a grant in a role. Value: the role. */
export function compileNextGrantOrder(): Sql {
  return sql`select coalesce(max("permission_ord"), 0) + 1 from "up_permissions_role_lnk" where "role_id" = ${slot(0)}`;
}

/** Locks the row of a role by an empty update; `returning "document_id"`. Value: the role. */
export function compileLockRole(): Sql {
  return sql`update "up_roles" set "name" = "name" where "id" = ${slot(0)} returning "document_id", "name"`;
}

/** Renames a role; null keeps its name. Values: name, now, role. */
export function compileRenameRole(): Sql {
  return sql`update "up_roles" set "name" = coalesce(${slot(0)}, "name"), "updated_at" = ${slot(1)}
                      where "id" = ${slot(2)}`;
}

/** Deletes the links of a role to accounts that also have another one. Values: the role, the other one. */
export function compileDeleteSharedAccounts(): Sql {
  return sql`delete from "up_users_role_lnk" where "role_id" = ${slot(0)} and "user_id" in (
          select "user_id" from "up_users_role_lnk" where "role_id" = ${slot(1)})`;
}

/** The number of the last account of a role, or 0. Value: the role. */
export function compileLastAccountOrder(): Sql {
  return sql`select coalesce(max("user_ord"), 0) from "up_users_role_lnk" where "role_id" = ${slot(0)}`;
}

/** Moves the accounts of a role to another role, after an order. Values: the other role, the order, the role. */
export function compileMoveAccounts(): Sql {
  return sql`update "up_users_role_lnk" set "role_id" = ${slot(0)}, "user_ord" = coalesce("user_ord", 0) + ${slot(1)}
        where "role_id" = ${slot(2)}`;
}
