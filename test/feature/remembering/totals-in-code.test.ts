/** Cached totals of lists that code reads, within its transactions and outside of them. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';

const FILES = {
  'src/api/note/routes/note.js':
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note', { config: { find: { middlewares: [(ctx, next) => next()] } } });",
  'src/api/note/routes/own.js':
    "module.exports = { routes: [{ method: 'POST', path: '/count', handler: 'own.count', config: { auth: false } }] };",
  'src/api/note/controllers/own.js': `module.exports = ({ strapi }) => ({ async count() {
    const total = async () => (await strapi.service('api::note.note').find({ filters: { text: 'x' } })).pagination.total;
    const create = () => strapi.documents('api::note.note').create({ data: { text: 'x' }, status: 'published' });
    const seen = [await total(), await total()];
    await strapi.db.transaction(async ({ rollback }) => {
      await create();
      seen.push(await total(), await total());
      await rollback();
    });
    seen.push(await total());
    await strapi.db.transaction(create);
    seen.push(await total());
    return seen;
  } });`,
};

for (const engine of engines) {
  describe(`totals of lists that code reads on ${engine.name}`, () => {
    it("count the writes of the code's transaction, and nothing that was rolled back", async () => {
      const contentTypes = { note: contentType('note', { text: { type: 'string' } }) };
      const server = await serveSeeded(engine, await makeProject({ contentTypes, files: FILES }));
      try {
        deepStrictEqual((await server.request('POST', '/api/count', {})).body as unknown, [0, 0, 1, 1, 0, 1]);
        const token = server.secrets['full'];
        const totals = async () => {
          const { body } = await server.get('/api/notes?filters[text]=x', token);
          return (body.meta as { pagination: { total: number } }).pagination.total;
        };
        const seen = [await totals(), await totals()];
        await server.request('POST', '/api/notes', { token, body: { data: { text: 'x' } } });
        deepStrictEqual([...seen, await totals()], [1, 1, 2]);
      } finally {
        await server.stop();
      }
    });
  });
}
