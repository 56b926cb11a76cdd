/** Administrators, rows of `admin_users`, and their roles. Slots are in the order of the named values. */
import type { Dialect } from '../dialect.ts';
import { id, type Sql, slot, sql } from '../fragment.ts';

const COLUMNS = sql`u."id", u."document_id", u."email", u."firstname", u."lastname", u."username", u."prefered_language",
  u."password", u."is_active", u."blocked",
  (select f."enabled_at" from "galley_admin_second_factors" f where f."user_id" = u."id")`;

/** The oldest administrator with an address. Value: the address. */
export function compileAdministratorOfEmail(): Sql {
  return sql`select ${COLUMNS} from "admin_users" u where u."email" = ${slot(0)} order by u."id" limit 1`;
}

/** The administrator with a row id. Value: the id. */
export function compileAdministratorOfId(): Sql {
  return sql`select ${COLUMNS} from "admin_users" u where u."id" = ${slot(0)}`;
}

/** The administrators of some row ids. Slot 0 is the JSON of a list of lists of one id. */
export function compileAdministratorsOfIds(dialect: Dialect): Sql {
  const ids = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'integer' }]);
  return sql`select ${COLUMNS} from "admin_users" u where u."id" in (select given."wanted" from ${ids} given)`;
}

/** All administrators, in the order of their creation. */
export function compileAdministrators(): Sql {
  return sql`select ${COLUMNS} from "admin_users" u order by u."id"`;
}

/** `is_active`, `blocked`, `password` and `registration_token` of the administrators of a role. Value: its code. */
export function compileAdministratorsOfRole(): Sql {
  return sql`select u."is_active", u."blocked", u."password", u."registration_token" from "admin_users" u
    join "admin_users_roles_lnk" l on l."user_id" = u."id"
    join "admin_roles" r on r."id" = l."role_id" where r."code" = ${slot(0)}`;
}

/** Whether a role requires a second factor. */
const REQUIRES_FACTOR = sql`(select count(*) from "galley_admin_required_factors" q where q."role_id" = r."id")`;

/**
 * `id`, `name` and `code` of the roles of an administrator, and whether each requires a second factor. Value: the
 * administrator.
 */
export function compileRolesOfAdministrator(): Sql {
  return sql`select r."id", r."name", r."code", ${REQUIRES_FACTOR} from "admin_roles" r
    join "admin_users_roles_lnk" l on l."role_id" = r."id" where l."user_id" = ${slot(0)} order by r."id"`;
}

/**
 * `action`, `subject`, `properties` and `conditions` of the permissions of an administrator's roles. Value: the
 * administrator.
 */
export function compilePermissionsOfAdministrator(): Sql {
  return sql`select p."action", p."subject", p."properties", p."conditions" from "admin_permissions" p
    join "admin_permissions_role_lnk" l on l."permission_id" = p."id"
    join "admin_users_roles_lnk" u on u."role_id" = l."role_id" where u."user_id" = ${slot(0)}
    union all select o."action", null, null, null from ${id(OWN_PERMISSIONS_TABLE)} o
    join "admin_users_roles_lnk" u on u."role_id" = o."role_id" where u."user_id" = ${slot(0)}`;
}

/** Permissions of roles for actions that the reference does not have, by `role_id` and `action`. */
export const OWN_PERMISSIONS_TABLE = 'galley_admin_permissions';

/** Roles that require a second factor, by `role_id`. */
export const REQUIRED_FACTORS_TABLE = 'galley_admin_required_factors';
/** When administrators used the administration last, by `user_id`. */
export const LAST_USES_TABLE = 'galley_admin_last_uses';

/**
 * Administrators in the order of their creation, with their `created_at`, `registration_token` and last use. Value: the
 * row id after which they begin.
 */
export function compilePeople(most: number): Sql {
  return sql`select ${COLUMNS}, u."created_at", u."registration_token",
      (select t."used_at" from "galley_admin_last_uses" t where t."user_id" = u."id")
    from "admin_users" u where u."id" > ${slot(0)} order by u."id" limit ${most}`;
}

/**
 * The administrator, and `id`, `name`, `code` and whether a second factor is required, of the roles of administrators.
 * Values: the first and the last row id.
 */
export function compileRolesOfPeople(): Sql {
  return sql`select l."user_id", r."id", r."name", r."code", ${REQUIRES_FACTOR} from "admin_roles" r
    join "admin_users_roles_lnk" l on l."role_id" = r."id"
    where l."user_id" >= ${slot(0)} and l."user_id" <= ${slot(1)} order by r."id"`;
}

/** Records the last use of an administrator. Values: administrator, now. */
export function compileNoteLastUse(): Sql {
  return sql`insert into "galley_admin_last_uses" ("user_id", "used_at") values (${slot(0)}, ${slot(1)})
    on conflict ("user_id") do update set "used_at" = excluded."used_at" returning "id"`;
}

/** The next order of an administrator in a role. Value: the role. */
export function compileNextAdministratorOrder(): Sql {
  return sql`select coalesce(max("user_ord"), 0) + 1 from "admin_users_roles_lnk" where "role_id" = ${slot(0)}`;
}

/** The record of the last alignment of the roles (access/administrators/role-alignment.ts). */
export const ROLE_RECORDS_TABLE = 'galley_admin_role_records';

/**
 * `id`, `action`, `subject`, `properties`, `conditions` of every permission that a role has, with the id, the name and
 * the code of the role. The ids of own permissions are negative.
 */
export function compileRolePermissionRows(): Sql {
  return sql`select p."id", p."action", p."subject", p."properties", p."conditions", r."id", r."name", r."code"
    from "admin_permissions" p join "admin_permissions_role_lnk" l on l."permission_id" = p."id"
    join "admin_roles" r on r."id" = l."role_id"
    union all select -o."id", o."action", null, null, null, r."id", r."name", r."code"
    from ${id(OWN_PERMISSIONS_TABLE)} o join "admin_roles" r on r."id" = o."role_id" order by 1, 6`;
}

/**
 * `id`, `name`, `code` and `description` of all roles, the number of administrators of each, and whether it requires a
 * second factor.
 */
export function compileAdministratorRoles(): Sql {
  return sql`select r."id", r."name", r."code", r."description",
    (select count(*) from "admin_users_roles_lnk" l where l."role_id" = r."id"), ${REQUIRES_FACTOR}
    from "admin_roles" r order by r."id"`;
}

/** The next order of a permission in a role. Value: the role. */
export function compileNextPermissionOrder(): Sql {
  return sql`select coalesce(max("permission_ord"), 0) + 1 from "admin_permissions_role_lnk" where "role_id" = ${slot(0)}`;
}
