/**
 * Methods that code replaces: those of core controllers are called, so are those of `strapi.entityService`, which only code
 * calls, and others are refused.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** Replacements that Strapi would call and Galley would not. */
const REFUSED = [
  'strapi.contentAPI.sanitize.output',
  'strapi.contentAPI.sanitize.query',
  'strapi.contentAPI.sanitize.input',
  'strapi.contentAPI.validate.query',
  'strapi.contentAPI.validate.input',
  "strapi.db.query('api::note.note').findMany",
  "strapi.db.query('api::note.note').delete",
  "strapi.db.query('plugin::users-permissions.user').findOne",
  "strapi.db.query('plugin::users-permissions.user').create",
  'kept.findMany',
  'strapi.entityService.wrapParams',
];

const files = {
  'src/index.js': `module.exports = {
  register({ strapi }) { strapi.kept = strapi.db.query('api::note.note'); },
  async bootstrap({ strapi }) {
    const { count } = strapi.entityService;
    strapi.entityService.count = async function (uid, params) { return ['counted', await count.call(this, uid, params)]; };
  },
};`,
  'src/api/note/routes/note.js':
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
  'src/api/note/routes/own.js': `module.exports = { routes: ['replace', 'inherit', 'inheritOfAll', 'refused', 'count'].map((name) =>
    ({ method: 'POST', path: '/' + name + '/:name', handler: 'own.' + name, config: { auth: false } })) };`,
  'src/api/note/controllers/own.js': `const replaced = async () => 'replaced';
  module.exports = ({ strapi }) => { const { kept } = strapi; return {
    replace(ctx) {
      strapi.controller('api::note.note')[ctx.params.name] = replaced;
      ctx.body = {};
    },
    inherit(ctx) {
      Object.getPrototypeOf(strapi.controller('api::note.note'))[ctx.params.name] = replaced;
      ctx.body = {};
    },
    inheritOfAll(ctx) {
      Object.getPrototypeOf(Object.getPrototypeOf(strapi.controller('api::note.note')))[ctx.params.name] = replaced;
      ctx.body = {};
    },
    async count(ctx) {
      ctx.body = [await strapi.entityService.count('api::note.note'), await strapi.get('entityService').count('api::note.note')];
    },
    refused(ctx) {
      try { [${REFUSED.map((place) => `() => { ${place} = replaced; }`)}][ctx.params.name](); } catch {}
      ctx.body = {};
    },
  }; };`,
};

for (const engine of engines) {
  describe(`replaced methods on ${engine.name}`, () => {
    let server: SeededServer;
    const start = async () => {
      const contentTypes = { note: contentType('note', { text: { type: 'string' } }) };
      server = await serveSeeded(engine, await makeProject({ contentTypes, files }));
    };
    after(() => server?.stop());

    for (const way of ['replace', 'inherit', 'inheritOfAll']) {
      it(`of core controllers answer from the next request on: ${way}`, async () => {
        await server?.stop();
        await start();
        const token = server.secrets['full']!;
        const list = async () => (await server.get('/api/notes', token)).body.data as unknown;

        // the second answer is a repeated one
        for (let time = 0; time < 2; time++) deepStrictEqual(await list(), []);
        strictEqual((await server.request('POST', `/api/${way}/sanitizeOutput`, { token })).status, 200);
        strictEqual(await list(), 'replaced');
      });
    }

    describe('of strapi', () => {
      before(async () => {
        await server?.stop();
        await start();
      });

      it('of strapi.entityService are called by code', async () => {
        const { body } = await server.request('POST', '/api/count/notes');
        deepStrictEqual(body, [
          ['counted', 0],
          ['counted', 0],
        ]);
      });

      it('fail the request that replaces them, and are not replaced', async () => {
        for (const [index, place] of REFUSED.entries())
          strictEqual((await server.request('POST', `/api/refused/${index}`)).status, 500, place);
        deepStrictEqual((await server.get('/api/notes', server.secrets['full'])).body.data, []);
      });
    });
  });
}
