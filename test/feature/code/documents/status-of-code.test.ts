/** The `status` of code: any other than `published` is that of drafts, as in Strapi 5.54. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const PROJECT = {
  contentTypes: { page: contentType('page', { title: { type: 'string' } }, { options: { draftAndPublish: true } }) },
  files: {
    'src/index.js': `module.exports = { async bootstrap({ strapi }) {
      const pages = strapi.documents('api::page.page');
      const { documentId } = await pages.create({ data: { title: 'published' }, status: 'published' });
      await pages.update({ documentId, data: { title: 'draft' } });
    } };`,
    'src/api/page/routes/page.js':
      "module.exports = { routes: [{ method: 'POST', path: '/ask', handler: 'page.ask', config: { auth: false } }] };",
    'src/api/page/controllers/page.js': `module.exports = ({ strapi }) => ({ async ask(ctx) {
      const pages = strapi.documents('api::page.page');
      const { action, status } = ctx.request.body;
      const documentId = (await pages.findFirst({})).documentId;
      const statuses = async (id) =>
        (await strapi.db.query('api::page.page').findMany({ where: { documentId: id }, orderBy: 'id' }))
          .map(({ publishedAt }) => (publishedAt === null ? 'draft' : 'published'));
      const calls = {
        findMany: async () => (await pages.findMany({ status })).map(({ title }) => title),
        findFirst: async () => [(await pages.findFirst({ status })).title],
        findOne: async () => [(await pages.findOne({ documentId, status })).title],
        count: () => pages.count({ status }),
        entityService: async () => (await strapi.entityService.findMany('api::page.page', { status })).map(({ title }) => title),
        create: async () => {
          const made = await pages.create({ data: { title: 'made' }, status });
          const found = await statuses(made.documentId);
          await pages.delete({ documentId: made.documentId });
          return found;
        },
        update: async () => {
          const made = await pages.create({ data: { title: 'made' } });
          await pages.update({ documentId: made.documentId, data: { title: 'again' }, status });
          const found = await statuses(made.documentId);
          await pages.delete({ documentId: made.documentId });
          return found;
        },
        delete: async () => {
          const refused = await pages.delete({ documentId, status }).then(() => false, () => true);
          return [refused, ...(await statuses(documentId))];
        },
      };
      ctx.body = { found: await calls[action]() };
    } });`,
  },
};

const OTHERS = ['zzz', '', 'PUBLISHED', true, 0, [], {}];

for (const engine of engines) {
  describe(`a status of code on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = (action: string, status: unknown) => server.request('POST', '/api/ask', { body: { action, status } });

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('is that of drafts unless it is published', async () => {
      for (const action of ['findMany', 'findFirst', 'findOne', 'entityService', 'create', 'update']) {
        for (const status of [null, 'draft', ...OTHERS])
          deepStrictEqual([action, status, (await ask(action, status)).body.found], [action, status, ['draft']]);
      }
      deepStrictEqual((await ask('findMany', 'published')).body.found, ['published']);
    });

    it('condemns the request that counts documents of another one', async () => {
      for (const status of OTHERS) deepStrictEqual([status, (await ask('count', status)).status], [status, 500]);
      for (const status of [null, 'draft', 'published'])
        deepStrictEqual([status, (await ask('count', status)).body.found], [status, 1]);
    });

    it('cannot be draft where a document is deleted', async () => {
      deepStrictEqual((await ask('delete', 'draft')).body.found, [true, 'draft', 'published']);
    });
  });
}
