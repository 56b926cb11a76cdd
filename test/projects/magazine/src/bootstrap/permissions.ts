/** Grants a role the actions that pages need. */
export async function grant(strapi: any, type: string, actions: string[]): Promise<void> {
  const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type } });
  for (const action of actions) {
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    const known = await permissions.findOne({ where: { action, role: role.id } });
    if (!known) await permissions.create({ data: { action, role: role.id } });
  }
}
