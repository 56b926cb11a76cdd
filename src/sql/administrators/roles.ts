/** Roles of administrators and their permissions as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

/** What the roles were last aligned with (access/administrators/role-alignment.ts). */
export const ROLE_RECORDS_TABLE = 'galley_admin_role_records';

/**
 * `id`, `action`, `subject`, `properties`, `conditions` of every permission that a role has, with the id, the name and
 * the code of the role.
 */
export function compileRolePermissionRows(): Sql {
  return sql`select p."id", p."action", p."subject", p."properties", p."conditions", r."id", r."name", r."code"
    from "admin_permissions" p join "admin_permissions_role_lnk" l on l."permission_id" = p."id"
    join "admin_roles" r on r."id" = l."role_id" order by p."id", r."id"`;
}

/** `id`, `name`, `code` and `description` of all roles, and how many administrators have each. */
export function compileAdministratorRoles(): Sql {
  return sql`select r."id", r."name", r."code", r."description",
    (select count(*) from "admin_users_roles_lnk" l where l."role_id" = r."id")
    from "admin_roles" r order by r."id"`;
}

/** The number behind the last permission of a role. Value: the role. */
export function compileNextPermissionOrder(): Sql {
  return sql`select coalesce(max("permission_ord"), 0) + 1 from "admin_permissions_role_lnk" where "role_id" = ${slot(0)}`;
}
