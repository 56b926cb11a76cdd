/** What code populates by a star, and by names that lead nowhere, as in Strapi 5.54. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      title: { type: 'string' },
      tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag', inversedBy: 'notes' },
    }),
    tag: contentType('tag', {
      title: { type: 'string' },
      notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'tag' },
    }),
  },
  files: {
    'src/index.js': `module.exports = { async bootstrap({ strapi }) {
      const tag = await strapi.documents('api::tag.tag').create({ data: { title: 'tag' } });
      await strapi.documents('api::note.note').create({ data: { title: 'note', tag: tag.documentId } });
    } };`,
    'src/api/note/routes/note.js':
      "module.exports = { routes: [{ method: 'POST', path: '/ask', handler: 'note.ask', config: { auth: false } }] };",
    'src/api/note/controllers/note.js': `module.exports = ({ strapi }) => ({ async ask(ctx) {
      const { by, populate } = ctx.request.body;
      const calls = {
        rows: () => strapi.db.query('api::note.note').findOne({ where: { title: 'note' }, populate }),
        documents: () => strapi.documents('api::note.note').findFirst({ populate }),
        entityService: async () => (await strapi.entityService.findMany('api::note.note', { populate }))[0],
      };
      const leading = (one) => Object.fromEntries(Object.entries(one)
        .filter(([, value]) => typeof value === 'object')
        .map(([name, value]) => [name, value && !Array.isArray(value) ? leading(value) : value]));
      ctx.body = { found: await calls[by]().then(({ locale, ...one }) => leading(one), () => 'refused') };
    } });`,
  },
};

const NO_CREATORS = { createdBy: null, updatedBy: null, localizations: [] };
const TAG = { locale: null };

for (const engine of engines) {
  describe(`what code populates on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = async (by: string, populate: unknown) =>
      (await server.request('POST', '/api/ask', { body: { by, populate } })).body.found;

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('has the creators and the other locales where it is everything', async () => {
      deepStrictEqual(await ask('rows', true), { tag: TAG, ...NO_CREATORS });
      for (const by of ['documents', 'entityService'])
        deepStrictEqual(await ask(by, '*'), { tag: TAG, ...NO_CREATORS });
    });

    it('leaves out names that lead nowhere, for rows', async () => {
      for (const populate of [['nope'], { nope: true }, ['title'], ['*'], []])
        deepStrictEqual([populate, await ask('rows', populate)], [populate, {}]);
      for (const populate of [['tag', 'nope'], ['tag.nope'], { tag: true, nope: {} }, { tag: false }, { tag: 'x' }])
        deepStrictEqual([populate, await ask('rows', populate)], [populate, { tag: TAG }]);
      deepStrictEqual(await ask('documents', ['nope']), 'refused');
    });

    it('is refused as a text, for rows', async () => {
      for (const populate of ['*', 'tag', ''])
        deepStrictEqual([populate, await ask('rows', populate)], [populate, 'refused']);
    });
  });
}
