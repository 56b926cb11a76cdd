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
      await pages.create({ data: { title: 'only a draft' } });
    } };`,
    'src/api/page/routes/page.js': `module.exports = { routes: [
      { method: 'POST', path: '/ask', handler: 'page.ask', config: { auth: false } },
      ...['list', 'pages'].map((name) => ({ method: 'GET', path: '/' + name, handler: 'page.' + (name === 'list' ? 'list' : 'find'), config: { auth: false } })),
    ] };`,
    'src/api/page/content-types/page/lifecycles.js': 'module.exports = { beforeCount() {} };',
    'src/api/page/controllers/page.js': `const { createCoreController } = require('@strapi/strapi').factories;
    module.exports = createCoreController('api::page.page', ({ strapi }) => ({
    async list(ctx) {
      ctx.body = await strapi.service('api::page.page').find(await this.sanitizeQuery(ctx));
    },
    async ask(ctx) {
      const pages = strapi.documents('api::page.page');
      const { action, status } = ctx.request.body;
      const { documentId } = await pages.findFirst({ status: 'published' });
      const statuses = async (id) =>
        (await strapi.db.query('api::page.page').findMany({ where: { documentId: id }, orderBy: 'id' }))
          .map(({ publishedAt }) => (publishedAt === null ? 'draft' : 'published'));
      const calls = {
        findMany: async () => (await pages.findMany({ filters: { documentId }, status })).map(({ title }) => title),
        findFirst: async () => [(await pages.findFirst({ filters: { documentId }, status })).title],
        findOne: async () => [(await pages.findOne({ documentId, status })).title],
        count: () => pages.count({ status }),
        entityService: async () => (await strapi.entityService.findMany('api::page.page', { filters: { documentId }, status })).map(({ title }) => title),
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
    } }));`,
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

    it('counts drafts unless it is published', async () => {
      for (const status of [null, 'draft', ...OTHERS])
        deepStrictEqual([status, (await ask('count', status)).body.found], [status, 2]);
      deepStrictEqual((await ask('count', 'published')).body.found, 1);
    });

    it('is that of a request which code passes on without validating it', async () => {
      for (const query of ['status=zzz', 'status=', 'status[]=published', 'status[a]=published']) {
        const { body } = await server.get(`/api/list?sort=id&${query}`);
        deepStrictEqual(
          [query, body.results?.map(({ title }: { title: string }) => title), body.pagination?.total],
          [query, ['draft', 'only a draft'], 2],
        );
      }
    });

    it('of a request to a core action is validated as without code', async () => {
      for (const query of ['status=zzz', 'status=', 'status[a]=draft'])
        deepStrictEqual([query, (await server.get(`/api/pages?${query}`)).status], [query, 400]);
      deepStrictEqual((await server.get('/api/pages?status[]=draft')).body.meta.pagination.total, 2);
    });

    it('cannot be draft where a document is deleted', async () => {
      deepStrictEqual((await ask('delete', 'draft')).body.found, [true, 'draft', 'published']);
    });
  });
}
