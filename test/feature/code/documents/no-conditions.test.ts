/** Conditions that are no objects: in Strapi they throw, and none of them is met by every row. Compared with Strapi 5.54. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const OF_RELATION = { tag: { $or: [null] } };
const WHERES = ['x', ['x'], true, 1, { $or: [null] }, { $and: [{ text: 'a' }, 'x'] }, { $not: 1 }, [], [{ text: 'a' }]];

const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      text: { type: 'string' },
      tag: { type: 'relation', relation: 'oneToOne', target: 'api::note.note' },
    }),
  },
  files: {
    'src/index.js': `module.exports = { async bootstrap({ strapi }) {
      for (const text of ['a', 'b']) await strapi.documents('api::note.note').create({ data: { text } });
    } };`,
    'src/api/note/routes/note.js':
      "module.exports = { routes: [{ method: 'POST', path: '/ask', handler: 'note.ask', config: { auth: false } }] };",
    'src/api/note/controllers/note.js': `module.exports = ({ strapi }) => ({ async ask(ctx) {
      const { place, where } = ctx.request.body;
      const calls = {
        rows: () => strapi.db.query('api::note.note').findMany({ where }),
        row: () => strapi.db.query('api::note.note').findOne({ where }),
        count: () => strapi.db.query('api::note.note').count({ where }),
        removal: () => strapi.db.query('api::note.note').deleteMany({ where }),
        store: () => strapi.db.query('strapi::core-store').findMany({ where }),
        documents: () => strapi.documents('api::note.note').findMany({ filters: where }),
        lookup: () => strapi.documents('api::note.note').findMany({ lookup: where }),
      };
      ctx.body = { found: await calls[place]().then((found) => found.length ?? found, () => 'refused') };
    } });`,
  },
};

for (const engine of engines) {
  describe(`conditions that are no objects on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = async (place: string, where: unknown) =>
      (await server.request('POST', '/api/ask', { body: { place, where } })).body.found;

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('are refused by rows', async () => {
      for (const place of ['rows', 'row', 'count', 'removal', 'store'])
        for (const where of place === 'store' ? WHERES : [...WHERES, OF_RELATION])
          deepStrictEqual([await ask(place, where), place, where], ['refused', place, where]);
    });

    it('are refused by documents, as is lookup', async () => {
      for (const where of [true, 1, '', { $or: [null] }, { $and: ['x'] }, { $not: 1 }, OF_RELATION])
        deepStrictEqual([await ask('documents', where), where], ['refused', where]);
      deepStrictEqual(await ask('lookup', { text: 'a' }), 'refused');
    });

    it('may be empty or absent for rows', async () => {
      deepStrictEqual([await ask('rows', {}), await ask('rows', null)], [2, 2]);
    });
  });
}
