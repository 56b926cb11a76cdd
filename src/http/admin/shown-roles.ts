/** Roles of administrators and everything that they can permit, as answers show them. */
import {
  CONDITIONS,
  FILE_ACTIONS,
  isEdited,
  SETTINGS,
  SUPER_ADMIN,
} from '../../access/administrators/administrator-rights.ts';
import type { HeldPermission, Permittable } from '../../content/roles/role-permissions.ts';
import type { StoredRole } from '../../content/roles/role-rows.ts';
import type { RoleWithPermissions } from '../../users/administrators/edited-roles.ts';

/** True for actions on files: of the actions without a type, conditions apply to these alone. */
export const takesConditions = (action: string): boolean => (Object.values(FILE_ACTIONS) as string[]).includes(action);

export function shownRole({ id, code, name, description, administrators, requiresSecondFactor }: StoredRole) {
  const isSuper = code === SUPER_ADMIN;
  return { id, code, name, description, people: administrators, secondFactor: requiresSecondFactor, isSuper };
}

export const shownRoleWithPermissions = (role: RoleWithPermissions) => ({
  ...shownRole(role),
  permissions: role.permissions.map(toldPermission),
  others: role.others,
  isChangeable: role.isChangeable,
});

/** Null stands for all fields or locales, also those that are added later. */
function toldPermission({ action, subject, fields, locales, conditions, restricted }: HeldPermission) {
  return {
    action,
    subject,
    fields: restricted.fields ? fields : null,
    locales: restricted.locales ? locales : null,
    conditions,
  };
}

/** Everything that roles can permit. */
export function shownPermittable(permittable: Permittable) {
  const types = [...permittable.catalog.contentTypes.values()].filter(isEdited);
  return {
    types: types.map((type) => ({
      uid: type.uid,
      displayName: type.displayName,
      kind: type.kind,
      localized: type.localized,
      draftAndPublish: type.draftAndPublish,
      fields: permittable.fieldsOf('plugin::content-manager.explorer.read', type.uid)!,
    })),
    locales: permittable.locales,
    settings: SETTINGS.map((action) => ({ action, takesConditions: takesConditions(action) })),
    conditions: CONDITIONS,
  };
}
