/** Codes that were mailed to an account, as code sees them that reads the account (docs/reference/project-code.md). */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { serveActions } from '../../support/servers/actions.ts';

const USERS = 'plugin::users-permissions.user';
const ACTIONS = {
  make: `const user = strapi.plugin('users-permissions').service('user');
    await user.add({ username: 'ann', email: 'ann@example.com', password: 'Abcdef1234', confirmed: true });
    return 1;`,
  code: `const { id } = await strapi.db.query('${USERS}').findOne({ where: { username: 'ann' } });
    await strapi.plugin('users-permissions').service('user').edit(id, { resetPasswordToken: 'code-1' }); return 1;`,
  pending: `const found = await strapi.db.query('${USERS}').findOne({ where: { username: 'ann' } });
    const fetched = await strapi.plugin('users-permissions').service('user').fetch(found.id);
    const documents = await strapi.documents('${USERS}').findFirst({ filters: { username: 'ann' } });
    const told = [found, fetched, documents].map((one) => [one.resetPasswordToken !== null, one.confirmationToken !== null]);
    return [told, Object.keys(found).filter((name) => name.endsWith('Token'))];`,
};

for (const engine of engines) {
  describe(`codes of an account, on ${engine.name}`, () => {
    it('are null if none is pending, and not enumerable', async () => {
      const { server, run } = await serveActions(engine, {}, ACTIONS);
      try {
        await run('make');
        const none = [false, false];
        deepStrictEqual(await run('pending'), [[none, none, none], []]);
        await run('code');
        const reset = [true, false];
        deepStrictEqual(await run('pending'), [[reset, reset, reset], []]);
      } finally {
        await server.stop();
      }
    });
  });
}
