/** Methods of a core controller that code replaces while the project is served. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const files = {
  'src/api/note/routes/note.js':
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
  'src/api/note/routes/own.js':
    "module.exports = { routes: [{ method: 'POST', path: '/replace/:name', handler: 'own.replace', config: { auth: false } }] };",
  'src/api/note/controllers/own.js': `module.exports = ({ strapi }) => ({ replace(ctx) {
    strapi.controller('api::note.note')[ctx.params.name] = async () => 'replaced';
    ctx.body = {};
  } });`,
};

for (const engine of engines) {
  describe(`replaced methods of core controllers on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const contentTypes = { note: contentType('note', { text: { type: 'string' } }) };
      server = await serveSeeded(engine, await makeProject({ contentTypes, files }));
    });
    after(() => server?.stop());

    it('answer from the next request on', async () => {
      const token = server.secrets['full']!;
      const list = async () => (await server.get('/api/notes', token)).body.data as unknown;

      // the second answer is a repeated one
      for (let time = 0; time < 2; time++) deepStrictEqual(await list(), []);
      strictEqual((await server.request('POST', '/api/replace/sanitizeOutput', { token })).status, 200);
      strictEqual(await list(), 'replaced');
    });
  });
}
