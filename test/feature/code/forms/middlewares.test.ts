/** Middlewares in the forms that Strapi's documentation shows; the answers are Strapi's. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const NOTE = contentType('note', { text: { type: 'string' } });

const MIDDLEWARES = `module.exports = [
  'strapi::errors', 'strapi::query', 'strapi::body',
  { name: 'strapi::responses', config: { handlers: { 200(ctx) { ctx.set('x-found', 'yes'); }, 404: async (ctx) => { ctx.body = 'nothing'; ctx.status = 418; } } } },
  'strapi::public',
];`;

const FILES = {
  'config/middlewares.js': MIDDLEWARES,
  'config/plugins.js': 'module.exports = { upload: { enabled: false } };',
  'public/uploads/a.txt': 'a',
  'src/api/note/routes/note.js':
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
};

const FIXTURE = {
  tokens: [{ name: 'full', type: 'full-access' }],
  grants: { public: ['api::note.note.find', 'plugin::upload.content-api.find'] },
};

for (const engine of engines) {
  describe(`middlewares of a project on ${engine.name}`, () => {
    let server: SeededServer;

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes: { note: NOTE }, files: FILES }), FIXTURE);
    });
    after(() => server?.stop());

    it('are functions for answers of some statuses', async () => {
      const found = await server.get('/api/notes');
      deepStrictEqual([found.status, found.headers.get('x-found')], [200, 'yes']);
      const missing = await server.get('/api/nothing');
      deepStrictEqual([missing.status, missing.text, missing.headers.get('x-found')], [418, 'nothing', null]);
    });

    it('are given nothing of a plugin that is switched off', async () => {
      strictEqual((await server.get('/api/upload/files')).status, 403);
      strictEqual((await server.get('/api/upload/files', server.secrets['full'])).status, 403);
      strictEqual((await server.get('/uploads/a.txt')).status, 403);
    });
  });
}
