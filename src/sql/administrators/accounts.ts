/** Administrators, rows of `admin_users`, and their roles as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

const COLUMNS = sql`u."id", u."document_id", u."email", u."firstname", u."lastname", u."username", u."prefered_language",
  u."password", u."is_active", u."blocked",
  (select f."enabled_at" from "galley_admin_second_factors" f where f."user_id" = u."id")`;

/** The oldest administrator of an address. Value: the address. */
export function compileAdministratorOfEmail(): Sql {
  return sql`select ${COLUMNS} from "admin_users" u where u."email" = ${slot(0)} order by u."id" limit 1`;
}

/** The administrator of a row id. Value: the id. */
export function compileAdministratorOfId(): Sql {
  return sql`select ${COLUMNS} from "admin_users" u where u."id" = ${slot(0)}`;
}

/** All administrators, in the order in which they were made. */
export function compileAdministrators(): Sql {
  return sql`select ${COLUMNS} from "admin_users" u order by u."id"`;
}

/** `is_active`, `blocked`, `password` and `registration_token` of the administrators of a role. Value: its code. */
export function compileAdministratorsOfRole(): Sql {
  return sql`select u."is_active", u."blocked", u."password", u."registration_token" from "admin_users" u
    join "admin_users_roles_lnk" l on l."user_id" = u."id"
    join "admin_roles" r on r."id" = l."role_id" where r."code" = ${slot(0)}`;
}

/** `id`, `name` and `code` of the roles of an administrator. Value: the administrator. */
export function compileRolesOfAdministrator(): Sql {
  return sql`select r."id", r."name", r."code" from "admin_roles" r
    join "admin_users_roles_lnk" l on l."role_id" = r."id" where l."user_id" = ${slot(0)} order by r."id"`;
}

/** `action`, `subject`, `properties` and `conditions` of what the roles of an administrator permit. Value: the same. */
export function compilePermissionsOfAdministrator(): Sql {
  return sql`select p."action", p."subject", p."properties", p."conditions" from "admin_permissions" p
    join "admin_permissions_role_lnk" l on l."permission_id" = p."id"
    join "admin_users_roles_lnk" u on u."role_id" = l."role_id" where u."user_id" = ${slot(0)} order by p."id"`;
}

/** The number behind the last administrator of a role. Value: the role. */
export function compileNextAdministratorOrder(): Sql {
  return sql`select coalesce(max("user_ord"), 0) + 1 from "admin_users_roles_lnk" where "role_id" = ${slot(0)}`;
}

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
