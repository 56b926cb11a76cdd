/** Rights that code takes away by Knex (docs/reference/project-code.md, "strapi.db.connection"). */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { serveActions } from '../../support/servers/actions.ts';
import { contentType } from '../../support/servers/project.ts';

const ACTIONS = {
  expire: `await strapi.db.connection('strapi_api_tokens').where({ name: 'other' }).update({ expires_at: new Date(0) }); return 1;`,
  readOnly: `await strapi.db.transaction(async () => {
    await strapi.db.connection('strapi_api_tokens').where({ name: 'other' }).update({ type: 'read-only' });
  }); return 1;`,
  make: `const { accessKey } = await strapi.service('admin::api-token').create({ name: 'other', type: 'full-access', lifespan: null, description: '' });
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    await strapi.db.query('plugin::users-permissions.permission').create({ data: { action: 'api::note.note.find', role: role.id } });
    return accessKey;`,
  revoke: `await strapi.db.connection('up_permissions_role_lnk').delete(); return 1;`,
};

for (const engine of engines) {
  describe(`rights that code takes away by SQL, on ${engine.name}`, () => {
    it('are invalid at the next request', async () => {
      const project = { contentTypes: { note: contentType('note', { title: { type: 'string' } }) } };
      const { server, run } = await serveActions(engine, project, ACTIONS);
      try {
        const token = await run('make');
        const body = { data: { title: 'x' } };
        const write = async () => (await server.request('POST', '/api/notes', { token, body })).status;
        const read = async (own?: string) =>
          (await server.request('GET', '/api/notes', own ? { token: own } : {})).status;
        strictEqual(await write(), 200);
        strictEqual(await read(), 200);
        await run('readOnly');
        strictEqual(await write(), 403);
        strictEqual(await read(token), 200);
        await run('expire');
        strictEqual(await read(token), 401);
        await run('revoke');
        strictEqual(await read(), 403);
      } finally {
        await server.stop();
      }
    });
  });
}
