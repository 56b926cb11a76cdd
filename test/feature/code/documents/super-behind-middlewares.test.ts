/** What a controller of the project gets of `super.find` and `super.findOne` where document middlewares run. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const FILES = {
  'src/index.js': 'module.exports = { register({ strapi }) { strapi.documents.use((context, next) => next()); } };',
  'src/api/note/controllers/note.js': `const { createCoreController } = require('@strapi/strapi').factories;
module.exports = createCoreController('api::note.note', () => ({
  async find(ctx) {
    const { data, meta } = await super.find(ctx);
    return { data: data.map((one) => ({ ...one, keys: Object.keys(one) })), meta };
  },
  async findOne(ctx) {
    const { data, meta } = await super.findOne(ctx);
    return { data: { ...data, keys: Object.keys(data) }, meta };
  },
}));`,
};

for (const engine of engines) {
  describe(`a controller that reads the answer of a core action, with document middlewares on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const contentTypes = { note: contentType('note', { text: { type: 'string' } }) };
      server = await serveSeeded(engine, await makeProject({ contentTypes, files: FILES }), {
        tokens: [{ name: 'full', type: 'full-access' }],
      });
    });
    after(() => server?.stop());

    it('receives the values that the caller would see, without the locale of a type that has none', async () => {
      const token = server.secrets['full'];
      const made = await server.request('POST', '/api/notes', { token, body: { data: { text: 'a' } } });
      const keys = ['id', 'documentId', 'text', 'createdAt', 'updatedAt', 'publishedAt'];
      const { data: list } = (await server.request('GET', '/api/notes', { token })).body;
      deepStrictEqual([Object.keys(list[0]), list[0].keys], [[...keys, 'keys'], keys]);
      const target = `/api/notes/${made.body.data.documentId}`;
      for (const _again of [1, 2]) {
        const { data: one } = (await server.request('GET', target, { token })).body;
        deepStrictEqual([Object.keys(one), one.keys], [[...keys, 'keys'], keys]);
      }
    });
  });
}
