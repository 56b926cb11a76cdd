/** Rights that code takes away by Knex (docs/reference/project-code.md, "strapi.db.connection"). */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { engines } from '../../support/databases/databases.ts';
import { serveActions } from '../../support/servers/actions.ts';
import { contentType } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

/** A process that learns of changes by notifications alone. */
const NEVER = { GALLEY_RECHECK_INTERVAL: String(2 ** 31 - 1) };

const ACTIONS = {
  expire: `await strapi.db.connection('strapi_api_tokens').where({ name: 'other' }).update({ expires_at: new Date(0) }); return 1;`,
  readOnly: `await strapi.db.transaction(async () => {
    await strapi.db.connection('strapi_api_tokens').where({ name: 'other' }).update({ type: 'read-only' });
  }); return 1;`,
  make: `const { accessKey } = await strapi.service('admin::api-token').create({ name: 'other', type: 'full-access', lifespan: null, description: '' });
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    await strapi.db.query('plugin::users-permissions.permission').create({ data: { action: 'api::note.note.find', role: role.id } });
    return accessKey;`,
  several: `await strapi.db.connection.raw("select 1; update strapi_api_tokens set type = 'full-access' where name = 'other'"); return 1;`,
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

    it('are gone in other processes as soon as they receive the change', async () => {
      const project = { contentTypes: { note: contentType('note', { title: { type: 'string' } }) } };
      const { server, run } = await serveActions(engine, project, ACTIONS);
      const app = await openProject(server.app.config.dir, {
        env: { ...server.env, ...NEVER },
        overrides: { port: 0, host: '127.0.0.1' },
      });
      try {
        const { url } = await app.listen();
        const token = await run('make');
        const isListening = () => engine.name === 'sqlite' || app.database.load!()['listening'] !== 0;
        await until('the other process receives changes', isListening);
        const becomes = (status: number, method: string, own?: string) =>
          until(`${method} answers ${status}`, async () => {
            const headers: Record<string, string> = { 'content-type': 'application/json' };
            if (own !== undefined) headers['authorization'] = `Bearer ${own}`;
            const body = method === 'POST' ? '{"data":{"title":"x"}}' : null;
            return (await fetch(`${url}/api/notes`, { method, headers, body })).status === status;
          });
        await becomes(200, 'POST', token);
        await becomes(200, 'GET');
        await run('readOnly');
        await becomes(403, 'POST', token);
        if (engine.name === 'postgres') {
          await run('several');
          await becomes(200, 'POST', token);
        }
        await run('expire');
        await becomes(401, 'GET', token);
        await run('revoke');
        await becomes(403, 'GET');
      } finally {
        await app.close();
        await server.stop();
      }
    });
  });
}
